"""Pages that say who owes whom agree: settle up, recap and the sheet on paper; and what they say once all is paid."""

from __future__ import annotations

from flask import Flask

from scorekeeper.models import Table, db

from ..circles.test_circles import circle_of
from ..club import EUROS
from ..people.test_people import merge
from ..standings.test_players import robre
from ..visitor import Visitor
from .test_settlements import other_payment, pay, planned_payments


def texts(visitor: Visitor, table: str) -> tuple[str, str]:
    """Return the table's recap, and its sheet on paper."""
    recap = visitor.visit(f"{table}recap").find("textarea").get_text()
    return recap, visitor.visit(f"{table}print").find(".score-sheet").get_text(" ")


def evening_path(app: Flask, visitor: Visitor) -> str:
    with app.app_context():
        day = db.session.scalars(db.select(Table.day)).first()
    return f"{circle_of(visitor)}evenings/{day}/"


def test_nothing_says_pays_once_a_table_is_settled(visitor: Visitor) -> None:
    table = robre(visitor, **EUROS).table
    for _ in "12":
        pay(visitor.visit(f"{table}settlement"))
    recap, paper = texts(visitor, table)
    assert "pays" not in recap
    assert "Settled up." in recap
    assert " pays " not in paper
    assert "Settled up." in paper
    assert "Bruno paid Anne €1.25" in paper


def test_after_a_part_payment_every_page_has_one_plan(app: Flask, visitor: Visitor) -> None:
    table = robre(visitor).table
    pay(visitor.visit(f"{table}settlement"), amount="2")
    for _ in range(4):
        visitor.visit(table).record(tricks="ew-5")  # a robre for the other side, worth as much
    day = evening_path(app, visitor)
    for path in (table, day, circle_of(visitor)):
        assert planned_payments(visitor.visit(f"{path}settlement")) == ["Anne pays 2 fiches Bruno"]
    for text in (*texts(visitor, table), visitor.visit(day.rstrip("/")).find("textarea").get_text()):
        assert text.count("pays") == 1
        assert "Anne pays Bruno 2 fiches" in text


def test_the_balances_say_what_was_won_paid_and_is_open(visitor: Visitor) -> None:
    table = robre(visitor).table
    pay(visitor.visit(f"{table}settlement"), amount="2")
    visitor.visit(f"{table}settlement")
    balances = [" ".join(item.get_text(" ").split()) for item in visitor.page.select(".balances li")]
    assert "Anne gets 3 fiches Won 5 fiches Received 2 fiches" in balances
    assert "Bruno pays 3 fiches Lost 5 fiches Paid 2 fiches" in balances


def test_a_table_that_was_settled_with_everything_says_so(visitor: Visitor) -> None:
    table = robre(visitor).table
    visitor.visit(f"{circle_of(visitor)}settlement").send({}, "/payments/all")
    assert planned_payments(visitor.visit(f"{table}settlement")) == []
    assert "Everything is paid" in visitor.text
    for text in texts(visitor, table):
        assert "pays" not in text
        assert "Settled up." in text


def test_the_recap_leaves_out_a_payment_between_two_names_of_one_person(app: Flask, visitor: Visitor) -> None:
    robre(visitor)
    table = robre(visitor, **{"seat-1": "Nina"}).table
    other_payment(visitor.visit(f"{table}settlement?only=yes"), giver="Nina", taker="Anne", amount="2", account="whist")
    assert "Nina paid Anne 2 fiches" in visitor.text
    merge(app, visitor, "Nina", "Anne")
    recap, paper = texts(visitor, table)
    assert "paid" not in recap + paper
