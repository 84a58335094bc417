"""The pad of each game: which choices are possible, which are derived from others, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.pad import Pad
from scorekeeper.scoring.taps import build_pad, taps_for

from ..support.sheets import at

NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise")


def pad_of(
    slug: str, *taps: str, players: int = 4, deals: list[dict[str, Any]] | None = None, **house_rules: Any
) -> Pad:
    """Return the pad after these deals, the first dealt by Anne, with taps such as "tricks=ns-3"."""
    game = games()[slug]
    standing = game.open(NAMES[:players], "Anne", game.options(**house_rules))
    assert fold(game, standing, deals or []) is None
    return build_pad(game, standing, dict(tap.split("=") for tap in taps))


def offered(pad: Pad, name: str) -> list[str]:
    return [choice.key for choice in pad.by_name[name].choices if choice.offered and not choice.left_out]


def unanswered(pad: Pad) -> list[str]:
    return [group.name for group in pad.unanswered]


# --- Whist and Short Whist -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "calls"),
    [
        ((0, 0), []),
        ((7, 9), []),
        ((8, 0), ["called-ns"]),
        ((9, 8), ["called-ew"]),
        ((8, 8), ["called-ns", "called-ew"]),
    ],
)
def test_whist_offers_the_call_only_to_a_side_at_eight(score: tuple[int, int], calls: list[str]) -> None:
    pad = pad_of("whist", deals=at(*score))
    assert [key for key in offered(pad, "tricks") if key.startswith("called")] == calls
    choices = {choice.key: (choice.facts, choice.row, choice.label) for choice in pad.by_name["tricks"].choices}
    assert choices["called-ew"] == ({"called": "ew"}, "ew", "whist.called")


def test_whist_asks_for_no_honours_of_a_called_deal_and_keeps_those_tapped_before() -> None:
    pad = pad_of("whist", "tricks=called-ns", "honours=ew-4", deals=at(8, 5))
    assert (pad.facts, list(pad.by_name), pad.set_aside) == ({"called": "ns"}, ["tricks"], {"honours": "ew-4"})


# --- Quarante de rois ----------------------------------------------------------------------------------------


def test_quarante_de_rois_adds_the_court_cards_up_and_gives_the_rest_to_the_others() -> None:
    # 3 × 5 + 1 × 4 = 19 of 48; then 4 × 3 more.
    assert pad_of("quarante-de-rois", "kings=3", "queens=1", "jacks=0").facts == {"card_points": {"ns": 19, "ew": 29}}
    assert pad_of("quarante-de-rois", "kings=3", "queens=1", "jacks=4").facts == {"card_points": {"ns": 31, "ew": 17}}


# --- Joffre --------------------------------------------------------------------------------------------------


BIDS = [f"{points}{kind}" for points in range(5, 13) for kind in ("", "-no-trump")]


def test_joffre_each_bid_is_higher_and_the_dealer_may_equal_the_last() -> None:
    pad = pad_of("joffre", "auction-Bruno=7", "auction-Chloé=pass")
    assert offered(pad, "auction-Bruno") == ["pass", *BIDS]
    assert offered(pad, "auction-Chloé") == ["pass", *BIDS[BIDS.index("7-no-trump") :]]
    assert offered(pad, "auction-David") == ["pass", *BIDS[BIDS.index("7-no-trump") :]]
    assert offered(pad, "auction-Anne") == ["pass", *BIDS[BIDS.index("7") :]]
    higher = pad_of("joffre", "auction-Bruno=7", "auction-Chloé=7-no-trump")
    assert offered(higher, "auction-David") == ["pass", *BIDS[BIDS.index("8") :]]
    assert offered(higher, "auction-Anne") == ["pass", *BIDS[BIDS.index("7-no-trump") :]]


def test_joffre_the_dealer_takes_the_minimum_after_three_passes() -> None:
    three = ("auction-Bruno=pass", "auction-Chloé=pass", "auction-David=pass")
    assert offered(pad_of("joffre", *three), "auction-Anne") == ["5", "5-no-trump"]
    assert offered(pad_of("joffre", *three[:2]), "auction-Anne") == ["pass", *BIDS]
    assert offered(pad_of("joffre", *three[:2]), "auction-David") == ["pass", *BIDS]


def test_joffre_an_auction_makes_the_contract_and_can_be_entered_instead() -> None:
    taps = ("auction-Bruno=pass", "auction-Chloé=7-no-trump", "auction-David=pass", "auction-Anne=pass")
    pad = pad_of("joffre", *taps)
    assert pad.facts["contract"] == {"player": "Chloé", "points": 7, "no_trump": True}
    assert pad.facts["auction"] == [
        ["Bruno", "pass", False],
        ["Chloé", 7, True],
        ["David", "pass", False],
        ["Anne", "pass", False],
    ]
    assert unanswered(pad) == ["tricks", "five_of_hearts", "three_of_spades"]
    assert pad.derived == {"bidder": "Chloé", "bid": "7", "no-trump": "yes"}
    higher = pad_of("joffre", "auction-Bruno=6", "auction-Chloé=7", "auction-David=pass").facts
    assert higher["contract"] == {"player": "Chloé", "points": 7, "no_trump": False}
    assert unanswered(pad_of("joffre", taps[0])) == ["tricks", "five_of_hearts", "three_of_spades"]
    assert "contract" not in pad_of("joffre", taps[0]).facts


def test_joffre_refuses_a_contract_that_the_auction_does_not_lead_to_at_its_highest_bid() -> None:
    calls = ("auction-Bruno=9", "auction-Chloé=pass", "auction-David=9-no-trump", "auction-Anne=pass")
    result = ("tricks=4", "five_of_hearts=ns", "three_of_spades=ew")
    led = {"player": "David", "points": 9, "no_trump": True}
    assert pad_of("joffre", *calls, *result).facts["contract"] == led
    pad = pad_of("joffre", "bidder=Chloé", "bid=12", *calls, *result)
    game = games()["joffre"]
    refusal = fold(game, game.open(NAMES[:4], "Anne", game.options()), [pad.facts])
    assert refusal is not None
    assert [problem.key for problem in refusal.problems] == ["joffre.auction-leads-elsewhere"]
    assert pad.problems_of(pad.by_name["auction-David"], refusal.problems) == list(refusal.problems)


# --- Francion ------------------------------------------------------------------------------------------------

WELCHES = ("won", "won-hearts", "taken", "taken-hearts", "turned", "hidden")


def deals_of_three(tricks: dict[str, int], event: str | None, holder: str | None) -> Iterator[dict[str, int]]:
    """Yield every distribution of nine tricks among three players that agrees with these facts."""
    for anne, bruno in product(range(10), repeat=2):
        shared = {"Anne": anne, "Bruno": bruno, "Chloé": 9 - anne - bruno}
        if shared["Chloé"] < 0 or not tricks.items() <= shared.items():
            continue
        if holder is None or not ((event == "won" and not shared[holder]) or (event == "taken" and shared[holder] > 8)):
            yield shared


EVENTS = (None, "won", "taken", "turned")
HOLDERS = (None, "Anne", "Bruno")
ENTERED = [
    {},
    *({name: n} for name in NAMES[:3] for n in (0, 1, 8, 9)),
    *({"Anne": anne, "Bruno": bruno} for anne in (0, 4, 9) for bruno in (0, 5, 8)),
    {"Anne": 4, "Bruno": 3, "Chloé": 2},
    {"Anne": 0, "Bruno": 0, "Chloé": 9},
    {"Anne": 4, "Bruno": 3, "Chloé": 1},
    {"Anne": 4, "Bruno": 3, "Chloé": 3},
]


def pad_of_three(tricks: dict[str, int], event: str | None, holder: str | None) -> Pad:
    taps = [f"tricks-{name}={n}" for name, n in tricks.items()]
    taps += [f"welche={event}"] * (event is not None) + [f"holder={holder}"] * (holder is not None)
    return pad_of("francion", *taps, players=3)


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("event", EVENTS)
def test_francion_offers_exactly_the_possible_tricks(event: str | None, holder: str | None) -> None:
    for tricks in ENTERED:
        pad = pad_of_three(tricks, event, holder)
        for player in NAMES[:3]:
            others = {name: n for name, n in tricks.items() if name != player}
            possible = {distribution[player] for distribution in deals_of_three(others, event, holder)}
            # A number entered earlier may be lowered, to raise another's afterwards.
            lower = range(9 - sum(others.values()) + 1) if player in tricks else ()
            assert set(map(int, offered(pad, f"tricks-{player}"))) == possible.union(lower)
        # If the tricks are wrong by themselves, the Welche is not what to correct.
        are_wrong = not any(deals_of_three(tricks, None, None))
        for welche in WELCHES:
            can_be = are_wrong or any(deals_of_three(tricks, welche.removesuffix("-hearts"), holder))
            assert (welche in offered(pad, "welche")) == can_be, (tricks, welche)
        for player in NAMES[:3]:
            can_be = event != "turned" and (are_wrong or any(deals_of_three(tricks, event, player)))
            assert (player in offered(pad, "holder")) == can_be, (tricks, player)


@pytest.mark.parametrize(
    ("taps", "tricks"),
    [
        (["tricks-Anne=3", "tricks-Bruno=2"], {"Anne": 3, "Bruno": 2, "Chloé": 4}),
        (["tricks-Anne=9"], {"Anne": 9, "Bruno": 0, "Chloé": 0}),
        (["tricks-Anne=5", "tricks-Bruno=4"], {"Anne": 5, "Bruno": 4, "Chloé": 0}),
        (["tricks-Anne=8"], {"Anne": 8}),
        (["tricks-Anne=4", "tricks-Chloé=4"], {"Anne": 4, "Bruno": 1, "Chloé": 4}),
        (["tricks-Anne=0", "tricks-Bruno=0"], {"Anne": 0, "Bruno": 0, "Chloé": 9}),
        (["tricks-Anne=6", "tricks-Bruno=6"], {"Anne": 6, "Bruno": 6}),
    ],
)
def test_francion_the_last_players_tricks_are_derived(taps: list[str], tricks: dict[str, int]) -> None:
    assert pad_of("francion", *taps, players=3).facts == {"tricks": tricks}


# --- every pad -----------------------------------------------------------------------------------------------


def test_a_pad_distinguishes_choices_that_are_left_out_from_ruled_out_ones() -> None:
    pad = pad_of("joffre", "tricks=8")
    assert pad.left_out == {("bid", str(n)) for n in range(1, 5)}
    assert pad.ruled_out == {("five_of_hearts", "ew"), ("three_of_spades", "ew")}


def test_an_amended_deal_keeps_facts_that_need_several_taps() -> None:
    game = games()["quarante-de-rois"]
    standing = game.open(NAMES[:4], "Anne", game.usual_options)
    recorded = {"card_points": {"ns": 19}, "clique": {"player": "Anne", "rank": "kings", "count": 3}}
    taps = taps_for(game, standing, recorded)
    assert taps == {"clique": "kings-3", "clique-player": "Anne"}
    pad = build_pad(game, standing, taps, recorded)
    assert (pad.facts["card_points"], pad.unanswered) == ({"ns": 19, "ew": 29}, ())
    again = build_pad(game, standing, taps | {"kings": "1"}, recorded)
    assert again.facts["card_points"] == {"ns": 5, "ew": 43}
    assert unanswered(again) == ["queens", "jacks"]
