"""Ratings of a circle's people, replayed from its tables' summaries and its finished events in order of play.

What has been replayed by the end of a year is stored in a row of `models.PeriodTotals`, whose period is "~2025". It is
valid as long as everything through that year is: see periods.py. So a page replays the last year only, and once
everything after a correction of an earlier year, a merge or a new game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import select

from ...db.transactions import save_cache
from ...games import games
from ...models import Circle, PeriodTotals, Summary, Table, db
from ...stats.ratings import VERSION, Contest, Rating, RatingState, list_changes, list_contests, list_ratings, rate
from ...stats.summary_data import make_game_key, slug_of
from ..invalidation import YEAR
from . import contests, periods
from .months import BATCH_SIZE, read_person_ids
from .periods import RATINGS, ChangeCounters, read_counters

States = dict[str, RatingState]  # by the key of the game, see `stats.game_keys`


def read(circle: Circle, until: date | None = None) -> dict[str, dict[str, Rating]]:
    """Return the ratings by the key of the game and by person, after the evening `until`; None for the last one."""
    counters = read_counters(circle.id)
    last = until or date.max
    years = [year for year in counters.years if year <= str(last.year).zfill(YEAR)]
    if not years:
        return {}
    states, since, rated = _read_past(circle.id, counters, years[-2] if len(years) > 1 else "")
    for _, key, met in _list_contests(circle.id, rated, since, last):
        rate(states.setdefault(key, {}), met)
    return {key: list_ratings(state) for key, state in states.items() if state}


def read_changes(circle: Circle, key: str, since: date, until: date) -> Iterator[tuple[date, dict[str, int]]]:
    """Yield by how much each evening between two days has changed the ratings at a game, of those who met on it."""
    counters = read_counters(circle.id)
    before = [year for year in counters.years if year < str(since.year).zfill(YEAR)]
    states, first, _ = _read_past(circle.id, counters, before[-1] if before else "")
    state = states.setdefault(key, {})
    contests_of_game = (
        (day, met) for day, of, met in _list_contests(circle.id, [slug_of(key)], first, until) if of == key
    )
    for day, evening in groupby(contests_of_game, key=itemgetter(0)):
        earlier = list_ratings(state)
        for _, met in evening:
            rate(state, met)
        if day >= since:
            yield day, list_changes(earlier, list_ratings(state))


def _read_past(circle_id: int, counters: ChangeCounters, year: str) -> tuple[States, date, list[str]]:
    """Return the states after a year, blank for before the first; the day after it; and the slugs that are rated."""
    rated = sorted(slug for slug, game in games().items() if game.contest is not None)
    if not year:
        return {}, date.min, rated
    states = _load(circle_id, counters, year, rated)
    if states is None:
        states = {}
        for _, key, met in _list_contests(circle_id, rated, date.min, _get_last_day(year)):
            rate(states.setdefault(key, {}), met)
        _save(circle_id, counters, year, rated, states)
    return states, _after(year), rated


def _after(year: str) -> date:
    return date(int(year) + 1, 1, 1)


def _get_last_day(year: str) -> date:
    return date(int(year), 12, 31)


def _list_contests(
    circle_id: int, rated: list[str], since: date, until: date
) -> Iterator[tuple[date, str, Iterable[Contest]]]:
    """Yield the day, the game's key and the contests of the tables, and then the events, of some evenings, day by day.

    `rated` are the slugs of the games that count.
    """
    person_ids = read_person_ids(circle_id)
    query = (
        select(Table.day, Table.game, Table.house_rules, Summary.data)
        .join(Table.summary)
        .where(Table.circle_id == circle_id, Table.day.between(since, until), Table.game.in_(rated))
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=BATCH_SIZE)
    )
    with db.session.execute(query) as rows:
        events = contests.read(circle_id, rated, since, until, person_ids)
        yield from merge(_contests(rows, person_ids), events, key=itemgetter(0))


def _contests(rows: Iterable[Any], person_ids: Mapping[int, int]) -> Iterator[tuple[date, str, Iterable[Contest]]]:
    for row in rows:
        game = games()[row.game]
        yield row.day, make_game_key(game, row.house_rules), list_contests(game, row.data, person_ids)


def _load(circle_id: int, counters: ChangeCounters, year: str, rated: list[str]) -> States | None:
    """Return the states after a year, if they are stored for these games and up to date."""
    if counters.as_of.get(f"{RATINGS}{year}") != counters.current(counters.through(year)):
        return None
    query = select(PeriodTotals.data).where(
        PeriodTotals.circle_id == circle_id, PeriodTotals.period == f"{RATINGS}{year}"
    )
    data = db.session.scalar(query)
    if not data or (data.get("version"), data.get("rated")) != (VERSION, rated):
        return None
    states: States = data["games"]
    return states


def _save(circle_id: int, counters: ChangeCounters, year: str, rated: list[str], states: States) -> None:
    copied = {key: {person: [*numbers] for person, numbers in state.items()} for key, state in states.items()}
    data = {"version": VERSION, "rated": rated, "games": copied}
    row = (f"{RATINGS}{year}", counters.current(counters.through(year)), data)
    save_cache(circle_id, lambda: periods.store(circle_id, [row]))
