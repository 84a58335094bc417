"""Cards, and the packs they come in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

RANKS = ("a", "k", "q", "j", "10", "9", "8", "7", "6", "5", "4", "3", "2")
SUITS = ("s", "h", "d", "c")
RED = ("h", "d")


class Card(NamedTuple):
    """A card; its suit is "" where only the rank was told. Written as one word: "10h", "k"."""

    rank: str
    suit: str = ""

    @property
    def code(self) -> str:
        return self.rank + self.suit

    @property
    def is_red(self) -> bool:
        return self.suit in RED


Pack = tuple[Card, ...]


def pack(ranks: Collection[str]) -> Pack:
    return tuple(Card(rank, suit) for suit in SUITS for rank in ranks)


FULL = pack(RANKS)
PIQUET = pack(RANKS[: RANKS.index("7") + 1])  # 32 cards
QUADRILLE = pack([rank for rank in RANKS if rank not in ("10", "9", "8")])  # 40 cards


def read(code: str) -> Card | None:
    rank, suit = (code[:-1], code[-1]) if code[-1:] in SUITS else (code, "")
    return Card(rank, suit) if rank in RANKS else None


def without(cards: Pack, taken: Iterable[Card]) -> Pack | None:
    """What is left of these cards, or None where they do not hold all that were taken.

    A card of which only the rank is known takes any of that rank.
    """
    left = list(cards)
    for card in sorted(taken, key=lambda card: not card.suit):
        found = next((one for one in left if card in (one, Card(one.rank))), None)
        if found is None:
            return None
        left.remove(found)
    return tuple(left)


def by_rank(high_to_low: Iterable[str]) -> Callable[[Card], int]:
    """How high a card is, in this order."""
    order = list(high_to_low)
    return lambda card: -order.index(card.rank)
