"""Rounds of an event: drawing one, its clock, undoing it, and the end of the event."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import delete, select

from ..db.outcome import Done, Stale
from ..db.transactions import UNSYNCHRONIZED
from ..models import DrawnRound, Event, Membership, ResultConfirmation, RoundResult, RoundTable, db, now
from ..scoring.problems import Problem, refuse
from ..site.occasions import notify
from ..tables.details import delete_tables, has_records
from .drawing import EventRound, UnschedulableError
from .live import touch_event
from .pad_tables import close_pads, find_pads
from .phones import Outcome, writing_to_event
from .reading import EventState, read_state, seconds_between

SEAT_NOTICE = "table"  # the kind of notice for where one sits in a new round


def draw(event: Event, number: int, key: str, by: Membership) -> Outcome:
    """Draw the round with this number, which has to be the next one. The page's key prevents a second draw."""
    state = read_state(event)
    # It may take seconds, so it is drawn before the lock, and once more if the event has changed meanwhile.
    ahead = _draw_next(state) if number == state.current_number + 1 else None
    edition = event.edition
    with writing_to_event(event, by):
        state = read_state(event)
        recorded = next((drawn.number for drawn in state.drawn if drawn.entry_key == key), None)
        if recorded == number:
            return Done(None)
        if recorded is not None or number != state.current_number + 1:
            return Stale(None)
        drawn = ahead if ahead is not None and event.edition == edition else _draw_next(state)
        if isinstance(drawn, Problem):
            return refuse([drawn])
        ids = {"circle_id": event.circle_id, "event_id": event.id}
        sits_out = list(drawn.sits_out)
        db.session.add(DrawnRound(**ids, number=number, sits_out=sits_out, drawn_at=now(), entry_key=key))
        for table, pairs in enumerate(drawn.tables, start=1):
            db.session.add(RoundTable(**ids, round=number, number=table, pairs=[*map(list, pairs)]))
        touch_event(event)
        notify(SEAT_NOTICE, event.circle_id, (event.token, number), by.id)
        return Done(None)


def _draw_next(state: EventState) -> EventRound | Problem:
    event = state.event
    if event.finished_at is not None:
        return Problem("event", "event-is-finished")
    if state.current_number >= event.rounds:
        return Problem("rounds", "all-rounds-drawn", {"most": event.rounds})
    if state.format.build is None and (problem := _find_results_problem(state)):
        return problem
    try:
        return state.format.draw(state.next_draw())
    except UnschedulableError as error:
        return error.problem


def _find_results_problem(state: EventState) -> Problem | None:
    missing = len(state.missing) + len(state.late)
    return Problem("results", "results-missing", {"count": missing}) if missing else None


def set_clock(event: Event, number: int, action: Literal["start", "pause", "resume"], by: Membership) -> Outcome:
    with writing_to_event(event, by):
        if not event.drawn or len(event.drawn) != number:
            return Stale(None)
        if event.finished_at is not None:
            return refuse([Problem("event", "event-is-finished")])
        current = event.drawn[-1]
        if action == "start":
            current.started_at = current.started_at or now()
        elif action == "pause" and current.started_at is not None:
            current.paused_at = current.paused_at or now()
        elif action == "resume" and current.paused_at is not None:
            current.paused_seconds += max(0, seconds_between(current.paused_at, now()))
            current.paused_at = None
        if db.session.is_modified(current):
            touch_event(event)
        return Done(None)


def undo(event: Event, number: int, by: Membership) -> Outcome:
    with writing_to_event(event, by):
        state = read_state(event)
        if state.current_number == number - 1:
            return Done(None)
        if state.current_number != number:
            return Stale(None)
        if problem := find_undo_problem(state):
            return refuse([problem])
        pads = find_pads(event, number)
        # A round without results may have results that were withdrawn.
        results = select(RoundResult.id).where(RoundResult.event_id == event.id, RoundResult.round == number)
        for statement in (
            delete(ResultConfirmation).where(ResultConfirmation.result_id.in_(results)),
            delete(RoundResult).where(RoundResult.id.in_(results)),
            delete(RoundTable).where(RoundTable.event_id == event.id, RoundTable.round == number),
            delete(DrawnRound).where(DrawnRound.event_id == event.id, DrawnRound.number == number),
        ):
            db.session.execute(statement, execution_options=UNSYNCHRONIZED)
        delete_tables(event.circle_id, pads)
        touch_event(event)
        return Done(None)


def find_undo_problem(state: EventState) -> Problem | None:
    event = state.event
    if event.finished_at is not None:
        return Problem("event", "event-is-finished")
    has_results = any(row.result is not None for row in state.current_tables)
    if has_results or has_records(event.circle_id, find_pads(event, state.current_number)):
        return Problem("round", "round-has-results")
    return None


def finish(event: Event, by: Membership) -> Outcome:
    """Finish the event, once every table has a result, and close its pads."""
    with writing_to_event(event, by):
        if event.finished_at is not None:
            return Done(None)
        state = read_state(event)
        if state.current is None:
            return refuse([Problem("event", "no-round-drawn")])
        if problem := _find_results_problem(state):
            return refuse([problem])
        close_pads(event, by.id)
        event.finished_at = now()
        touch_event(event)
        return Done(None)


def reopen(event: Event, by: Membership) -> Outcome:
    with writing_to_event(event, by):
        if event.finished_at is not None:
            event.finished_at = None
            touch_event(event)
        return Done(None)
