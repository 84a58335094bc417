"""Summaries of tables: kept with every write, and made again from the facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import bindparam, select

from ..scoring.standing import Standing
from ..store import SEATED, Part, Revision, Summary, Table, db
from ..summary import Earlier, fingerprint, summarise
from ..table import Open
from . import tallies
from .connections import begin_writing
from .settled import open_grains, owing

AT_ONCE = 200  # tables that are replayed between two commits


_LOCKED = (
    select(Summary)
    .where(Summary.table_id == bindparam("table"))
    .with_for_update()
    .execution_options(populate_existing=True)
)  # put together once, as book/tables.py says


def summary_of(table: Table) -> Summary:
    """The table's summary, locked for whoever is about to change it."""
    kept = db.session.scalar(_LOCKED, {"table": table.id})
    if kept is None:
        kept = Summary(table_id=table.id, taken={})
        db.session.add(kept)
    return kept


def keep(table: Open, before: Open | None = None, kept: Summary | None = None) -> Summary:
    """Keep what the table has come to; within the caller's transaction, whose revision has been written before.

    `before` is the table as it was a revision earlier, so that what is kept of that can be added to. `kept` is what
    there is, where it has been locked already.
    """
    kept = kept or summary_of(table.table)
    earlier = None
    if before is not None and kept.seen == before.seen and _goes_on(before.standing, table.standing):
        earlier = Earlier(kept.told, kept.fingerprint, len(before.standing.rows))
    kept.seen = table.seen
    kept.told, kept.fingerprint = summarise(table, earlier), fingerprint(table, earlier)
    tell_what_is_open(kept)
    tallies.table_changed(table.table)
    return kept


def _goes_on(before: Standing, after: Standing) -> bool:
    """Whether the rows after are those before, and perhaps more: none was scored again."""
    return not before.rows or (
        len(after.rows) >= len(before.rows) and after.rows[len(before.rows) - 1] is before.rows[-1]
    )


def lock_all_of(circle_id: int) -> None:
    """Let nobody write to the circle's tables until this transaction ends."""
    begin_writing(db.session.connection())
    query = select(Summary.table_id).join(Table, Table.id == Summary.table_id).where(Table.circle_id == circle_id)
    db.session.execute(query.order_by(Summary.table_id).with_for_update(of=Summary))


def tell_what_is_open(kept: Summary) -> None:
    """Whether settlements have taken all of it over, and whether they are paid."""
    kept.is_taken = not any(open_grains(kept).values())
    kept.is_settled = kept.is_taken and not (any(kept.taken.values()) and owing(kept.table_id))


# --- made again --------------------------------------------------------------------------------------------


def rebuild(*, only_missing: bool = False) -> int:
    """Make the summaries again from the facts; answers how many. A table that no longer stands is left as it is."""
    done = 0
    for tables in batches(only_missing=only_missing):
        _lock(tables)
        for table in tables:
            replayed = _replayed(table)
            if replayed is not None:
                kept = keep(replayed)
                kept.taken = taken_of(table)
                tell_what_is_open(kept)
                done += 1
        db.session.commit()
        db.session.expunge_all()
    return done


def _lock(tables: Sequence[Table]) -> None:
    """Let nobody keep a summary of these until the transaction ends: it would be of later facts than are read now."""
    begin_writing(db.session.connection())
    ids = [table.id for table in tables]
    db.session.execute(
        select(Summary.table_id).where(Summary.table_id.in_(ids)).order_by(Summary.table_id).with_for_update()
    )


def _replayed(table: Table) -> Open | None:
    """None where its rows cannot be read or do not stand: they may have been damaged in any way."""
    try:
        return Open(table, revisions_of(table))
    except Exception:
        return None


def taken_of(table: Table) -> dict[str, int]:
    """What settlements have taken over, by seat; a player who turned out to be another still has the seat."""
    seats = {seat.player_id: seat.seat for seat in table.seats}
    taken: dict[str, int] = {}
    for part in db.session.scalars(select(Part).where(Part.table_id == table.id)):
        seat = seats[part.player_id]
        taken[seat] = taken.get(seat, 0) + int(part.amount)
    return taken


def batches(*, only_missing: bool = False) -> Iterator[Sequence[Table]]:
    """All tables there are, or those without a summary, some at once."""
    query = select(Table).options(SEATED).order_by(Table.id).limit(AT_ONCE)
    if only_missing:
        query = query.where(~Table.summary.has())
    last = 0
    while tables := db.session.scalars(query.where(Table.id > last)).all():
        last = tables[-1].id
        yield tables


def revisions_of(table: Table) -> list[Revision]:
    query = select(Revision).where(Revision.table_id == table.id).order_by(Revision.number)
    return list(db.session.scalars(query))
