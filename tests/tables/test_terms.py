"""The page that changes the house rules and the value of a counter at an open table."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.tables import caches

from ..support.visitor import Visitor

RESULT = {"bidder": "2", "bid": "7", "tricks": "2", "five_of_hearts": "ew", "three_of_spades": "ns"}  # E–W 11, N–S −1
MONEY = {"amount": "0.10", "currency": "EUR"}


@pytest.fixture(autouse=True)
def is_sound(app: Flask) -> Any:
    """Every test leaves a database without faults."""
    yield
    with app.app_context():
        assert not caches.verify().faults


def play(visitor: Visitor, times: int = 1) -> Visitor:
    for _ in range(times):
        visitor.visit(f"{visitor.table}deals/new").send(RESULT | {"do": "record"})
        assert visitor.path == visitor.table, visitor.text
    return visitor


def change(visitor: Visitor, **fields: str | None) -> Visitor:
    """Fill in the form; what changes from the start is explained first, and sent again."""
    sent = {name.replace("rule_", "rule-"): text for name, text in fields.items()}
    visitor.visit(f"{visitor.table}deals/terms").send(sent)
    return visitor.send({}) if later(visitor) is not None else visitor


def later(visitor: Visitor) -> list[str] | None:
    """Return what the page says of later deals; None if it does not say it."""
    shown = visitor.page.select_one(".consequences")
    return [line.get_text(" ", strip=True) for line in shown.select("li, p")] if shown is not None else None


def rows(visitor: Visitor) -> list[str]:
    """Return the descriptions of the table's rows, the newest first."""
    visitor.visit(visitor.table)
    return [row.get_text(" ", strip=True) for row in visitor.page.select(".rows .description")]


def deals(visitor: Visitor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = visitor.export()["deals"]
    return found


def pay(visitor: Visitor, fiches: int) -> Visitor:
    """Record a payment from Anne to Bruno."""
    visitor.visit(f"{visitor.table}deals/adjustment")
    visitor.send({"kind": "counters", "giver": "1", "to": "2", "unit": "fiches", "amount": str(fiches)})
    assert visitor.path == visitor.table, visitor.text
    return visitor


def owed(visitor: Visitor) -> str:
    """Return the first payment on the page that settles the table."""
    visitor.visit(f"{visitor.table}settlement")
    return visitor.find(".payments .payment").get_text(" ", strip=True)


@pytest.fixture
def joffre(visitor: Visitor) -> Visitor:
    return visitor.open_table("joffre", 4, **MONEY)


# --- house rules ---------------------------------------------------------------------------------------------


def test_a_house_rule_changes_from_the_next_deal_on(joffre: Visitor) -> None:
    play(joffre)
    joffre.more().follow("Change the rules or the value").send({"rule-minimum_bid": "6"})
    assert joffre.path == joffre.table, joffre.text
    assert deals(joffre)[1:] == [{"terms": {"house_rules": {"minimum_bid": 6}}}]
    assert rows(joffre)[0] == "Lowest bid: 5 → 6"
    joffre.visit(f"{joffre.table}deals/new")
    assert not joffre.page.select("[name=bid][value='5']")
    assert joffre.page.select("[name=bid][value='6']")


def test_the_change_has_a_name_a_page_and_a_way_back(joffre: Visitor) -> None:
    play(joffre)
    change(joffre, rule_minimum_bid="6")
    assert joffre.find(".recorded").get_text() == "The change of rules or value is recorded"
    assert joffre.find(".bar .one-tap button").get_text() == "Undo the change of rules or value"
    joffre.visit(f"{joffre.table}deals/2")
    assert joffre.find("h1").get_text(" ", strip=True) == "Change of rules or value after deal 1 Bruno deals"
    joffre.visit(f"{joffre.table}changes")
    assert "Phone 1 recorded a change of rules or value" in joffre.text
    joffre.visit(joffre.table).send({}, "/undo")
    assert len(deals(joffre)) == 1
    joffre.visit(f"{joffre.table}deals/terms")
    assert joffre.find("[name=rule-minimum_bid]")["value"] == "5"


def test_from_the_start_the_page_says_first_what_becomes_of_the_deals_since(joffre: Visitor) -> None:
    play(joffre, 2)
    joffre.visit(f"{joffre.table}deals/terms").send({"rule-target": "20", "since": "start"})
    assert joffre.path.endswith("/terms")
    assert len(deals(joffre)) == 2
    assert later(joffre) == ["If this changes:", "Deal 2: East–West win the game"]
    assert joffre.find("[name=rule-target]")["value"] == "20"
    joffre.send({})
    assert deals(joffre)[0] == {"terms": {"house_rules": {"target": 20}}}
    assert "East–West win" in joffre.visit(joffre.table).text


def test_what_is_changed_after_the_explanation_is_explained_anew(joffre: Visitor) -> None:
    play(joffre, 2)
    joffre.visit(f"{joffre.table}deals/terms").send({"rule-target": "20", "since": "start"})
    joffre.send({"rule-target": "30"})
    assert later(joffre) is not None
    assert len(deals(joffre)) == 2


def test_a_change_that_a_later_deal_does_not_allow_is_refused_with_that_deal(joffre: Visitor) -> None:
    play(joffre, 3)
    joffre.visit(f"{joffre.table}deals/terms").send({"rule-target": "20", "since": "start"})
    assert joffre.find(".notice.refused").get_text(" ", strip=True) == (
        "Deal 3 would no longer be valid. The game ended with the deal before. Leave out what follows it. "
        "Nothing was changed."
    )
    assert later(joffre) is None
    assert len(deals(joffre)) == 3


def test_a_finished_game_changes_from_the_start_only(joffre: Visitor) -> None:
    play(joffre, 4)
    joffre.visit(f"{joffre.table}deals/terms")
    assert not joffre.page.select("[type=radio][name=since]")
    assert "A change holds from the start" in joffre.text
    joffre.send({"rule-target": "60"})
    assert later(joffre) == ["If this changes:", "Deal 4 no longer wins the game."]
    joffre.send({})
    assert play(joffre).export()["deals"][-1]["contract"]["points"] == 7


def test_a_change_is_edited_and_removed_like_a_deal(joffre: Visitor) -> None:
    change(play(joffre), rule_minimum_bid="6")
    play(joffre)
    joffre.visit(f"{joffre.table}deals/2/amend")
    assert joffre.find("[name=rule-minimum_bid]")["value"] == "6"
    joffre.send({"rule-minimum_bid": "7"})
    assert later(joffre) == ["Scores and amounts so far stay as they are."]
    joffre.send({})
    assert deals(joffre)[1] == {"terms": {"house_rules": {"minimum_bid": 7}}}
    assert later(joffre.visit(f"{joffre.table}deals/2")) == ["Scores and amounts so far stay as they are."]
    joffre.visit(f"{joffre.table}deals/2").send({}, "/withdraw")
    assert len(deals(joffre)) == 2
    joffre.visit(f"{joffre.table}deals/2")
    assert joffre.find("h1").get_text(strip=True) == "Removed change of rules or value"
    assert "Lowest bid: 7" in joffre.text


def test_what_was_changed_during_the_game_does_not_change_from_the_start_as_well(joffre: Visitor) -> None:
    change(play(joffre), rule_minimum_bid="6")
    change(joffre, rule_minimum_bid="7", since="start")
    assert joffre.problems() == [
        "This was changed later already: Change of rules or value after deal 1. "
        "Remove that change first, in the list of deals."
    ]
    change(joffre, rule_target="50", since="start")
    assert deals(joffre)[0] == {"terms": {"house_rules": {"target": 50}}}


def test_what_changes_from_the_start_twice_is_one_change(joffre: Visitor) -> None:
    change(play(joffre), rule_minimum_bid="6", amount="0.25", since="start")
    change(joffre, rule_minimum_bid="5", rule_target="50", since="start")
    value = {"currency": "EUR", "unit": "fiche", "amount": "0.25"}
    assert deals(joffre)[0] == {"terms": {"house_rules": {"minimum_bid": None, "target": 50}, "value": value}}
    joffre.visit(joffre.table).send({}, "/undo")
    assert deals(joffre)[0] == {"terms": {"house_rules": {"minimum_bid": 6}, "value": value}}


def test_a_deal_is_described_under_the_house_rules_of_its_time(visitor: Visitor) -> None:
    visitor.open_table("joffre", 4, **{"rule-slam": "scores"})
    visitor.visit(f"{visitor.table}deals/new").send(RESULT | {"bid": "12", "do": "record"})
    change(visitor, rule_slam="wins")
    visitor.visit(f"{visitor.table}deals/new").send(RESULT | {"bid": "12", "do": "record"})
    assert [row.split(" ·")[0] for row in rows(visitor)[::2]] == ["Bruno: slam", "Bruno: 12"]


def test_a_sheet_of_boxes_gets_one_more(visitor: Visitor) -> None:
    visitor.open_table("any-game", 2, **{"rule-categories": "science\nwar"})
    numbers = {"category1-1": "3", "category1-2": "4", "category2-1": "1", "category2-2": "2"}
    visitor.visit(f"{visitor.table}deals/new").send(numbers | {"do": "record"})
    change(visitor, rule_categories="science\nwar\ntrade")
    assert rows(visitor)[0].endswith("science, war → science, war, trade")
    assert visitor.visit(f"{visitor.table}deals/new").page.select("[name=category3-1]")


# --- the value -----------------------------------------------------------------------------------------------


def test_the_value_changes_from_the_next_deal_on(joffre: Visitor) -> None:
    pay(joffre, 3)
    change(joffre, amount="0.25")
    assert rows(joffre)[0] == "Value of a counter: €0.10 → €0.25"
    pay(joffre, 2)
    assert owed(joffre) == "Anne pays €0.80 Bruno"
    assert "One fiche is worth €0.10 → €0.25." in joffre.text
    joffre.visit(joffre.table).send({}, "/undo").send({}, "/undo")
    assert owed(joffre) == "Anne pays €0.30 3 fiches Bruno"


def test_the_value_changes_from_the_start_and_the_page_says_so_to_those_who_have_paid(joffre: Visitor) -> None:
    pay(joffre, 3)
    joffre.visit(f"{joffre.table}settlement").send({}, "/payments")
    joffre.visit(f"{joffre.table}deals/terms").send({"amount": "0.25", "since": "start"})
    assert later(joffre) == [
        "If this changes:",
        "Anne: −€0.30 → −€0.75",
        "Bruno: +€0.30 → +€0.75",
        "This changes payments already made. Settle up then shows what is still open.",
    ]
    joffre.send({})
    assert owed(joffre) == "Anne pays €0.45 Bruno"


def test_a_change_that_leaves_nothing_to_pay_says_so(visitor: Visitor) -> None:
    rules = {"rule-deals": "2", "rule-stake": "3", "rule-pays": "difference"}
    visitor.open_table("any-game", 3, **MONEY, **rules)
    for points in ("10", "8"):
        visitor.record(points_1=points, points_2="4", points_3="1")
    visitor.visit(f"{visitor.table}deals/terms").send({"rule-deals": "3"})
    assert later(visitor) == [
        "If this changes:",
        "Deal 2 no longer wins the game.",
        "Anne: +€7.80 → €0.00",
        "Bruno: −€1.20 → €0.00",
        "Chloé: −€6.60 → €0.00",
    ]


def test_removing_and_restoring_a_change_of_value_say_whose_amounts_change(joffre: Visitor) -> None:
    pay(joffre, 2)
    change(joffre, amount="0.25")
    pay(joffre, 4)
    joffre.visit(f"{joffre.table}deals/2")
    assert later(joffre) == ["If you remove it:", "Anne: −€1.20 → −€0.60", "Bruno: +€1.20 → +€0.60"]
    joffre.send({}, "/withdraw").visit(f"{joffre.table}deals/2")
    assert later(joffre) == ["If you restore it:", "Anne: −€0.60 → −€1.20", "Bruno: +€0.60 → +€1.20"]


def test_removing_a_payment_says_whose_amounts_change(joffre: Visitor) -> None:
    pay(joffre, 2)
    joffre.visit(f"{joffre.table}deals/1")
    assert later(joffre) == ["If you remove it:", "Anne: −€0.20 → €0.00", "Bruno: +€0.20 → €0.00"]


def test_the_journal_and_a_balance_name_the_changes_in_their_place(joffre: Visitor) -> None:
    pay(joffre, 3)
    change(joffre, amount="0.25")
    pay(joffre, 2)
    joffre.visit(f"{joffre.table}journal")
    lines = [entry.get_text(" ", strip=True) for entry in joffre.page.select(".journal > li")]
    assert lines[1] == "Change of rules or value before the first deal Value of a counter: €0.10 → €0.25"
    assert len(lines) == 3
    joffre.visit(f"{joffre.table}why/balance/1")
    steps = [entry.get_text(" ", strip=True) for entry in joffre.page.select(".steps-of-sum > li")]
    assert steps[1] == lines[1]
    assert "One fiche is worth €0.10 → €0.25." in joffre.text


def test_an_explanation_says_what_a_house_rule_was_and_is(joffre: Visitor) -> None:
    change(play(joffre), rule_target="60")
    play(joffre)
    joffre.visit(f"{joffre.table}why/score/ew")
    assert (
        joffre.find(".house").get_text(" ", strip=True)
        == "Points that win the game: 41 → 60 (house rule at this table)"
    )


def test_playing_for_money_begins_and_ends_from_the_start_only(visitor: Visitor) -> None:
    refused = "Counters have changed hands already, so whether you play for money can change only from the start."
    change(pay(visitor.open_table("joffre"), 3), **MONEY)
    assert visitor.problems() == [refused]
    change(visitor, **MONEY, since="start")
    assert visitor.path == visitor.table
    change(visitor, amount="")
    assert visitor.problems() == [refused]


def test_a_value_that_is_too_large_is_refused_as_that(joffre: Visitor) -> None:
    change(joffre, amount="99999999999999")
    assert joffre.problems() == ["“99999999999999” is too large. Write at most 12 digits before the decimals."]


def test_a_removed_change_is_listed_without_what_it_changed(joffre: Visitor) -> None:
    change(play(joffre), amount="0.20")
    change(joffre, amount="1000.50")
    for _ in range(2):
        joffre.visit(joffre.table).send({}, "/undo")
    joffre.visit(f"{joffre.table}deals/3")
    assert "Value of a counter: €1,000.50" in joffre.text
    assert "→" not in joffre.find("section").get_text()


def test_another_currency_holds_from_the_start_only(joffre: Visitor) -> None:
    pay(joffre, 3)
    change(joffre, currency="CHF")
    assert joffre.problems() == [
        "Counters have changed hands already, so the currency stays as it is. To change it, let it hold from the start."
    ]
    assert joffre.status == 422
    change(joffre, currency="CHF", since="start")
    assert owed(joffre).startswith("Anne pays CHF\N{NO-BREAK SPACE}0.30")


def test_a_table_without_money_gets_a_value_and_loses_it(visitor: Visitor) -> None:
    visitor.open_table("joffre")
    change(play(visitor), **MONEY)
    assert rows(visitor)[0] == "Value of a counter: no money → €0.10"
    change(visitor, amount="")
    assert [deal["terms"]["value"] for deal in deals(visitor)[1:]] == [
        {"currency": "EUR", "unit": "fiche", "amount": "0.10"},
        None,
    ]


def test_the_next_table_is_played_as_the_last_one_ended(joffre: Visitor) -> None:
    change(play(joffre), rule_minimum_bid="6", amount="0.25")
    joffre.more().follow("Change players")
    assert joffre.find("[name=rule-minimum_bid]")["value"] == "6"
    assert joffre.find("[name=amount]")["value"] == "0.25"


# --- bad input, and others -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, "This is how you play already. Change a rule or the value."),
        ({"rule-target": "many"}, "“many” is not"),
        ({"amount": "0,1,0"}, "is not"),
        ({"rule-target": ""}, ""),
    ],
)
def test_bad_input_is_named_at_its_field_and_stays(joffre: Visitor, fields: dict[str, str], problem: str) -> None:
    play(joffre).visit(f"{joffre.table}deals/terms").send(fields)
    assert joffre.status == 422
    assert problem in joffre.problems()[0]
    for name, text in fields.items():
        assert joffre.find(f"[name={name}]").get("value", "") == text
    assert len(deals(joffre)) == 1


def test_a_game_of_ones_own_stays_the_game_that_it_is(visitor: Visitor) -> None:
    visitor.open_table("any-game", 4)
    visitor.visit(f"{visitor.table}deals/terms")
    assert not visitor.page.select("[name=rule-name]")
    visitor.send({"rule-entry": "winner", "rule-best": "lowest"})
    assert visitor.problems() == ["This would be another game. Open a new table for it."]


def test_a_change_from_an_outdated_page_says_what_came_in_between(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("joffre")
    visitor.let_in(another)
    play(visitor).visit(f"{visitor.table}deals/terms")
    another.visit(visitor.table)
    change(another, rule_minimum_bid="6", rule_target="50")
    visitor.send({"rule-target": "60"})
    assert visitor.status == 409
    assert "Lowest bid: 5 → 6" in visitor.text
    assert visitor.find("[name=rule-minimum_bid]")["value"] == "6"
    assert visitor.find("[name=rule-target]")["value"] == "60"
    visitor.send({})
    assert deals(visitor)[1:] == [
        {"terms": {"house_rules": {"minimum_bid": 6, "target": 50}}},
        {"terms": {"house_rules": {"target": 60}}},
    ]


def test_the_same_change_sent_twice_is_recorded_once(joffre: Visitor) -> None:
    form = play(joffre).visit(f"{joffre.table}deals/terms").form()
    for _ in range(2):
        joffre.path = f"{joffre.table}deals/terms"
        joffre.send({"rule-target": "60"}, form=form)
    assert len(deals(joffre)) == 2


def test_a_phone_that_may_only_watch_and_a_closed_table_change_nothing(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("joffre")
    table = visitor.table
    assert another.join(visitor.link("watch")).visit(f"{table}deals/terms").status == 403
    change(visitor.visit(table), rule_target="60")
    visitor.visit(table).more().send({}, "/close")
    for page in ("terms", "1/amend"):
        assert visitor.visit(f"{table}deals/{page}").path == table
        assert visitor.find(".notice.stale").get_text(strip=True) == "This table is closed. Reopen it to go on."


# --- spreadsheets


def test_a_spreadsheet_says_what_has_changed_and_what_it_came_to(visitor: Visitor) -> None:
    visitor.open_table("joffre", 4, amount="0.10", currency="EUR")
    change(pay(visitor, 3), amount="0.25", rule_minimum_bid="6")
    pay(visitor, 2)
    assert rows(visitor)[1] == "Value of a counter: €0.10 → €0.25; Lowest bid: 5 → 6"
    visitor.visit(f"{visitor.table}deals/new").send(RESULT | {"do": "record"})
    cells = visitor.client.get(f"{visitor.table}deals.csv", headers=visitor.headers).get_data(as_text=True)
    assert "Value of a counter: €0.10 → €0.25; Lowest bid: 5 → 6" in cells
    balances = visitor.client.get(f"{visitor.table}balances.csv", headers=visitor.headers).get_data(as_text=True)
    assert "-0.8,EUR" in balances or "-0.80,EUR" in balances
    assert visitor.visit(f"{visitor.table}print").status == 200
    assert "Lowest bid: 5 → 6" in visitor.text
