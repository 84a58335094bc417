"""How an event plays its game, and what results are worth then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ..events.scoring import IN_POINTS, Scoring, find_scoring
from ..games import find_game
from ..models import Event
from ..scoring import schema
from ..scoring.game import CLOCKWISE, AnyGame
from ..scoring.standing import SIDES
from ..scoring.values import NO_SEATS
from ..stats.summary import make_game_key

T = TypeVar("T")

SEATS = 4


def find_played(game: AnyGame, house_rules: Mapping[str, Any]) -> AnyGame:
    """Return the game as the four at a table play it under these house rules."""
    options = schema.load(game.options, dict(house_rules), NO_SEATS, [])
    return game.under(options, SEATS) if options is not None else game


def plays_alone(game: AnyGame) -> bool:
    """Return whether each of the four at a table plays alone, so that a table has four parties; else it has two pairs.

    A stand-in is taken for a game of two against two.
    """
    return not game.in_sides and SEATS in game.player_counts


def find_sides(event: Event) -> range:
    """Return the numbers of the parties at a table of an event, from 0."""
    return list_sides(is_alone=plays_alone(find_event_game(event)))


def list_sides(*, is_alone: bool) -> range:
    """Return the numbers of the parties at a table, from 0: of four who play alone, or of two pairs."""
    return range(SEATS if is_alone else len(SIDES))


def order_by_turn(of_seats: Sequence[T], game: AnyGame) -> tuple[T, ...]:
    """Return what belongs to North, East, South and West in the order in which they play; the same leads back."""
    first, *others = of_seats
    return (first, *(others if game.direction == CLOCKWISE else reversed(others)))


def find_event_game(event: Event) -> AnyGame:
    """Return the game as an event plays it, or a stand-in if it is not installed."""
    return find_played(find_game(event.game), event.house_rules)


def find_event_key(event: Event) -> str:
    """Return the key of what an event plays."""
    return make_game_key(find_game(event.game), event.house_rules)


def find_event_scoring(event: Event, game: AnyGame) -> Scoring:
    """Return what the results of an event in this game are worth. Only points can be bad to have."""
    scoring = find_scoring(event.scoring)
    lowest_wins = game.lowest_wins and scoring.counted_in(game.tricks) == IN_POINTS
    return scoring.under(lowest_wins, plays_alone=plays_alone(game))
