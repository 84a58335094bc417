"""The game of an event: which ones there are, and what the results of a table are in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import select

from ..games import find_game, games, make_game_key
from ..models import Circle, Event, Table, db
from ..scoring import schema
from ..scoring.game import AnyGame
from ..scoring.values import NO_SEATS
from ..tables.named_games import MAX_NAMED, has_name, list_named_games
from .scorings import IN_POINTS, SCORINGS, Scoring

SEATS = 4
UNITS = DEALS, GAMES, MINUTES = "deals", "games", "minutes"  # what a round may be


class EventGame(NamedTuple):
    """A game of an event, or a stand-in if it is not installed, and its house rules; {} for the usual ones."""

    game: AnyGame
    house_rules: Mapping[str, Any]

    @property
    def key(self) -> str:
        return make_game_key(self.game, self.house_rules)

    @property
    def under_rules(self) -> AnyGame:
        options = schema.load(self.game.options, dict(self.house_rules), NO_SEATS, [])
        return self.game.under(options, SEATS) if options is not None else self.game

    @property
    def is_for_four(self) -> bool:
        return SEATS in self.under_rules.player_counts

    @property
    def plays_alone(self) -> bool:
        return plays_alone(self.under_rules)


def plays_alone(game: AnyGame) -> bool:
    """Return whether each of the four at a table plays alone, so that a table has four parties; else it has two pairs.

    A stand-in is taken for a game of two against two.
    """
    return not game.in_sides and SEATS in game.player_counts


def find_games_for_four() -> dict[str, AnyGame]:
    """Return the installed games that four can play: under their usual house rules, or an example of their own."""
    return {
        slug: game
        for slug, game in games().items()
        if any(
            EventGame(game, schema.dump(options)).is_for_four
            for options in game.house_rules.examples or [game.options()]
        )
    }


def list_event_games(circle: Circle, current: EventGame | None = None) -> dict[str, EventGame]:
    """Return by their keys what can be chosen for an event of a circle: also the games that it has described itself.

    `current` is what the event has so far, which stays as it is whatever became of the circle's game.
    """
    offered = find_games_for_four()
    named = {current.key: current} if current is not None and current.game.house_rules.named_by else {}
    described = select(Event).where(Event.circle_id == circle.id, has_name(Event))
    latest = db.session.scalars(described.order_by(Event.day.desc(), Event.id.desc()).limit(MAX_NAMED))
    rows: list[Table | Event] = [*list_named_games(circle).values(), *latest]
    for found in (EventGame(offered[row.game], row.house_rules) for row in rows if row.game in offered):
        if found.is_for_four:
            named.setdefault(found.key, found)
    plain = {slug: EventGame(game, {}) for slug, game in offered.items()}
    to_describe = {slug: plain.pop(slug) for slug, game in offered.items() if game.house_rules.examples}
    return plain | named | to_describe


def find_event_game(event: Event) -> EventGame:
    return EventGame(find_game(event.game), event.house_rules)


def find_scoring_of(event: Event) -> Scoring:
    """Return what the results of an event are worth in its game. Only points can be bad to have."""
    game = find_event_game(event).under_rules
    lowest_wins = game.ending.lowest_wins and results_in(event) == IN_POINTS
    return SCORINGS[event.scoring].under(lowest_wins, plays_alone=plays_alone(game))


def results_in(event: Event) -> str:
    return SCORINGS[event.scoring].counted_in(find_event_game(event).under_rules.limits.tricks)


def tricks_of_round(event: Event) -> int | None:
    tricks = find_event_game(event).under_rules.limits.tricks
    return tricks * event.length if tricks is not None and event.round_unit == DEALS else None
