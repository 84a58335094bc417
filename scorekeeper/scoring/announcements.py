"""Announcements: facts that are entered before a deal is played, such as a contract."""

from __future__ import annotations

from . import schema
from .game import AnyGame
from .problems import Problem
from .standing import AnyStanding
from .values import JsonObject


def announcement_problems(game: AnyGame, standing: AnyStanding, raw: JsonObject) -> list[Problem]:
    """Check facts that are entered before the deal is played, such as a contract."""
    if not game.announced:
        return [Problem("deals", "not-announceable")]
    problems = [Problem(key, "not-announceable") for key in raw if key not in game.announced]
    part, keys = schema.load_partial(game.deal, raw, game.seats(standing.players))
    problems += [Problem(key, "tap-one") for key in game.announced[:1] if key not in keys]
    announced_keys = keys.intersection(game.announced)
    checks = [check for check in game.checks if announced_keys.issuperset(check.required_keys)]
    return problems + [problem for check in checks for problem in check.find_problems(standing, part)]
