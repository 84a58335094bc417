"""The draw of Quarante de rois: the four kings make the sides, red against black; then the highest card deals.

Cards rank as at Piquet: ace, king, … 7.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...api import PIQUET, RANKS, Draw, Players, Seating, Stage, by_rank, cut_below_highest, facing, pack


def seat(_players: Players, orders: Mapping[str, Players]) -> Seating:
    """Seat red against black kings and make the highest card the dealer."""
    red, black, dealer = orders["kings"][:2], orders["kings"][2:], orders["dealer"][0]
    because = (("red", {"all": red}), ("black", {"all": black}), ("dealer", {"party": dealer}))
    return Seating(facing(red, black), dealer, because, swap=black)


DRAW = Draw(
    stages=(
        Stage("kings", lambda _players: pack(("k",)), lambda king: int(king.is_red), cut_below_highest(2), suits=True),
        Stage("dealer", lambda _players: PIQUET, by_rank(RANKS), cut_below_highest(1)),
    ),
    seat=seat,
)
