"""Ratings of a circle's people, replayed from its tables' summaries and its finished events in order of play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import func, select

from ...events.drawing import Result, list_parties
from ...events.scoring import find_winner
from ...games import games
from ...models import Circle, Entrant, EntrantSubstitution, Event, Player, RoundTable, Summary, Table, db
from ...stats.ratings import Contest, Rating, RatingState, list_changes, list_contests, list_ratings, rate
from ...stats.summary import make_game_key, slug_of
from ..events.games import SEATS, find_event_game, find_event_key, find_event_scoring
from .periods import BATCH_SIZE, read_person_ids

Substitutions = Mapping[int, Mapping[int, int]]  # by number: who plays from a round on


def persons_at_events(circle_id: int, since: date | None, until: date | None) -> dict[str, set[str]]:
    """Return the ids of those who had a number at finished events of these days, by key of the game.

    None is no limit.
    """
    of_days = (
        Event.circle_id == circle_id,
        Event.finished_at.is_not(None),
        Event.day.between(since or date.min, until or date.max),
    )
    keys = {event.id: find_event_key(event) for event in db.session.scalars(select(Event).where(*of_days))}
    query = (
        select(Event.id, func.coalesce(Player.person_id, Player.id).label("person"))
        .join(Entrant, Entrant.event_id == Event.id)
        .join(Player, Player.id == Entrant.player_id)
        .where(*of_days)
        .distinct()
    )
    by_game: dict[str, set[str]] = {}
    for event_id, person in db.session.execute(query):
        by_game.setdefault(keys[event_id], set()).add(str(person))
    return by_game


def read_events(
    circle_id: int, games: Collection[str], until: date, person_ids: Mapping[int, int]
) -> Iterator[tuple[date, str, list[Contest]]]:
    """Yield the day, the game's key and the contests of each finished event of these games, in order of play."""
    query = select(Event).where(
        Event.circle_id == circle_id,
        Event.finished_at.is_not(None),
        Event.game.in_(games),
        Event.day <= until,
    )
    for event in db.session.scalars(query.order_by(Event.day, Event.id)).all():
        yield event.day, find_event_key(event), list(_contests_of_event(event, person_ids))


def _contests_of_event(event: Event, person_ids: Mapping[int, int]) -> Iterator[Contest]:
    """Yield a contest of the parties, the winner first, for each table of each round that one of them has won.

    A table on which the phone kept score counts as such, not here.
    """
    circle_id, event_id = event.circle_id, event.id
    entrants, substitutions = _entrants(circle_id, event_id), _substitutions(circle_id, event_id)
    scoring = find_event_scoring(event, find_event_game(event))
    query = select(RoundTable.round, RoundTable.pairs, RoundTable.scores).where(
        RoundTable.circle_id == circle_id,
        RoundTable.event_id == event_id,
        RoundTable.table_id.is_(None),
        RoundTable.scores.is_not(None),
    )
    for round_number, pairs, scores in db.session.execute(query.order_by(RoundTable.round, RoundTable.number)):
        made = tuple(scores["scores"])  # none at a table that was not played
        winner = find_winner(scoring.orient(Result(made)).scores) if made else None
        if winner is not None:
            parties = list_parties(pairs, plays_alone=len(made) == SEATS)
            teams = [[_player(number, round_number, entrants, substitutions) for number in each] for each in parties]
            contest = [[str(person_ids[player]) for player in team] for team in teams]
            yield [contest.pop(winner), *contest]


def _player(number: int, round_number: int, entrants: Mapping[int, int], substitutions: Substitutions) -> int:
    """Return who played under a number in a round."""
    rounds = [since for since in substitutions.get(number, ()) if since <= round_number]
    return substitutions[number][max(rounds)] if rounds else entrants[number]


def _entrants(circle_id: int, event_id: int) -> dict[int, int]:
    query = select(Entrant.number, Entrant.player_id).where(
        Entrant.circle_id == circle_id, Entrant.event_id == event_id
    )
    return {row.number: row.player_id for row in db.session.execute(query)}


def _substitutions(circle_id: int, event_id: int) -> Substitutions:
    row = EntrantSubstitution
    query = select(row.number, row.round, row.player_id).where(row.circle_id == circle_id, row.event_id == event_id)
    by_number: dict[int, dict[int, int]] = {}
    for number, since, player in db.session.execute(query):
        by_number.setdefault(number, {})[since] = player
    return by_number


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
        events = read_events(circle_id, rated, until, person_ids)
        yield from merge(_contests(rows, person_ids), events, key=itemgetter(0))


def _contests(rows: Iterable[Any], person_ids: Mapping[int, int]) -> Iterator[tuple[date, str, Iterable[Contest]]]:
    for row in rows:
        game = games()[row.game]
        yield row.day, make_game_key(game, row.house_rules), list_contests(game, row.data, person_ids)
