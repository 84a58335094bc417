"""The pad of any game: what is typed and tapped, and what follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games.any_game import GAME
from scorekeeper.games.any_game.options import KNOWN, Options
from scorekeeper.games.any_game.rules import feats, figures
from scorekeeper.i18n import LANGUAGES, translate
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.pad import Pad
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.taps import build_pad, taps_for
from scorekeeper.tables.paper import is_number_field, score_rows
from scorekeeper.testing.playing import go_together, offered

THREE, FOUR = ("Anne", "Bruno", "Chloé"), ("Anne", "Bruno", "Chloé", "David")


def opened(players: tuple[str, ...] = THREE, **rules: Any) -> AnyStanding:
    options = Options(name="x", **rules)
    return GAME.under(options).open(players, players[0], options)


def pad_of(standing: AnyStanding, *taps: str) -> Pad:
    return build_pad(GAME.under(standing.options), standing, dict(tap.split("=") for tap in taps))


def test_the_game_has_an_end_only_if_its_house_rules_give_it_one() -> None:
    described = (Options(name="x", target=5), Options(name="x", deals=3), Options(name="x"))
    assert [GAME.under(options).ending.kinds for options in described] == [("partie",), ("partie",), ()]


def unanswered(pad: Pad) -> list[str]:
    return [group.name for group in pad.unanswered]


def test_every_number_is_asked_for_and_one_tap_enters_0_for_all_others() -> None:
    pad = pad_of(opened(), "points-Anne=seven", "points-Chloé=-30")
    assert unanswered(pad) == ["points-Anne", "points-Bruno"]
    assert pad.zeros == {"points-Bruno": "0"}  # what was mistyped stays to be corrected


def test_of_categories_each_party_needs_one_number_as_on_a_sheet_that_fills_up() -> None:
    standing = opened(categories=("ones", "twos"))
    pad = pad_of(standing, "category1-Anne=3", "category2-Bruno=0")
    assert unanswered(pad) == ["category1-Chloé", "category2-Chloé"]


def test_with_a_total_the_last_number_follows() -> None:
    standing = opened(total=26)
    assert unanswered(pad_of(standing, "points-Anne=5")) == ["points-Bruno", "points-Chloé"]
    pad = pad_of(standing, "points-Anne=5", "points-Chloé=31")
    assert (pad.facts, pad.derived) == ({"points": {"Anne": 5, "Chloé": 31, "Bruno": -10}}, {"points-Bruno": "-10"})


@pytest.mark.parametrize(
    ("taps", "last"),
    [
        (["points-Anne=26", "points-Bruno=0", "points-Chloé=0"], "0"),
        (["points-Anne=26", "points-Bruno=26", "points-Chloé=0"], "26"),
        (["points-Anne=26", "points-Bruno=26", "points-Chloé=26"], "0"),
        (["points-Anne=50", "points-Bruno=30", "points-Chloé=0"], "-54"),
    ],
)
def test_of_two_totals_the_last_number_follows_from_the_one_that_is_not_exceeded(taps: list[str], last: str) -> None:
    assert pad_of(opened(FOUR, total=26, or_total=78), *taps).derived == {"points-David": last}


def test_a_box_that_is_filled_is_not_asked_for_again_and_goes_with_its_seat() -> None:
    standing = opened(categories=("ones", "twos"), category_once=True, total=10)
    deals = [{"points": {"ones": {"Anne": 3, "Bruno": 7}}}, {"substitution": {"out": "Anne", "in": "Élise"}}]
    assert fold(GAME.under(standing.options), standing, deals) is None
    assert unanswered(pad_of(standing, "category2-Bruno=1")) == [
        "category1-Chloé",
        "category2-Élise",
        "category2-Chloé",
    ]
    assert pad_of(standing, "category2-Bruno=10").facts == {
        "points": {"ones": {"Chloé": 0}, "twos": {"Élise": 0, "Bruno": 10, "Chloé": 0}}
    }
    assert not offered(pad_of(standing), pad_of(standing).by_name["category1-Élise"])
    refusal = fold(GAME.under(standing.options), standing, [{"points": {"ones": {"Élise": 10}}}])
    assert refusal is not None
    assert refusal.first == ("points", "any-game.filled", {"party": "Élise", "category": "ones"})


def test_a_score_at_the_target_or_beyond_stays_unless_points_of_a_deal_go_further() -> None:
    standing = opened(FOUR, target=50, overshoot="back", back_to=25)
    deals = [{"points": {"Anne": 50, "Bruno": 50, "Chloé": 50}}, {"points": {"Bruno": -2, "Chloé": 3, "David": -4}}]
    assert fold(GAME.under(standing.options), standing, deals) is None
    assert (standing.scores, standing.winners) == ({"Anne": 50, "Bruno": 48, "Chloé": 25, "David": -4}, ("Anne",))
    beyond = opened(target=50, overshoot="bust")
    assert fold(GAME.under(beyond.options), beyond, [{"adjustment": {"to": "Anne", "points": 60}}]) is None
    assert beyond.winners == ("Anne",)  # an adjustment always counts


def test_places_left_empty_on_the_form_score_one_less_each() -> None:
    rules = {"name": "x", "entry": "places"}
    assert GAME.house_rules.fill(rules, 4)["place_points"] == [3, 2, 1, 0]
    assert GAME.house_rules.fill({**rules, "best": "lowest"}, 3)["place_points"] == [0, 1, 2]
    assert GAME.house_rules.fill({**rules, "sides": True}, 4)["place_points"] == [1, 0]
    assert GAME.house_rules.fill({**rules, "place_points": [9, 1]}, 2)["place_points"] == [9, 1]
    assert GAME.house_rules.fill({"name": "x"}, 4) == {"name": "x"}


def test_categories_share_one_total_and_keep_their_names() -> None:
    standing = opened(FOUR, sides=True, categories=("war", "peace"), total=10)
    pad = pad_of(standing, "category1-ns=4", "category1-ew=1", "category2-ns=2")
    assert pad.facts == {"points": {"war": {"ns": 4, "ew": 1}, "peace": {"ns": 2, "ew": 3}}}
    assert [(group.name, group.title) for group in pad.groups] == [
        ("category1-ns", "war"),
        ("category1-ew", "war"),
        ("category2-ns", "peace"),
        ("category2-ew", "peace"),
    ]


@pytest.mark.parametrize(
    ("taps", "places", "missing"),
    [
        (["Anne=2"], {"Anne": 2}, ["Bruno", "Chloé"]),
        (["Anne=2", "Bruno=3"], [["Chloé"], ["Anne"], ["Bruno"]], []),
        (["Anne=1", "Bruno=1"], {"Anne": 1, "Bruno": 1}, ["Chloé"]),  # the third may be second, or share the first
        (["Chloé=1", "Bruno=3", "Anne=1"], [["Anne", "Chloé"], ["Bruno"]], []),
        (["Chloé=1", "Bruno=2", "Anne=1"], [["Anne", "Chloé"], ["Bruno"]], []),
    ],
)
def test_the_last_place_follows_and_those_with_the_same_share_it(
    taps: list[str], places: Any, missing: list[str]
) -> None:
    standing = opened(entry="places", place_points=(3, 2, 1))
    pad = pad_of(standing, *(f"place-{tap}" for tap in taps))
    assert (pad.facts, unanswered(pad)) == ({"places": places}, [f"place-{party}" for party in missing])


@pytest.mark.parametrize(
    ("rules", "facts", "scores"),
    [
        (
            {"categories": ("war", "peace")},
            {"points": {"war": {"Anne": 4}, "peace": {"Anne": 1, "Bruno": 3}}},
            (5, 3, 0),
        ),
        ({"entry": "places", "place_points": (5, 2, 0)}, {"places": [["Chloé"], ["Anne", "Bruno"]]}, (2, 2, 5)),
        ({"entry": "winner"}, {"winner": "Bruno"}, (0, 1, 0)),
    ],
    ids=["categories", "places", "winner"],
)
def test_a_deal_is_entered_as_the_house_rules_say(
    rules: dict[str, Any], facts: dict[str, Any], scores: tuple[int, ...]
) -> None:
    standing = opened(**rules)
    assert fold(GAME.under(standing.options), standing, [facts]) is None
    assert tuple(standing.scores.values()) == scores


@pytest.mark.parametrize(
    ("rules", "points", "numbers"),
    [
        ({"target": 150}, {"Anne": 173, "Bruno": 45}, {"more": 173, "less": 45, "count": 2}),
        ({"target": 50, "best": "lowest"}, {"Anne": 3, "Bruno": 60}, {"more": 60, "less": 3, "count": 2}),
        ({"target": 100, "sides": True}, {"ns": 70, "ew": 120}, {"more": 120, "less": 70, "count": 2}),
    ],
)
def test_a_stake_by_difference_is_explained_by_both_scores(
    rules: dict[str, Any], points: dict[str, int], numbers: dict[str, int]
) -> None:
    standing = opened(FOUR if "sides" in rules else ("Anne", "Bruno"), stake=2, pays="difference", **rules)
    game = GAME.under(standing.options)
    assert fold(game, standing, [{"points": points}]) is None
    row = standing.rows[0]
    assert next(game.explain_entry(standing, row, entry) for entry in row.entries if entry.is_payment) == numbers


def test_points_for_a_place_are_explained_by_the_place() -> None:
    standing = opened(entry="places", place_points=(3, 2, 1))
    game = GAME.under(standing.options)
    assert fold(game, standing, [{"places": [["Bruno"], ["Anne"], ["Chloé"]]}]) is None
    row = standing.rows[0]
    assert {entry.taker: game.explain_entry(standing, row, entry) for entry in row.entries} == {
        "Bruno": {"place": 1},
        "Anne": {"place": 2},
        "Chloé": {"place": 3},
    }


def test_a_start_is_no_points_of_the_first_deal() -> None:
    standing = opened(start=501, target=0, best="lowest")
    assert fold(GAME.under(standing.options), standing, [{"points": {"Anne": -180}}]) is None
    row = standing.rows[0]
    assert (row.scored, row.scores) == (
        {"Anne": -180, "Bruno": 0, "Chloé": 0},
        {"Anne": 321, "Bruno": 501, "Chloé": 501},
    )


def test_counting_down_what_is_typed_is_taken_off() -> None:
    standing = opened(start=501, target=0, best="lowest")
    pad = pad_of(standing, "taken-Anne=180", "taken-Bruno=-5", "taken-Chloé=0")
    assert pad.facts == {"points": {"Anne": -180, "Bruno": 5, "Chloé": 0}}
    assert taps_for(GAME.under(standing.options), standing, pad.facts) == pad.taps


def test_on_paper_any_number_may_be_typed_and_what_is_none_is_a_problem() -> None:
    standing = opened(target=100)
    others = {"points-Bruno": "0", "points-Chloé": "5"}
    rows = [others | {"points-Anne": " -7 "}, others | {"points-Anne": "seven"}]
    first, second = score_rows(GAME.under(standing.options), standing, rows)
    assert is_number_field(first.pad.groups[0])
    assert first.deal == {"points": {"Anne": -7, "Bruno": 0, "Chloé": 5}}
    assert second.deal is None
    assert [problem.field for problem in second.problems] == ["points-Anne"]


def test_a_game_that_ends_without_a_deal_is_no_longest_one() -> None:
    standing = opened(target=10)
    game = GAME.under(standing.options)
    assert fold(game, standing, [{"adjustment": {"to": "Anne", "points": 10}}]) is None
    assert standing.winners == ("Anne",)
    assert [*feats(standing, standing.rows[0])] == []
    assert [*figures(standing, standing.rows[0])] == []


def test_a_game_is_as_long_as_its_deals() -> None:
    standing = opened(target=10)
    deals = [{"points": {"Anne": points}} for points in (4, 7)]
    assert fold(GAME.under(standing.options), standing, deals) is None
    assert ("longest_partie", 2, THREE) in [*feats(standing, standing.rows[-1])]


def figures_of(standing: AnyStanding, deal: dict[str, Any]) -> list[tuple[str, str, int]]:
    assert fold(GAME.under(standing.options), standing, [deal]) is None
    return [(figure.party, figure.name, figure.times) for figure in figures(standing, standing.rows[-1])]


def test_statistics_add_up_points_and_places_for_their_averages() -> None:
    standing = opened()
    assert figures_of(standing, {"points": {"Anne": 12, "Bruno": -3}}) == [
        ("Anne", "best_of_a_deal", 1),
        ("Anne", "points", 12),
        ("Bruno", "points", -3),
    ]
    assert [*feats(standing, standing.rows[-1])] == [("most_points", 12, ("Anne",))]
    low = opened(best="lowest")
    found = figures_of(low, {"points": {"Anne": 12, "Bruno": 5, "Chloé": 5}})
    assert [player for player, name, _ in found if name == "best_of_a_deal"] == ["Bruno", "Chloé"]
    assert [*feats(low, low.rows[-1])] == []
    places = opened(entry="places", place_points=(2, 1, 0))
    assert figures_of(places, {"places": [["Bruno"], ["Anne", "Chloé"]]}) == [
        ("Anne", "place", 2),
        ("Bruno", "best_of_a_deal", 1),
        ("Bruno", "place", 1),
        ("Chloé", "place", 2),
    ]


# --- well-known games ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", KNOWN, ids=lambda options: options.name)
def test_a_known_game_can_be_played_and_has_a_name_in_each_language(options: Options) -> None:
    counts = (4,) if options.sides else GAME.player_counts
    assert all(go_together(GAME.under(options), options, count) for count in counts)
    for language in LANGUAGES:
        texts = [translate(language, f"any-game.known.{key}") for key in (options.name, *options.categories)]
        assert not any("any-game." in text for text in texts)
        assert len(set(texts[1:])) == len(options.categories)
        assert len(texts[0]) <= 40
        assert all(len(text) <= 30 for text in texts[1:])


# The points of each deal, and who has won after the last of them; nobody has before.
WORKED_OUT: dict[str, tuple[list[tuple[int, ...]], tuple[str, ...]]] = {
    # Chloé shoots the moon: 26 for each of the others. David takes the queen, 13, and 7 hearts.
    "hearts": ([(26, 26, 0, 26), (26, 26, 0, 26), (26, 26, 0, 26), (3, 3, 0, 20), (26, 26, 0, 26)], ("Chloé",)),
    "skyjo": ([(12, 40, -3, 20), (30, 61, 31, 9)], ("Chloé",)),  # 42, 101, 28, 29
    "uno": ([(270, 0, 0, 0), (0, 310, 0, 0), (230, 0, 0, 0)], ("Anne",)),
    "rummy": ([(0, 45, 0, 0), (0, 0, 60, 0), (0, 55, 0, 0)], ("Bruno",)),
    "belote": ([(162, 0), (252, 0), (90, 92), (252, 0), (252, 0)], ("ns",)),  # belote and rebelote, three capots
    "yahtzee": ([(3, 6, 9, 12), *[(20, 0, 0, 10)] * 12], ("Anne",)),
    # Anne: 501 − 180 − 180 − 141. Bruno's last throws are worth more than his 141, and count for nothing.
    "darts-501": ([(-180, -180, -60, -60), (-180, -180, -60, -60), (-141, -180, -60, -60)], ("Anne",)),
    "catan": ([(10, 7, 8, 4)], ("Anne",)),
    # Bruno throws 12 at 42: more than 50, so that he is back at 25.
    "molkky": ([(12, 12, 0, 1), (12, 12, 1, 1), (12, 12, 1, 1), (10, 6, 1, 1), (1, 12, 1, 1), (3, 1, 1, 1)], ("Anne",)),
    "dominoes": ([(0, 0, 64, 0), (21, 0, 0, 0), (0, 0, 36, 0)], ("Chloé",)),
}


@pytest.mark.parametrize("options", [each for each in KNOWN if each.has_end], ids=lambda options: options.name)
def test_a_known_game_ends_as_by_its_own_rules(options: Options) -> None:
    game = GAME.under(options)
    standing = game.open(FOUR, "Anne", options)
    deals, winners = WORKED_OUT[options.name]
    for number, points in enumerate(deals):
        assert standing.winners == ()
        facts: dict[str, Any] = dict(zip(standing.parties, points, strict=True))
        deal = {options.categories[number]: facts} if options.categories else facts
        assert fold(game, standing, [{"points": deal}]) is None
    assert standing.winners == winners
