"""The four kings make the sides, red against black; then the highest card deals, as at Piquet: ace, king, … 7."""

from __future__ import annotations

from collections.abc import Mapping

from ...scoring.cards import PIQUET, RANKS, by_rank, pack
from ...scoring.draw import Draw, Players, Seated, Stage, facing, highest


def seat(_players: Players, orders: Mapping[str, Players]) -> Seated:
    red, black, dealer = orders["kings"][:2], orders["kings"][2:], orders["dealer"][0]
    because = (("red", {"all": red}), ("black", {"all": black}), ("dealer", {"party": dealer}))
    return Seated(facing(red, black), dealer, because, swap=black)


DRAW = Draw(
    stages=(
        Stage("kings", lambda _players: pack(("k",)), lambda king: int(king.is_red), highest(2), suits=True),
        Stage("dealer", lambda _players: PIQUET, by_rank(RANKS), highest(1)),
    ),
    seat=seat,
)
