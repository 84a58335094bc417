"""The pad of each game: which choices are possible, which are derived from others, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.pad import CARDS, STRIP, TOGGLE
from scorekeeper.scoring.pad_state import Pad, build_pad, taps_for

from ..game_data import variants_of

NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise")
SIDES = ("ns", "ew")


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


def kinds(pad: Pad) -> dict[str, tuple[str, bool, str | None, bool, bool]]:
    return {
        group.name: (group.kind, group.required, group.default, group.is_additive, group.is_alternative)
        for group in pad.groups
    }


def keys(pad: Pad) -> dict[str, tuple[str, ...]]:
    """Return the keys of the deal that each group sets."""
    return {group.name: group.keys for group in pad.groups}


def unanswered(pad: Pad) -> list[str]:
    return [group.name for group in pad.unanswered]


def score_of(ns: int, ew: int) -> list[dict[str, Any]]:
    scores = [("ns", ns), ("ew", ew)]
    return [{"adjustment": {"to": side, "points": points}} for side, points in scores if points]


# --- Whist and Short Whist -----------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", variants_of("whist"))
def test_whist_has_a_row_of_tricks_above_six_for_each_side(slug: str) -> None:
    tricks = pad_of(slug).by_name["tricks"]
    choices = [
        (choice.key, choice.facts, choice.label, choice.row) for choice in tricks.choices if "tricks" in choice.facts
    ]
    assert choices == [
        (f"{side}-{over}", {"tricks": {side: 6 + over}}, over, side) for side in SIDES for over in (1, 2, 3, 4, 5, 6, 7)
    ]
    assert offered(pad_of(slug), "tricks") == [key for key, *_ in choices]


@pytest.mark.parametrize("slug", variants_of("whist"))
def test_whist_honours_are_three_or_four_of_a_side_with_what_they_score(slug: str) -> None:
    none, *honours_choices = pad_of(slug).by_name["honours"].choices
    assert (none.key, none.facts, none.row, none.label) == ("none", {}, "", "whist.no-honours")
    assert [
        (choice.key, choice.facts["honours"], choice.row, choice.label, choice.params) for choice in honours_choices
    ] == [
        ("ns-3", {"side": "ns", "count": 3}, "ns", "whist.honours", {"count": 3, "points": 2}),
        ("ns-4", {"side": "ns", "count": 4}, "ns", "whist.honours", {"count": 4, "points": 4}),
        ("ew-3", {"side": "ew", "count": 3}, "ew", "whist.honours", {"count": 3, "points": 2}),
        ("ew-4", {"side": "ew", "count": 4}, "ew", "whist.honours", {"count": 4, "points": 4}),
    ]


def test_whist_needs_tricks_or_a_call_and_no_honours_by_default() -> None:
    assert kinds(pad_of("whist")) == {
        "tricks": (STRIP, True, None, False, False),
        "honours": (CARDS, False, "none", False, False),
    }
    assert kinds(pad_of("short-whist")) == kinds(pad_of("whist"))
    assert keys(pad_of("whist")) == {"tricks": ("tricks", "called"), "honours": ("honours",)}
    assert keys(pad_of("short-whist")) == {"tricks": ("tricks",), "honours": ("honours",)}
    assert unanswered(pad_of("whist")) == ["tricks"]
    assert unanswered(pad_of("whist", "tricks=ew-1")) == []


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
    pad = pad_of("whist", deals=score_of(*score))
    assert [key for key in offered(pad, "tricks") if key.startswith("called")] == calls
    choices = {choice.key: (choice.facts, choice.row, choice.label) for choice in pad.by_name["tricks"].choices}
    assert choices["called-ew"] == ({"called": "ew"}, "ew", "whist.called")


def test_short_whist_has_no_call() -> None:
    pad = pad_of("short-whist", deals=score_of(4, 0))
    assert len(pad.by_name["tricks"].choices) == 14


def test_whist_the_other_sides_tricks_are_derived() -> None:
    assert pad_of("whist", "tricks=ew-3", "honours=ns-3").facts == {
        "tricks": {"ns": 4, "ew": 9},
        "honours": {"side": "ns", "count": 3},
    }
    assert pad_of("short-whist", "tricks=ns-7").facts == {"tricks": {"ns": 13, "ew": 0}}


def test_whist_a_deal_that_is_called_has_no_honours() -> None:
    assert pad_of("whist", "tricks=called-ns", "honours=ew-4", deals=score_of(8, 0)).facts == {"called": "ns"}


# --- Quarante de rois ----------------------------------------------------------------------------------------


def test_quarante_de_rois_counts_none_to_four_of_each_court_card() -> None:
    pad = pad_of("quarante-de-rois")
    for rank, each in (("kings", 5), ("queens", 4), ("jacks", 3)):
        choices = [(choice.key, choice.facts, choice.label, choice.offered) for choice in pad.by_name[rank].choices]
        assert choices == [(str(n), {"card_points": {"ns": n * each}}, n, True) for n in range(5)]


def test_quarante_de_rois_needs_each_kind_of_court_card_and_the_player_of_a_clique_that_was_shown() -> None:
    sums = (STRIP, True, None, True, False)
    assert kinds(pad_of("quarante-de-rois")) == {
        "kings": sums,
        "queens": sums,
        "jacks": sums,
        "clique": (CARDS, False, "none", False, False),
        "clique-player": (CARDS, False, None, False, False),
    }
    assert keys(pad_of("quarante-de-rois")) == {
        **dict.fromkeys(("kings", "queens", "jacks"), ("card_points",)),
        **dict.fromkeys(("clique", "clique-player"), ("clique",)),
    }
    assert unanswered(pad_of("quarante-de-rois", "kings=0", "clique=kings-3")) == ["queens", "jacks", "clique-player"]
    assert unanswered(pad_of("quarante-de-rois", "kings=0", "queens=4", "jacks=1", "clique=none")) == []


def test_quarante_de_rois_adds_the_court_cards_up_and_gives_the_rest_to_the_others() -> None:
    # 3 × 5 + 1 × 4 = 19 of 48; then 4 × 3 more.
    assert pad_of("quarante-de-rois", "kings=3", "queens=1", "jacks=0").facts == {"card_points": {"ns": 19, "ew": 29}}
    assert pad_of("quarante-de-rois", "kings=3", "queens=1", "jacks=4").facts == {"card_points": {"ns": 31, "ew": 17}}


def test_quarante_de_rois_shows_what_each_clique_scores_and_asks_who_had_it_in_the_order_of_the_seats() -> None:
    pad = pad_of("quarante-de-rois")
    none, *cliques = pad.by_name["clique"].choices
    assert (none.key, none.facts, none.label) == ("none", {}, "quarante-de-rois.no-clique")
    assert [(choice.key, choice.params["points"]) for choice in cliques] == [
        ("jacks-3", 6),
        ("queens-3", 8),
        ("kings-3", 10),
        ("jacks-4", 13),
        ("queens-4", 20),
        ("kings-4", 40),
    ]
    for choice in cliques:
        rank, count = choice.key.split("-")
        assert choice.facts == {"clique": {"rank": rank, "count": int(count)}}
        assert choice.label == f"quarante-de-rois.{choice.key}"
        assert (choice.params["rank"], choice.params["count"]) == (rank, int(count))
    choices = [
        (choice.key, choice.facts, choice.label, choice.params) for choice in pad.by_name["clique-player"].choices
    ]
    assert choices == [
        (name, {"clique": {"player": name}}, "party", {"party": name}) for name in ("Anne", "Bruno", "Chloé", "David")
    ]


def test_quarante_de_rois_a_player_without_a_clique_is_ignored() -> None:
    assert pad_of("quarante-de-rois", "clique-player=Anne").facts == {}
    facts = pad_of("quarante-de-rois", "clique=jacks-4", "clique-player=Anne").facts
    assert facts == {"clique": {"rank": "jacks", "count": 4, "player": "Anne"}}


# --- Joffre --------------------------------------------------------------------------------------------------


def test_joffre_asks_for_the_bidder_the_bid_the_tricks_and_the_two_cards() -> None:
    once = (CARDS, True, None, False, False)
    call = (STRIP, False, None, False, True)
    assert kinds(pad_of("joffre")) == {
        "bidder": once,
        "bid": (STRIP, True, None, False, False),
        "no-trump": (TOGGLE, False, None, False, False),
        **{f"auction-{name}": call for name in ("Anne", "Bruno", "Chloé", "David")},
        "tricks": (STRIP, True, None, False, False),
        "five_of_hearts": once,
        "three_of_spades": once,
    }
    assert keys(pad_of("joffre")) == {
        **dict.fromkeys(("bidder", "bid", "no-trump"), ("contract",)),
        **{f"auction-{name}": ("auction",) for name in NAMES[:4]},
        **{name: (name,) for name in ("tricks", "five_of_hearts", "three_of_spades")},
    }
    assert unanswered(pad_of("joffre")) == ["bidder", "bid", "tricks", "five_of_hearts", "three_of_spades"]


def test_joffre_the_bidders_are_asked_for_in_the_order_of_the_seats() -> None:
    choices = [
        (choice.key, choice.facts, choice.label, choice.params) for choice in pad_of("joffre").by_name["bidder"].choices
    ]
    assert choices == [
        (name, {"contract": {"player": name}}, "party", {"party": name}) for name in ("Anne", "Bruno", "Chloé", "David")
    ]


@pytest.mark.parametrize(("minimum", "lowest"), [(1, 1), (5, 5), (7, 7)])
def test_joffre_offers_bids_from_the_minimum_to_the_slam(minimum: int, lowest: int) -> None:
    pad = pad_of("joffre", minimum_bid=minimum)
    assert offered(pad, "bid") == [str(n) for n in range(lowest, 13)]
    choices = [(choice.key, choice.facts, choice.label) for choice in pad.by_name["bid"].choices]
    assert choices == [
        *((str(n), {"contract": {"points": n}}, n) for n in range(1, 12)),
        ("12", {"contract": {"points": 12}}, "joffre.slam"),
    ]


def test_joffre_contract_tricks_and_cards_make_the_deal() -> None:
    pad = pad_of("joffre", "bidder=Bruno", "bid=7", "no-trump=yes", "tricks=2", "five_of_hearts=ew")
    assert pad.facts == {
        "contract": {"player": "Bruno", "points": 7, "no_trump": True},
        "tricks": {"ns": 2, "ew": 6},
        "five_of_hearts": "ew",
    }
    assert unanswered(pad) == ["three_of_spades"]
    (no_trump,) = pad.by_name["no-trump"].choices
    assert (no_trump.label, no_trump.offered) == ("joffre.no-trump", True)


@pytest.mark.parametrize("card", ["five_of_hearts", "three_of_spades"])
def test_joffre_a_side_without_a_trick_has_neither_card(card: str) -> None:
    assert offered(pad_of("joffre", "tricks=0"), card) == ["ew"]
    assert offered(pad_of("joffre", "tricks=8"), card) == ["ns"]
    for tricks in range(1, 8):
        assert offered(pad_of("joffre", f"tricks={tricks}"), card) == ["ns", "ew"]
    all_but = {"ns": [str(n) for n in range(1, 9)], "ew": [str(n) for n in range(8)]}
    for side in SIDES:
        assert offered(pad_of("joffre", f"{card}={side}"), "tricks") == all_but[side]
    choices = [
        (choice.key, choice.facts, choice.label, choice.params) for choice in pad_of("joffre").by_name[card].choices
    ]
    assert choices == [(side, {card: side}, "side", {"party": side}) for side in SIDES]


def test_joffre_a_cell_of_tricks_shows_both_sides() -> None:
    choices = [
        (choice.key, choice.facts, choice.label, choice.params) for choice in pad_of("joffre").by_name["tricks"].choices
    ]
    assert choices == [(str(n), {"tricks": {"ns": n}}, n, {"others": 8 - n}) for n in range(9)]


BIDS = [f"{points}{kind}" for points in range(5, 13) for kind in ("", "-no-trump")]


def test_joffre_the_auction_offers_a_pass_and_every_bid_from_the_lowest() -> None:
    pad = pad_of("joffre")
    for player in NAMES[:4]:
        group = pad.by_name[f"auction-{player}"]
        assert [choice.key for choice in group.choices] == ["pass", *BIDS]
        assert offered(pad, group.name) == ["pass", *BIDS]
        choices = {choice.key: (choice.facts["auction"], choice.label, choice.params) for choice in group.choices}
        assert choices["pass"] == ([[player, "pass", False]], "joffre.pass", {})
        assert choices["7"] == ([[player, 7, False]], "joffre.bid", {"points": 7})
        assert choices["7-no-trump"] == ([[player, 7, True]], "joffre.bid-no-trump", {"points": 7})


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


# --- Francion ------------------------------------------------------------------------------------------------

WELCHES = ("won", "won-hearts", "taken", "taken-hearts", "turned", "hidden")


def test_francion_asks_each_players_tricks_in_the_order_of_the_seats_then_the_welche_and_whose_it_was() -> None:
    pad = pad_of("francion", players=3)
    assert kinds(pad) == {
        **{f"tricks-{name}": (STRIP, True, None, False, False) for name in ("Bruno", "Chloé", "Anne")},
        "welche": (CARDS, True, None, False, False),
        "holder": (CARDS, False, None, False, False),
    }
    assert list(kinds(pad)) == ["tricks-Anne", "tricks-Bruno", "tricks-Chloé", "welche", "holder"]
    assert keys(pad) == {
        **{f"tricks-{name}": ("tricks",) for name in NAMES[:3]},
        **dict.fromkeys(("welche", "holder"), ("welche",)),
    }
    choices = [(choice.key, choice.facts, choice.label, choice.row) for choice in pad.by_name["tricks-Bruno"].choices]
    assert choices == [(str(n), {"tricks": {"Bruno": n}}, n, "Bruno") for n in range(10)]


@pytest.mark.parametrize(
    ("deals", "factor"),
    [([], 1), ([{"tricks": {"Anne": 3, "Bruno": 3, "Chloé": 3}, "welche": {"event": "hidden"}}], 2)],
)
def test_francion_shows_what_the_welche_pays_this_time(deals: list[dict[str, Any]], factor: int) -> None:
    pad = pad_of("francion", players=3, deals=deals)
    dealer = "Bruno" if deals else "Anne"
    choices = [
        (choice.key, choice.facts["welche"], choice.label, choice.params) for choice in pad.by_name["welche"].choices
    ]
    outcomes = [
        ("won", {"event": "won", "hearts_led": False}, 4),
        ("won-hearts", {"event": "won", "hearts_led": True}, 2),
        ("taken", {"event": "taken", "hearts_led": False}, 4),
        ("taken-hearts", {"event": "taken", "hearts_led": True}, 2),
        ("turned", {"event": "turned"}, 4),
        ("hidden", {"event": "hidden"}, 0),
    ]
    assert choices == [
        (key, facts, f"francion.welche.{key}", {"jetons": jetons * factor, "party": dealer})
        for key, facts, jetons in outcomes
    ]


def test_francion_the_holder_is_required_if_the_welche_was_played() -> None:
    for welche in WELCHES:
        holder = pad_of("francion", f"welche={welche}", players=3).by_name["holder"]
        assert holder.required == welche.startswith(("won", "taken"))
        choices = [(choice.key, choice.facts, choice.label, choice.params) for choice in holder.choices]
        assert choices == [
            (name, {"welche": {"player": name}}, "party", {"party": name}) for name in ("Anne", "Bruno", "Chloé")
        ]


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


def test_francion_the_holder_is_ignored_if_nobody_played_the_welche() -> None:
    for welche in ("turned", "hidden"):
        pad = pad_of("francion", f"welche={welche}", "holder=Anne", players=3)
        assert pad.facts == {"welche": {"event": welche}}
    played = pad_of("francion", "welche=taken-hearts", "holder=Anne", players=3)
    assert played.facts == {"welche": {"event": "taken", "player": "Anne", "hearts_led": True}}


# --- every pad -----------------------------------------------------------------------------------------------


def test_a_pad_distinguishes_choices_that_are_left_out_from_ruled_out_ones() -> None:
    pad = pad_of("joffre", "tricks=8")
    assert pad.left_out == {("bid", str(n)) for n in range(1, 5)}
    assert pad.ruled_out == {("five_of_hearts", "ew"), ("three_of_spades", "ew")}


def test_a_groups_choice_is_the_tap_or_the_default() -> None:
    pad = pad_of("whist", "tricks=ns-2")
    honours = pad.by_name["honours"]
    assert [choice.key for choice in honours.choices if pad.is_tapped(honours, choice)] == ["none"]
    tricks = pad.by_name["tricks"]
    assert [choice.key for choice in tricks.choices if pad.is_tapped(tricks, choice)] == ["ns-2"]
    tapped = pad_of("whist", "tricks=ns-2", "honours=ew-4")
    assert [choice.key for choice in honours.choices if tapped.is_tapped(honours, choice)] == ["ew-4"]


def test_unknown_taps_are_dropped() -> None:
    pad = pad_of("whist", "tricks=ns-8", "honours=", "nonsense=1")
    assert (pad.taps, pad.facts, unanswered(pad)) == ({}, {}, ["tricks"])


def test_rows_keep_the_choices_of_a_side_together() -> None:
    rows = pad_of("whist", deals=score_of(8, 0)).by_name["tricks"].rows
    assert list(rows) == ["ns", "ew"]
    assert [choice.key for choice in rows["ew"]] == [*(f"ew-{n}" for n in range(1, 8)), "called-ew"]


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


def test_the_taps_of_a_recorded_deal_give_the_same_deal() -> None:
    game = games()["francion"]
    standing = game.open(NAMES[:3], "Anne", game.usual_options)
    facts = {"tricks": {"Anne": 5, "Bruno": 4}, "welche": {"event": "won", "player": "Anne", "hearts_led": True}}
    assert taps_for(game, standing, facts) == {
        **{"tricks-Bruno": "4", "tricks-Chloé": "0", "tricks-Anne": "5"},
        **{"welche": "won-hearts", "holder": "Anne"},
    }
