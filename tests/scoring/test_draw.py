"""The draw before the first deal: whatever the cards, each player gets one seat, and one of them deals."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, has_message
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.seating_draw import (
    PIQUET,
    Card,
    Draw,
    DrawState,
    Players,
    Seating,
    draw_rounds,
    parse_card,
    replay_draw,
)
from scorekeeper.scoring.standing import SIDES

from ..support.game_data import variants_of

every_game = pytest.mark.parametrize(
    "slug", sorted(slug for slug, game in games().items() if game.dealing.draw is not None)
)
law = settings(max_examples=80)
FOUR = ("1", "2", "3", "4")


def draw_of(slug: str) -> Draw:
    found = games()[slug].dealing.draw
    assert found is not None
    return found


def rounds(players: Players, *cards: str) -> list[dict[str, Card]]:
    """Parse rounds of cards: "k 9 9 5" for all players, "2:4 3:q" for those who draw again."""
    made = []
    for words in cards:
        parts = [word.rpartition(":") for word in words.split()]
        who = [player or players[index] for index, (player, _, _) in enumerate(parts)]
        made.append({player: parse_card(code) or Card("?") for player, (_, _, code) in zip(who, parts, strict=True)})
    return made


def course(slug: str, *cards: str, players: Players = FOUR) -> DrawState:
    found = replay_draw(draw_of(slug), players, rounds(players, *cards))
    assert isinstance(found, DrawState), found
    return found


def seated(slug: str, *cards: str, players: Players = FOUR) -> Seating:
    found = course(slug, *cards, players=players)
    assert found.seated is not None, found.awaited
    return found.seated


def from_the_top(pack: Sequence[Card], count: int) -> list[Card]:
    return list(pack[:count])


def partners(found: Seating) -> set[frozenset[str]]:
    return {frozenset(found.seats[side :: len(SIDES)]) for side in range(len(SIDES))}


def refused(slug: str, *cards: str) -> list[Problem]:
    found = replay_draw(draw_of(slug), FOUR, rounds(FOUR, *cards))
    assert not isinstance(found, DrawState)
    return found


# --- every game ----------------------------------------------------------------------------------------------


@every_game
@law
@given(data=st.data())
def test_every_draw_seats_each_player_once_and_names_the_dealer(slug: str, data: st.DataObject) -> None:
    game, draw = games()[slug], draw_of(slug)
    players = FOUR[:3] if (count := data.draw(st.sampled_from(game.player_counts))) == 3 else tuple("12345678"[:count])
    by_lot = data.draw(st.booleans())
    sample = data.draw(st.randoms(use_true_random=False)).sample
    drawn = draw_rounds(draw, players, sample, optional=by_lot)
    found = replay_draw(draw, players, drawn, optional=by_lot)
    assert isinstance(found, DrawState)
    assert found.awaited is None
    assert found.seated is not None
    assert sorted(found.seated.seats) == sorted(players)
    assert found.seated.dealer in players
    assert len(found.rounds) == len(drawn)
    assert replay_draw(draw, players, drawn, optional=by_lot) == found  # only the cards decide
    for key, _ in found.seated.because:
        assert all(has_message(language, f"{slug}.draw.so.{key}") for language in LANGUAGES), key


@every_game
@law
@given(data=st.data())
def test_only_undecided_players_draw_again_and_no_card_is_drawn_twice(slug: str, data: st.DataObject) -> None:
    game, draw = games()[slug], draw_of(slug)
    players = tuple("12345678"[: max(game.player_counts)])
    drawn = draw_rounds(draw, players, data.draw(st.randoms(use_true_random=False)).sample, optional=True)
    lying: list[Card] = []
    stage, again = "", players
    for index, cards_of_round in enumerate(drawn):
        before = replay_draw(draw, players, drawn[:index], optional=True)
        assert isinstance(before, DrawState)
        assert before.awaited is not None
        if before.awaited.stage.name != stage:
            stage, lying, again = before.awaited.stage.name, [], players
        assert tuple(cards_of_round) == before.awaited.players == again
        lying += cards_of_round.values()
        assert len(set(lying)) == len(lying)
        assert set(lying) <= set(before.awaited.stage.pack(len(players)))
        after = replay_draw(draw, players, drawn[: index + 1], optional=True)
        assert isinstance(after, DrawState)
        again = after.rounds[-1].again


@every_game
def test_players_whose_order_the_cards_leave_open_are_partners(slug: str) -> None:
    draw = draw_of(slug)
    found = replay_draw(draw, FOUR, draw_rounds(draw, FOUR, from_the_top))
    assert isinstance(found, DrawState)
    assert found.seated is not None
    assert not found.seated.swap or frozenset(found.seated.swap) in partners(found.seated)


# --- each game's own order -----------------------------------------------------------------------------------


def test_francion_the_lowest_deals_and_the_ace_is_high() -> None:
    assert seated("francion", "a k 7", players=FOUR[:3]) == Seating(FOUR[:3], "3", (("dealer", {"party": "3"}),))
    assert seated("francion", "a 2 q j").dealer == "2"


@pytest.mark.parametrize("slug", variants_of("whist"))
@pytest.mark.parametrize(
    ("cards", "together", "dealer"),
    [
        (["k 9 5 a"], {"1", "2"}, "4"),
        (["a k 2 q"], {"2", "4"}, "1"),  # the ace is low, the king high
        (["q 4 j 2"], {"1", "3"}, "4"),
        (["k k 5 a"], {"1", "2"}, "4"),  # the order of the partners' cards decides nothing
        (["k 9 9 5", "2:4 3:q"], {"1", "3"}, "4"),
        (["k q 5 5", "3:a 4:2"], {"1", "2"}, "3"),
        (["k 5 5 5", "2:9 3:2 4:j"], {"1", "4"}, "3"),
        (["9 9 9 9", "k q j 10"], {"1", "2"}, "4"),
    ],
)
def test_whist_the_two_highest_are_partners_and_the_lowest_deals(
    slug: str, cards: list[str], together: set[str], dealer: str
) -> None:
    found = seated(slug, *cards)
    assert frozenset(together) in partners(found)
    assert found.dealer == dealer


def test_quarante_de_rois_the_kings_make_the_sides_and_red_sits_first() -> None:
    found = seated("quarante-de-rois", "ks kh kc kd", "a k q 7")
    assert partners(found) == {frozenset("24"), frozenset("13")}
    assert set(found.seats[::2]) == {"2", "4"}
    assert found.swap == ("1", "3")
    assert found.dealer == "1"


@pytest.mark.parametrize(
    ("cards", "dealer"), [(["a q q 8"], "1"), (["7 8 9 10"], "4"), (["k a a 7", "2:8 3:9"], "3"), (["10 j 9 8"], "2")]
)
def test_quarante_de_rois_the_highest_deals_as_at_piquet(cards: list[str], dealer: str) -> None:
    assert seated("quarante-de-rois", "kh kd ks kc", *cards).dealer == dealer


def test_joffre_only_the_dealer_is_drawn() -> None:
    found = seated("joffre", "a k q 9")
    assert (found.seats, found.dealer) == (FOUR, "1")
    awaited = course("joffre").awaited
    assert awaited is not None
    assert Card("5", "h") in awaited.cards
    assert Card("7", "h") not in awaited.cards
    assert draw_of("joffre").partners


@pytest.mark.parametrize(
    ("slug", "cards", "found"),
    [
        (
            "whist",
            ["k 9 5 a"],
            Seating(
                ("1", "3", "2", "4"), "4", (("sides", {"all": ("1", "2")}), ("dealer", {"party": "4"})), ("3", "4")
            ),
        ),
        (
            "quarante-de-rois",
            ["ks kh kc kd", "a k q 7"],
            Seating(
                ("2", "1", "4", "3"),
                "1",
                (("red", {"all": ("2", "4")}), ("black", {"all": ("1", "3")}), ("dealer", {"party": "1"})),
                ("1", "3"),
            ),
        ),
        ("joffre", ["9 k q a"], Seating(FOUR, "4", (("dealer", {"party": "4"}),))),
        ("francion", ["k a 7 q"], Seating(FOUR, "3", (("dealer", {"party": "3"}),))),
    ],
)
def test_a_draw_seats_partners_face_to_face_and_says_why(slug: str, cards: list[str], found: Seating) -> None:
    assert seated(slug, *cards) == found


# --- impossible draws ----------------------------------------------------------------------------------------


def test_a_card_drawn_twice_is_refused_at_the_second() -> None:
    problems = refused("quarante-de-rois", "kh ks kh kd")
    assert [(problem.field, problem.key) for problem in problems] == [("card-3", "card-twice")]
    assert problems[0].params == {"party": "3", "giver": "1"}
    assert refused("whist", "10h 2c 10h kd")[0].field == "card-3"


def test_a_player_with_no_card_or_an_unknown_one_is_named() -> None:
    assert [problem.key for problem in refused("quarante-de-rois", "k kh ks kd")] == ["no-card"]
    assert [problem.key for problem in refused("quarante-de-rois", "qh kh ks kd")] == ["card-not-there"]
    assert refused("whist", "k 9 9")[0].field == "card-4"


def test_cards_beyond_what_decides_are_refused() -> None:
    assert refused("whist", "k q j a", "1:2")[0].key == "nothing-to-draw"
    assert refused("whist", "k 9 9 a", "1:2 2:3 3:4")[0].key == "nothing-to-draw"


def test_the_pack_is_reused_if_too_few_cards_are_left() -> None:
    ties = ["a a a a", "k k k k", "q q q q", "j j j j", "10 10 10 10", "9 9 9 9", "8 8 8 8", "7 7 7 7"]
    awaited = course("quarante-de-rois", "kh kd ks kc", *ties).awaited
    assert awaited is not None
    assert awaited.cards == PIQUET
    assert seated("quarante-de-rois", "kh kd ks kc", *ties, "a k q j").dealer == "1"
