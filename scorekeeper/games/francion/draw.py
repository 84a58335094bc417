"""Who deals first: the lowest card, the ace being high. Seats are chosen freely, or drawn by lot."""

from __future__ import annotations

from collections.abc import Mapping

from ...scoring.cards import FULL, PIQUET, QUADRILLE, RANKS, by_rank
from ...scoring.draw import Draw, Players, Seated, Stage, every_place, lowest

PACKS = {3: PIQUET, 4: QUADRILLE, 5: FULL}  # what so many players play with


def seat(players: Players, orders: Mapping[str, Players]) -> Seated:
    seats, dealer = orders.get("seats", players), orders["dealer"][-1]
    by_lot = [("seats", {"all": seats})] if "seats" in orders else []
    return Seated(seats, dealer, (*by_lot, ("dealer", {"party": dealer})))


DRAW = Draw(
    stages=(
        Stage("seats", PACKS.__getitem__, by_rank(RANKS), every_place, optional=True),
        Stage("dealer", PACKS.__getitem__, by_rank(RANKS), lowest),
    ),
    seat=seat,
)
