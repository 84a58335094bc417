"""Compare every stored cache with the facts, and compute all of them anew.

A cache is never the truth. `Summary`, a table in few words, is written in the transaction of each write
(tables/writing.py). Features on top check and compute what they store besides.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import select

from ..db.transactions import RowDeletedError, writing_to_circle
from ..games import games
from ..models import SEATED, Circle, Table, db
from ..site.features import features
from .reading import read_revisions
from .state import TableState
from .writing import build_summary, store_summary


class Fault(NamedTuple):
    """A cache that is not as the facts say; its message is `fault.<key>`."""

    key: str
    params: dict[str, Any]


@dataclass
class VerificationReport:
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
        for id_ in _list_circles():
            report.circles += 1
            where = {"circle": db.session.get_one(Circle, id_).token}
            for feature in features():
                report.faults += [Fault(fault.key, where | fault.params) for fault in feature.list_faults(id_)]
            for table in _list_tables(id_):
                fault = _verify_table(table, report, where | {"table": str(table.id)})
                report.faults += [fault] if fault is not None else []
            db.session.expunge_all()
    db.session.rollback()
    return report


def rebuild() -> int:
    """Rebuild every cache from the facts; return the number of tables replayed. The others keep their summaries."""
    rebuilt = 0
    for id_ in _list_circles():
        with suppress(RowDeletedError), writing_to_circle(id_) as circle:
            rebuild_circle(circle)
            for table in _list_tables(id_):
                with suppress(Exception):  # without its game, or with damaged rows
                    store_summary(TableState(table, read_revisions(table)))
                    rebuilt += 1
        db.session.expunge_all()
    return rebuilt


def rebuild_circle(circle: Circle) -> None:
    """Compute anew what features on top store of a circle besides, not its summaries; the caller holds its lock."""
    for feature in features():
        feature.rebuild(circle.id)


def _list_circles() -> list[int]:
    return list(db.session.scalars(select(Circle.id).order_by(Circle.id)))


def _list_tables(circle_id: int) -> list[Table]:
    query = select(Table).where(Table.circle_id == circle_id).order_by(Table.id)
    return list(db.session.scalars(query.options(SEATED)))


def _verify_table(table: Table, report: VerificationReport, where: dict[str, str]) -> Fault | None:
    report.tables += 1
    try:
        revisions = read_revisions(table)
        report.revisions += len(revisions)
        if table.game not in games():
            report.missing_games[table.game] += 1
            return None
        fresh, stored = build_summary(TableState(table, revisions)), table.summary
    except Exception as error:  # its rows may have been changed in any way
        return Fault("table-fails", where | {"why": f"{type(error).__name__}: {error}"})
    names = ("version", "data", "account", "owed")
    computed = {name: json.loads(json.dumps(getattr(fresh, name))) for name in names}
    is_right = stored is not None and computed == {name: getattr(stored, name) for name in names}
    return None if is_right else Fault("summary", where)
