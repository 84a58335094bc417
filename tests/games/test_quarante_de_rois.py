"""The rules of Quarante de rois, clause by clause."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from ..support.sheets import SIDES, at, points, quarante_deal, refused_deals, scored_deals

scored = partial(scored_deals, "quarante-de-rois")
fields_refused = partial(refused_deals, "quarante-de-rois")


# --- what a deal scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("impossible", [1, 2, 46, 47])
@pytest.mark.parametrize("side", SIDES)
def test_card_points_cannot_be_1_2_46_or_47(side: str, impossible: int) -> None:
    assert fields_refused([{"card_points": {side: impossible}}]) == (1, [f"card_points.{side}"])


# --- the end of the partie -----------------------------------------------------------------------------------


def test_a_clique_wins_if_level_sides_are_past_the_target() -> None:
    # 160 to 160; three jacks make 166 before the cards bring 169 to 205.
    deals = [*at(136, 136), quarante_deal(24), quarante_deal(3, "Anne 3 jacks")]
    assert scored(deals, clique_first=True)["winner"] == "ns"
    assert scored(deals)["winner"] == "ew"


@pytest.mark.parametrize(
    ("deals", "winner"),
    [([points("ew", 150)], "ew"), ([points("ew", 149)], None), ([points("ew", 149), points("ns", 400)], "ns")],
)
@pytest.mark.parametrize("clique_first", [False, True])
def test_an_adjustment_can_end_the_partie(deals: list[dict[str, Any]], winner: str | None, clique_first: bool) -> None:
    assert scored(deals, clique_first=clique_first)["winner"] == winner
