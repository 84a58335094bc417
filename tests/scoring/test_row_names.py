"""What people call the rows of a sheet, also of one that is not scored; and what explains an entry of no deal."""

from __future__ import annotations

from typing import Any

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.standing import name_rows

SHEET: list[dict[str, Any]] = [
    {"misdeal": True},
    {"substitution": {"out": "Anne", "in": "Emil"}},
    {"adjustment": {}},
    {"tricks": {"ns": 7}},
]


def test_only_deals_and_misdeals_have_numbers() -> None:
    assert [name.deal_number for name in name_rows(SHEET)] == [1, None, None, 2]
    assert [name.deals for name in name_rows(SHEET)] == [1, 1, 1, 2]


def test_an_adjustment_needs_no_explanation() -> None:
    game = games()["whist"]
    standing = game.open(("Anne", "Bruno", "Clara", "David"), "Anne", game.usual_options)
    assert fold(game, standing, [{"adjustment": {"to": "ns", "points": 2}}]) is None
    (row,) = standing.rows
    assert [game.explain(standing, row, entry) for entry in row.entries] == [{}]
