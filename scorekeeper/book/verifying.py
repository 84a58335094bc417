"""Everything that is kept, checked against the facts; and every cache made again from them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import select, text

from ..scoring.ledger import POINTS, POT
from ..scoring.standing import Standing
from ..store import Circle, Payment, Player, Revision, Settlement, Summary, Table, db
from ..summary import fingerprint, summarise
from ..table import Open
from . import summaries, tallies
from .people import persons
from .settled import reckon, reckon_all
from .summaries import Known

KEPT = ("seen", "fingerprint", "told")  # of a summary, beside what settlements have taken over


class Fault(NamedTuple):
    """Something that is not as the facts say; its words are `fault.<key>`."""

    key: str
    params: dict[str, Any]


@dataclass
class Verified:
    """What a check of everything came to."""

    circles: int = 0
    tables: int = 0
    revisions: int = 0
    faults: list[Fault] = field(default_factory=list)


def verify() -> Verified:
    """Replay every table and check all that is kept, as everything stood at one moment. Changes nothing."""
    _stand_still()
    done = Verified()
    with db.session.no_autoflush:
        for id_ in db.session.scalars(select(Circle.id).order_by(Circle.id)).all():
            done.circles += 1
            done.faults += _faults_of_circle(db.session.get_one(Circle, id_))
            db.session.expunge_all()
        for tables in summaries.batches():
            for table in tables:
                _verify_table(table, done)
            db.session.expunge_all()
    db.session.rollback()
    return done


def rebuild() -> int:
    """Make every cache again from the facts; answers how many tables were replayed."""
    for id_ in db.session.scalars(select(Circle.id).order_by(Circle.id)).all():
        circle = db.session.get_one(Circle, id_)
        reckon_all(circle, persons(circle))
        db.session.commit()
        db.session.expunge_all()
    done = summaries.rebuild()
    tallies.make_again()
    return done


def _stand_still() -> None:
    """From here to the end of the transaction, read as if nobody wrote: a fault is none that was mended meanwhile."""
    db.session.rollback()  # a transaction that has begun already may see an earlier moment
    if db.engine.dialect.name == "postgresql":
        db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
    else:
        db.session.execute(text("BEGIN"))


# --- a table -----------------------------------------------------------------------------------------------


def _verify_table(table: Table, done: Verified) -> None:
    where = {"circle": table.circle.name, "table": str(table.id)}
    done.tables += 1
    try:
        revisions = summaries.revisions_of(table)
        done.revisions += len(revisions)
        done.faults += _faults_of_table(table, revisions, where)
    except Exception as error:  # its rows may have been damaged in any way
        done.faults.append(Fault("table-falls", where | {"why": _told(error)}))


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _faults_of_table(table: Table, revisions: Sequence[Revision], where: dict[str, Any]) -> Iterator[Fault]:
    yield from (Fault(key, where) for key in _faults_of_revisions(revisions))
    replayed = Open(table, list(revisions))
    for deal, unit in unbalanced(replayed.standing):
        yield Fault("not-nought", where | {"deal": str(deal), "unit": unit})
    if table.summary is None:
        yield Fault("no-summary", where)
        return
    yield from (Fault("summary", where | {"what": what}) for what in _differing(table.summary, replayed))


def _faults_of_revisions(revisions: Iterable[Revision]) -> Iterator[str]:
    told = list(revisions)
    if [revision.number for revision in told] != list(range(1, len(told) + 1)):
        yield "revision-numbers"
    if len({revision.entry_key for revision in told}) < len(told):
        yield "entry-twice"


def unbalanced(standing: Standing) -> Iterator[tuple[int, str]]:
    """The number of each deal after which a unit does not sum to 0 over the players, and the unit."""
    sums: Counter[str] = Counter()
    for row in standing.rows:
        for entry in row.entries:
            if entry.unit != POINTS:
                sums[entry.unit] += entry.amount * ((entry.taker is not POT) - (entry.giver is not POT))
        yield from ((row.number, unit) for unit, total in sums.items() if total)


def _differing(kept: Summary, table: Open) -> Iterator[str]:
    """What of a summary is not what a fresh one would say."""
    fresh = Known(table.seen, _as_kept(summarise(table)), fingerprint(table), {})
    yield from (name for name in KEPT if getattr(kept, name) != getattr(fresh, name))
    try:
        fresh = fresh._replace(taken=summaries.taken_of(table.table))
    except LookupError:  # a settlement took something over of one who does not sit there
        yield "taken"
        return
    if _nonzero(kept.taken) != _nonzero(fresh.taken):
        yield "taken"
    is_open = summaries.whether_open(kept.table_id, fresh)
    yield from (name for name, holds in is_open.items() if getattr(kept, name) != holds)


def _as_kept(told: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(told)))


def _nonzero(amounts: dict[str, int]) -> dict[str, int]:
    return {key: amount for key, amount in amounts.items() if amount}


# --- a circle ----------------------------------------------------------------------------------------------


def _faults_of_circle(circle: Circle) -> Iterator[Fault]:
    where = {"circle": circle.name}
    numbers = select(Payment.number).where(Payment.circle_id == circle.id).order_by(Payment.number)
    if any(number != at for at, number in enumerate(db.session.scalars(numbers), start=1)):
        yield Fault("payment-numbers", where)
    people = persons(circle)
    for settlement in db.session.scalars(select(Settlement).where(Settlement.circle_id == circle.id)):
        if not _is_reckoned(settlement, people):
            yield Fault("settlement", where | {"settlement": str(settlement.id)})
    try:
        periods = tallies.wrong(circle.id)
    except Exception as error:  # a summary that was damaged is told of with its table
        yield Fault("digests-fall", where | {"why": _told(error)})
    else:
        yield from (Fault("digest", where | {"period": period or "*"}) for period in periods)


def _is_reckoned(kept: Settlement, people: Mapping[int, Player]) -> bool:
    fresh = Settlement(id=kept.id, circle_id=kept.circle_id, account=kept.account)
    try:
        reckon(fresh, people)
    except LookupError:  # something was taken over of one whom the circle does not know
        return False
    return (kept.left, kept.is_paid, kept.is_nought) == (fresh.left, fresh.is_paid, fresh.is_nought)
