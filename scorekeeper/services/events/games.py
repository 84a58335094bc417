"""How an event plays its game, what results are worth then, and which games can be chosen for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import select

from ...events.formats import Format
from ...events.scoring import IN_POINTS, Scoring, find_scoring
from ...games import find_game, games
from ...models import Circle, Event, Table, db
from ...scoring import schema
from ...scoring.game import CLOCKWISE, AnyGame
from ...scoring.problems import Problem
from ...scoring.standing import SIDES
from ...scoring.values import NO_SEATS
from ...stats.summary import make_game_key
from ..tables.opening import MAX_NAMED, has_name, list_named_games

T = TypeVar("T")

SEATS = 4


def find_played(game: AnyGame, house_rules: Mapping[str, Any]) -> AnyGame:
    options = schema.load(game.options, dict(house_rules), NO_SEATS, [])
    return game.under(options, SEATS) if options is not None else game


def plays_alone(game: AnyGame) -> bool:
    """Return whether each of the four at a table plays alone, so that a table has four parties; else it has two pairs.

    A stand-in is taken for a game of two against two.
    """
    return not game.in_sides and SEATS in game.player_counts


def find_sides(event: Event) -> range:
    """Return the numbers of the parties at a table of an event, from 0."""
    return range(SEATS if plays_alone(find_event_game(event)) else len(SIDES))


def order_by_turn(of_seats: Sequence[T], game: AnyGame) -> tuple[T, ...]:
    """Return what is given for North, East, South and West in the order in which they play a game; it leads back."""
    first, *others = of_seats
    return (first, *(others if game.direction == CLOCKWISE else reversed(others)))


def find_event_game(event: Event) -> AnyGame:
    """Return the game as an event plays it, or a stand-in if it is not installed."""
    return find_played(find_game(event.game), event.house_rules)


def find_event_key(event: Event) -> str:
    return make_game_key(find_game(event.game), event.house_rules)


def find_event_scoring(event: Event, game: AnyGame) -> Scoring:
    """Return what the results of an event in this game are worth. Only points can be bad to have."""
    scoring = find_scoring(event.scoring)
    lowest_wins = game.lowest_wins and scoring.counted_in(game.tricks) == IN_POINTS
    return scoring.under(lowest_wins, plays_alone=plays_alone(game))


class EventGame(NamedTuple):
    """A game that an event can be played in, and the house rules to begin with; {} for the usual ones."""

    game: AnyGame
    house_rules: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The key of what is played, by which it is chosen."""
        return make_game_key(self.game, self.house_rules)


def event_games() -> dict[str, AnyGame]:
    """Return the installed games that four can play: under their usual house rules, or an example of their own."""
    return {
        slug: game
        for slug, game in games().items()
        if any(_fits(find_played(game, each)) for each in map(schema.dump, game.example_options or [game.options()]))
    }


def _fits(played: AnyGame) -> bool:
    return SEATS in played.player_counts


def list_event_games(circle: Circle, current: EventGame | None = None) -> dict[str, EventGame]:
    """Return by their keys what can be chosen for an event of a circle: also the games that it has described itself.

    `current` is what the event has so far, which stays as it is whatever became of the circle's game.
    """
    offered = event_games()
    named = {current.key: current} if current is not None and current.game.named_by else {}
    described = select(Event).where(Event.circle_id == circle.id, has_name(Event))
    latest = db.session.scalars(described.order_by(Event.day.desc(), Event.id.desc()).limit(MAX_NAMED))
    rows: list[Table | Event] = [*list_named_games(circle).values(), *latest]
    for row in rows:
        if row.game in offered and _fits(find_played(offered[row.game], row.house_rules)):
            found = EventGame(offered[row.game], row.house_rules)
            named.setdefault(found.key, found)
    plain = {slug: EventGame(game, {}) for slug, game in offered.items() if not game.example_options}
    to_describe = {slug: EventGame(game, {}) for slug, game in offered.items() if game.example_options}
    return plain | named | to_describe


def house_rule_problems(game: AnyGame, house_rules: Mapping[str, Any], format_: Format | None) -> Iterator[Problem]:
    problems: list[Problem] = []
    options = schema.load(game.options, dict(house_rules), NO_SEATS, problems, "house_rules")
    yield from problems
    if options is not None:
        for problem in game.check_options(options, SEATS):
            yield problem._replace(field=f"house_rules.{problem.field}")
        played = find_played(game, house_rules)
        if not _fits(played):
            yield Problem("game", "event-game-of-four")
        if plays_alone(played) and format_ is not None and format_.members > 1:
            yield Problem("format", "event-format-of-partners")
