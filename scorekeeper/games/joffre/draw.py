"""The dealer is drawn by lot. The source names no way; here everybody draws a card, and the highest deals."""

from __future__ import annotations

from collections.abc import Mapping

from ...scoring.cards import PIQUET, RANKS, Card, by_rank
from ...scoring.draw import Draw, Players, Seated, Stage, highest

SPECIAL = {Card("7", "h"): Card("5", "h"), Card("7", "s"): Card("3", "s")}
PACK = tuple(SPECIAL.get(card, card) for card in PIQUET)


def seat(players: Players, orders: Mapping[str, Players]) -> Seated:
    dealer = orders["dealer"][0]
    return Seated(players, dealer, (("dealer", {"party": dealer}),))


DRAW = Draw(
    stages=(Stage("dealer", lambda _players: PACK, by_rank(RANKS), highest(1)),),
    seat=seat,
    partners=True,
)
