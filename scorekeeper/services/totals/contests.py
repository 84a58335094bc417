"""Contests won and lost at the tables of finished events, for ratings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date

from sqlalchemy import func, select

from ...events.drawing import Result
from ...events.schedule import list_parties
from ...events.scoring import find_winner
from ...models import Entrant, EntrantSubstitution, Event, Player, RoundTable, db
from ...stats.ratings import Contest
from ..event_game import SEATS, find_event_game, find_event_key, find_event_scoring

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
        .join(Entrant, (Entrant.circle_id == Event.circle_id) & (Entrant.event_id == Event.id))
        .join(Player, (Player.circle_id == Entrant.circle_id) & (Player.id == Entrant.player_id))
        .where(*of_days)
        .distinct()
    )
    by_game: dict[str, set[str]] = {}
    for event_id, person in db.session.execute(query):
        by_game.setdefault(keys[event_id], set()).add(str(person))
    return by_game


def read(
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
        yield event.day, find_event_key(event), list(_contests(event, person_ids))


def _contests(event: Event, person_ids: Mapping[int, int]) -> Iterator[Contest]:
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
