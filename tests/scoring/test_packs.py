"""Packs of any cards: their codes, and draws from them for three to eight players."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from scorekeeper.api import FULL_PACK, PIQUET, RANKS, Card, Draw, Players, Seating, Stage, all_cuts, pack
from scorekeeper.scoring.seating_draw import DrawState, Pack, card_choices, card_codes, remove_cards, replay_draw

GERMAN_SUITS = ("acorns", "leaves", "hearts", "bells")
GERMAN_RANKS = ("ace", "k", "o", "u", "10", "9", "8", "7", "6")
TAROT_RANKS = ("k", "q", "kn", "j", *(str(number) for number in range(10, 0, -1)))
TRUMPS = tuple(str(number) for number in range(1, 22))
JOKER = Card("joker")

PACKS: dict[str, tuple[Pack, int]] = {
    "24": (pack(RANKS[:6]), 24),
    "piquet": (PIQUET, 32),
    "36": (pack(RANKS[:9]), 36),
    "german": (pack(GERMAN_RANKS, GERMAN_SUITS), 36),
    "swiss": (pack(GERMAN_RANKS, ("acorns", "bells", "roses", "shields")), 36),
    "spanish": (pack(("1", "12", "11", "10", "7", "6", "5", "4", "3", "2"), ("coins", "cups", "swords", "clubs")), 40),
    "pinochle": (2 * pack(RANKS[:6]), 48),
    "full": (FULL_PACK, 52),
    "three jokers": ((*FULL_PACK, JOKER, JOKER, JOKER), 55),
    "tarot": ((*pack(TAROT_RANKS), *pack(TRUMPS, ("trumps",)), Card("excuse")), 78),
    "two packs": (2 * FULL_PACK, 104),
    "symbols": (pack(("7", "★"), ("🔔", "♣")), 4),
}


@pytest.mark.parametrize(
    "cards",
    [
        (Card("a", "s"), Card("as", "x")),  # "as" would be the ace of spades and a rank
        (Card("1.5"),),
        (Card("7", "red-hearts"),),
        (Card("a_b"),),
        (Card("two words"),),
        (Card(""),),
    ],
)
def test_a_pack_with_ambiguous_codes_is_a_mistake(cards: Pack) -> None:
    with pytest.raises(ValueError, match="does not name one card"):
        card_codes(cards)


def test_a_card_that_is_in_the_pack_twice_can_be_drawn_twice_and_no_more() -> None:
    two = 2 * FULL_PACK
    ace = Card("a", "s")
    assert len(remove_cards(two, [ace, ace]) or ()) == 102
    assert remove_cards(two, [ace, ace, ace]) is None
    jokers = PACKS["three jokers"][0]
    assert len(remove_cards(jokers, [JOKER] * 3) or ()) == 52
    assert remove_cards(jokers, [JOKER] * 4) is None


# --- draws ---------------------------------------------------------------------------------------------------


def draw_from(cards: Pack, *, suits: bool) -> Draw:
    """Make a draw that seats the players in the order of their cards, from a pack in its own order."""

    def value(card: Card) -> int:
        return -min(index for index, other in enumerate(cards) if card in (other, Card(other.rank)))

    def seat(_players: Players, orders: Mapping[str, Players]) -> Seating:
        return Seating(orders["seats"], orders["seats"][0], ())

    return Draw((Stage("seats", lambda _players: cards, value, all_cuts, suits),), seat)


def test_each_card_of_a_pack_is_offered_once() -> None:
    for name, suits, count in (("two packs", True, 52), ("two packs", False, 13), ("three jokers", True, 53)):
        state = replay_draw(draw_from(PACKS[name][0], suits=suits), ("1", "2", "3"), [])
        assert isinstance(state, DrawState)
        assert state.awaited is not None
        choices = card_choices(state.awaited)
        assert len(choices) == len(set(choices)) == count
