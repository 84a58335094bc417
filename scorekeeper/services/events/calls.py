"""Calls for the director: a table makes one, a director takes it, and either ends it.

A call belongs to the table in its round, and stays until somebody ends it, also when the next round is drawn. It is of
the moment: a circle's file has none.
"""

from __future__ import annotations

from operator import attrgetter

from sqlalchemy import func, select

from ...db.clock import now
from ...db.transactions import get_id
from ...live import announce
from ...models import Browser, DrawnRound, Event, RoundTable, db
from ..circles.players import read_owner
from ..invalidation import touch_results
from ..outcome import Done, Stale
from .reading import EventState, RoundTableRow
from .table_phones import message
from .writing import EventAccess, write_at_table, write_to_event

Place = tuple[int, int]  # a round and a table
Outcome = Done[None] | Stale[None]


def call(event: Event, place: Place, seen: int, by: Browser) -> Outcome:
    """Call the director to a table of the current round, which had made `seen` calls before.

    A call that is open already is enough. Nothing is done, instead of calling again, if one has ended meanwhile.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser may no longer write at this table.
    """

    def work(locked: Event, _access: EventAccess) -> Outcome:
        row = _find(locked, place)
        if row is not None and row.called_at is not None:
            return Done(None)
        is_current = locked.finished_at is None and place[0] == db.session.scalar(
            select(func.max(DrawnRound.number)).where(DrawnRound.event_id == locked.id)
        )
        if row is None or not is_current or row.calls != seen:
            return Stale(None)
        row.calls, row.called_at = seen + 1, now()
        _touch(locked, row)
        return Done(None)

    return write_at_table(event, place[1], work, by)


def take(event: Event, place: Place, number: int, by: Browser) -> Outcome:
    """Say that this director is on the way to a table because of its call `number`, unless another one is."""
    browser_id = get_id(by)

    def work(locked: Event) -> Outcome:
        row = _find_open(locked, place, number)
        if row is None or row.coming_id not in (None, browser_id):
            return Stale(None)
        if row.coming_id is None:
            row.coming_id = browser_id
            _touch(locked, row)
        return Done(None)

    return write_to_event(event, work, by)


def end(event: Event, place: Place, number: int, by: Browser) -> None:
    """End the call `number` of a table, if it is still open: it is done, or no longer needed.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser may no longer write at this table.
    """

    def work(locked: Event, _access: EventAccess) -> None:
        row = _find_open(locked, place, number)
        if row is not None:
            row.called_at = row.coming_id = None
            _touch(locked, row)

    write_at_table(event, place[1], work, by)


def _find(event: Event, place: Place) -> RoundTable | None:
    return db.session.get(RoundTable, (event.id, *place), populate_existing=True)


def _find_open(event: Event, place: Place, number: int) -> RoundTable | None:
    row = _find(event, place)
    return row if row is not None and row.calls == number and row.called_at is not None else None


def _touch(event: Event, row: RoundTable) -> None:
    """Tell the directors and the wall, and the phones of the table."""
    touch_results(event)
    announce(message(event, row.number))


# --- reading -----------------------------------------------------------------------------------------------


def list_open(state: EventState) -> list[RoundTableRow]:
    """List the tables that wait for the director, in any round, who has waited longest first."""
    return sorted((row for row in state.tables.values() if row.called_at is not None), key=attrgetter("called_at"))


def count_open(event: Event) -> int:
    """Return how many tables wait for the director."""
    waiting = select(func.count()).where(RoundTable.event_id == event.id, RoundTable.called_at.is_not(None))
    return db.session.scalar(waiting) or 0


def name_director(browser_id: int) -> str | None:
    """Return the name of the person whose phone this is, or of the phone; None if neither is known."""
    browser = db.session.get_one(Browser, browser_id)
    owner = read_owner(browser)
    return owner.name if owner is not None else browser.name
