"""What a circle's tables come to together, tallied by month and year and in all, and kept for as long as it holds.

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
from functools import cache, cached_property
from itertools import groupby
from typing import Any, NamedTuple, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import and_, bindparam, event, extract, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from .. import tally
from ..games import games
from ..scoring.accounts import grains_of_a_counter
from ..scoring.game import Game
from ..store import Circle, Digest, Player, Summary, Table, db
from ..table import value_of
from ..tally import Tally
from .settled import open_grains

EVERYTHING = ""  # instead of a year; and what the changes of the circle itself are counted under
YEAR, MONTH = len("2026"), len("2026-11")  # letters
MOST_MONTHS = 120  # in the course of a balance; of more, years are told
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
        rows = [{"circle_id": id_, "period": period, "changes": 1} for id_, period in sorted(changed)]
        session.execute(_added(db.engine.dialect.name), rows)


@cache
def _added(dialect: str) -> postgresql.Insert | sqlite.Insert:
    """Put together once: every write counts."""
    counted = {"changes": Digest.changes + 1}
    return _insert(dialect).on_conflict_do_update(index_elements=["circle_id", "period"], set_=counted)


def _insert(dialect: str) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(_DIGEST) if dialect == "postgresql" else sqlite.insert(_DIGEST)


# --- reading -----------------------------------------------------------------------------------------------


class Told(NamedTuple):
    """A period's tally, and the years in which the circle has played, the last first."""

    tally: Tally
    years: list[str]


def read(circle: Circle, year: str = EVERYTHING) -> Told:
    """The tally of a year or of everything; what digests do not tell of it is tallied now, and kept.

    Ends the caller's transaction where there is something to keep.
    """
    counts = _counts(circle.id)
    if not counts.years or (year and year not in counts.years):
        return Told(Tally(), counts.years[::-1])
    period = year or counts.through(counts.years[-1])
    needed = counts.needed(period)
    known = _load(circle.id, needed.kept) | dict.fromkeys(needed.months, Tally())
    known |= dict(_tally(circle.id, needed.months))
    _put_together(counts, needed.sums, known)
    made = {one: known[one] for one in (*needed.months, *needed.sums)}
    if made:
        _keep(circle.id, counts, made)
    return Told(known[period], counts.years[::-1])


def tokens_of(circle: Circle, tables: Collection[int]) -> dict[int, str]:
    """The addresses of some of the circle's tables."""
    query = select(Table.id, Table.token).where(Table.circle_id == circle.id, Table.id.in_(tables))
    return {row.id: row.token for row in db.session.execute(query)}


class _Needed(NamedTuple):
    """What a period is put together from: digests that are believed, months that are to be tallied, and the sums of
    these that are to be made, each before those it is part of.
    """

    kept: list[str]
    months: list[str]
    sums: list[str]


@dataclass(frozen=True)
class _Counts:
    """How often each month and the circle have changed, and as of which sums digests were made.

    A period is a month ("2026-11"), a year, or everything through a year ("-2026"): what is written this year leaves
    what went before it as it is.
    """

    changes: dict[str, int]
    as_of: dict[str, int | None]

    @cached_property
    def years(self) -> list[str]:
        return sorted({period[:YEAR] for period in self.changes if len(period) == MONTH})

    def through(self, year: str) -> str:
        return year if year == self.years[0] else f"-{year}"

    def months(self, period: str) -> list[str]:
        first, last = ("", f"{period[1:]}-99") if period.startswith("-") else (period, f"{period}-99")
        return sorted(month for month in self.changes if len(month) == MONTH and first <= month <= last)

    def parts(self, period: str) -> list[str]:
        """What a year or everything through it is the sum of, in order."""
        if not period.startswith("-"):
            return self.months(period)
        year = period[1:]
        return [self.through(self.years[self.years.index(year) - 1]), year]

    def present(self, period: str) -> int:
        return self.changes.get(EVERYTHING, 0) + sum(self.changes[month] for month in self.months(period))

    def holds(self, period: str) -> bool:
        return self.as_of.get(period) == self.present(period)

    def needed(self, period: str) -> _Needed:
        needed, ahead = _Needed([], [], []), [period]
        while ahead:
            one = ahead.pop()
            if self.holds(one):
                needed.kept.append(one)
            elif len(one) == MONTH:
                needed.months.append(one)
            else:
                needed.sums.append(one)
                ahead += self.parts(one)
        needed.sums.reverse()
        return needed


_COUNTS = select(Digest.period, Digest.changes, Digest.as_of).where(Digest.circle_id == bindparam("circle"))
_TOLD = select(Digest.period, Digest.told).where(
    Digest.circle_id == bindparam("circle"), Digest.period.in_(bindparam("periods", expanding=True))
)


def _counts(circle_id: int) -> _Counts:
    rows = db.session.execute(_COUNTS, {"circle": circle_id}).all()
    return _Counts({row.period: row.changes for row in rows}, {row.period: row.as_of for row in rows})


def _load(circle_id: int, periods: list[str]) -> dict[str, Tally]:
    found = db.session.execute(_TOLD, {"circle": circle_id, "periods": periods}) if periods else ()
    return {period: tally.load(told) for period, told in found if told}


def _tally(circle_id: int, months: list[str]) -> Iterator[tuple[str, Tally]]:
    """The tallies of these months from what their tables have come to, as far as they have any."""
    if not months:
        return
    persons = _persons(circle_id)
    query = (
        select(
            *(Table.id, Table.day, Table.game, Table.value_amount, Table.value_currency, Table.value_unit),
            *(Summary.told, Summary.taken, Summary.is_taken),
        )
        .join(Table.summary)
        .where(Table.circle_id == circle_id, _lies_in(months))
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=AT_ONCE)
    )
    with db.session.execute(query) as rows:
        for month, tables in groupby(rows, lambda row: _month_of(row.day)):
            whole = Tally()
            for table in tables:
                game = games()[table.game]
                whole.add(tally.tally(table.id, table.day.isoformat(), game, table.told, persons))
                if not table.is_taken:
                    _add_open(whole, game, table, persons)
            yield month, whole


def _add_open(whole: Tally, game: Game, table: Any, persons: dict[int, int]) -> None:
    each = grains_of_a_counter(game, value_of(table))
    for seat, grains in open_grains(table).items():
        player = str(persons[table.told["seats"][seat]])
        whole.add_open(f"{table.told['account']} {game.slug} {player}", grains, grains // each)


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


def _put_together(counts: _Counts, sums: Iterable[str], known: dict[str, Tally]) -> None:
    """Add to what is known the sums of it."""
    for period in sums:
        known[period] = whole = Tally()
        letters = YEAR if len(counts.months(period)) > MOST_MONTHS else MONTH
        for part in counts.parts(period):
            whole.add(known[part].coarser(letters) if period.startswith("-") else known[part])


def _keep(circle_id: int, counts: _Counts, made: dict[str, Tally]) -> None:
    insert = _insert(db.engine.dialect.name)
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
    months = counts.months("-9999")
    known = dict.fromkeys(months, Tally()) | dict(_tally(circle_id, months))
    for year in counts.years:
        _put_together(counts, dict.fromkeys((year, counts.through(year))), known)
    days = select(Table.day).where(Table.circle_id == circle_id).distinct()
    uncounted = {_month_of(day) for day in db.session.scalars(days)} - set(months)
    found = select(Digest.period, Digest.told).where(Digest.circle_id == circle_id)
    told = {period: told for period, told in db.session.execute(found) if counts.as_of[period] is not None}
    return sorted(uncounted | {one for one in told if counts.holds(one) and told[one] != _as_kept(known.get(one))})


def _as_kept(whole: Tally | None) -> dict[str, Any] | None:
    return None if whole is None else dict(json.loads(json.dumps(tally.dump(whole))))
