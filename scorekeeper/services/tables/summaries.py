"""The `summary` table: written with every revision, and rebuilt from the facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from sqlalchemy import Select, and_, bindparam, insert, select, update
from sqlalchemy import Table as SqlTable

from ...db.transactions import CircleErasedError, write_to_circle
from ...models import SEATED, Part, Seat, Summary, Table, db
from ...models.base import new_token
from ...stats.summary import SummaryData, open_subunits, summarise
from ...tables.state import TableState
from ..money.unpaid import has_unpaid_settlement
from .reading import read_revisions

BATCH_SIZE = 200  # tables read at once


class SummaryRow(NamedTuple):
    """The columns of `models.Summary`, without those that `settlement_flags` derives from them."""

    version: int
    data: SummaryData
    taken_over: dict[str, int]


# Every recorded deal reads and writes a summary. The statements are built once, as in reading.py, and bypass the ORM,
# which would double their cost.
_SUMMARY = cast(SqlTable, Summary.__table__)
_IS_OF_TABLE = and_(_SUMMARY.c.circle_id == bindparam("circle"), _SUMMARY.c.table_id == bindparam("table"))
_SELECT = select(*(_SUMMARY.c[name] for name in SummaryRow._fields)).where(_IS_OF_TABLE)
_UPDATE, _INSERT = update(_SUMMARY).where(_IS_OF_TABLE), insert(_SUMMARY)


def find(table: Table | TableState) -> SummaryRow | None:
    row = db.session.execute(_SELECT, _parameters(table)).one_or_none()
    return SummaryRow._make(row) if row is not None else None


def _parameters(table: Table | TableState) -> dict[str, Any]:
    return {"circle": table.circle_id, "table": table.id}


def store(
    table: TableState,
    before: TableState | None = None,
    taken_over: dict[str, int] | None = None,
) -> SummaryRow:
    """Write the table's summary; the caller holds the circle's lock and has written the revision.

    `before` is the table before the revision. `taken_over`, by seat, replaces what settlements have taken over; None
    leaves it as it is.
    """
    stored = find(table)
    if taken_over is None:
        taken_over = stored.taken_over if stored is not None else {}
    fresh = SummaryRow(table.version, summarise(table), taken_over)
    columns = fresh._asdict() | settlement_flags(table, fresh)
    if stored:
        db.session.execute(_UPDATE, columns | _parameters(table))
    else:
        db.session.execute(_INSERT, columns | {"circle_id": table.circle_id, "table_id": table.id})
    if table.everybody != (tuple(seat.seat for seat in table.stored.seats) if before is None else before.everybody):
        _store_who_has_sat(table)
    return fresh


def _store_who_has_sat(table: TableState) -> None:
    """Write `Seat.has_sat`, after a substitution was recorded or withdrawn."""
    has_sat = Seat.seat.in_(table.everybody)
    for is_so, condition in ((True, has_sat), (False, ~has_sat)):
        wrong = (
            update(Seat).where(Seat.table_id == table.id, condition, Seat.has_sat.is_not(is_so)).values(has_sat=is_so)
        )
        db.session.execute(wrong, execution_options={"synchronize_session": False})


def renew_editions(circle_id: int, table_ids: Sequence[int]) -> None:
    """Have tables whose texts or day have changed read anew by everybody, in the caller's transaction."""
    changed = update(Table).where(Table.circle_id == circle_id, Table.id.in_(table_ids)).values(edition=new_token())
    db.session.execute(changed, execution_options={"synchronize_session": False})


def settlement_flags(table: Table | TableState, summary: SummaryRow) -> dict[str, bool]:
    """Derive the columns `is_taken_over` (all is taken over by settlements) and `is_settled` (and they are paid)."""
    is_taken_over = not any(open_subunits(summary).values())
    # What was taken over may sum to 0, of settlements of which something is unpaid.
    return {
        "is_taken_over": is_taken_over,
        "is_settled": is_taken_over and not (summary.taken_over and has_unpaid_settlement(table)),
    }


# --- rebuilding --------------------------------------------------------------------------------------------


def rebuild(*, only_missing: bool = False) -> int:
    """Rebuild the summaries from the facts and return their number; a table that cannot be replayed keeps its own."""
    wanted = select(Table).where(~Table.summary.has()) if only_missing else select(Table)
    rebuilt = 0
    for circle_id in db.session.scalars(wanted.with_only_columns(Table.circle_id).distinct()).all():
        of_circle = wanted.where(Table.circle_id == circle_id).order_by(Table.id).options(SEATED)
        with suppress(CircleErasedError):
            rebuilt += write_to_circle(circle_id, lambda _, query=of_circle: _rebuild(query))  # type: ignore[misc]
        db.session.expunge_all()
    return rebuilt


def _rebuild(query: Select[Table]) -> int:
    rebuilt = 0
    for table in db.session.scalars(query).all():
        replayed = None
        with suppress(Exception):  # without its game, or with damaged rows
            replayed = TableState(table, read_revisions(table))
        if replayed is not None:
            store(replayed, taken_over=settled_by_seat(table))
            _store_who_has_sat(replayed)
            rebuilt += 1
    return rebuilt


def settled_by_seat(table: Table) -> dict[str, int]:
    """Return what settlements have taken over by seat, in subunits; a merged player keeps the seat."""
    seats = {seat.player_id: seat.seat for seat in table.seats}
    amounts: dict[str, int] = {}
    for part in db.session.scalars(select(Part).where(Part.table_id == table.id)):
        seat = seats[part.player_id]
        amounts[seat] = amounts.get(seat, 0) + int(part.amount)
    return amounts


def batches() -> Iterator[Sequence[Table]]:
    query, last_id = select(Table).options(SEATED).order_by(Table.id).limit(BATCH_SIZE), 0
    while tables := db.session.scalars(query.where(Table.id > last_id)).all():
        last_id = tables[-1].id
        yield tables
