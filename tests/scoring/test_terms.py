"""Changes of house rules and of the value of counters in a sheet: what they change, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.currency import to_subunits
from scorekeeper.scoring.game import fold, stop
from scorekeeper.scoring.sheet import Sheet, dump, load
from scorekeeper.scoring.standing import TableResult

from ..made_up.scorekeeper_pegs import GAME as PEGS
from ..support.sheets import refused, scored

FOUR = ["Anne", "Bruno", "Chloé", "David"]
# East–West make 7 with 6 tricks and the five: 11. North–South have 2 tricks and the three of spades: −1.
MADE = {
    "contract": {"player": "Bruno", "points": 7},
    "tricks": {"ew": 6},
    "five_of_hearts": "ew",
    "three_of_spades": "ns",
}
BID_5 = {**MADE, "contract": {"player": "Bruno", "points": 5}}


def terms(**house_rules: Any) -> dict[str, Any]:
    return {"terms": {"house_rules": house_rules}}


def worth(amount: str | None, currency: str = "EUR", unit: str = "fiche") -> dict[str, Any]:
    return {"terms": {"value": None if amount is None else value_of(amount, currency, unit)}}


def value_of(amount: str, currency: str = "EUR", unit: str = "fiche") -> dict[str, str]:
    return {"currency": currency, "unit": unit, "amount": amount}


def pays(giver: str, taker: str, fiches: int) -> dict[str, Any]:
    return {"adjustment": {"from": giver, "to": taker, "fiches": fiches}}


def sheet(*deals: Any, game: str = "joffre", **head: Any) -> dict[str, Any]:
    return {"format": "scorekeeper-sheet/1", "game": game, "players": FOUR, "deals": list(deals)} | head


def described(*deals: Any, **house_rules: Any) -> dict[str, Any]:
    return sheet(*deals, game="any-game", house_rules={"name": "Rummy"} | house_rules)


def result_of(raw: Any, *, is_closed: bool = False) -> TableResult:
    loaded = load(raw, games())
    assert isinstance(loaded, Sheet), loaded
    standing = loaded.open()
    assert fold(loaded.game, standing, loaded.deals) is None
    return loaded.game.add_up(stop(loaded.game, standing) if is_closed else standing)


def money(raw: Any, **how: Any) -> dict[str, str]:
    """Return what each has won or lost, in the currency's unit."""
    result = result_of(raw, **how)
    assert sum(result.subunits.values()) == 0
    unit = to_subunits(Decimal(1))
    return {name: str((Decimal(amount) / unit).normalize()) for name, amount in result.subunits.items() if amount}


# --- house rules ---------------------------------------------------------------------------------------------


def test_new_house_rules_pass_no_deal_score_nothing_and_close_nothing() -> None:
    statement = scored(sheet(MADE, MADE, terms(target=20)))
    assert statement["deals"][2] == {
        "number": 3,
        "dealer": "Chloé",
        "scored": {"ns": 0, "ew": 0},
        "scores": {"ns": -2, "ew": 22},
    }
    assert (statement["status"], statement["dealer"], statement["scores"]) == ("open", "Chloé", {"ns": -2, "ew": 22})


def test_a_lower_target_ends_the_game_with_the_next_deal() -> None:
    statement = scored(sheet(MADE, MADE, terms(target=20), MADE))
    assert (statement["status"], statement["winner"], statement["scores"]["ew"]) == ("finished", "ew", 33)


def test_a_lower_target_from_the_start_ends_the_game_where_it_is_reached() -> None:
    assert scored(sheet(terms(target=20), MADE, MADE))["winner"] == "ew"
    assert refused(sheet(terms(target=20), MADE, MADE, MADE)) == (4, ["deals"])


def test_a_deal_obeys_the_house_rules_of_its_time() -> None:
    assert scored(sheet(BID_5, terms(minimum_bid=6), MADE))["scores"]["ew"] == 22
    assert refused(sheet(BID_5, terms(minimum_bid=6), BID_5)) == (3, ["contract.points"])
    assert refused(sheet(terms(minimum_bid=6), BID_5)) == (2, ["contract.points"])


def test_only_the_house_rules_that_are_named_change_and_null_is_the_default() -> None:
    changes = [terms(target=100), terms(minimum_bid=6), terms(target=None)]
    assert refused(sheet(*changes, BID_5)) == (4, ["contract.points"])
    assert scored(sheet(*changes, *[MADE] * 4))["winner"] == "ew"  # 44 points


def test_a_starting_score_counts_only_from_the_start() -> None:
    points = {"points": {"Anne": 3}}
    assert scored(described(terms(start=10), points))["scores"]["Anne"] == 13
    assert scored(described(terms(start=5), terms(start=10), points))["scores"]["Anne"] == 13
    assert scored(described(points, terms(start=10)))["scores"]["Anne"] == 3


def test_a_game_without_an_end_can_get_one() -> None:
    points = {"points": {"Anne": 60}}
    assert scored(described(points, points))["status"] == "open"
    statement = scored(described(points, terms(target=100), points))
    assert (statement["status"], statement["winner"]) == ("finished", "Anne")


@pytest.mark.parametrize(("slug", "field"), [("joffre", "target"), ("any-game", "target"), ("whist", "losing_honours")])
def test_a_sheet_may_have_its_house_rules_in_its_first_row(slug: str, field: str) -> None:
    new = {"target": 70, "losing_honours": True}[field]
    needed = {"name": "Rummy"} if slug == "any-game" else {}
    at_once = scored(sheet(game=slug, house_rules={**needed, field: new}))
    later = scored(sheet(terms(**{field: new}), game=slug, house_rules=needed))
    assert later | {"deals": []} == at_once


# --- the value -----------------------------------------------------------------------------------------------


def test_counters_are_worth_what_they_were_worth_when_they_were_paid() -> None:
    before, after = pays("Anne", "Bruno", 3), pays("Anne", "Chloé", 2)
    head: dict[str, Any] = {"value": value_of("0.10")}
    assert money(sheet(before, after, **head)) == {"Anne": "-0.5", "Bruno": "0.3", "Chloé": "0.2"}
    changed = sheet(before, worth("0.25"), after, **head)
    assert money(changed) == {"Anne": "-0.8", "Bruno": "0.3", "Chloé": "0.5"}
    from_the_start = sheet(worth("0.25"), before, after, **head)
    assert money(from_the_start) == {"Anne": "-1.25", "Bruno": "0.75", "Chloé": "0.5"}


def test_the_value_may_change_several_times_and_to_another_counter() -> None:
    deals = [worth("0.09"), pays("Anne", "Bruno", 1), worth("0.02", unit="jeton"), pays("Anne", "Bruno", 1)]
    raw = sheet(pays("Anne", "Bruno", 10), *deals, game="francion", value=value_of("0.01"))
    assert money(raw) == {"Anne": "-0.37", "Bruno": "0.37"}  # 10 × 0.01 + 0.09 + 9 × 0.02


def test_a_value_changes_neither_scores_nor_counters() -> None:
    plain = sheet(MADE, pays("Anne", "Bruno", 3))
    changed = scored(sheet(MADE, worth("0.25"), pays("Anne", "Bruno", 3), value=value_of("0.10")))
    assert {**changed, "deals": [], "journal": []} == {**scored(plain), "deals": [], "journal": []}


def test_a_table_can_come_to_be_played_for_money_until_counters_are_paid() -> None:
    assert money(sheet(MADE, worth("0.10"), pays("Anne", "Bruno", 3))) == {"Anne": "-0.3", "Bruno": "0.3"}
    paid = pays("Anne", "Bruno", 3)
    assert result_of(sheet(worth(None), paid, value=value_of("0.10"))) == result_of(sheet(paid))
    for other in (worth(None), worth("0.10", "CHF")):
        assert refused(sheet(paid, other, value=value_of("0.10"))) == (2, ["terms.value"])
    assert refused(sheet(paid, worth("0.10"))) == (2, ["terms.value"])


def test_what_is_due_when_the_players_stop_is_worth_the_last_value() -> None:
    """North–South win a game of the rubber to 0, a treble of 2 points, by 10 points in two deals."""
    deals = [{"tricks": {"ns": 11}}, {"tricks": {"ns": 11}}, worth("0.25")]
    head = {"value": value_of("0.10"), "house_rules": {"unfinished_robre": "points"}}
    paid = money(sheet(*deals, game="whist", **head), is_closed=True)
    assert paid == {"Anne": "0.5", "Bruno": "-0.5", "Chloé": "0.5", "David": "-0.5"}


# --- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (None, ["terms"]),
        ([], ["terms"]),
        ({}, ["terms.house_rules"]),
        ({"rules": {}}, ["terms.house_rules", "terms.rules"]),
        ({"house_rules": None}, ["terms.house_rules"]),
        ({"house_rules": [5]}, ["terms.house_rules"]),
        ({"house_rules": {"target": "9"}}, ["terms.house_rules.target"]),
        ({"house_rules": {"aim": 9}}, ["terms.house_rules.aim"]),
        ({"house_rules": {"aim": None}}, ["terms.house_rules.aim"]),
        ({"house_rules": {"": 1}}, ["terms.house_rules."]),
        ({"value": 5}, ["terms.value"]),
        ({"value": {}}, ["terms.value.currency", "terms.value.unit", "terms.value.amount"]),
        ({"value": value_of("0")}, ["terms.value.amount"]),
        ({"value": value_of("1", "XXQ")}, ["terms.value.currency"]),
        ({"value": value_of("1", unit="jeton")}, ["terms.value.unit"]),
        ({"house_rules": {"target": 0}, "value": value_of("x")}, ["terms.house_rules.target", "terms.value.amount"]),
    ],
)
def test_a_change_that_cannot_be_is_refused_with_its_fields(change: Any, fields: list[str]) -> None:
    assert refused(sheet({"misdeal": True}, {"terms": change})) == (2, fields)


@pytest.mark.parametrize(
    ("rules", "changed", "fields"),
    [
        ({}, {"name": "Rummy"}, ["name"]),
        ({}, {"name": "Hearts"}, ["name"]),
        ({}, {"sides": True}, ["sides"]),
        ({}, {"entry": "winner"}, ["entry"]),
        ({"entry": "winner"}, {"entry": None, "target": 9}, ["entry"]),
        ({}, {"categories": ["a"]}, ["categories"]),
        ({}, {"target": 0}, ["target"]),  # the score at the start
        ({}, {"or_total": 5}, ["or_total"]),  # without `total`
    ],
)
def test_house_rules_that_do_not_go_together_or_make_another_game_are_refused(
    rules: dict[str, Any], changed: dict[str, Any], fields: list[str]
) -> None:
    expected = (1, [f"terms.house_rules.{field}" for field in fields])
    assert refused(described(terms(**changed), **rules)) == expected


def test_a_game_without_counters_has_no_value() -> None:
    assert refused(sheet(worth("1"), game=PEGS.slug), PEGS) == (1, ["terms.value"])


def test_a_change_is_nothing_else_beside() -> None:
    assert refused(sheet(terms(target=60) | {"tricks": {"ns": 7}}))[0] == 1
    assert refused(sheet(terms(target=60) | {"misdeal": True}))[0] == 1


def test_a_change_after_the_end_is_refused() -> None:
    assert refused(sheet(*[MADE] * 4, terms(target=100))) == (5, ["deals"])


def test_a_sheet_is_written_as_it_was_read() -> None:
    raw = sheet(MADE, terms(target=None, minimum_bid=6), worth("0.25"), value=value_of("0.10"), dealer="Anne")
    loaded = load(raw | {"house_rules": {"target": 70}}, games())
    assert isinstance(loaded, Sheet)
    assert dump(loaded) == raw | {"house_rules": {"target": 70}}


# --- looking back --------------------------------------------------------------------------------------------


def test_a_deal_is_looked_at_under_the_house_rules_of_its_time() -> None:
    game = games()["joffre"]
    standing = game.open(tuple(FOUR), "Anne", game.usual_options)
    assert fold(game, standing, [MADE, terms(slam="scores"), MADE]) is None
    first, change, second = standing.rows
    assert standing.seated_as(first).options.slam == "wins"
    assert standing.seated_as(change).options.slam == standing.seated_as(second).options.slam == "scores"
    assert standing.seated_as(second) is standing
