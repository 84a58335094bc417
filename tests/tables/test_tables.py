"""Tables through forms, as a phone without scripts sends them."""

from __future__ import annotations

import pytest

from ..support.visitor import Visitor


@pytest.mark.parametrize(
    ("slug", "fields", "words"),
    [
        ("quarante-de-rois", {"rule-target": "many"}, "is not a whole number"),
        ("whist", {"rule-robre_points": "3"}, "1, 2, 4 or 6"),
        ("francion", {"rule-box-fiches": "10", "rule-box-jetons": "20"}, "multiple of 9"),
        ("whist", {"amount": "a lot"}, "not an amount of money"),
        ("francion", {"seat-3": "", "seat-4": ""}, "3, 4 or 5"),
    ],
)
def test_an_invalid_house_rule_is_named_with_what_would_be_valid(
    visitor: Visitor, slug: str, fields: dict[str, str], words: str
) -> None:
    visitor.open_table(slug, **fields)
    assert visitor.status == 422
    assert words in visitor.find(".notice.refused").get_text()


def test_a_deal_is_checked_first_and_then_recorded(visitor: Visitor) -> None:
    visitor.open_table("whist")
    visitor.follow("Record deal 1")
    visitor.send({"tricks": "ns-3", "honours": "ew-3", "do": "check"})
    assert "+3 North–South" in visitor.text
    assert "+2 East–West" in visitor.text
    assert visitor.page.select_one("[name=tricks][value=ns-3][checked]")
    visitor.send({"do": "record"})
    assert visitor.path == visitor.table
    assert [score.get_text(strip=True) for score in visitor.page.select(".score")] == ["3", "2"]
    assert "Bruno deals" in visitor.text


def test_an_impossible_deal_is_refused_with_the_problem_beside_its_group(visitor: Visitor) -> None:
    typed = {"bidder": "1", "bid": "7", "tricks": "8", "five_of_hearts": "ew", "three_of_spades": "ns"}
    visitor.open_table("joffre").visit(f"{visitor.table}deals/new").send(typed | {"do": "record"})
    assert visitor.status == 422
    group = visitor.find("fieldset:has([name=five_of_hearts])")
    assert "East–West took no trick" in group.get_text()


def test_a_deal_can_be_inserted_withdrawn_and_restored_at_its_position(visitor: Visitor) -> None:
    visitor.open_table("short-whist")
    visitor.record(tricks="ns-1")
    visitor.record(tricks="ew-1")
    visitor.visit(f"{visitor.table}deals/2/insert").send({"tricks": "ns-2", "do": "record"})
    tricks = [deal["tricks"]["ns"] for deal in visitor.export()["deals"]]
    assert tricks == [7, 8, 6]
    visitor.visit(f"{visitor.table}deals/3").send({}, "/withdraw")
    assert [deal["tricks"]["ns"] for deal in visitor.export()["deals"]] == [7, 6]
    visitor.visit(f"{visitor.table}deals/3").send({}, "/restore")
    assert [deal["tricks"]["ns"] for deal in visitor.export()["deals"]] == tricks


def test_an_amendment_that_makes_a_later_deal_impossible_names_it_and_changes_nothing(visitor: Visitor) -> None:
    visitor.open_table("whist")
    visitor.record(tricks="ns-7")
    visitor.record(tricks="ns-1")
    visitor.record(tricks="called-ns")
    before = visitor.export()
    visitor.visit(f"{visitor.table}deals/1/amend").send({"tricks": "ns-6", "do": "record"})
    assert visitor.status == 422
    assert "Deal 3 would no longer be valid" in visitor.text
    assert "North–South: 7 points" in visitor.text
    assert visitor.export() == before


def test_an_adjustment_of_points_and_one_of_counters_are_recorded_and_amended(visitor: Visitor) -> None:
    visitor.open_table("francion", 3)
    visitor.more().follow("Adjustment")
    visitor.send({"kind": "points", "to": "2", "amount": "+3", "reason": "handicap"})
    assert [score.get_text(strip=True) for score in visitor.page.select(".score")] == ["0", "3", "0"]
    visitor.visit(f"{visitor.table}deals/adjustment")
    visitor.send({"kind": "counters", "giver": "1", "to": "3", "unit": "jetons", "amount": "5"})
    assert "Anne pays Chloé 5 jetons" in visitor.text
    visitor.visit(f"{visitor.table}deals/2/amend")
    visitor.send({"kind": "counters", "giver": "1", "to": "3", "unit": "jetons", "amount": "6"})
    assert visitor.export()["deals"][1] == {"adjustment": {"from": "Anne", "to": "Chloé", "jetons": 6}}


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"kind": "points", "to": "ns", "amount": "0"}, "changes nothing"),
        ({"kind": "points", "to": "ns", "amount": "-1"}, "cannot go below 0"),
        ({"kind": "counters", "giver": "1", "to": "1", "amount": "2"}, "cannot pay themselves"),
        ({"kind": "counters", "to": "2", "amount": "1"}, "missing"),
    ],
)
def test_an_impossible_adjustment_is_refused_and_stays_typed(
    visitor: Visitor, form: dict[str, str], words: str
) -> None:
    visitor.open_table("whist")
    visitor.more().follow("Adjustment").send(form)
    assert visitor.status == 422
    assert words in " ".join(visitor.problems())
    assert visitor.page.select_one(f"[name=amount][value='{form['amount']}']")


def test_a_closed_table_accepts_no_deal_until_it_is_reopened(visitor: Visitor) -> None:
    visitor.open_table("whist")
    pad = visitor.visit(f"{visitor.table}deals/new").form()
    visitor.visit(visitor.table).more().send({}, "/close")
    assert "closed" in visitor.text
    seen = str(visitor.more().find("[name=seen]")["value"])
    visitor.visit(f"{visitor.table}deals/new")
    assert visitor.path == visitor.table
    visitor.path += "deals/new"
    visitor.send({"tricks": "ns-1", "do": "record", "seen": seen}, form=pad)
    assert visitor.status == 422
    assert "This table is closed. Reopen it" in visitor.text
    visitor.visit(visitor.table).more().send({}, "/reopen")
    visitor.record(tricks="ns-1")
    assert visitor.status == 200


def test_a_table_opened_by_mistake_is_removed_even_if_it_was_closed(visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    visitor.more().send({}, "/close")
    visitor.more().send({}, "/remove")
    assert visitor.path == visitor.circle
    assert visitor.visit(table).status == 404


def test_a_table_with_a_deal_is_not_removed(visitor: Visitor) -> None:
    visitor.open_table("whist")
    page = visitor.more()
    removing = page.form("/remove")
    visitor.record(tricks="ns-1")
    assert "Remove the table" not in visitor.more().text
    visitor.path = f"{visitor.table}more"
    visitor.send({}, form=removing)
    assert (visitor.status, visitor.path) == (200, visitor.table)


def test_play_again_keeps_the_seats_and_moves_the_deal_on(visitor: Visitor) -> None:
    visitor.open_table(
        "quarante-de-rois",
        **{"rule-target": "40", "rule-stake": "2", "amount": "1", "unit": "fiche", "currency": "EUR"},
    )
    visitor.record(kings="4", queens="4", jacks="4")
    assert "North–South win the game" in visitor.text
    visitor.follow("Play again").send({})
    sheet = visitor.export()
    assert sheet["players"] == ["Anne", "Bruno", "Chloé", "David"]
    assert sheet["dealer"] == "Bruno"
    assert sheet["house_rules"] == {"target": 40, "stake": 2}
    assert sheet["value"]["amount"] == "1"


def test_the_settlement_is_shown_in_counters_in_money_and_by_custom(visitor: Visitor) -> None:
    visitor.open_table("whist", **{"amount": "0.25", "currency": "EUR"})
    for _ in range(4):
        visitor.record(tricks="ns-7")
    visitor.follow("Money")
    assert "2 payments settle everything" in visitor.text
    assert "5 fiches" in visitor.text
    assert "€1.25" in visitor.text
    assert "The traditional way" in visitor.text


def test_a_missing_amount_of_an_adjustment_is_marked_below_its_field(visitor: Visitor) -> None:
    visitor.open_table("whist")
    visitor.visit(f"{visitor.table}deals/adjustment").send({"kind": "points", "to": "ns", "amount": ""})
    assert visitor.find("input[name=amount] + .problem")
