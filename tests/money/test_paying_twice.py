"""What was paid is neither recorded nor asked for again, on whatever page, and whether or not it waits."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.models import Payment, db

from ..support.club import EUROS
from ..support.visitor import Visitor
from .settling import other_payment, pay, planned_payments, this_evening

IBAN = "DE89370400440532013000"


def pages(visitor: Visitor, table: str) -> dict[str, str]:
    """Return the paths of the pages on which the table's payments are due, by the name of what they show."""
    return {
        "table": f"{table}settlement?only=yes",
        "day": f"{this_evening(visitor)}settlement?only=yes",
        "all": f"{visitor.circle}settlement",
    }


def say_how_to_pay(visitor: Visitor) -> None:
    """Say the IBAN of the first who is to be paid."""
    taker = visitor.visit(f"{visitor.circle}settlement").find(".due [name=taker]")["value"]
    visitor.visit(f"{visitor.circle}players/{taker}/paying").send({"iban": IBAN})


def count_payments(app: Flask) -> int:
    with app.app_context():
        return db.session.query(Payment).count()


@pytest.mark.parametrize(("first", "second"), [("all", "table"), ("all", "day"), ("day", "table"), ("table", "day")])
def test_everybody_has_paid_on_a_page_from_before_another_payment_records_nothing(
    app: Flask, visitor: Visitor, another: Visitor, first: str, second: str
) -> None:
    table = visitor.play_robre(**EUROS).table
    visitor.let_in(another)
    paths = pages(visitor, table)
    another.visit(paths[second])
    visitor.visit(paths[first]).send({}, "/payments/all")
    assert another.send({}, "/payments/all").status == 409
    assert count_payments(app) == 2
    assert "Bruno paid Anne €1.25" in another.text


def test_everybody_has_paid_sent_again_in_another_way_records_nothing_and_says_so(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre(**EUROS | {"currency": "CHF"}).visit(f"{visitor.circle}settlement")
    form = visitor.form("/payments/all")
    for changed, status in (({}, 200), ({}, 200), ({"method": "transfer"}, 409), ({"plan": "x"}, 409)):
        assert visitor.send(changed, form=form).status == status
    assert count_payments(app) == 2


@pytest.mark.parametrize("shown", ["table", "day"])
def test_what_waits_since_it_was_paid_with_everything_is_not_due_on_a_narrower_page(
    visitor: Visitor, shown: str
) -> None:
    table = visitor.play_robre(**EUROS).table
    visitor.visit(f"{visitor.circle}settlement").send({}, "/confirmations").send({}, "/payments/all")
    path = pages(visitor, table)[shown]
    assert planned_payments(visitor.visit(path)) == []
    assert "count there" in visitor.text
    assert "Waiting for confirmation" in visitor.visit(path.removesuffix("?only=yes")).text
    assert planned_payments(visitor) == []
    assert "pays" not in visitor.visit(f"{table}recap").find("textarea").get_text()


def test_a_payment_of_the_table_itself_does_not_make_due_again_what_was_paid_with_everything(visitor: Visitor) -> None:
    table = visitor.play_robre().table
    pay(visitor.visit(f"{visitor.circle}settlement"))
    other_payment(
        visitor.visit(f"{table}settlement?only=yes"), giver="David", taker="Chloé", amount="2", account="whist"
    )
    assert planned_payments(visitor.visit(f"{table}settlement?only=yes")) == []
    assert planned_payments(visitor.visit(f"{table}settlement")) == ["David pays 3 fiches Chloé"]


@pytest.mark.parametrize("shown", ["table", "day"])
def test_the_page_that_shows_how_to_pay_leads_back_once_it_was_paid_with_everything(
    visitor: Visitor, shown: str
) -> None:
    table = visitor.play_robre(**EUROS).table
    say_how_to_pay(visitor)
    paths = pages(visitor, table)
    link = str(visitor.visit(paths[shown]).find("a[href*='/pay?']")["href"])
    pay(visitor.visit(paths["all"]))
    assert visitor.visit(link).path == paths[shown].removesuffix("?only=yes")
    assert IBAN not in visitor.text


def test_the_page_that_shows_how_to_pay_leads_back_once_another_table_has_settled_it(visitor: Visitor) -> None:
    table = visitor.play_robre(**EUROS).table
    say_how_to_pay(visitor)
    link = str(visitor.visit(f"{table}settlement?only=yes").find("a[href*='/pay?']")["href"])
    visitor.play_robre("ew", **EUROS)
    assert visitor.visit(link).path == f"{table}settlement"
