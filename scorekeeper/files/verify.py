"""Comparing every stored cache with the facts, and computing all of them anew.

A cache is never the truth. Stored in the database, and so replaced by a restore together with the facts:

- `Summary`: a table in few words, written in the transaction of each write (tables/writing.py).
- `RoundTable.result`, `scores`, `is_confirmed`: a table's last result, written with each result and confirmation.

In the process, found by tokens that are never used twice: replayed tables (tables/reading.py), the HTML of their rows
and parts, board sets and standings of events, and `functools` caches of what never changes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import select

from ..db.transactions import CircleErasedError, write_to_circle
from ..games import games
from ..models import SEATED, Circle, Table, db
from ..scoring.standing import POINTS, POT, AnyStanding
from ..tables.reading import read_revisions
from ..tables.state import TableState
from ..tables.writing import build_summary, store_summary


class Caches(NamedTuple):
    """What else a feature stores of a circle that follows from facts.

    Attributes:
        fault: the key of the message for what is wrong.
        list_wrong: lists what is not as the facts say, each with the message's parameters.
        rebuild: computes all of it anew; the caller holds the circle's lock.
    """

    fault: str
    list_wrong: Callable[[int], list[dict[str, str]]]
    rebuild: Callable[[int], None]


CACHES: dict[str, Caches] = {}  # by feature


class Fault(NamedTuple):
    """A cache that is not as the facts say; its message is `fault.<key>`."""

    key: str
    params: dict[str, Any]


@dataclass
class VerificationReport:
    """The numbers of rows checked, the faults found, and how many tables have a game that is not installed."""

    circles: int = 0
    tables: int = 0
    revisions: int = 0
    faults: list[Fault] = field(default_factory=list)
    missing_games: Counter[str] = field(default_factory=Counter)


def verify() -> VerificationReport:
    """Replay every table and compare every cache, in one snapshot; change nothing."""
    db.session.rollback()  # ends a snapshot that was begun earlier
    report = VerificationReport()
    with db.session.no_autoflush:
        for id_ in db.session.scalars(select(Circle.id).order_by(Circle.id)).all():
            report.circles += 1
            report.faults += _faults_of_circle(db.session.get_one(Circle, id_))
            for table in _read_tables(id_):
                report.faults += _verify_table(table, report)
            db.session.expunge_all()
    db.session.rollback()
    return report


def rebuild() -> int:
    """Rebuild every cache from the facts; return the number of tables replayed."""

    def work(circle: Circle) -> int:
        rebuild_circle(circle)
        return _rebuild_summaries(circle)

    rebuilt = 0
    for id_ in db.session.scalars(select(Circle.id).order_by(Circle.id)).all():
        with suppress(CircleErasedError):
            rebuilt += write_to_circle(id_, work)
        db.session.expunge_all()
    return rebuilt


def rebuild_circle(circle: Circle) -> None:
    """Compute what is stored of a circle's events; the caller holds its lock."""
    for caches in CACHES.values():
        caches.rebuild(circle.id)


def _rebuild_summaries(circle: Circle) -> int:
    """Rebuild the summaries from the facts and return their number; a table that cannot be replayed keeps its own.

    The caller holds the circle's lock.
    """
    rebuilt = 0
    for table in _read_tables(circle.id):
        replayed = None
        with suppress(Exception):  # without its game, or with damaged rows
            replayed = TableState(table, read_revisions(table))
        if replayed is not None:
            store_summary(replayed)
            rebuilt += 1
    return rebuilt


def _read_tables(circle_id: int) -> Sequence[Table]:
    query = select(Table).where(Table.circle_id == circle_id).order_by(Table.id)
    return db.session.scalars(query.options(SEATED)).all()


def _verify_table(table: Table, report: VerificationReport) -> list[Fault]:
    where = {"circle": table.circle.name, "table": str(table.id)}
    report.tables += 1
    try:
        revisions = read_revisions(table)
        report.revisions += len(revisions)
        if table.game not in games():
            report.missing_games[table.game] += 1
            return []
        return list(_faults_of_table(table, TableState(table, revisions), where))
    except Exception as error:  # its rows may have been changed in any way
        return [Fault("table-fails", where | {"why": f"{type(error).__name__}: {error}"})]


def _faults_of_table(table: Table, replayed: TableState, where: dict[str, Any]) -> Iterator[Fault]:
    yield from (Fault("not-zero", where | {"deal": str(deal), "unit": unit}) for deal, unit in _unbalanced(replayed))
    if table.summary is None:
        yield Fault("no-summary", where)
        return
    fresh = build_summary(replayed)
    for name in ("version", "data", "account", "owed"):
        value = json.loads(json.dumps(getattr(fresh, name)))
        if _without_zeros(getattr(table.summary, name)) != _without_zeros(value):
            yield Fault("summary", where | {"what": name})


def _without_zeros(value: object) -> object:
    return {key: item for key, item in value.items() if item != 0} if isinstance(value, dict) else value


def _unbalanced(table: TableState) -> Iterator[tuple[int, str]]:
    standing: AnyStanding = table.standing
    sums: Counter[str] = Counter()
    for row in standing.rows:
        for entry in row.entries:
            if entry.unit != POINTS:
                sums[entry.unit] += entry.amount * ((entry.taker is not POT) - (entry.giver is not POT))
        yield from ((row.number, unit) for unit, total in sums.items() if total)


def _faults_of_circle(circle: Circle) -> Iterator[Fault]:
    where = {"circle": circle.name}
    for caches in CACHES.values():
        for params in caches.list_wrong(circle.id):
            yield Fault(caches.fault, where | params)
