"""Ratings of a circle's people, replayed from its tables' summaries and its finished events in order of play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import select

from ...games import games
from ...models import Circle, Summary, Table, db
from ...stats.ratings import Contest, Rating, RatingState, list_changes, list_contests, list_ratings, rate
from ...stats.summary_data import make_game_key, slug_of
from . import contests
from .periods import BATCH_SIZE, read_person_ids


def read(circle: Circle, until: date | None = None) -> dict[str, dict[str, Rating]]:
    """Return the ratings by the key of the game and by person, after the evening `until`; None for the last one."""
    rated = sorted(slug for slug, game in games().items() if game.contest is not None)
    states: defaultdict[str, RatingState] = defaultdict(dict)
    for _, key, met in _list_contests(circle.id, rated, until or date.max):
        rate(states[key], met)
    return {key: list_ratings(state) for key, state in states.items() if state}


def read_changes(circle: Circle, key: str, since: date, until: date) -> Iterator[tuple[date, dict[str, int]]]:
    """Yield by how much each evening between two days has changed the ratings at a game, of those who met on it."""
    state: RatingState = {}
    contests_of_game = ((day, met) for day, of, met in _list_contests(circle.id, [slug_of(key)], until) if of == key)
    for day, evening in groupby(contests_of_game, key=itemgetter(0)):
        earlier = list_ratings(state) if day >= since else {}
        for _, met in evening:
            rate(state, met)
        if day >= since:
            yield day, list_changes(earlier, list_ratings(state))


def _list_contests(circle_id: int, rated: list[str], until: date) -> Iterator[tuple[date, str, Iterable[Contest]]]:
    """Yield the day, the game's key and the contests of the tables, and then the events, day by day.

    `rated` are the slugs of the games that count.
    """
    person_ids = read_person_ids(circle_id)
    query = (
        select(Table.day, Table.game, Table.house_rules, Summary.data)
        .join(Table.summary)
        .where(Table.circle_id == circle_id, Table.day <= until, Table.game.in_(rated))
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=BATCH_SIZE)
    )
    with db.session.execute(query) as rows:
        events = contests.read(circle_id, rated, until, person_ids)
        yield from merge(_contests(rows, person_ids), events, key=itemgetter(0))


def _contests(rows: Iterable[Any], person_ids: Mapping[int, int]) -> Iterator[tuple[date, str, Iterable[Contest]]]:
    for row in rows:
        game = games()[row.game]
        yield row.day, make_game_key(game, row.house_rules), list_contests(game, row.data, person_ids)
