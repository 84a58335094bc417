"""Numbers of earlier deals, which the pad shows and offers again."""

from __future__ import annotations

from scorekeeper.games.any_game import GAME
from scorekeeper.games.any_game.options import Options
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.pad_state import find_frequent, list_typed


def test_a_box_keeps_what_was_filled_in_also_for_a_substitute() -> None:
    options = Options(name="Yahtzee", categories=("ones", "twos"))
    game = GAME.under(options)
    standing = game.open(("Anne", "Bruno"), "Anne", options)
    deals = [
        {"points": {"ones": {"Anne": 3}, "twos": {"Bruno": 0}}},
        {"substitution": {"out": "Anne", "in": "Chloé"}},
        {"points": {"ones": {"Bruno": 4}, "twos": {"Chloé": 6}}},
    ]
    assert fold(game, standing, deals) is None
    assert list_typed(game, standing) == {
        "category1-Chloé": [3],
        "category1-Bruno": [4],
        "category2-Chloé": [6],
        "category2-Bruno": [0],
    }


def test_numbers_with_keys_of_their_own_are_long_and_came_three_times() -> None:
    assert find_frequent([50, 20, 50, 20, 50, 20, 10, 10, 5, 5, 5]) == [20, 50]
    assert find_frequent([n for n in (60, -26, 45, 41, 100, 180) for _ in range(3)] + [-26, 180]) == [-26, 45, 60, 180]
