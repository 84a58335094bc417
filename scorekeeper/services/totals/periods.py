"""Cached totals of a circle's tables by month, by year and in all: the rows of `models.PeriodTotals`.

No lock keeps them correct; change counters do:

- A transaction that changes a table's result, or a finished event, adds 1 to the counter of its month. One that merges
  or unmerges players adds 1 to the circle's counter. ChangeCounters never decrease.
- A reader reads the counters first, and the players and summaries after them. It stores its totals with the sum of
  the counters they depend on, as it has read them: those of the period's months, and the circle's.
- Stored totals are valid only while that sum equals the current one.
- Totals that were computed while a game was not installed say so, and are computed again once it is.

So if a writer commits between the two reads or after both, the totals are stored with an outdated sum and never used.
This relies only on committed transactions being visible as a whole, which SQLite and PostgreSQL both guarantee.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import MAXYEAR, date
from typing import Any, NamedTuple, cast

from sqlalchemy import bindparam, or_, select, update
from werkzeug.utils import cached_property

from ...db.transactions import CircleErasedError, save_cache, write_to_circle
from ...games import games
from ...models import Circle, PeriodTotals, Table, db
from ...stats.totals import Totals
from ...stats.totals_data import TotalsData, dump, is_current, load
from ..invalidation import EVERYTHING, MONTH, YEAR, get_month, insert_totals
from . import contests
from .months import Span, get_last_day, read_month_totals, read_span_totals

RATINGS = "~"  # before the year in the period of a row of ratings.py, which has no totals
ALL_MONTHS = f"-{MAXYEAR}"  # the period of everything so far
MAX_MONTHS_BY_EVENING = 12  # of a range: with more months, balances are those of months
MAX_MONTHS = 120  # points of a balance by month; with more months it is stored by year


# --- reading -----------------------------------------------------------------------------------------------


class CircleTotals(NamedTuple):
    """The totals of a period, and the years in which the circle has played, newest first."""

    totals: Totals
    years: list[str]


def read(circle: Circle, year: str = EVERYTHING) -> CircleTotals:
    """Return the totals of a year or of everything; compute and store those that are not cached.

    `games` has only those that are installed; of the others nothing but the money counts.
    """
    counters = read_counters(circle.id)
    if not counters.years or (year and year not in counters.years):
        return CircleTotals(Totals(), counters.years[::-1])
    period = year or counters.through(counters.years[-1])
    totals = _by_period(circle.id, counters, [period])[period]
    return CircleTotals(totals.readable(games()), counters.years[::-1])


def read_between(circle: Circle, since: date | None, until: date | None) -> CircleTotals:
    """Return the totals of the evenings from `since` to `until`, both included; None for no limit.

    Whole years and months come from the cache. At most two months, of which a part is asked for, are computed.
    """
    counters = read_counters(circle.id)
    pieces = counters.pieces(since or date.min, until or date.max)
    by_piece = _by_period(circle.id, counters, [piece for piece in pieces if isinstance(piece, str)]) | dict(
        read_span_totals(circle.id, [piece for piece in pieces if isinstance(piece, tuple)])
    )
    months = {month[:MONTH] for piece in pieces for month in counters.months_of(piece)}
    total, characters = Totals(), _date_characters(len(months)) if len(months) > MAX_MONTHS_BY_EVENING else None
    for piece in pieces:
        part = by_piece[piece]
        total.add(part.grouped_by_date(characters) if characters else part)
    return CircleTotals(total.readable(games()), counters.years[::-1])


def _by_period(circle_id: int, counters: ChangeCounters, periods: list[str]) -> dict[str, Totals]:
    """Return the totals of at least these periods; compute and store those that are not cached."""
    plan, cached = _load_cached(circle_id, counters, periods)
    by_period = cached | dict.fromkeys(plan.months, Totals()) | dict(read_month_totals(circle_id, plan.months))
    _add_up(counters, plan.sums, by_period)
    computed = {key: by_period[key] for key in (*plan.months, *plan.sums)}
    if computed:
        save_cache(circle_id, lambda: _store(circle_id, counters, computed))
    return by_period


def _load_cached(circle_id: int, counters: ChangeCounters, periods: list[str]) -> tuple[_Plan, dict[str, Totals]]:
    """Plan periods, and load what is cached of them.

    That leaves out what an earlier version stored, and totals without a game that is installed by now.
    """
    while True:
        cached = _load(circle_id, (plan := counters.plan(periods)).cached)
        outdated = [p for p in plan.cached if p not in cached or not cached[p].unread.isdisjoint(games())]
        if not outdated:
            return plan, cached
        for part in outdated:
            counters.as_of[part] = None


def read_years(circle: Circle) -> list[str]:
    """Return the years in which the circle has played, newest first."""
    return read_counters(circle.id).years[::-1]


class _Plan(NamedTuple):
    """The steps that compute a period: load the cached periods, compute the months, then add up the sums.

    `sums` are years and everything through a year, each before those it is a part of.
    """

    cached: list[str]
    months: list[str]
    sums: list[str]


@dataclass(frozen=True)
class ChangeCounters:
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

    def pieces(self, since: date, until: date) -> list[str | Span]:
        """Divide the evenings between two days, in order: whole years and months that have a counter, and spans."""
        pieces: list[str | Span] = []
        for month in self.months(ALL_MONTHS):
            first, last = date.fromisoformat(f"{month}-01"), get_last_day(month)
            if since <= first and last <= until:
                pieces.append(month)
            elif first <= until and since <= last:
                pieces.append((max(since, first), min(until, last)))
        whole = {year for year in self.years if {*self.months(year)} <= {*pieces}}
        return list(dict.fromkeys(p[:YEAR] if isinstance(p, str) and p[:YEAR] in whole else p for p in pieces))

    def months_of(self, piece: str | Span) -> list[str]:
        """List the months that a piece has evenings of."""
        return self.months(piece) if isinstance(piece, str) else [get_month(piece[0])]

    def plan(self, periods: Iterable[str]) -> _Plan:
        """Plan how to compute periods from the cached ones."""
        plan, pending = _Plan([], [], []), [*periods]
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


def read_counters(circle_id: int) -> ChangeCounters:
    """Read the circle's change counters."""
    rows = db.session.execute(_COUNTERS, {"circle": circle_id}).all()
    return ChangeCounters({row.period: row.changes for row in rows}, {row.period: row.as_of for row in rows})


def _load(circle_id: int, periods: list[str]) -> dict[str, Totals]:
    rows = db.session.execute(_STORED, {"circle": circle_id, "periods": periods}) if periods else ()
    return {period: load(cast(TotalsData, data)) for period, data in rows if data and is_current(data)}


def _add_up(counters: ChangeCounters, sums: Iterable[str], by_period: dict[str, Totals]) -> None:
    """Add the totals of `sums` to `by_period`, each from its parts there."""
    for period in sums:
        by_period[period] = total = Totals()
        characters = _date_characters(len(counters.months(period)))
        for part in counters.parts(period):
            total.add(by_period[part].grouped_by_date(characters) if period.startswith("-") else by_period[part])


def _date_characters(months: int) -> int:
    """Return by how much of a date balances are added up, where there are too many evenings."""
    return YEAR if months > MAX_MONTHS else MONTH


def _store(circle_id: int, counters: ChangeCounters, computed: dict[str, Totals]) -> None:
    """Store totals."""
    store(circle_id, [(period, counters.current(period), dump(total)) for period, total in computed.items()])


def store(circle_id: int, rows: Iterable[tuple[str, int, Any]]) -> None:
    """Store periods with the sums of their counters and their data, unless newer ones have been stored meanwhile."""
    insert = insert_totals(db.engine.dialect.name)
    fresh = {"as_of": insert.excluded.as_of, "data": insert.excluded.data}
    is_newer = or_(PeriodTotals.as_of.is_(None), PeriodTotals.as_of <= insert.excluded.as_of)
    upsert = insert.on_conflict_do_update(index_elements=["circle_id", "period"], set_=fresh, where=is_newer)
    values = {"circle_id": circle_id, "changes": 0}
    db.session.execute(
        upsert, [values | {"period": period, "as_of": as_of, "data": data} for period, as_of, data in rows]
    )


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
    """List the periods whose valid stored totals are wrong, and the months with tables or events but no counter."""
    counters = read_counters(circle_id)
    months = counters.months(ALL_MONTHS)
    correct = dict.fromkeys(months, Totals()) | dict(read_month_totals(circle_id, months))
    for year in counters.years:
        _add_up(counters, dict.fromkeys((year, counters.through(year))), correct)
    days = select(Table.day).where(Table.circle_id == circle_id).distinct()
    events = contests.finished_days(circle_id)
    uncounted = {get_month(day) for day in (*db.session.scalars(days), *events)} - set(months)
    query = select(PeriodTotals.period, PeriodTotals.data).where(PeriodTotals.circle_id == circle_id)
    rows = [(period, data) for period, data in db.session.execute(query) if not period.startswith(RATINGS)]
    stored = {period: data for period, data in rows if counters.as_of[period] is not None}
    valid = filter(counters.is_valid, stored)
    wrong = {period for period in valid if _is_wrong(stored[period], correct.get(period))}
    return sorted(uncounted | wrong)


def _is_wrong(stored: dict[str, Any] | None, correct: Totals | None) -> bool:
    """Return whether stored totals differ from the correct ones, as they may with tables of games not installed.

    Those that an earlier version stored are never used.
    """
    if stored and correct is not None and not is_current(stored):
        return False
    is_unread = "unread" in (stored or {}) or (correct is not None and correct.unread)
    return not is_unread and stored != _as_stored(correct)


def _as_stored(total: Totals | None) -> dict[str, Any] | None:
    """Convert totals to what the JSON column returns."""
    return None if total is None else dict(json.loads(json.dumps(dump(total))))
