"""The `summary` table: written with every revision, and rebuilt from the facts."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from sqlalchemy import Select, and_, bindparam, insert, select, update
from sqlalchemy import Table as SqlTable

from ...db.transactions import CircleErasedError, write_to_circle
from ...games import games
from ...models import SEATED, Circle, Part, Seat, Summary, Table, db
from ...scoring.standing import AnyStanding
from ...stats.summary import PreviousSummary, SummaryData, fingerprint, open_subunits, summarise
from ...tables.state import TableState
from ..money.unpaid import has_unpaid_settlement
from .reading import read_revisions, read_revisions_of_all

BATCH_SIZE = 200  # tables replayed between two commits
TURN_SIZE = 50  # the same while others play: they wait for about 50 ms


class SummaryRow(NamedTuple):
    """The columns of `models.Summary`, without those that `settlement_flags` derives from them."""

    version: int
    data: SummaryData
    fingerprint: str
    taken_over: dict[str, int]


# Every recorded deal reads and writes a summary. The statements are built once, as in reading.py, and bypass the ORM,
# which would double their cost.
_SUMMARY = cast(SqlTable, Summary.__table__)
_IS_OF_TABLE = and_(_SUMMARY.c.circle_id == bindparam("circle"), _SUMMARY.c.table_id == bindparam("table"))
_SELECT = select(*(_SUMMARY.c[name] for name in SummaryRow._fields)).where(_IS_OF_TABLE)
_UPDATE, _INSERT = update(_SUMMARY).where(_IS_OF_TABLE), insert(_SUMMARY)
_NO_FINGERPRINT = ""  # of a table whose texts have changed, until it is computed again, as without its game


def find(table: Table | TableState) -> SummaryRow | None:
    """Return the table's summary, if it has one."""
    row = db.session.execute(_SELECT, _parameters(table)).one_or_none()
    return SummaryRow._make(row) if row is not None else None


def _parameters(table: Table | TableState) -> dict[str, Any]:
    """Return the parameters that name the table's summary."""
    return {"circle": table.circle_id, "table": table.id}


def store(
    table: TableState,
    before: TableState | None = None,
    taken_over: dict[str, int] | None = None,
) -> SummaryRow:
    """Write the table's summary; the caller holds the circle's lock and has written the revision.

    `before` is the table one revision earlier; if only rows were added since, the stored summary is extended.
    `taken_over`, by seat, replaces what settlements have taken over; None leaves it as it is.
    """
    stored = find(table)
    earlier = None
    if (
        stored
        and before is not None
        and stored.version == before.version
        and stored.fingerprint != _NO_FINGERPRINT
        and _only_adds_rows(before.standing, table.standing)
    ):
        earlier = PreviousSummary(stored.data, stored.fingerprint, len(before.standing.rows))
    if taken_over is None:
        taken_over = stored.taken_over if stored is not None else {}
    fresh = SummaryRow(table.version, summarise(table, earlier), fingerprint(table, earlier), taken_over)
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


def refresh_texts(table: Table) -> None:
    """Rewrite the summary of a table whose texts or day have changed, but not its scores.

    A table without its game loses its fingerprint, until it is computed again with the game.
    """
    forget_texts(table.circle_id, [table.id])
    _refresh_fingerprints(table.circle_id, [table.id])


def take_over(circle_id: int, taken_over: Mapping[int, SummaryRow]) -> None:
    """Write what settlements have taken over of new tables, by the table's id; `recompute_all` writes the rest."""
    rows = [
        {"circle": circle_id, "table": id_, "taken_over": summary.taken_over}
        | {"is_taken_over": not any(open_subunits(summary).values())}
        for id_, summary in taken_over.items()
    ]
    if rows:
        db.session.execute(_UPDATE, rows)


def forget_texts(circle_id: int, table_ids: Sequence[int]) -> None:
    """Leave out the fingerprints of tables whose texts or day have changed, in the caller's transaction.

    Computing them takes a replay each, so `refresh_forgotten` does it afterwards. A table that was read before has to
    be read again to add a revision: its summary depends on what has changed.
    """
    edition = secrets.token_hex(8)
    for start in range(0, len(table_ids), BATCH_SIZE):
        ids = table_ids[start : start + BATCH_SIZE]
        in_circle = update(Table).where(Table.circle_id == circle_id, Table.id.in_(ids)).values(edition=edition)
        of_tables = update(Summary).where(Summary.circle_id == circle_id, Summary.table_id.in_(ids))
        for statement in (in_circle, of_tables.values(fingerprint=_NO_FINGERPRINT)):
            db.session.execute(statement, execution_options={"synchronize_session": False})


def refresh_forgotten(circle_id: int) -> None:
    """Compute the fingerprints that are left out in a circle, in several short transactions.

    If it is interrupted, some are left out until their tables change, and a sheet of theirs can be imported again.
    """
    forgotten = select(Summary.table_id).where(Summary.circle_id == circle_id, Summary.fingerprint == _NO_FINGERPRINT)
    ids = db.session.scalars(forgotten).all()
    with suppress(CircleErasedError):
        for start in range(0, len(ids), TURN_SIZE):
            some = ids[start : start + TURN_SIZE]
            write_to_circle(circle_id, lambda _, some=some: _refresh_fingerprints(circle_id, some))  # type: ignore[misc]


def _refresh_fingerprints(circle_id: int, table_ids: Sequence[int]) -> None:
    query = select(Table).where(Table.circle_id == circle_id, Table.id.in_(table_ids)).options(SEATED)
    tables = db.session.scalars(query.execution_options(populate_existing=True)).all()
    revisions = read_revisions_of_all(circle_id, table_ids)
    states = [TableState(table, revisions[table.id]) for table in tables if table.game in games()]
    rows = [_parameters(state) | {"fingerprint": fingerprint(state)} for state in states]
    if rows:
        db.session.execute(_UPDATE, rows)


def _only_adds_rows(before: AnyStanding, after: AnyStanding) -> bool:
    """Return whether `after` has the same row objects as `before`, perhaps followed by more; none was scored again."""
    return not before.rows or (
        len(after.rows) >= len(before.rows) and after.rows[len(before.rows) - 1] is before.rows[-1]
    )


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
    circles = select(Table.circle_id).distinct().order_by(Table.circle_id)
    if only_missing:
        circles = circles.where(~Table.summary.has())
    return sum(_rebuild_circle(id_, only_missing=only_missing) for id_ in db.session.scalars(circles).all())


def _rebuild_circle(circle_id: int, *, only_missing: bool) -> int:
    """Rebuild the summaries of a circle's tables, one batch per transaction."""
    query = _batch(only_missing=only_missing).where(Table.circle_id == circle_id)
    rebuilt, last_id = 0, 0

    def rebuild_batch(_circle: Circle) -> tuple[int, int | None]:
        tables = db.session.scalars(query.where(Table.id > last_id)).all()
        return sum(map(_rebuild, tables)), tables[-1].id if tables else None

    while True:
        try:
            count, batch_end = write_to_circle(circle_id, rebuild_batch)
        except CircleErasedError:
            return rebuilt
        db.session.expunge_all()
        rebuilt += count
        if batch_end is None:
            return rebuilt
        last_id = batch_end


def _rebuild(table: Table) -> bool:
    replayed = _replayed(table)
    if replayed is None:
        return False
    store(replayed, taken_over=settled_by_seat(table))
    _store_who_has_sat(replayed)
    return True


def _replayed(table: Table) -> TableState | None:
    """Replay a table; None without its game, or if that fails, since its rows may be damaged in any way."""
    try:
        return TableState(table, read_revisions(table))
    except Exception:
        return None


def settled_by_seat(table: Table) -> dict[str, int]:
    """Return what settlements have taken over by seat, in subunits; a merged player keeps the seat."""
    seats = {seat.player_id: seat.seat for seat in table.seats}
    amounts: dict[str, int] = {}
    for part in db.session.scalars(select(Part).where(Part.table_id == table.id)):
        seat = seats[part.player_id]
        amounts[seat] = amounts.get(seat, 0) + int(part.amount)
    return amounts


def batches() -> Iterator[Sequence[Table]]:
    """Yield all tables in batches, by id."""
    query, last_id = _batch(), 0
    while tables := db.session.scalars(query.where(Table.id > last_id)).all():
        last_id = tables[-1].id
        yield tables


def _batch(*, only_missing: bool = False) -> Select[Table]:
    query = select(Table).options(SEATED).order_by(Table.id).limit(BATCH_SIZE)
    return query.where(~Table.summary.has()) if only_missing else query
