"""Pages that say who owes whom agree: settle up, recap and the sheet on paper; and what they say once all is paid."""

from __future__ import annotations

from ..support.club import EUROS
from ..support.visitor import Visitor
from .settling import other_payment, pay, planned_payments, this_evening


def texts(visitor: Visitor, table: str) -> tuple[str, str]:
    """Return the table's recap, and its sheet on paper."""
    recap = visitor.visit(f"{table}recap").find("textarea").get_text()
    return recap, visitor.visit(f"{table}print").find(".score-sheet").get_text(" ")


def test_nothing_says_pays_once_a_table_is_settled(visitor: Visitor) -> None:
    table = visitor.play_robre(**EUROS).table
    for _ in "12":
        pay(visitor.visit(f"{table}settlement"))
    recap, paper = texts(visitor, table)
    assert "pays" not in recap
    assert "Settled up." in recap
    assert " pays " not in paper
    assert "Settled up." in paper
    assert "Bruno paid Anne €1.25" in paper


def test_after_a_part_payment_every_page_has_one_plan(visitor: Visitor) -> None:
    table = visitor.play_robre().table
    pay(visitor.visit(f"{table}settlement"), amount="2")
    for _ in range(4):
        visitor.visit(table).record(tricks="ew-5")  # a robre for the other side, worth as much
    day = this_evening(visitor)
    for path in (table, day, visitor.circle):
        assert planned_payments(visitor.visit(f"{path}settlement")) == ["Anne pays 2 fiches Bruno"]
    for text in (*texts(visitor, table), visitor.visit(day.rstrip("/")).find("textarea").get_text()):
        assert text.count("pays") == 1
        assert "Anne pays Bruno 2 fiches" in text


def test_the_balances_say_what_was_won_paid_and_is_open(visitor: Visitor) -> None:
    table = visitor.play_robre().table
    pay(visitor.visit(f"{table}settlement"), amount="2")
    visitor.visit(f"{table}settlement")
    balances = [" ".join(item.get_text(" ").split()) for item in visitor.page.select(".balances li")]
    assert "Anne gets 3 fiches Won 5 fiches Received 2 fiches" in balances
    assert "Bruno pays 3 fiches Lost 5 fiches Paid 2 fiches" in balances


def test_the_balances_are_rounded_as_the_payments_are_planned(visitor: Visitor) -> None:
    visitor.open_table("francion", 3, currency="EUR", unit="fiche", amount="0.50")  # a jeton is worth 5.6 cents
    for giver in "23":
        counters = {"kind": "counters", "giver": giver, "to": "1", "unit": "jetons", "amount": "3"}
        visitor.visit(f"{visitor.table}deals/adjustment").send(counters)
    visitor.visit(f"{visitor.table}settlement")
    assert planned_payments(visitor) == ["Bruno pays €0.17 Anne", "Chloé pays €0.17 Anne"]
    balances = [" ".join(item.get_text(" ").split()) for item in visitor.page.select(".balances li")]
    assert balances[0] == "Anne gets €0.34, rounded Won €0.34"


def test_a_table_that_was_settled_with_everything_says_so(visitor: Visitor) -> None:
    table = visitor.play_robre().table
    visitor.visit(f"{visitor.circle}settlement").send({}, "/payments/all")
    assert planned_payments(visitor.visit(f"{table}settlement")) == []
    assert "Everything is paid" in visitor.text
    for text in texts(visitor, table):
        assert "pays" not in text
        assert "Settled up." in text


def test_the_recap_leaves_out_a_payment_between_two_names_of_one_person(visitor: Visitor) -> None:
    visitor.play_robre()
    table = visitor.play_robre(**{"seat-1": "Nina"}).table
    other_payment(visitor.visit(f"{table}settlement?only=yes"), giver="Nina", taker="Anne", amount="2", account="whist")
    assert "Nina paid Anne 2 fiches" in visitor.text
    visitor.merge("Nina", "Anne")
    recap, paper = texts(visitor, table)
    assert "paid" not in recap + paper


def test_before_a_name_is_erased_what_is_open_is_told_game_by_game(visitor: Visitor) -> None:
    visitor.play_robre()
    visitor.play_robre(**EUROS)
    visitor.visit(f"{visitor.circle}people")
    visitor.visit(f"{next(str(a['href']) for a in visitor.page.select('main a.change'))}/erase")
    assert "gets €1.25 and gets 5 fiches (Whist)" in visitor.text
