"""Where the problems of a deal are shown on its pad."""

from __future__ import annotations

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.pad_state import build_pad
from scorekeeper.scoring.problems import Problem

PLAYERS = ("Anne", "Bruno", "Chloé", "David")


@pytest.mark.parametrize(
    ("field", "group"),
    [
        ("tricks", "tricks"),
        ("called", "tricks"),  # the group with the tricks also has the calls
        ("honours", "honours"),
        ("honours.count", "honours"),
        ("deals", None),
        ("count.honours", None),
    ],
)
def test_a_problem_is_shown_once_at_the_group_that_sets_its_key(field: str, group: str | None) -> None:
    game = games()["whist"]
    pad = build_pad(game, game.open(PLAYERS, "Anne", game.options()), {})
    problems = (Problem(field, "missing"),)
    shown = [group.name for group in pad.groups for _ in pad.problems_of(group, problems)]
    assert shown == ([group] if group else [])
    assert pad.problems_elsewhere(problems) == ([] if group else list(problems))
