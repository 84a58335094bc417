"""Totals of a circle: its tables, added up in a period or by evening; and ratings, replayed in order of play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Select, exists, extract, func, select

from ..games import find_game, games, make_game_key, slug_of
from ..models import Circle, Entrant, Event, Player, RoundTable, Summary, Table, db
from ..site.features import features
from ..tables.summary import was_played
from .ratings import Contest, Rating, RatingState, list_changes, list_contests, list_ratings, rate
from .totals import Totals

BATCH_SIZE = 500  # summaries held in memory


class Contests(NamedTuple):
    """What was won and lost at a table or an event."""

    day: date
    game_key: str
    contests: Iterable[Contest]


class PlayedEvent(NamedTuple):
    """An event at which somebody has played: they had this rank of `ranked`, or None, and this score in words."""

    title: str
    url: str
    day: date
    game: str
    rank: int | None
    ranked: int
    score: str


class EventPlaces(NamedTuple):
    """A finished event, with its page by endpoint and token, and the place of each ranked person by id."""

    title: str
    endpoint: str
    token: str
    day: date
    places: Mapping[int, int]


def read_totals(circle: Circle, since: date | None = None, until: date | None = None) -> Totals:
    """Return the totals of the evenings from `since` to `until`, both included; None for no limit."""
    query = _select_tables(circle.id, since or date.min, until or date.max)
    with db.session.execute(query) as rows:
        return add_up((row for row in rows if was_played(row.data)), read_person_ids(circle.id))


def list_years(circle: Circle) -> list[str]:
    of_tables = select(extract("year", Table.day)).where(Table.circle_id == circle.id)
    finished = Event.circle_id == circle.id, Event.finished_at.is_not(None)
    years = db.session.scalars(of_tables.union(select(extract("year", Event.day)).where(*finished)))
    return sorted((str(year) for year in years), reverse=True)


def read_evenings(
    circle_id: int, since: date, until: date, keys: Collection[str]
) -> Iterator[tuple[date, Iterator[Any]]]:
    """Yield each evening's tables at the games with these keys, or at all games without keys; none of events."""
    query = _select_tables(circle_id, since, until).where(~exists().where(RoundTable.table_id == Table.id))
    with db.session.execute(query) as rows:
        yield from groupby((row for row in rows if _is_of(row, keys) and was_played(row.data)), lambda row: row.day)


def count_open_tables(circle_id: int, since: date, until: date, keys: Collection[str]) -> int:
    query = select(Table.game, Table.house_rules).where(
        Table.circle_id == circle_id, Table.closed_at.is_(None), Table.day.between(since, until)
    )
    return sum(_is_of(row, keys) for row in db.session.execute(query))


def _is_of(table: Any, keys: Collection[str]) -> bool:
    return not keys or make_game_key(find_game(table.game), table.house_rules) in keys


def _select_tables(circle_id: int, since: date, until: date) -> Select[Any]:
    return (
        select(Table.id, Table.day, Table.game, Table.house_rules, Summary.data)
        .join(Table.summary)
        .where(Table.circle_id == circle_id, Table.day.between(since, until))
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=BATCH_SIZE)
    )


def add_up(tables: Iterable[Any], person_ids: Mapping[int, int]) -> Totals:
    total = Totals()
    for table in tables:
        game = games().get(table.game)
        key = make_game_key(game, table.house_rules) if game is not None else ""
        total.add(table.id, table.day.isoformat(), game, table.data, person_ids, key)
    return total


def read_person_ids(circle_id: int) -> dict[int, int]:
    """Return the id of the person of each of the circle's players, by the player's."""
    query = select(Player.id, Player.person_id).where(Player.circle_id == circle_id)
    return {id_: person or id_ for id_, person in db.session.execute(query)}


# --- events ------------------------------------------------------------------------------------------------


def read_persons_at_events(circle_id: int, since: date | None, until: date | None) -> dict[str, set[int]]:
    """Return by its key which persons had a number at finished events of each game that has ratings."""
    query = (
        select(Event.game, Event.house_rules, func.coalesce(Player.person_id, Player.id).label("person"))
        .join(Entrant, Entrant.event_id == Event.id)
        .join(Player, Player.id == Entrant.player_id)
        .where(Event.circle_id == circle_id, Event.finished_at.is_not(None), Event.game.in_(_list_rated()))
        .where(Event.day.between(since or date.min, until or date.max))
    )
    by_game: defaultdict[str, set[int]] = defaultdict(set)
    for row in db.session.execute(query):
        by_game[make_game_key(find_game(row.game), row.house_rules)].add(row.person)
    return by_game


# --- ratings -----------------------------------------------------------------------------------------------


def _list_rated() -> list[str]:
    return sorted(slug for slug, game in games().items() if game.contest is not None)


def read_ratings(circle: Circle, until: date | None = None) -> dict[str, dict[int, Rating]]:
    """Return the ratings by the key of the game and by person, after the evening `until`; None for the last one."""
    states: defaultdict[str, RatingState] = defaultdict(dict)
    for played in _read_contests(circle.id, _list_rated(), until or date.max):
        rate(states[played.game_key], played.contests)
    return {key: list_ratings(state) for key, state in states.items() if state}


def read_rating_changes(circle: Circle, key: str, since: date, until: date) -> Iterator[tuple[date, dict[int, int]]]:
    """Yield each evening between two days with the changes of ratings, in points, of those who played the game."""
    state: RatingState = {}
    of_game = (played for played in _read_contests(circle.id, [slug_of(key)], until) if played.game_key == key)
    for day, evening in groupby(of_game, key=attrgetter("day")):
        earlier = list_ratings(state)
        for played in evening:
            rate(state, played.contests)
        if day >= since:
            yield day, list_changes(earlier, list_ratings(state))


def _read_contests(circle_id: int, rated: list[str], until: date) -> Iterator[Contests]:
    """Yield the contests of the tables, and then of the events, day by day. `rated` are the slugs that count."""
    person_ids = read_person_ids(circle_id)
    with db.session.execute(_select_tables(circle_id, date.min, until).where(Table.game.in_(rated))) as rows:
        of_tables = (_list_contests_at(row, person_ids) for row in rows)
        of_events = (feature.read_contests(circle_id, rated, until) for feature in features())
        yield from merge(of_tables, *of_events, key=attrgetter("day"))


def _list_contests_at(table: Any, person_ids: Mapping[int, int]) -> Contests:
    game = games()[table.game]
    contests = list_contests(game, table.data, person_ids)
    return Contests(table.day, make_game_key(game, table.house_rules), contests)
