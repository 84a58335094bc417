"""The games that can be chosen for an event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import select

from ...events.formats import Format
from ...games import games
from ...models import Circle, Event, Table, db
from ...scoring import schema
from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.values import NO_SEATS
from ...stats.summary import make_game_key
from ..event_game import SEATS, find_played, plays_alone
from ..tables.opening import MAX_NAMED, has_name, list_named_games


class EventGame(NamedTuple):
    """A game that an event can be played in, and the house rules to begin with; {} for the usual ones."""

    game: AnyGame
    house_rules: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The key of what is played, by which it is chosen."""
        return make_game_key(self.game, self.house_rules)


def event_games() -> dict[str, AnyGame]:
    """Return the installed games that an event can be played in: four play them under some house rules."""
    return {slug: game for slug, game in games().items() if any(map(_fits, _list_played(game)))}


def _list_played(game: AnyGame) -> list[AnyGame]:
    """List the game as four play it: under its usual house rules, or its examples if it has to be described."""
    examples = [schema.dump(options) for options in game.example_options]
    return [find_played(game, house_rules) for house_rules in examples or [{}]]


def _fits(played: AnyGame) -> bool:
    return SEATS in played.player_counts


def list_event_games(circle: Circle, current: EventGame | None = None) -> dict[str, EventGame]:
    """Return by their keys what can be chosen for an event of a circle: also the games that it has described itself.

    `current` is what the event has so far, which stays as it is whatever became of the circle's game.
    """
    offered = event_games()
    named = {current.key: current} if current is not None and current.game.named_by else {}
    rows: list[Table | Event] = [*list_named_games(circle).values(), *_list_events(circle)]
    for row in rows:
        if row.game in offered and _fits(find_played(offered[row.game], row.house_rules)):
            found = EventGame(offered[row.game], row.house_rules)
            named.setdefault(found.key, found)
    plain = {slug: EventGame(game, {}) for slug, game in offered.items() if not game.example_options}
    to_describe = {slug: EventGame(game, {}) for slug, game in offered.items() if game.example_options}
    return plain | named | to_describe


def _list_events(circle: Circle) -> Iterator[Event]:
    """Yield the newest events of a circle in games that it has described, the latest first."""
    of_circle = select(Event).where(Event.circle_id == circle.id, has_name(Event))
    yield from db.session.scalars(of_circle.order_by(Event.day.desc(), Event.id.desc()).limit(MAX_NAMED))


# --- what is wrong -----------------------------------------------------------------------------------------


def house_rule_problems(game: AnyGame, house_rules: Mapping[str, Any], format_: Format | None) -> Iterator[Problem]:
    """Yield why no event of this format can be played in a game under these house rules."""
    problems: list[Problem] = []
    options = schema.load(game.options, dict(house_rules), NO_SEATS, problems, "house_rules")
    if options is not None:
        found = game.check_options(options, SEATS)
        problems += [problem._replace(field=f"house_rules.{problem.field}") for problem in found]
        played = find_played(game, house_rules)
        if not _fits(played):
            problems.append(Problem("game", "event-game-of-four"))
        if plays_alone(played) and format_ is not None and format_.members > 1:
            problems.append(Problem("format", "event-format-of-partners"))
    yield from problems
