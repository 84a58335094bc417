"""What a circle's tables come to together, tallied by month, year and in all, and kept for as long as it holds.

A digest is such a tally as it was made once. No lock keeps it right; counts of changes do:

- Whoever changes what a table comes to adds 1 to the count of its month, and whoever changes who the players are
  (a merge) to the count of the circle, in the transaction of the change itself. These counts never go down.
- Whoever tallies reads the counts first, and only then who the players are and what the tables have come to. The
  digest is kept with the sum of the counts that it depends on as they were read: those of its months and the circle's.
- A digest is believed only while that sum is the present one.

So where a writer commits between the two readings, or after both, the digest is kept with a sum that is already past,
whether or not it has seen the change, and is never believed. This asks of a database no more than that a committed
transaction is seen whole, which SQLite and PostgreSQL both promise.
"""

from __future__ import annotations

import json
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import and_, event, extract, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from .. import tally
from ..games import games
from ..store import Circle, Digest, Player, Summary, Table, db
from ..tally import Tally

EVERYTHING = ""  # the period that holds all years
YEAR, MONTH = len("2026"), len("2026-11")
AT_ONCE = 500  # summaries that are held in memory

_DIGEST = cast(SqlTable, Digest.__table__)
_CHANGED = "periods that have changed"  # what a session notes until it commits


# --- counting changes --------------------------------------------------------------------------------------


def table_changed(table: Table) -> None:
    """What the table comes to is another from the caller's transaction on."""
    _note(table.circle_id, _month_of(table.day))


def people_changed(circle_id: int) -> None:
    """Who some of the circle's players are is another from the caller's transaction on."""
    _note(circle_id, EVERYTHING)


def _note(circle_id: int, period: str) -> None:
    db.session().info.setdefault(_CHANGED, set()).add((circle_id, period))


@event.listens_for(db.session, "before_commit")
def _count(session: Session) -> None:
    """One statement a transaction, the last one and in order: whoever holds a count waits for nothing else."""
    changed = session.info.pop(_CHANGED, None)
    if changed:
        session.flush()
        added = _insert().on_conflict_do_update(
            index_elements=["circle_id", "period"], set_={"changes": Digest.changes + 1}
        )
        session.execute(added, [{"circle_id": id_, "period": period, "changes": 1} for id_, period in sorted(changed)])


def _insert() -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(_DIGEST) if db.engine.dialect.name == "postgresql" else sqlite.insert(_DIGEST)


# --- reading -----------------------------------------------------------------------------------------------


class Told(NamedTuple):
    """A period's tally, and the years in which the circle has played, the last first."""

    tally: Tally
    years: list[str]


def read(circle: Circle, period: str = EVERYTHING) -> Told:
    """The tally of a year or of everything; what digests do not tell of it is tallied now, and kept.

    Ends the caller's transaction where there is something to keep.
    """
    counts = _counts(circle.id)
    years = sorted(counts.years, reverse=True)
    if period and period not in counts.years:
        return Told(Tally(), years)
    kept, missing = counts.needed(period)
    known = _load(circle.id, kept) | dict(_tally(circle.id, missing))
    made = {month: known.setdefault(month, Tally()) for month in missing}
    whole = _put_together(counts, period, known, made)
    if made:
        _keep(circle.id, counts, made)
    return Told(whole, years)


def tokens_of(circle: Circle, tables: Collection[int]) -> dict[int, str]:
    """The addresses of some of the circle's tables."""
    query = select(Table.id, Table.token).where(Table.circle_id == circle.id, Table.id.in_(tables))
    return {row.id: row.token for row in db.session.execute(query)}


@dataclass(frozen=True)
class _Counts:
    """How often each month and the circle have changed, and as of which sums digests were made."""

    changes: dict[str, int]
    as_of: dict[str, int | None]

    @property
    def years(self) -> set[str]:
        return {month[:YEAR] for month in self.months(EVERYTHING)}

    def months(self, period: str) -> list[str]:
        return [month for month in self.changes if len(month) == MONTH and month.startswith(period)]

    def parts(self, period: str) -> list[str]:
        """What a period is put together from, in order: everything from years, a year from months."""
        return sorted(self.months(period) if period else self.years)

    def present(self, period: str) -> int:
        return self.changes.get(EVERYTHING, 0) + sum(self.changes[month] for month in self.months(period))

    def holds(self, period: str) -> bool:
        return self.as_of.get(period) == self.present(period)

    def needed(self, period: str) -> tuple[list[str], list[str]]:
        """The digests that a period can be put together from, and the months that none of them tells of."""
        if self.holds(period):
            return [period], []
        if len(period) == MONTH:
            return [], [period]
        found = [self.needed(part) for part in self.parts(period)]
        return [one for kept, _ in found for one in kept], [month for _, missing in found for month in missing]


def _counts(circle_id: int) -> _Counts:
    query = select(Digest.period, Digest.changes, Digest.as_of).where(Digest.circle_id == circle_id)
    rows = db.session.execute(query).all()
    return _Counts({row.period: row.changes for row in rows}, {row.period: row.as_of for row in rows})


def _load(circle_id: int, periods: list[str]) -> dict[str, Tally]:
    query = select(Digest.period, Digest.told).where(Digest.circle_id == circle_id, Digest.period.in_(periods))
    return {period: tally.load(told) for period, told in db.session.execute(query) if told} if periods else {}


def _tally(circle_id: int, months: list[str]) -> Iterator[tuple[str, Tally]]:
    """The tallies of these months from what their tables have come to, as far as they have any."""
    if not months:
        return
    persons = _persons(circle_id)
    query = (
        select(Table.id, Table.day, Table.game, Summary.told)
        .join(Table.summary)
        .where(Table.circle_id == circle_id, _lies_in(months))
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=AT_ONCE)
    )
    for month, tables in groupby(db.session.execute(query), lambda row: _month_of(row.day)):
        whole = Tally()
        for id_, day, game, told in tables:
            whole.add(tally.tally(id_, day.isoformat(), games()[game], told, persons))
        yield month, whole


def _persons(circle_id: int) -> dict[int, int]:
    query = select(Player.id, Player.person_id).where(Player.circle_id == circle_id)
    return {id_: person or id_ for id_, person in db.session.execute(query)}


def _month_of(day: date) -> str:
    return day.isoformat()[:MONTH]


def _lies_in(months: Iterable[str]) -> Any:
    """The first and last day let the index find the tables; the months between may be wanted or not."""
    wanted = sorted((int(month[:YEAR]), int(month[-2:])) for month in months)
    (year, month), last = wanted[0], wanted[-1]
    return and_(
        Table.day.between(date(year, month, 1), date(*last, monthrange(*last)[1])),
        (extract("year", Table.day) * 100 + extract("month", Table.day)).in_([y * 100 + m for y, m in wanted]),
    )


def _put_together(counts: _Counts, period: str, known: dict[str, Tally], made: dict[str, Tally]) -> Tally:
    """A period from what is known; what had to be made for it is noted among the made."""
    if period in known:
        return known[period]
    parts = counts.parts(period)
    made[period] = whole = Tally()
    for part in parts:
        told = _put_together(counts, part, known, made)
        whole.add(told.by_month() if period == EVERYTHING and len(parts) > 1 else told)
    return whole


def _keep(circle_id: int, counts: _Counts, made: dict[str, Tally]) -> None:
    insert = _insert()
    fresh = {"as_of": insert.excluded.as_of, "told": insert.excluded.told}
    is_newer = or_(Digest.as_of.is_(None), Digest.as_of < insert.excluded.as_of)
    kept = insert.on_conflict_do_update(index_elements=["circle_id", "period"], set_=fresh, where=is_newer)
    rows = [
        {
            "circle_id": circle_id,
            "period": period,
            "changes": 0,
            "as_of": counts.present(period),
            "told": tally.dump(whole),
        }
        for period, whole in made.items()
    ]
    try:
        db.session.execute(kept, rows)
        db.session.commit()
    except (IntegrityError, OperationalError):
        db.session.rollback()  # the circle was erased meanwhile, or a long write goes on: what was read is right


# --- made again, and checked -------------------------------------------------------------------------------


def make_again() -> None:
    """Make every digest of every circle from what its tables have come to."""
    db.session.execute(update(Digest).values(as_of=None, told=None))
    db.session.commit()
    for id_ in db.session.scalars(select(Circle.id).order_by(Circle.id)).all():
        read(db.session.get_one(Circle, id_))
        db.session.expunge_all()


def wrong(circle_id: int) -> list[str]:
    """The periods whose digest is believed and tells what is not so, and months whose changes nobody has counted."""
    counts = _counts(circle_id)
    days = select(Table.day).where(Table.circle_id == circle_id).distinct()
    uncounted = {_month_of(day) for day in db.session.scalars(days)} - set(counts.months(EVERYTHING))
    fresh = dict(_tally(circle_id, counts.months(EVERYTHING)))
    _put_together(counts, EVERYTHING, {month: fresh.get(month, Tally()) for month in counts.months(EVERYTHING)}, fresh)
    found = select(Digest.period, Digest.told).where(Digest.circle_id == circle_id)
    told = {period: told for period, told in db.session.execute(found) if counts.holds(period)}
    return sorted(uncounted | {period for period in told if told[period] != _as_kept(fresh.get(period, Tally()))})


def _as_kept(whole: Tally) -> dict[str, Any]:
    return dict(json.loads(json.dumps(tally.dump(whole))))
