"""Playing cards and packs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

RANKS = ("a", "k", "q", "j", "10", "9", "8", "7", "6", "5", "4", "3", "2")
SUITS = ("s", "h", "d", "c")
RED = ("h", "d")


class Card(NamedTuple):
    """A card. `suit` is "" where only the rank is known."""

    rank: str
    suit: str = ""

    @property
    def code(self) -> str:
        """Rank and suit as one word: "10h", or "k" without a suit."""
        return self.rank + self.suit

    @property
    def is_red(self) -> bool:
        """Whether the card is a heart or a diamond."""
        return self.suit in RED


Pack = tuple[Card, ...]


def pack(ranks: Collection[str]) -> Pack:
    """Return the cards of these ranks in all four suits."""
    return tuple(Card(rank, suit) for suit in SUITS for rank in ranks)


FULL_PACK = pack(RANKS)
PIQUET = pack(RANKS[: RANKS.index("7") + 1])  # 32 cards
QUADRILLE = pack([rank for rank in RANKS if rank not in ("10", "9", "8")])  # 40 cards


def parse_card(code: str) -> Card | None:
    """Parse a card's code, or return None if it is invalid."""
    rank, suit = (code[:-1], code[-1]) if code[-1:] in SUITS else (code, "")
    return Card(rank, suit) if rank in RANKS else None


def remove_cards(cards: Pack, removed: Iterable[Card]) -> Pack | None:
    """Return `cards` without those `removed`, or None if one of them is missing.

    A card without a suit removes any card of its rank.
    """
    remaining = list(cards)
    for card in sorted(removed, key=lambda card: not card.suit):
        match = next((other for other in remaining if card in (other, Card(other.rank))), None)
        if match is None:
            return None
        remaining.remove(match)
    return tuple(remaining)


def by_rank(high_to_low: Iterable[str]) -> Callable[[Card], int]:
    """Return a sort key for cards that is larger for ranks nearer the start of `high_to_low`."""
    order = list(high_to_low)
    return lambda card: -order.index(card.rank)
