"""The draw of Francion: the lowest card deals first, the ace being high. Drawing for seats is optional."""

from __future__ import annotations

from collections.abc import Mapping

from ...api import (
    FULL_PACK,
    PIQUET,
    QUADRILLE,
    RANKS,
    Draw,
    Players,
    Seating,
    Stage,
    all_cuts,
    by_rank,
    cut_above_lowest,
)

PACKS = {3: PIQUET, 4: QUADRILLE, 5: FULL_PACK}  # by number of players


def seat(players: Players, orders: Mapping[str, Players]) -> Seating:
    """Seat the players in the order of their cards, if drawn, and make the lowest card the dealer."""
    seats, dealer = orders.get("seats", players), orders["dealer"][-1]
    seats_reason = [("seats", {"all": seats})] if "seats" in orders else []
    return Seating(seats, dealer, (*seats_reason, ("dealer", {"party": dealer})))


DRAW = Draw(
    stages=(
        Stage("seats", PACKS.__getitem__, by_rank(RANKS), all_cuts, optional=True),
        Stage("dealer", PACKS.__getitem__, by_rank(RANKS), cut_above_lowest),
    ),
    seat=seat,
)
