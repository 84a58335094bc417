"""Summaries of tables: kept with every write, made again from the facts, and checked against them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from ..store import Part, Revision, Seat, Summary, Table, db
from ..summary import fingerprint, summarise
from ..table import Open
from .settled import owing

AT_ONCE = 200  # tables that are replayed between two commits


def summary_of(table: Table) -> Summary:
    """The table's summary, locked for whoever is about to change it."""
    query = select(Summary).where(Summary.table_id == table.id).with_for_update()
    kept = db.session.scalar(query.execution_options(populate_existing=True))
    if kept is None:
        kept = Summary(table_id=table.id, taken={})
        db.session.add(kept)
    return kept


def keep(table: Open) -> Summary:
    """Keep what the table has come to; within the caller's transaction, whose revision has been written before."""
    kept = summary_of(table.table)
    kept.seen = table.seen
    kept.told = summarise(table)
    kept.fingerprint = fingerprint(table)
    tell_what_is_open(kept)
    return kept


def tell_what_is_open(kept: Summary) -> None:
    """Whether settlements have taken all of it over, and whether they are paid."""
    kept.is_taken = not any(open_grains(kept).values())
    kept.is_settled = kept.is_taken and not (any(kept.taken.values()) and owing(kept.table_id))


def open_grains(kept: Summary) -> dict[str, int]:
    """By seat, what no settlement has taken over; it sums to 0."""
    return {seat: amount - kept.taken.get(seat, 0) for seat, amount in kept.told["grains"].items()}


# --- made again, and checked -------------------------------------------------------------------------------


class Verified(NamedTuple):
    """What a check of everything came to: what was looked at, and each fault in a line of its own."""

    circles: int
    tables: int
    revisions: int
    faults: list[str]


def rebuild(*, only_missing: bool = False) -> int:
    """Make the summaries again from the facts; answers how many."""
    done = 0
    for tables in _all_tables(only_missing=only_missing):
        for table in tables:
            kept = keep(table)
            kept.taken = _taken(table.table)
            tell_what_is_open(kept)
            done += 1
        db.session.commit()
        db.session.expunge_all()
    return done


def _taken(table: Table) -> dict[str, int]:
    """What settlements have taken over, by seat; a player who turned out to be another still has the seat."""
    seats = {seat.player_id: seat.seat for seat in table.seats}
    taken: dict[str, int] = {}
    for part in db.session.scalars(select(Part).where(Part.table_id == table.id)):
        seat = seats[part.player_id]
        taken[seat] = taken.get(seat, 0) + int(part.amount)
    return taken


def _all_tables(*, only_missing: bool = False) -> Iterator[list[Open]]:
    query = select(Table.id).order_by(Table.id)
    if only_missing:
        query = query.outerjoin(Table.summary).where(Summary.table_id.is_(None))
    ids = list(db.session.scalars(query))
    for at in range(0, len(ids), AT_ONCE):
        some = ids[at : at + AT_ONCE]
        told: dict[int, list[Revision]] = {id_: [] for id_ in some}
        for revision in db.session.scalars(
            select(Revision).where(Revision.table_id.in_(some)).order_by(Revision.table_id, Revision.number)
        ):
            told[revision.table_id].append(revision)
        tables = select(Table).where(Table.id.in_(some)).options(selectinload(Table.seats).joinedload(Seat.player))
        yield [Open(table, told[table.id]) for table in db.session.scalars(tables.order_by(Table.id))]
