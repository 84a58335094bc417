"""Playing cards and packs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

RANKS = ("a", "k", "q", "j", "10", "9", "8", "7", "6", "5", "4", "3", "2")
SUITS = ("s", "h", "d", "c")
RED = ("h", "d")


class Card(NamedTuple):
    """A card. `suit` is "" where only the rank is known, and for a card that has none, such as a joker.

    Both are codes or symbols of one word. A page shows the game's own messages `card.<rank>` and `suit.<suit>` for
    them, the usual letters and symbols for those of `RANKS` and `SUITS`, and else the codes themselves.
    """

    rank: str
    suit: str = ""

    @property
    def code(self) -> str:
        """Rank and suit as one word: "10h"; "k" without a suit; "10_bells" with a suit not in `SUITS`."""
        return f"{self.rank}_{self.suit}" if self.suit and self.suit not in SUITS else self.rank + self.suit

    @property
    def is_red(self) -> bool:
        """Whether the card is a heart or a diamond."""
        return self.suit in RED


Pack = tuple[Card, ...]


def pack(ranks: Collection[str], suits: Collection[str] = SUITS) -> Pack:
    """Return the cards of these ranks in each of the suits.

    Packs are tuples: `pack(a) + pack(b)` joins two, `2 * pack(a)` has every card twice.
    """
    return tuple(Card(rank, suit) for suit in suits for rank in ranks)


FULL_PACK = pack(RANKS)
PIQUET = pack(RANKS[: RANKS.index("7") + 1])  # 32 cards
QUADRILLE = pack([rank for rank in RANKS if rank not in ("10", "9", "8")])  # 40 cards


@cache
def card_codes(cards: Pack) -> Mapping[str, Card]:
    """Return the cards of a pack by code, and a card without a suit for each rank.

    Raises ValueError if a code would name two cards, or has one of the characters that separate codes in a URL.
    """
    codes: dict[str, Card] = {}
    for card in (*cards, *(Card(card.rank) for card in cards)):
        if not card.rank or set(" ._-") & set(card.rank + card.suit) or codes.setdefault(card.code, card) != card:
            raise ValueError(f"{card.code!r} does not name one card of this pack")
    return MappingProxyType(codes)


def parse_card(code: str, cards: Pack = FULL_PACK) -> Card | None:
    """Parse the code of a card or a rank of this pack or the full pack; return None for any other."""
    return card_codes(cards).get(code) or card_codes(FULL_PACK).get(code)


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
