"""Invalid sheets and the fields at which they are refused; sheets and facts loaded and dumped again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring import schema
from scorekeeper.scoring import sheet as portable
from scorekeeper.scoring.problems import Problem, Refusal
from scorekeeper.scoring.sheet import Sheet
from scorekeeper.scoring.statement import score

from ..game_data import data as data_of_games
from ..game_data import needed_rules
from ..problems import fields_of

LEFT_OUT = object()
HALF_A_SIGN = "\ud83c"  # the first half of a surrogate pair, which cannot be encoded
FOUR = ["Anne", "Bruno", "Chloé", "David"]
THREE = FOUR[:3]

FRANCION = {"tricks": {"Anne": 5, "Bruno": 4}, "welche": {"event": "hidden"}}
WHIST = {"tricks": {"ns": 7}}
QUARANTE = {"card_points": {"ns": 24}}
JOFFRE = {
    "contract": {"player": "Anne", "points": 6},
    "tricks": {"ns": 5},
    "five_of_hearts": "ns",
    "three_of_spades": "ew",
}
DEALS: dict[str, dict[str, Any]] = data_of_games("facts")

every_game = pytest.mark.parametrize("slug", sorted(DEALS))


def sheet(slug: str = "whist", **head: Any) -> dict[str, Any]:
    raw = {"format": "scorekeeper-sheet/1", "game": slug, "players": FOUR, "deals": []} | needed_rules(slug) | head
    return {key: value for key, value in raw.items() if value is not LEFT_OUT}


def faults(raw: Any) -> tuple[int | None, list[str]]:
    refusal = score(raw, games())
    assert isinstance(refusal, Refusal)
    return refusal.deal, fields_of(refusal)


def stands(raw: Any) -> bool:
    return not isinstance(score(raw, games()), Refusal)


# --- the head ------------------------------------------------------------------------------------------------


@every_game
def test_a_sheet_needs_no_more_than_format_game_players_and_deals(slug: str) -> None:
    assert stands(sheet(slug))
    assert stands(sheet(slug, deals=[DEALS[slug]]))


@pytest.mark.parametrize("raw", [None, True, 7, 4.5, "a sheet", [], [{}], {}])
def test_only_an_object_can_be_a_sheet(raw: Any) -> None:
    number, fields = faults(raw)
    assert (number, fields[0]) == (None, "format")


@pytest.mark.parametrize("key", ["format", "game", "players", "deals"])
def test_a_missing_key_is_named(key: str) -> None:
    head: dict[str, Any] = {key: LEFT_OUT}
    assert faults(sheet(**head)) == (None, [key])


@pytest.mark.parametrize(
    ("head", "field"),
    [
        # Keys
        ({"winner": "ns"}, "winner"),
        ({"Title": "x"}, "Title"),
        ({"": 1}, ""),
        ({"players ": FOUR}, "players "),
        # The format and the game
        ({"format": "scorekeeper-sheet/2"}, "format"),
        ({"format": "scorekeeper-statement/1"}, "format"),
        ({"format": None}, "format"),
        ({"format": 1}, "format"),
        ({"format": ["scorekeeper-sheet/1"]}, "format"),
        ({"game": "bridge"}, "game"),
        ({"game": "Whist"}, "game"),
        ({"game": ""}, "game"),
        ({"game": None}, "game"),
        ({"game": True}, "game"),
        ({"game": ["whist"]}, "game"),
        ({"game": {"slug": "whist"}}, "game"),
        # The players
        ({"players": None}, "players"),
        ({"players": 4}, "players"),
        ({"players": "Anne, Bruno, Chloé, David"}, "players"),
        ({"players": {"Anne": 1, "Bruno": 2, "Chloé": 3, "David": 4}}, "players"),
        ({"players": []}, "players"),
        ({"players": THREE}, "players"),
        ({"players": [*FOUR, "Élise"]}, "players"),
        ({"players": [*THREE, None]}, "players"),
        ({"players": [*THREE, 4]}, "players"),
        ({"players": [*THREE, True]}, "players"),
        ({"players": [*THREE, ["David"]]}, "players"),
        ({"players": [*THREE, ""]}, "players"),
        ({"players": [*THREE, " "]}, "players"),
        ({"players": [*THREE, "\t\n\u00a0\u2003"]}, "players"),
        ({"players": [*THREE, "Anne"]}, "players"),
        ({"players": ["Anne"] * 4}, "players"),
        ({"players": [*THREE, HALF_A_SIGN]}, "players"),
        ({"players": [*THREE, f"David {HALF_A_SIGN}"]}, "players"),
        # The dealer
        ({"dealer": "Élise"}, "dealer"),
        ({"dealer": "anne"}, "dealer"),
        ({"dealer": "ns"}, "dealer"),
        ({"dealer": ""}, "dealer"),
        ({"dealer": None}, "dealer"),
        ({"dealer": 1}, "dealer"),
        ({"dealer": True}, "dealer"),
        ({"dealer": ["Anne"]}, "dealer"),
        ({"dealer": {"name": "Anne"}}, "dealer"),
        # House rules
        ({"house_rules": None}, "house_rules"),
        ({"house_rules": []}, "house_rules"),
        ({"house_rules": "robre_points"}, "house_rules"),
        ({"house_rules": {"robre_points": 3}}, "house_rules.robre_points"),
        ({"house_rules": {"robre_points": "2"}}, "house_rules.robre_points"),
        ({"house_rules": {"robre_points": 2.0}}, "house_rules.robre_points"),
        ({"house_rules": {"robre_points": True}}, "house_rules.robre_points"),
        ({"house_rules": {"robre_points": [2]}}, "house_rules.robre_points"),
        ({"house_rules": {"losing_honours": 0}}, "house_rules.losing_honours"),
        ({"house_rules": {"losing_honours": "false"}}, "house_rules.losing_honours"),
        ({"house_rules": {"losing_honours": None}}, "house_rules.losing_honours"),
        ({"house_rules": {"losing_honors": True}}, "house_rules.losing_honors"),
        ({"house_rules": {"last_bete": "carry"}}, "house_rules.last_bete"),
        # The deals
        ({"deals": None}, "deals"),
        ({"deals": {}}, "deals"),
        ({"deals": {"1": WHIST}}, "deals"),
        ({"deals": "none"}, "deals"),
        ({"deals": 0}, "deals"),
        ({"deals": False}, "deals"),
        # The title and the day
        ({"title": None}, "title"),
        ({"title": 1765}, "title"),
        ({"title": ["a"]}, "title"),
        ({"title": HALF_A_SIGN}, "title"),
        ({"played_on": None}, "played_on"),
        ({"played_on": ""}, "played_on"),
        ({"played_on": "yesterday"}, "played_on"),
        ({"played_on": "2026-11"}, "played_on"),
        ({"played_on": "2026-02-30"}, "played_on"),
        ({"played_on": "20/11/2026"}, "played_on"),
        ({"played_on": "2026-11-20T21:00"}, "played_on"),
        ({"played_on": "2026-11-20\n"}, "played_on"),
        ({"played_on": HALF_A_SIGN}, "played_on"),
        ({"played_on": 20261120}, "played_on"),
        ({"played_on": True}, "played_on"),
        ({"played_on": ["2026-11-20"]}, "played_on"),
    ],
)
def test_an_invalid_head_is_refused_with_its_field(head: dict[str, Any], field: str) -> None:
    assert faults(sheet(**head)) == (None, [field])


VALUE = {"currency": "EUR", "unit": "fiche", "amount": "0.25"}


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "value"),
        ("0.25", "value"),
        (0.25, "value"),
        ([], "value"),
        (VALUE | {"per": "deal"}, "value.per"),
        ({"unit": "fiche", "amount": "1"}, "value.currency"),
        ({"currency": "EUR", "amount": "1"}, "value.unit"),
        ({"currency": "EUR", "unit": "fiche"}, "value.amount"),
        (VALUE | {"currency": None}, "value.currency"),
        (VALUE | {"currency": ""}, "value.currency"),
        (VALUE | {"currency": "XXX"}, "value.currency"),
        (VALUE | {"currency": "DEM"}, "value.currency"),
        (VALUE | {"currency": 978}, "value.currency"),
        (VALUE | {"currency": ["EUR"]}, "value.currency"),
        (VALUE | {"unit": "jeton"}, "value.unit"),
        (VALUE | {"unit": "fiches"}, "value.unit"),
        (VALUE | {"unit": None}, "value.unit"),
        (VALUE | {"unit": ["fiche"]}, "value.unit"),
        (VALUE | {"amount": 0.25}, "value.amount"),
        (VALUE | {"amount": 1}, "value.amount"),
        (VALUE | {"amount": True}, "value.amount"),
        (VALUE | {"amount": None}, "value.amount"),
        (VALUE | {"amount": ""}, "value.amount"),
        (VALUE | {"amount": "a quarter"}, "value.amount"),
        (VALUE | {"amount": "0,25"}, "value.amount"),
        (VALUE | {"amount": "-1"}, "value.amount"),
        (VALUE | {"amount": "+1"}, "value.amount"),
        (VALUE | {"amount": "1e3"}, "value.amount"),
        (VALUE | {"amount": " 1"}, "value.amount"),
        (VALUE | {"amount": "1\n"}, "value.amount"),
        (VALUE | {"amount": "1."}, "value.amount"),
        (VALUE | {"amount": ".5"}, "value.amount"),
        (VALUE | {"amount": "NaN"}, "value.amount"),
        (VALUE | {"amount": "Infinity"}, "value.amount"),
        (VALUE | {"amount": "١"}, "value.amount"),
        (VALUE | {"amount": "9" * 5000}, "value.amount"),
    ],
)
def test_an_invalid_value_is_refused(value: Any, field: str) -> None:
    assert faults(sheet(value=value)) == (None, [field])


def test_all_problems_of_the_head_are_found_together() -> None:
    data = sheet(
        format="2",
        dealer="Zoé",
        house_rules={"target": 3, "robre_points": 5},
        deals=None,
        value={},
        title=1,
        played_on=1,
        more=1,
    )
    number, fields = faults(data)
    assert number is None
    assert sorted(fields) == [
        "dealer",
        "deals",
        "format",
        "house_rules.robre_points",
        "house_rules.target",
        "more",
        "played_on",
        "title",
        "value.amount",
        "value.currency",
        "value.unit",
    ]


def test_deals_are_not_checked_if_the_head_is_invalid() -> None:
    assert faults(sheet(dealer="Zoé", deals=[7, {"tricks": 99}])) == (None, ["dealer"])


@pytest.mark.parametrize(
    ("head", "slug"),
    [
        ({"dealer": "Chloé"}, "whist"),
        ({"house_rules": {}}, "whist"),
        ({"house_rules": {"robre_points": 1, "losing_honours": False, "honours_at_nine": True}}, "whist"),
        ({"title": ""}, "whist"),
        ({"title": "Chez Anne ♥ « jeudi »\n"}, "whist"),
        ({"played_on": "2024-02-29"}, "whist"),
        ({"value": VALUE}, "whist"),
        ({"value": VALUE | {"amount": "12"}}, "joffre"),
        ({"value": VALUE | {"unit": "jeton"}}, "francion"),
        ({"value": VALUE}, "francion"),
        # Any name is allowed, including words of the format; different spellings are different names.
        ({"players": ["ns", "ew", "pass", "pot"]}, "joffre"),
        ({"players": ["Anne", "anne", " Anne", "ANNE"]}, "whist"),
        ({"players": ["null", "true", "0", "{}"]}, "francion"),
        ({"players": ["🂡", "王", "Zoë", "a" * 500]}, "quarante-de-rois"),
    ],
)
def test_a_valid_head_is_accepted(head: dict[str, Any], slug: str) -> None:
    assert stands(sheet(slug, **head))


def test_without_a_dealer_the_first_player_deals() -> None:
    assert score(sheet(), games()) == score(sheet(dealer="Anne"), games())


def test_title_day_and_value_change_no_score() -> None:
    data = sheet("francion", players=THREE, deals=[FRANCION])
    more = {"title": "x", "played_on": "2026-11-20", "value": VALUE | {"unit": "jeton"}}
    assert score(data | more, games()) == score(data, games())


# --- deals ---------------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("deal", [None, True, 7, "misdeal", [], [{"misdeal": True}], 4.5])
def test_a_deal_that_is_no_object_is_refused(slug: str, deal: Any) -> None:
    assert faults(sheet(slug, deals=[DEALS[slug], deal])) == (2, ["deals"])


@every_game
def test_an_empty_deal_lacks_its_facts(slug: str) -> None:
    number, fields = faults(sheet(slug, deals=[{}]))
    assert number == 1
    assert fields[0] in DEALS[slug]


@every_game
@pytest.mark.parametrize("key", ["score", "scores", "winner", "Tricks", "number", ""])
def test_a_deal_has_no_keys_but_those_of_its_game(slug: str, key: str) -> None:
    assert faults(sheet(slug, deals=[DEALS[slug] | {key: 1}])) == (1, [key])


@every_game
@pytest.mark.parametrize("dealer", ["Zoé", "ns", "", None, 1, True, ["Anne"], {}, HALF_A_SIGN])
@pytest.mark.parametrize("kind", ["played", "misdeal", "adjustment"])
def test_a_dealer_is_a_player_of_the_table(slug: str, dealer: Any, kind: str) -> None:
    facts = {
        "played": DEALS[slug],
        "misdeal": {"misdeal": True},
        "adjustment": {"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}},
    }[kind]
    assert faults(sheet(slug, deals=[facts | {"dealer": dealer}])) == (1, ["dealer"])


@every_game
@pytest.mark.parametrize("value", [False, 1, 0, "true", None, {}, [True]])
def test_a_misdeals_only_value_is_true(slug: str, value: Any) -> None:
    assert faults(sheet(slug, deals=[{"misdeal": value}])) == (1, ["misdeal"])


@every_game
def test_a_misdeal_has_no_facts(slug: str) -> None:
    number, fields = faults(sheet(slug, deals=[{"misdeal": True} | DEALS[slug]]))
    assert number == 1
    assert set(fields) == set(DEALS[slug])


@every_game
def test_an_adjustment_has_no_facts(slug: str) -> None:
    agreed = {"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}}
    number, fields = faults(sheet(slug, deals=[agreed | DEALS[slug]]))
    assert number == 1
    assert set(fields) == set(DEALS[slug])


@every_game
def test_a_misdeal_is_no_adjustment(slug: str) -> None:
    data = {"misdeal": True, "adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}}
    number, fields = faults(sheet(slug, deals=[data]))
    assert number == 1
    assert fields[0] in {"misdeal", "adjustment"}


# --- adjustments ---------------------------------------------------------------------------------------------

PAID = {"from": "Anne", "to": "Bruno"}


@every_game
@pytest.mark.parametrize(
    ("adjustment", "field"),
    [
        (None, "adjustment"),
        (5, "adjustment"),
        ([], "adjustment"),
        ("5 points to Anne", "adjustment"),
        ({}, "adjustment.to"),
        ({"fiches": 1}, "adjustment.to"),
        ({"points": 1}, "adjustment.to"),
        (PAID, "adjustment"),
        ({"to": "Anne"}, "adjustment"),
        (PAID | {"reason": "nothing"}, "adjustment"),
        (PAID | {"fiches": 1, "jetons": 9}, "adjustment"),
        (PAID | {"fiches": 1, "points": 1}, "adjustment"),
        ({"to": "Anne", "fiches": 1}, "adjustment.from"),
        ({"from": "Anne", "to": "Anne", "fiches": 1}, "adjustment.to"),
        (PAID | {"fiches": 0}, "adjustment.fiches"),
        (PAID | {"fiches": -1}, "adjustment.fiches"),
        (PAID | {"fiches": 1.0}, "adjustment.fiches"),
        (PAID | {"fiches": 0.5}, "adjustment.fiches"),
        (PAID | {"fiches": "1"}, "adjustment.fiches"),
        (PAID | {"fiches": True}, "adjustment.fiches"),
        (PAID | {"fiches": None}, "adjustment.fiches"),
        (PAID | {"fiches": 10**400}, "adjustment.fiches"),
        (PAID | {"fiches": 1, "reason": None}, "adjustment.reason"),
        (PAID | {"fiches": 1, "reason": 1}, "adjustment.reason"),
        (PAID | {"fiches": 1, "reason": HALF_A_SIGN}, "adjustment.reason"),
        (PAID | {"fiches": 1, "why": "a bet"}, "adjustment.why"),
        (PAID | {"euros": 1}, "adjustment.euros"),
        ({"from": "Zoé", "to": "Bruno", "fiches": 1}, "adjustment.from"),
        ({"from": None, "to": "Bruno", "fiches": 1}, "adjustment.from"),
        ({"from": ["Anne"], "to": "Bruno", "fiches": 1}, "adjustment.from"),
        ({"from": "ns", "to": "Bruno", "fiches": 1}, "adjustment.from"),
        ({"from": "Anne", "to": "Zoé", "fiches": 1}, "adjustment.to"),
        ({"from": "Anne", "to": "ew", "fiches": 1}, "adjustment.to"),
        ({"from": "Anne", "to": None, "fiches": 1}, "adjustment.to"),
        ({"from": "Anne", "to": ["Bruno"], "fiches": 1}, "adjustment.to"),
        ({"to": "nobody", "points": 1}, "adjustment.to"),
        ({"to": None, "points": 1}, "adjustment.to"),
    ],
)
def test_an_invalid_adjustment_is_refused(slug: str, adjustment: Any, field: str) -> None:
    number, fields = faults(sheet(slug, deals=[{"adjustment": adjustment}]))
    assert (number, fields[0]) == (1, field)


@every_game
@pytest.mark.parametrize(
    ("points", "field"),
    [
        ({"points": 0}, "adjustment.points"),
        ({"points": 1.0}, "adjustment.points"),
        ({"points": "1"}, "adjustment.points"),
        ({"points": True}, "adjustment.points"),
        ({"points": None}, "adjustment.points"),
        ({"points": 10**400}, "adjustment.points"),
        ({"points": 1, "from": "Anne"}, "adjustment.from"),
        ({"points": 1, "from": None}, "adjustment.from"),
        ({"points": 1, "reason": 7}, "adjustment.reason"),
    ],
)
def test_invalid_points_are_refused(slug: str, points: dict[str, Any], field: str) -> None:
    party = "ns" if games()[slug].in_sides else "Bruno"
    number, fields = faults(sheet(slug, deals=[{"adjustment": {"to": party} | points}]))
    assert (number, fields[0]) == (1, field)


@every_game
def test_points_go_to_a_side_or_without_sides_to_a_player(slug: str) -> None:
    right, wrong = ("ns", "Anne") if games()[slug].in_sides else ("Anne", "ns")
    assert stands(sheet(slug, deals=[{"adjustment": {"to": right, "points": 1}}]))
    assert faults(sheet(slug, deals=[{"adjustment": {"to": wrong, "points": 1}}])) == (1, ["adjustment.to"])


@every_game
def test_a_payment_is_in_a_unit_of_the_game(slug: str) -> None:
    data = sheet(slug, deals=[{"adjustment": PAID | {"jetons": 4}}])
    if "jetons" in games()[slug].units:
        assert stands(data)
    else:
        assert faults(data) == (1, ["adjustment.jetons"])


@every_game
def test_scores_fall_below_0_only_where_the_rules_allow_it(slug: str) -> None:
    party = "ns" if games()[slug].in_sides else "Bruno"
    data = sheet(slug, deals=[{"adjustment": {"to": party, "points": -1}}])
    if games()[slug].allows_negative_scores:
        assert stands(data)
    else:
        assert faults(data) == (1, ["adjustment.points"])


@every_game
def test_an_adjustment_may_say_why_and_who_deals(slug: str) -> None:
    data = {"dealer": "David", "adjustment": PAID | {"fiches": 3, "reason": "une tournée"}}
    statement = score(sheet(slug, deals=[data]), games())
    assert not isinstance(statement, Refusal)
    assert (statement["deals"][0]["dealer"], statement["dealer"]) == ("David", "David")


@every_game
def test_a_player_named_like_a_side_can_pay_counters(slug: str) -> None:
    names = ["ew", "ns", "Chloé", "David"]
    data = {"adjustment": {"from": "ns", "to": "ew", "fiches": 2}}
    statement = score(sheet(slug, players=names, deals=[data]), games())
    assert not isinstance(statement, Refusal)
    assert statement["balances"]["ns"]["fiches"] == -2


# --- which problem is reported -------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("later", [None, {}, {"misdeal": False}, {"dealer": "Zoé"}])
def test_the_first_invalid_deal_is_reported(slug: str, later: Any) -> None:
    good, bad = DEALS[slug], {"misdeal": True, "reason": "a card fell"}
    assert faults(sheet(slug, deals=[good, {"misdeal": True}, bad, later])) == (3, ["reason"])
    assert faults(sheet(slug, deals=[good, bad, good, later])) == (2, ["reason"])


def test_an_impossible_deal_is_reported_before_a_later_unreadable_one() -> None:
    impossible = {"tricks": {"ns": 7, "ew": 7}}
    assert faults(sheet(deals=[WHIST, impossible, {"tricks": "seven"}])) == (2, ["tricks"])
    assert faults(sheet(deals=[WHIST, {"tricks": "seven"}, impossible])) == (2, ["tricks"])


def test_misdeals_and_adjustments_are_numbered_with_the_deals() -> None:
    agreed = {"adjustment": PAID | {"fiches": 1}}
    assert faults(sheet(deals=[agreed, {"misdeal": True}, WHIST, agreed, {"tricks": {"ns": 14}}])) == (5, ["tricks.ns"])


@pytest.mark.parametrize(
    ("slug", "facts", "fields"),
    [
        ("whist", {"dealer": "Zoé", "tricks": {"ns": 7, "ew": 7}}, ["dealer", "tricks"]),
        (
            "whist",
            {"dealer": 1, "tricks": {"ns": 14, "Anne": 2}, "honours": {"side": "us"}, "called": 8, "more": 1},
            ["dealer", "tricks.ns", "tricks.Anne", "honours.side", "honours.count", "called", "more"],
        ),
        (
            "francion",
            {"tricks": {"Anne": 4.5, "Zoé": 1}, "welche": {"event": "eaten", "hearts_led": "yes", "by": 1}},
            ["tricks.Anne", "tricks.Zoé", "welche.event", "welche.hearts_led", "welche.by"],
        ),
        (
            "quarante-de-rois",
            {"clique": {"player": "Zoé", "rank": "aces", "count": 2}},
            ["clique.player", "clique.rank", "clique.count", "card_points"],
        ),
        (
            "joffre",
            {"contract": {"player": "Zoé", "points": 13}, "tricks": {"ns": 9}, "five_of_hearts": "Anne"},
            ["contract.player", "contract.points", "tricks.ns", "five_of_hearts", "three_of_spades"],
        ),
        (
            "joffre",
            {"adjustment": {"from": "Zoé", "to": "Yves", "fiches": 0, "reason": 1, "why": 1}},
            [f"adjustment.{key}" for key in ("from", "to", "fiches", "reason", "why")],
        ),
        ("joffre", {"dealer": "Zoé", "misdeal": 1, "more": 1}, ["dealer", "misdeal", "more"]),
    ],
)
def test_all_problems_of_a_deal_are_found_together(slug: str, facts: dict[str, Any], fields: list[str]) -> None:
    assert faults(sheet(slug, deals=[facts])) == (1, fields)


@pytest.mark.parametrize(
    "value", [10**400, -(10**400), 1e308, "x" * 10_000, [[[[]]]] * 1000, {"a": {"b": [None] * 1000}}, HALF_A_SIGN]
)
def test_an_invalid_value_is_shown_abbreviated(value: Any) -> None:
    refusal = score(sheet(deals=[{"tricks": {"ns": value}}, WHIST]), games())
    assert isinstance(refusal, Refusal)
    assert (refusal.deal, refusal.first.field) == (1, "tricks.ns")
    assert len(refusal.first.params["found"]) <= 40


def test_deeply_nested_json_is_refused() -> None:
    tower: list[Any] = []
    for _ in range(100_000):
        tower = [tower]
    assert faults(sheet(title=tower)) == (None, ["title"])
    assert faults(sheet(deals=[{"tricks": tower}])) == (1, ["tricks"])


# --- loaded and dumped again ---------------------------------------------------------------------------------


def passed_through_text(raw: Any) -> Any:
    return json.loads(json.dumps(raw))


FACTS = [
    ("francion", FRANCION),
    ("francion", {"tricks": {"Anne": 9}, "welche": {"event": "won", "player": "Anne"}}),
    ("francion", {"tricks": {"Bruno": 0, "Anne": 9}, "welche": {"event": "won", "player": "Anne", "hearts_led": True}}),
    ("francion", {"tricks": {"Chloé": 9}, "welche": {"event": "taken", "player": "Anne"}}),
    ("francion", {"tricks": {"Chloé": 9}, "welche": {"event": "turned"}}),
    ("whist", WHIST),
    ("whist", {"tricks": {"ew": 13, "ns": 0}, "honours": {"side": "ns", "count": 4}}),
    ("whist", {"called": "ew"}),
    ("short-whist", {"tricks": {"ns": 0}, "honours": {"side": "ew", "count": 3}}),
    ("quarante-de-rois", QUARANTE),
    ("quarante-de-rois", {"card_points": {"ns": 0}, "clique": {"player": "David", "rank": "jacks", "count": 3}}),
    ("joffre", JOFFRE),
    ("joffre", JOFFRE | {"contract": {"player": "Bruno", "points": 12, "no_trump": True}}),
    (
        "joffre",
        JOFFRE
        | {
            "auction": [
                ["Bruno", "pass", False],
                ["Chloé", 5, False],
                ["David", 5, True],
                ["Anne", 6, False],
            ]
        },
    ),
    ("joffre", JOFFRE | {"auction": [["Bruno", "pass", False], ["Chloé", "pass", False], ["David", "pass", False]]}),
    ("joffre", JOFFRE | {"auction": []}),
]


@pytest.mark.parametrize(("slug", "facts"), FACTS)
def test_loaded_facts_are_dumped_unchanged(slug: str, facts: dict[str, Any]) -> None:
    game, problems = games()[slug], list[Problem]()
    seats = game.seats(tuple(FOUR))
    fact = schema.load(game.deal, passed_through_text(facts), seats, problems)
    assert problems == []
    assert passed_through_text(schema.dump(fact)) == facts
    assert schema.load(game.deal, passed_through_text(schema.dump(fact)), seats, problems) == fact


def test_defaults_are_left_out() -> None:
    joffre, whist = games()["joffre"], games()["whist"]
    facts = JOFFRE | {"contract": {"player": "Anne", "points": 6, "no_trump": False}}
    assert schema.dump(schema.load(joffre.deal, facts, joffre.seats(tuple(FOUR)), [])) == JOFFRE
    defaults = {"robre_points": 1, "losing_honours": False, "honours_at_nine": True}
    assert schema.dump(schema.load(whist.options, defaults, whist.seats(tuple(FOUR)), [])) == {}


def test_a_bid_without_a_kind_is_at_trumps() -> None:
    joffre = games()["joffre"]
    seats = joffre.seats(tuple(FOUR))
    short = JOFFRE | {"auction": [["Bruno", "pass"], ["Chloé", 5], ["David", 5, True], ["Anne", 6]]}
    whole = JOFFRE | {
        "auction": [["Bruno", "pass", False], ["Chloé", 5, False], ["David", 5, True], ["Anne", 6, False]]
    }
    assert schema.load(joffre.deal, short, seats, []) == schema.load(joffre.deal, whole, seats, [])


RULES = [
    ("francion", {}),
    ("francion", {"last_bete": "carry", "hidden_welche": "redouble", "box": {"fiches": 20, "jetons": 45}}),
    ("whist", {"robre_points": 6, "losing_honours": True, "honours_at_nine": False}),
    ("short-whist", {"robre_points": 4, "losing_honours": True}),
    ("quarante-de-rois", {"target": 100, "clique_first": True, "stake": 5}),
    ("joffre", {"minimum_bid": 7, "target": 51, "win": "either", "minus_target_loses": True, "stake": 1}),
]


@pytest.mark.parametrize(("slug", "rules"), RULES)
def test_a_loaded_sheet_is_dumped_unchanged(slug: str, rules: dict[str, Any]) -> None:
    data = {
        "format": "scorekeeper-sheet/1",
        "game": slug,
        "title": "Chez Anne ♥",
        "played_on": "2026-11-20",
        "players": FOUR,
        "dealer": "Chloé",
        "value": {"currency": "EUR", "unit": "fiche", "amount": "0.250"},
        "house_rules": rules,
        "deals": [
            DEALS[slug],
            {"misdeal": True},
            {"misdeal": True, "dealer": "David"},
            {"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 3, "reason": "une tournée"}},
            DEALS[slug] | {"dealer": "Anne"},
        ],
    }
    read = portable.load(passed_through_text(data), games())
    assert isinstance(read, Sheet)
    written = passed_through_text(portable.dump(read))
    assert written == data
    assert score(written, games()) == score(data, games())


@every_game
def test_a_minimal_sheet_is_dumped_with_its_dealer_and_loads_the_same(slug: str) -> None:
    data = sheet(slug, deals=[DEALS[slug]])
    read = portable.load(data, games())
    assert isinstance(read, Sheet)
    written = passed_through_text(portable.dump(read))
    assert written == {"house_rules": {}} | data | {"dealer": "Anne"}
    assert portable.load(written, games()) == read


@pytest.mark.parametrize(
    ("game", "deal", "fields"),
    [
        ("francion", {"tricks": {"Anne": 4}, "welche": {"event": "lost"}}, {"welche.event", "tricks"}),
        ("francion", {"tricks": {"Anne": 4}, "welche": {"event": "hidden"}, "note": 1}, {"note", "tricks"}),
        ("whist", {"tricks": {"ns": 8, "ew": 6}, "honours": {"side": "ns", "count": 5}}, {"honours.count", "tricks"}),
        ("joffre", {"tricks": {"ns": 5, "ew": 5}, "five_of_hearts": "ns"}, {"contract", "three_of_spades", "tricks"}),
        (
            "quarante-de-rois",
            {"card_points": {"ns": 46}, "clique": {}},
            {"card_points.ns", "clique.player", "clique.rank"},
        ),
    ],
)
def test_an_unreadable_key_hides_no_problem_of_another(game: str, deal: dict[str, Any], fields: set[str]) -> None:
    names = ["Anne", "Bruno", "Chloé", "David"]
    raw = {"format": "scorekeeper-sheet/1", "game": game, "players": names, "deals": [deal]}
    refusal = score(raw, games())
    assert isinstance(refusal, Refusal)
    assert fields <= {problem.field for problem in refusal.problems}


@every_game
def test_a_long_key_is_abbreviated(slug: str) -> None:
    for data in (sheet(slug, **{"k" * 10_000: 1}), sheet(slug, deals=[DEALS[slug] | {"k" * 10_000: 1}])):
        _, fields = faults(data)
        assert len(fields[0]) < 50
