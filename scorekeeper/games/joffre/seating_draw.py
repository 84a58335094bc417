"""The draw of Joffre: each player draws a card, and the highest deals. The source leaves the method open."""

from __future__ import annotations

from collections.abc import Mapping

from ...api import PIQUET, RANKS, Card, Draw, Players, Seating, Stage, by_rank, cut_below_highest

SPECIAL = {Card("7", "h"): Card("5", "h"), Card("7", "s"): Card("3", "s")}
PACK = tuple(SPECIAL.get(card, card) for card in PIQUET)


def seat(players: Players, orders: Mapping[str, Players]) -> Seating:
    """Leave the seats as entered and make the highest card the dealer."""
    dealer = orders["dealer"][0]
    return Seating(players, dealer, (("dealer", {"party": dealer}),))


DRAW = Draw(
    stages=(Stage("dealer", lambda _players: PACK, by_rank(RANKS), cut_below_highest(1)),),
    seat=seat,
    partners=True,
)
