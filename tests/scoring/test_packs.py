"""Packs of any cards: their codes, and draws from them for three to eight players."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from scorekeeper.api import FULL_PACK, Card, Draw, Players, Seating, Stage
from scorekeeper.scoring.seating_draw import DrawState, Pack, card_choices, card_codes, remove_cards, replay_draw

JOKER = Card("joker")
TWO_PACKS = 2 * FULL_PACK
THREE_JOKERS = (*FULL_PACK, JOKER, JOKER, JOKER)


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
    ace = Card("a", "s")
    assert len(remove_cards(TWO_PACKS, [ace, ace]) or ()) == 102
    assert remove_cards(TWO_PACKS, [ace, ace, ace]) is None
    assert len(remove_cards(THREE_JOKERS, [JOKER] * 3) or ()) == 52
    assert remove_cards(THREE_JOKERS, [JOKER] * 4) is None


# --- draws ---------------------------------------------------------------------------------------------------


def draw_from(cards: Pack, *, suits: bool) -> Draw:
    """Make a draw that seats the players in the order of their cards, from a pack in its own order."""

    def value(card: Card) -> int:
        return -min(index for index, other in enumerate(cards) if card in (other, Card(other.rank)))

    def seat(_players: Players, orders: Mapping[str, Players]) -> Seating:
        return Seating(orders["seats"], orders["seats"][0], ())

    return Draw((Stage("seats", lambda _players: cards, value, lambda players: range(1, players), suits),), seat)


def test_each_card_of_a_pack_is_offered_once() -> None:
    for cards, suits, count in ((TWO_PACKS, True, 52), (TWO_PACKS, False, 13), (THREE_JOKERS, True, 53)):
        state = replay_draw(draw_from(cards, suits=suits), ("1", "2", "3"), [])
        assert isinstance(state, DrawState)
        assert state.awaited is not None
        choices = card_choices(state.awaited)
        assert len(choices) == len(set(choices)) == count
