"""Rounds of an event: drawing one, its clock, undoing it, and the end of the event."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import delete, insert, select

from ...db.clock import now
from ...db.transactions import get_id
from ...events.drawing import EventRound, UnschedulableError
from ...models import Browser, DrawnRound, Event, ResultConfirmation, RoundResult, RoundTable, db
from ...push.queue import TABLE, Occasion, notify
from ...scoring.problems import Problem
from ..invalidation import touch
from ..outcome import Done, Stale
from ..tables.details import delete_tables, has_records
from .pad_tables import close_pads, find_pads
from .reading import EventState, read, seconds_between
from .writing import write_to_event

# The number of the round, and of the last round.
Outcome = Done[int] | Stale[int] | Problem


def draw(event: Event, number: int, key: str, by: Browser) -> Outcome:
    """Draw the round with this number, which has to be the next one. The page's key prevents a second draw.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    state = read(event)
    drawn = _draw_next(state) if number == state.current_number + 1 and not _problem_of_drawing(state) else None
    ahead = drawn and (event.edition, drawn)
    browser_id = get_id(by)
    return write_to_event(event, lambda locked: _draw(locked, number, key, ahead, browser_id), by)


def _draw(
    event: Event, number: int, key: str, ahead: tuple[str, EventRound | Problem] | None, browser_id: int
) -> Outcome:
    """Draw a round. `ahead` is the one that was drawn before the lock, and from which edition of the event."""
    state = read(event)
    recorded = next((drawn.number for drawn in state.drawn if drawn.entry_key == key), None)
    if recorded == number:
        return Done(number)
    if recorded is not None or number != state.current_number + 1:
        return Stale(state.current_number)
    problem = _problem_of_drawing(state)
    if problem is not None:
        return problem
    drawn = ahead[1] if ahead is not None and ahead[0] == event.edition else _draw_next(state)
    if isinstance(drawn, Problem):
        return drawn
    _store(event, number, drawn, key)
    touch(event)
    notify(Occasion(TABLE, event.circle_id, (event.token, number), browser_id))
    return Done(number)


def _draw_next(state: EventState) -> EventRound | Problem:
    """Draw the next round, which may take seconds."""
    try:
        return state.format.draw(state.next_draw())
    except UnschedulableError as error:
        return error.problem


def _problem_of_drawing(state: EventState) -> Problem | None:
    """Return why no further round can be drawn, if so."""
    event = state.event
    if event.finished_at is not None:
        return Problem("event", "event-is-finished")
    if state.current_number >= event.rounds:
        return Problem("rounds", "all-rounds-drawn", {"most": event.rounds})
    missing = len(state.missing) + len(state.late)
    if missing and state.format.build is None:
        return Problem("results", "results-missing", {"count": missing})
    return None


def _store(event: Event, number: int, drawn: EventRound, key: str) -> None:
    ids = {"circle_id": event.circle_id, "event_id": event.id}
    db.session.add(DrawnRound(**ids, number=number, sits_out=list(drawn.sits_out), drawn_at=now(), entry_key=key))
    db.session.flush()
    rows = [
        {**ids, "round": number, "number": table, "pairs": [list(pair) for pair in pairs]}
        for table, pairs in enumerate(drawn.tables, start=1)
    ]
    if rows:
        db.session.execute(insert(RoundTable), rows)


# --- the clock ---------------------------------------------------------------------------------------------


def start(event: Event, number: int, by: Browser) -> Outcome:
    """Start the clock of the current round, which has to be this one."""

    def work(current: DrawnRound) -> bool:
        is_new = current.started_at is None
        current.started_at = current.started_at or now()
        return is_new

    return _change_current(event, number, work, by)


def pause(event: Event, number: int, by: Browser) -> Outcome:
    """Pause the clock of the current round."""

    def work(current: DrawnRound) -> bool:
        if current.started_at is None or current.paused_at is not None:
            return False
        current.paused_at = now()
        return True

    return _change_current(event, number, work, by)


def resume(event: Event, number: int, by: Browser) -> Outcome:
    """Let the clock of the current round run again."""

    def work(current: DrawnRound) -> bool:
        if current.paused_at is None:
            return False
        current.paused_seconds += max(0, seconds_between(current.paused_at, now()))
        current.paused_at = None
        return True

    return _change_current(event, number, work, by)


def _change_current(event: Event, number: int, work: Callable[[DrawnRound], bool], by: Browser) -> Outcome:
    """Run `work` on the current round, which returns whether it has changed anything."""

    def change(locked: Event) -> Outcome:
        current = _last_round(locked)
        if current is None or current.number != number:
            return Stale(current.number if current is not None else 0)
        if locked.finished_at is not None:
            return Problem("event", "event-is-finished")
        if work(current):
            touch(locked)
        return Done(number)

    return write_to_event(event, change, by)


def _last_round(event: Event) -> DrawnRound | None:
    query = select(DrawnRound).where(DrawnRound.event_id == event.id)
    last = query.order_by(DrawnRound.number.desc()).limit(1)
    return db.session.scalar(last.execution_options(populate_existing=True))


# --- undoing -----------------------------------------------------------------------------------------------


def undo(event: Event, number: int, by: Browser) -> Outcome:
    """Undo the drawing of the current round, unless it has results or deals."""
    return write_to_event(event, lambda locked: _undo(locked, number), by)


def _undo(event: Event, number: int) -> Outcome:
    state = read(event)
    if state.current_number == number - 1:
        return Done(number)
    if state.current_number != number:
        return Stale(state.current_number)
    problem = problem_of_undoing(state)
    if problem is not None:
        return problem
    pads = find_pads(event, number)
    _delete_round(event, number)
    delete_tables(event.circle_id, pads)
    touch(event)
    return Done(number)


def problem_of_undoing(state: EventState) -> Problem | None:
    """Return why the current round cannot be undone, if so."""
    event = state.event
    if event.finished_at is not None:
        return Problem("event", "event-is-finished")
    has_results = any(row.scores is not None for row in state.current_tables)
    if has_results or has_records(event.circle_id, find_pads(event, state.current_number)):
        return Problem("round", "round-has-results")
    return None


def _delete_round(event: Event, number: int) -> None:
    """Delete a round, with results that were withdrawn."""
    results = select(RoundResult.id).where(RoundResult.event_id == event.id, RoundResult.round == number)
    for statement in (
        delete(ResultConfirmation).where(
            ResultConfirmation.circle_id == event.circle_id, ResultConfirmation.result_id.in_(results)
        ),
        delete(RoundResult).where(RoundResult.event_id == event.id, RoundResult.round == number),
        delete(RoundTable).where(RoundTable.event_id == event.id, RoundTable.round == number),
        delete(DrawnRound).where(DrawnRound.event_id == event.id, DrawnRound.number == number),
    ):
        db.session.execute(statement, execution_options={"synchronize_session": False})


# --- the end -----------------------------------------------------------------------------------------------


def finish(event: Event, by: Browser) -> Problem | None:
    """Finish the event, once every table has a result, and close its tables; return what is in the way, if anything."""
    browser_id = get_id(by)
    return write_to_event(event, lambda locked: _finish(locked, browser_id), by)


def _finish(event: Event, browser_id: int) -> Problem | None:
    if event.finished_at is not None:
        return None
    state = read(event)
    missing = len(state.missing) + len(state.late)
    if state.current is None:
        return Problem("event", "no-round-drawn")
    if missing:
        return Problem("results", "results-missing", {"count": missing})
    close_pads(event, browser_id)
    event.finished_at = now()
    touch(event)
    return None


def reopen(event: Event, by: Browser) -> None:
    """Let a finished event go on."""

    def work(locked: Event) -> None:
        if locked.finished_at is not None:
            locked.finished_at = None
            touch(locked)

    write_to_event(event, work, by)
