"""Summaries of tables: kept with every write, and made again from the facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import selectinload

from ..scoring.standing import Standing
from ..store import SEATED, Part, Revision, Summary, Table, db
from ..summary import Earlier, fingerprint, summarise
from ..table import Open
from . import tallies
from .connections import begin_writing
from .settled import open_grains, owing

AT_ONCE = 200  # tables that are replayed between two commits


class Known(NamedTuple):
    """What a summary says, as `store.Summary` has it, but for what follows from the rest: `whether_open`."""

    seen: int
    told: dict[str, Any]
    fingerprint: str
    taken: dict[str, int]


# Every tap reads and writes one. Put together once, as book/tables.py says, and not as an object of the session's,
# which costs as much again.
_SUMMARY = cast(SqlTable, Summary.__table__)
_ITS = _SUMMARY.c.table_id == bindparam("table")
_LOCKED = select(*(_SUMMARY.c[name] for name in Known._fields)).where(_ITS).with_for_update()
_CHANGED, _NEW = update(_SUMMARY).where(_ITS), insert(_SUMMARY)


def locked(table: Table) -> Known | None:
    """What is kept of the table, locked for whoever is about to change it; None where there is nothing yet."""
    found = db.session.execute(_LOCKED, {"table": table.id}).one_or_none()
    return Known._make(found) if found is not None else None


def keep(
    table: Open, before: Open | None = None, known: Known | None = None, taken: dict[str, int] | None = None
) -> Known:
    """Keep what the table has come to; within the caller's transaction, whose revision has been written before.

    `before` is the table as it was a revision earlier, so that what is kept of that can be added to. `known` is what
    there is, where it has been locked already; `taken` what settlements have taken over, where that is not to stay.
    """
    known = known or locked(table.table)
    earlier = None
    if known and before is not None and known.seen == before.seen and _goes_on(before.standing, table.standing):
        earlier = Earlier(known.told, known.fingerprint, len(before.standing.rows))
    if taken is None:
        taken = known.taken if known is not None else {}
    kept = Known(table.seen, summarise(table, earlier), fingerprint(table, earlier), taken)
    id_ = table.table.id
    statement, key = (_CHANGED, "table") if known else (_NEW, "table_id")
    db.session.execute(statement, kept._asdict() | whether_open(id_, kept) | {key: id_})
    tallies.table_changed(table.table)
    return kept


def keep_texts(tables: Collection[Table]) -> None:
    """Keep what is said of these, whose texts read otherwise now; what they came to is as it was."""
    read = (
        select(Table).where(Table.id.in_([table.id for table in tables])).options(SEATED, selectinload(Table.revisions))
    )
    opened = [Open(table, table.revisions) for table in db.session.scalars(read)]
    rows = [{"table": one.table.id, "told": summarise(one), "fingerprint": fingerprint(one)} for one in opened]
    if rows:
        db.session.execute(_CHANGED, rows)
    for table in tables:
        tallies.table_changed(table)


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


def whether_open(table: int, known: Known) -> dict[str, bool]:
    """Whether settlements have taken all of it over, and whether they are paid: `is_taken` and `is_settled`."""
    is_taken = not any(open_grains(known).values())
    return {"is_taken": is_taken, "is_settled": is_taken and not (any(known.taken.values()) and owing(table))}


# --- made again --------------------------------------------------------------------------------------------


def rebuild(*, only_missing: bool = False) -> int:
    """Make the summaries again from the facts; answers how many. A table that no longer stands is left as it is."""
    done = 0
    for tables in batches(only_missing=only_missing):
        _lock(tables)
        for table in tables:
            replayed = _replayed(table)
            if replayed is not None:
                keep(replayed, taken=taken_of(table))
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
