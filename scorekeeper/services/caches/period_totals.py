"""Cached totals of a circle's tables by month, by year and in all: the rows of `models.PeriodTotals`.

No lock keeps them correct; change counters do:

- A transaction that changes a table's result adds 1 to the counter of its month. One that merges or unmerges players
  adds 1 to the circle's counter. Counters never decrease.
- A reader reads the counters first, and the players and summaries after them. It stores its totals with the sum of
  the counters they depend on, as it has read them: those of the period's months, and the circle's.
- Stored totals are valid only while that sum equals the current one.
- Totals that were computed while a game was not installed say so, and are computed again once it is.

So if a writer commits between the two reads or after both, the totals are stored with an outdated sum and never used,
whether or not they include the change. This relies only on committed transactions being visible as a whole, which
SQLite and PostgreSQL both guarantee.
"""

from __future__ import annotations

import json
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from itertools import groupby
from typing import Any, NamedTuple, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import and_, bindparam, event, extract, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ...db.transactions import CircleErasedError, save_cache, write_to_circle
from ...games import find_game, games
from ...models import Circle, PeriodTotals, Player, Summary, Table, db
from ...scoring.accounts import subunits_per_counter
from ...scoring.game import AnyGame
from ...stats.totals import Totals, table_totals
from ...stats.totals_data import TotalsData, dump, load
from ...tables.state import value_of
from ..settlements.queries import open_subunits

EVERYTHING = ""  # in place of a year; also the period of the circle's own change counter
YEAR, MONTH = len("2026"), len("2026-11")  # characters
MAX_MONTHS = 120  # points of a balance by month; with more months it is stored by year
BATCH_SIZE = 500  # summaries held in memory

_PERIOD_TOTALS = cast(SqlTable, PeriodTotals.__table__)
_PENDING = "changed_periods"  # key of a session's `info`; counted when it commits


# --- counting changes --------------------------------------------------------------------------------------


def invalidate_table(table: Table) -> None:
    """Invalidate the totals that include the table, in the caller's transaction."""
    _invalidate(table.circle_id, _month_of(table.day))


def invalidate_circle(circle_id: int) -> None:
    """Invalidate all the circle's totals after a merge, in the caller's transaction."""
    _invalidate(circle_id, EVERYTHING)


def _invalidate(circle_id: int, period: str) -> None:
    db.session().info.setdefault(_PENDING, set()).add((circle_id, period))


event.listen(db.session, "after_rollback", lambda session: session.info.pop(_PENDING, None))


@event.listens_for(db.session, "before_commit")
def _count(session: Session) -> None:
    """Increment the counters in one statement, the transaction's last.

    Its rows are sorted, so that transactions lock the counters in the same order and wait for nothing else.
    """
    changed = session.info.pop(_PENDING, None)
    if changed:
        session.flush()
        rows = [{"circle_id": id_, "period": period, "changes": 1} for id_, period in sorted(changed)]
        session.execute(_increment(db.engine.dialect.name), rows)


@cache
def _increment(dialect: str) -> postgresql.Insert | sqlite.Insert:
    """Build the statement that increments counters; cached, since every write executes it."""
    incremented = {"changes": PeriodTotals.changes + 1}
    return _insert(dialect).on_conflict_do_update(index_elements=["circle_id", "period"], set_=incremented)


def _insert(dialect: str) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(_PERIOD_TOTALS) if dialect == "postgresql" else sqlite.insert(_PERIOD_TOTALS)


# --- reading -----------------------------------------------------------------------------------------------


class CircleTotals(NamedTuple):
    """The totals of a period, and the years in which the circle has played, newest first."""

    totals: Totals
    years: list[str]


def read(circle: Circle, year: str = EVERYTHING) -> CircleTotals:
    """Return the totals of a year or of everything; compute and store those that are not cached.

    `games` has only those that are installed; of the others nothing but the money counts.
    """
    counters = _counters(circle.id)
    if not counters.years or (year and year not in counters.years):
        return CircleTotals(Totals(), counters.years[::-1])
    period = year or counters.through(counters.years[-1])
    plan, cached = _load_cached(circle.id, counters, period)
    by_period = cached | dict.fromkeys(plan.months, Totals()) | dict(_month_totals(circle.id, plan.months))
    _add_up(counters, plan.sums, by_period)
    computed = {key: by_period[key] for key in (*plan.months, *plan.sums)}
    if computed:
        circle_id = circle.id
        save_cache(circle_id, lambda: _store(circle_id, counters, computed))
    return CircleTotals(by_period[period].readable(games()), counters.years[::-1])


def _load_cached(circle_id: int, counters: _Counters, period: str) -> tuple[_Plan, dict[str, Totals]]:
    """Plan a period, and load what is cached of it, but for totals without a game that is installed by now."""
    while True:
        cached = _load(circle_id, (plan := counters.plan(period)).cached)
        outdated = [part for part, totals in cached.items() if not totals.unread.isdisjoint(games())]
        if not outdated:
            return plan, cached
        for part in outdated:
            counters.as_of[part] = None


def tokens_of(circle: Circle, table_ids: Collection[int]) -> dict[int, str]:
    """Return the tokens of some of the circle's tables by their id."""
    query = select(Table.id, Table.token).where(Table.circle_id == circle.id, Table.id.in_(table_ids))
    return {row.id: row.token for row in db.session.execute(query)}


class _Plan(NamedTuple):
    """The steps that compute a period: load the cached periods, compute the months, then add up the sums.

    `sums` are years and everything through a year, each before those it is a part of.
    """

    cached: list[str]
    months: list[str]
    sums: list[str]


@dataclass(frozen=True)
class _Counters:
    """The change counters of a circle and its months, and the sum of counters that each period was stored with.

    A period is a month ("2026-11"), a year ("2026"), or everything through a year ("-2026"). The last kind keeps
    earlier years cached while the current one changes.
    """

    changes: dict[str, int]
    as_of: dict[str, int | None]

    @cached_property
    def years(self) -> list[str]:
        """The years in which the circle has played, oldest first."""
        return sorted({period[:YEAR] for period in self.changes if len(period) == MONTH})

    def through(self, year: str) -> str:
        """Return the period of everything through a year."""
        return year if year == self.years[0] else f"-{year}"

    def months(self, period: str) -> list[str]:
        """List the months of a period that have a counter."""
        first, last = ("", f"{period[1:]}-99") if period.startswith("-") else (period, f"{period}-99")
        return sorted(month for month in self.changes if len(month) == MONTH and first <= month <= last)

    def parts(self, period: str) -> list[str]:
        """List the periods that a year, or everything through a year, is the sum of."""
        if not period.startswith("-"):
            return self.months(period)
        year = period[1:]
        return [self.through(self.years[self.years.index(year) - 1]), year]

    def current(self, period: str) -> int:
        """Return the current sum of the counters that a period depends on."""
        return self.changes.get(EVERYTHING, 0) + sum(self.changes[month] for month in self.months(period))

    def is_valid(self, period: str) -> bool:
        """Return whether the period's stored totals are up to date."""
        return self.as_of.get(period) == self.current(period)

    def plan(self, period: str) -> _Plan:
        """Plan how to compute a period from the cached ones."""
        plan, pending = _Plan([], [], []), [period]
        while pending:
            part = pending.pop()
            if self.is_valid(part):
                plan.cached.append(part)
            elif len(part) == MONTH:
                plan.months.append(part)
            else:
                plan.sums.append(part)
                pending += self.parts(part)
        plan.sums.reverse()
        return plan


_COUNTERS = select(PeriodTotals.period, PeriodTotals.changes, PeriodTotals.as_of).where(
    PeriodTotals.circle_id == bindparam("circle")
)
_STORED = select(PeriodTotals.period, PeriodTotals.data).where(
    PeriodTotals.circle_id == bindparam("circle"), PeriodTotals.period.in_(bindparam("periods", expanding=True))
)


def _counters(circle_id: int) -> _Counters:
    rows = db.session.execute(_COUNTERS, {"circle": circle_id}).all()
    return _Counters({row.period: row.changes for row in rows}, {row.period: row.as_of for row in rows})


def _load(circle_id: int, periods: list[str]) -> dict[str, Totals]:
    rows = db.session.execute(_STORED, {"circle": circle_id, "periods": periods}) if periods else ()
    return {period: load(cast(TotalsData, data)) for period, data in rows if data}


def _month_totals(circle_id: int, months: list[str]) -> Iterator[tuple[str, Totals]]:
    """Yield the totals of those of these months that have tables, computed from the tables' summaries."""
    if not months:
        return
    person_ids = _person_ids(circle_id)
    query = (
        select(
            *(Table.id, Table.day, Table.game, Table.value_amount, Table.value_currency, Table.value_unit),
            *(Summary.data, Summary.taken_over, Summary.is_taken_over),
        )
        .join(Table.summary)
        .where(Table.circle_id == circle_id, _is_in(months))
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=BATCH_SIZE)
    )
    with db.session.execute(query) as rows:
        for month, tables in groupby(rows, lambda row: _month_of(row.day)):
            total = Totals()
            for table in tables:
                game = find_game(table.game)
                total.add(table_totals(table.id, table.day.isoformat(), game, table.data, person_ids))
                if not table.is_taken_over:
                    _add_unsettled(total, game, table, person_ids)
            yield month, total


def _add_unsettled(total: Totals, game: AnyGame, table: Any, person_ids: dict[int, int]) -> None:
    """Add a table's open balances; `table` is a row with the columns that `_month_totals` selects."""
    per_counter = subunits_per_counter(game, value_of(table))
    for seat, subunits in open_subunits(table).items():
        player = str(person_ids[table.data["seats"][seat]])
        total.add_unsettled(f"{table.data['account']} {game.slug} {player}", subunits, subunits // per_counter)


def _person_ids(circle_id: int) -> dict[int, int]:
    query = select(Player.id, Player.person_id).where(Player.circle_id == circle_id)
    return {id_: person or id_ for id_, person in db.session.execute(query)}


def _month_of(day: date) -> str:
    return day.isoformat()[:MONTH]


def _is_in(months: Iterable[str]) -> Any:
    """Build the condition that a table's day is in one of these months; the index is used for the range of days."""
    wanted = sorted((int(month[:YEAR]), int(month[-2:])) for month in months)
    (year, month), last = wanted[0], wanted[-1]
    return and_(
        Table.day.between(date(year, month, 1), date(*last, monthrange(*last)[1])),
        (extract("year", Table.day) * 100 + extract("month", Table.day)).in_([y * 100 + m for y, m in wanted]),
    )


def _add_up(counters: _Counters, sums: Iterable[str], by_period: dict[str, Totals]) -> None:
    """Add the totals of `sums` to `by_period`, each from its parts there."""
    for period in sums:
        by_period[period] = total = Totals()
        characters = YEAR if len(counters.months(period)) > MAX_MONTHS else MONTH
        for part in counters.parts(period):
            total.add(by_period[part].grouped_by_date(characters) if period.startswith("-") else by_period[part])


def _store(circle_id: int, counters: _Counters, computed: dict[str, Totals]) -> None:
    """Store totals, except where newer ones have been stored meanwhile."""
    insert = _insert(db.engine.dialect.name)
    fresh = {"as_of": insert.excluded.as_of, "data": insert.excluded.data}
    is_newer = or_(PeriodTotals.as_of.is_(None), PeriodTotals.as_of <= insert.excluded.as_of)
    upsert = insert.on_conflict_do_update(index_elements=["circle_id", "period"], set_=fresh, where=is_newer)
    rows = [
        {
            "circle_id": circle_id,
            "period": period,
            "changes": 0,
            "as_of": counters.current(period),
            "data": dump(total),
        }
        for period, total in computed.items()
    ]
    db.session.execute(upsert, rows)


# --- rebuilding and checking -------------------------------------------------------------------------------


def rebuild() -> None:
    """Rebuild the totals of every circle from the summaries of its tables."""
    for id_ in db.session.scalars(select(Circle.id).order_by(Circle.id)).all():
        with suppress(CircleErasedError):
            write_to_circle(id_, _rebuild_circle)
        db.session.expunge_all()


def _rebuild_circle(circle: Circle) -> None:
    db.session.execute(update(PeriodTotals).where(PeriodTotals.circle_id == circle.id).values(as_of=None, data=None))
    read(circle)


def find_wrong_totals(circle_id: int) -> list[str]:
    """List the periods whose valid stored totals are wrong, and the months with tables but no counter."""
    counters = _counters(circle_id)
    months = counters.months("-9999")
    correct = dict.fromkeys(months, Totals()) | dict(_month_totals(circle_id, months))
    for year in counters.years:
        _add_up(counters, dict.fromkeys((year, counters.through(year))), correct)
    days = select(Table.day).where(Table.circle_id == circle_id).distinct()
    uncounted = {_month_of(day) for day in db.session.scalars(days)} - set(months)
    query = select(PeriodTotals.period, PeriodTotals.data).where(PeriodTotals.circle_id == circle_id)
    stored = {period: data for period, data in db.session.execute(query) if counters.as_of[period] is not None}
    valid = filter(counters.is_valid, stored)
    wrong = {period for period in valid if _is_wrong(stored[period], correct.get(period))}
    return sorted(uncounted | wrong)


def _is_wrong(stored: dict[str, Any] | None, correct: Totals | None) -> bool:
    """Return whether stored totals differ from the correct ones, as they may with tables of games not installed."""
    is_unread = "unread" in (stored or {}) or (correct is not None and correct.unread)
    return not is_unread and stored != _as_stored(correct)


def _as_stored(total: Totals | None) -> dict[str, Any] | None:
    """Convert totals to what the JSON column returns."""
    return None if total is None else dict(json.loads(json.dumps(dump(total))))
