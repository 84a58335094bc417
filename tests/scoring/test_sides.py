"""What the sides of a deal have, and who decides after an incident."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.seating_draw import IF_CHOSEN, THE_DEALER, THE_OTHERS, Incident
from scorekeeper.scoring.standing import tricks_by_side

from ..games.played import PLAYERS


@pytest.mark.parametrize(
    ("taken", "total", "by_side"),
    [
        ({"ns": 7}, 13, (7, 6)),
        ({"ew": 7}, 13, (6, 7)),
        ({"ns": 7, "ew": 6}, 13, (7, 6)),
        ({"ns": 7}, None, None),
        ({"Anne": 7}, 13, None),
        (7, 13, None),
    ],
)
def test_a_deals_tricks_are_known_where_it_says_those_of_a_side(
    taken: object, total: int | None, by_side: tuple[int, int] | None
) -> None:
    assert tricks_by_side(SimpleNamespace(tricks=taken), total) == by_side
    assert tricks_by_side(SimpleNamespace(), total) is None


def test_the_other_side_or_the_dealer_decides_whether_to_deal_again() -> None:
    (game, *_) = [game for game in games().values() if game.in_sides]
    standing = game.open(PLAYERS, "Anne", game.options())
    deciders = [Incident("x", IF_CHOSEN, who).decider(standing, "Anne") for who in (THE_OTHERS, THE_DEALER, None)]
    assert deciders == ["ew", "Anne", None]
