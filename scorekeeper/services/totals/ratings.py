"""Ratings of a circle's people, replayed from its tables' summaries and its finished events in order of play.

What has been replayed by the end of a year is stored in a row of `models.PeriodTotals`, whose period is "~2025". It is
valid as long as everything through that year is: see periods.py. So a page replays the last year only, and once
everything after a correction of an earlier year, a merge or a new game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from heapq import merge
from operator import itemgetter
from typing import Any

from sqlalchemy import select

from ...db.transactions import save_cache
from ...games import games
from ...models import Circle, PeriodTotals, Summary, Table, db
from ...stats.ratings import VERSION, Contest, Rating, RatingState, list_contests, list_ratings, rate
from ..invalidation import YEAR
from . import contests, periods
from .months import BATCH_SIZE, read_person_ids
from .periods import RATINGS, ChangeCounters, read_counters

States = dict[str, RatingState]  # by game


def read(circle: Circle, until: date | None = None) -> dict[str, dict[str, Rating]]:
    """Return the ratings by game and person, after the evening `until`; None for the last one."""
    counters = read_counters(circle.id)
    last = until or date.max
    years = [year for year in counters.years if year <= str(last.year).zfill(YEAR)]
    if not years:
        return {}
    states: States = {slug: {} for slug, game in games().items() if game.contest is not None}
    past = years[-2] if len(years) > 1 else ""
    stored = _load(circle.id, counters, past) if past else None
    if stored is not None and stored.keys() >= states.keys():
        states = {slug: stored[slug] for slug in states}
        _replay(circle.id, states, _after(past), last)
    elif past:
        _replay(circle.id, states, date.min, _get_last_day(past))
        _save(circle.id, counters, past, states)
        _replay(circle.id, states, _after(past), last)
    else:
        _replay(circle.id, states, date.min, last)
    return {slug: list_ratings(state) for slug, state in states.items() if state}


def _after(year: str) -> date:
    return date(int(year) + 1, 1, 1)


def _get_last_day(year: str) -> date:
    return date(int(year), 12, 31)


def _replay(circle_id: int, states: States, since: date, until: date) -> None:
    """Continue the ratings with the tables and then the events of some evenings, day by day, in place."""
    person_ids = read_person_ids(circle_id)
    query = (
        select(Table.day, Table.game, Summary.data)
        .join(Table.summary)
        .where(Table.circle_id == circle_id, Table.day.between(since, until), Table.game.in_(states))
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=BATCH_SIZE)
    )
    with db.session.execute(query) as rows:
        events = contests.read(circle_id, states, since, until, person_ids)
        for _, slug, met in merge(_contests(rows, person_ids), events, key=itemgetter(0)):
            rate(states[slug], met)


def _contests(rows: Iterable[Any], person_ids: Mapping[int, int]) -> Iterator[tuple[date, str, Iterable[Contest]]]:
    for row in rows:
        yield row.day, row.game, list_contests(games()[row.game], row.data, person_ids)


def _load(circle_id: int, counters: ChangeCounters, year: str) -> States | None:
    """Return the states after a year, if they are stored and up to date."""
    if counters.as_of.get(f"{RATINGS}{year}") != counters.current(counters.through(year)):
        return None
    query = select(PeriodTotals.data).where(
        PeriodTotals.circle_id == circle_id, PeriodTotals.period == f"{RATINGS}{year}"
    )
    data = db.session.scalar(query)
    return data["games"] if data and data.get("version") == VERSION else None


def _save(circle_id: int, counters: ChangeCounters, year: str, states: States) -> None:
    copied = {slug: {person: [*numbers] for person, numbers in state.items()} for slug, state in states.items()}
    row = (f"{RATINGS}{year}", counters.current(counters.through(year)), {"version": VERSION, "games": copied})
    save_cache(circle_id, lambda: periods.store(circle_id, [row]))
