"""Packs of any cards: their codes, and draws from them for three to eight players."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

import pytest

from scorekeeper.api import FULL_PACK, PIQUET, RANKS, Card, Draw, Players, Seating, Stage, all_cuts, facing, pack
from scorekeeper.scoring.cards import Pack, card_codes, parse_card, remove_cards
from scorekeeper.scoring.seating_draw import DrawState, card_choices, draw_rounds, replay_draw, round_problems

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
every_pack = pytest.mark.parametrize("name", PACKS)


@every_pack
def test_a_pack_has_its_cards_and_every_code_names_one_of_them(name: str) -> None:
    cards, count = PACKS[name]
    assert len(cards) == count
    assert len({card.code for card in cards}) == len(set(cards))
    for card in cards:
        assert parse_card(card.code, cards) == card
        assert parse_card(card.rank, cards) == Card(card.rank)
        assert not set(card.code) & set(" .-")  # which separate the cards in a URL


def test_codes_of_french_suits_stay_as_they_are() -> None:
    assert [Card("10", "h").code, Card("k").code, Card("a", "s").code] == ["10h", "k", "as"]
    assert [Card("10", "bells").code, Card("21", "trumps").code, JOKER.code] == ["10_bells", "21_trumps", "joker"]


def test_a_code_is_one_of_the_pack_or_of_the_full_pack() -> None:
    german = PACKS["german"][0]
    assert parse_card("o_bells", german) == Card("o", "bells")
    assert parse_card("qh", german) == Card("q", "h")  # not in the pack, and refused as such where it is drawn
    for code in ("", "_", "o_stars", "bells", "_bells", "o_", "22_trumps", "o_bells "):
        assert parse_card(code, german) is None


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


@pytest.mark.parametrize("count", range(3, 9))
@pytest.mark.parametrize("suits", [False, True])
@pytest.mark.parametrize("name", [name for name, (cards, _) in PACKS.items() if len(cards) >= 8])
def test_three_to_eight_players_can_draw_from_any_pack(name: str, suits: bool, count: int) -> None:
    cards = PACKS[name][0]
    players = tuple(str(number) for number in range(1, count + 1))
    draw = draw_from(cards, suits=suits)
    rounds = draw_rounds(draw, players, random.Random(count).sample)  # noqa: S311  # the same cards every time
    state = replay_draw(draw, players, rounds)
    assert isinstance(state, DrawState)
    assert state.seated is not None
    assert sorted(state.seated.seats) == sorted(players)
    first = Counter(rounds[0].values())
    assert all(first[card] <= cards.count(card) for card in first)


def test_each_card_of_a_pack_is_offered_once() -> None:
    for name, suits, count in (("two packs", True, 52), ("two packs", False, 13), ("three jokers", True, 53)):
        state = replay_draw(draw_from(PACKS[name][0], suits=suits), ("1", "2", "3"), [])
        assert isinstance(state, DrawState)
        assert state.awaited is not None
        choices = card_choices(state.awaited)
        assert len(choices) == len(set(choices)) == count


def test_a_card_without_a_suit_is_a_card_where_suits_matter() -> None:
    state = replay_draw(draw_from(PACKS["three jokers"][0], suits=True), ("1", "2", "3"), [])
    assert isinstance(state, DrawState)
    assert state.awaited is not None
    ace = Card("a", "s")
    assert round_problems(state.awaited, {"1": JOKER, "2": JOKER, "3": ace}) == []
    problems = round_problems(state.awaited, {"1": JOKER, "2": Card("a"), "3": ace})
    assert [(problem.field, problem.key) for problem in problems] == [("card-2", "no-card")]


def test_sides_of_any_size_are_seated_in_turn() -> None:
    assert facing(("1", "2"), ("3", "4")) == ("1", "3", "2", "4")
    assert facing(("1", "2", "3"), ("4", "5", "6")) == ("1", "4", "2", "5", "3", "6")
    assert facing(("1", "2"), ("3", "4"), ("5", "6")) == ("1", "3", "5", "2", "4", "6")
