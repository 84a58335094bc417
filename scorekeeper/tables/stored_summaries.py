"""The `summary` table: written with every revision, and rebuilt from the facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from sqlalchemy import select

from ..models import SEATED, Circle, Part, Summary, Table, db
from .reading import read_revisions
from .state import TableState
from .summary import open_subunits, summarise

# By feature: returns whether something that was settled of a table is unpaid.
UNPAID: dict[str, Callable[[TableState], bool]] = {}


def build(table: TableState, taken_over: dict[str, int]) -> Summary:
    """Return a table's summary, not in the session; `taken_over`, by seat, is what settlements have taken over."""
    ids = {"circle_id": table.circle_id, "table_id": table.id}
    summary = Summary(**ids, version=table.version, data=summarise(table), taken_over=taken_over)
    summary.is_taken_over = not any(open_subunits(summary).values())
    # What was taken over may sum to 0, of settlements of which something is unpaid.
    is_unpaid = bool(taken_over) and any(is_unpaid(table) for is_unpaid in UNPAID.values())
    summary.is_settled = summary.is_taken_over and not is_unpaid
    return summary


def store(table: TableState, taken_over: dict[str, int] | None = None) -> None:
    """Write the table's summary; the caller holds the circle's lock and has written the revision.

    `taken_over`, by seat, replaces what settlements have taken over; None leaves it as it is.
    """
    if taken_over is None:
        stored = db.session.get(Summary, table.id)
        taken_over = stored.taken_over if stored is not None else {}
    db.session.merge(build(table, taken_over))
    for seat in table.stored.seats:
        seat.has_sat = seat.seat in table.everybody


# --- rebuilding --------------------------------------------------------------------------------------------


def rebuild(circle: Circle) -> int:
    """Rebuild the summaries from the facts and return their number; a table that cannot be replayed keeps its own.

    The caller holds the circle's lock.
    """
    rebuilt = 0
    for table in read_rows(circle.id):
        replayed = None
        with suppress(Exception):  # without its game, or with damaged rows
            replayed = TableState(table, read_revisions(table))
        if replayed is not None:
            store(replayed, settled_by_seat(table))
            rebuilt += 1
    return rebuilt


def read_rows(circle_id: int) -> Sequence[Table]:
    query = select(Table).where(Table.circle_id == circle_id).order_by(Table.id)
    return db.session.scalars(query.options(SEATED)).all()


def settled_by_seat(table: Table) -> dict[str, int]:
    """Return what settlements have taken over by seat, in subunits; a merged player keeps the seat."""
    seats = {seat.player_id: seat.seat for seat in table.seats}
    amounts: dict[str, int] = {}
    for part in db.session.scalars(select(Part).where(Part.table_id == table.id)):
        seat = seats[part.player_id]
        amounts[seat] = amounts.get(seat, 0) + int(part.amount)
    return amounts
