"""The phones at the tables of an event: what changes for them, and their calls for the director.

A call is made by a table, a director takes it, and either ends it. It belongs to the table in its round, and stays
until somebody ends it, also when the next round is drawn. It is of the moment: a circle's file has none.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import func, select

from ...db.transactions import get_id
from ...live import EVENT, MARKS, PLAN, REVISION, TABLE, Message, announce
from ...models import Browser, DrawnRound, Event, RoundTable, Table, db, new_token
from ...time_zones import now
from ..circles.players import read_owner
from ..invalidation import touch_results
from ..outcome import Done, Stale
from ..tables.reading import LAST_NUMBER
from .phones import EventAccess, write_at_table, write_to_event

Place = tuple[int, int]  # a round and a table
Outcome = Done[None] | Stale[None]

# --- what changes ------------------------------------------------------------------------------------------


def mark(event: Event, table: int) -> str:
    """Return what changes whenever the page of a table does: with the event but for results, or by itself."""
    at_table = select(RoundTable.edition).where(RoundTable.event_id == event.id, RoundTable.number == table)
    return f"{event.plan_edition}-{db.session.scalar(at_table.order_by(RoundTable.round.desc()).limit(1))}"


def marks(event: Event) -> dict[str, str]:
    """Return what tells an event from all its other states, by the kind of message about it."""
    return {EVENT: event.edition, PLAN: event.plan_edition}


def read_states(tokens: Collection[str]) -> list[Message]:
    """Return the states of the tables with these tokens and of their marks, and of the events with the others."""
    query = select(Table.token, func.coalesce(LAST_NUMBER, 0), Table.marks_edition).where(Table.token.in_(tokens))
    found = []
    for token, revisions, edition in db.session.execute(query):
        found += [Message(REVISION, token, str(revisions)), Message(MARKS, token, edition)]
    others = set(tokens).difference(message.topic for message in found)
    return found + _read_events(others) if others else found


def _read_events(tokens: Collection[str]) -> list[Message]:
    """Return the states of the events with these tokens and of the tables of their current rounds."""
    events = db.session.scalars(select(Event).where(Event.token.in_(tokens)))
    found = [Message(kind, event.token, mark) for event in events for kind, mark in marks(event).items()]
    last_round = select(func.max(DrawnRound.number)).where(DrawnRound.event_id == Event.id).correlate(Event)
    tables = (
        select(RoundTable.number, Event.token, RoundTable.edition)
        .join(Event, Event.id == RoundTable.event_id)
        .where(Event.token.in_(tokens), RoundTable.round == last_round.scalar_subquery())
    )
    return found + [Message(f"{TABLE}-{number}", *state) for number, *state in db.session.execute(tables)]


def announce_table(event: Event, table: int) -> None:
    """Note a change of a table and announce it to its phones, in the caller's transaction."""
    at_table = select(RoundTable).where(RoundTable.event_id == event.id, RoundTable.number == table)
    row = db.session.scalars(at_table.order_by(RoundTable.round.desc()).limit(1)).one()
    row.edition = new_token()
    announce(Message(f"{TABLE}-{table}", event.token, row.edition))


# --- calls -------------------------------------------------------------------------------------------------


def call(event: Event, place: Place, seen: int, by: Browser) -> Outcome:
    """Call the director to a table of the current round, which had made `seen` calls before.

    A call that is open already is enough. Nothing is done, instead of calling again, if one has ended meanwhile.
    """

    def work(locked: Event, _access: EventAccess) -> Outcome:
        row = find_row(locked, place)
        if row is not None and row.called_at is not None:
            return Done(None)
        if row is None or not is_current_round(locked, row.round) or row.calls != seen:
            return Stale(None)
        row.calls, row.called_at = seen + 1, now()
        _touch(locked, row)
        return Done(None)

    return write_at_table(event, place[1], work, by)


def take_call(event: Event, place: Place, number: int, by: Browser) -> Outcome:
    """Say that this director is on the way to a table because of its call `number`, unless another one is."""
    browser_id = get_id(by)

    def work(locked: Event) -> Outcome:
        row = _find_called(locked, place, number)
        if row is None or row.coming_id not in (None, browser_id):
            return Stale(None)
        if row.coming_id is None:
            row.coming_id = browser_id
            _touch(locked, row)
        return Done(None)

    return write_to_event(event, work, by)


def end_call(event: Event, place: Place, number: int, by: Browser) -> None:
    def work(locked: Event, _access: EventAccess) -> None:
        row = _find_called(locked, place, number)
        if row is not None:
            row.called_at = row.coming_id = None
            _touch(locked, row)

    write_at_table(event, place[1], work, by)


def is_current_round(event: Event, round_number: int) -> bool:
    last_round = select(func.max(DrawnRound.number)).where(DrawnRound.event_id == event.id)
    return event.finished_at is None and round_number == db.session.scalar(last_round)


def find_row(event: Event, place: Place) -> RoundTable | None:
    return db.session.get(RoundTable, (event.id, *place), populate_existing=True)


def _find_called(event: Event, place: Place, number: int) -> RoundTable | None:
    row = find_row(event, place)
    return row if row is not None and row.calls == number and row.called_at is not None else None


def _touch(event: Event, row: RoundTable) -> None:
    touch_results(event)
    announce_table(event, row.number)


def count_calls(event: Event) -> int:
    waiting = select(func.count()).where(RoundTable.event_id == event.id, RoundTable.called_at.is_not(None))
    return db.session.scalar(waiting) or 0


def name_director(browser_id: int) -> str | None:
    """Return the name of the person whose phone this is, or of the phone; None if neither is known."""
    browser = db.session.get_one(Browser, browser_id)
    owner = read_owner(browser)
    return owner.name if owner is not None else browser.name
