"""What was paid is neither recorded nor asked for again, on whatever page, and whether or not it waits."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.models import Payment, db

from ..circles.test_circles import circle_of
from ..club import EUROS
from ..standings.test_players import robre
from ..visitor import Visitor
from .test_confirmations import turn_on
from .test_paying import IBAN, set_details
from .test_settled_pages import evening_path
from .test_settlements import other_payment, pay, planned_payments


def pages(app: Flask, visitor: Visitor, table: str) -> dict[str, str]:
    """Return the paths of the pages on which the table's payments are due, by the name of what they show."""
    return {
        "table": f"{table}settlement?only=yes",
        "day": f"{evening_path(app, visitor)}settlement?only=yes",
        "all": f"{circle_of(visitor)}settlement",
    }


def count_payments(app: Flask) -> int:
    with app.app_context():
        return db.session.query(Payment).count()


@pytest.mark.parametrize(("first", "second"), [("all", "table"), ("all", "day"), ("day", "table"), ("table", "day")])
def test_everybody_has_paid_on_a_page_from_before_another_payment_records_nothing(
    app: Flask, visitor: Visitor, another: Visitor, first: str, second: str
) -> None:
    table = robre(visitor, **EUROS).table
    another.join(str(visitor.visit(f"{table}share").find("#link")["value"]))
    paths = pages(app, visitor, table)
    another.visit(paths[second])
    visitor.visit(paths[first]).send({}, "/payments/all")
    assert another.send({}, "/payments/all").status == 409
    assert count_payments(app) == 2
    assert "Bruno paid Anne €1.25" in another.text


def test_everybody_has_paid_sent_again_in_another_way_records_nothing_and_says_so(app: Flask, visitor: Visitor) -> None:
    robre(visitor, **EUROS | {"currency": "CHF"}).visit(f"{circle_of(visitor)}settlement")
    form = visitor.form("/payments/all")
    for changed, status in (({}, 200), ({}, 200), ({"method": "transfer"}, 409), ({"plan": "x"}, 409)):
        assert visitor.send(changed, form=form).status == status
    assert count_payments(app) == 2


@pytest.mark.parametrize("shown", ["table", "day"])
def test_what_waits_since_it_was_paid_with_everything_is_not_due_on_a_narrower_page(
    app: Flask, visitor: Visitor, shown: str
) -> None:
    table = robre(visitor, **EUROS).table
    turn_on(visitor).visit(f"{circle_of(visitor)}settlement").send({}, "/payments/all")
    path = pages(app, visitor, table)[shown]
    assert planned_payments(visitor.visit(path)) == []
    assert "count there" in visitor.text
    assert "Waiting for confirmation" in visitor.visit(path.removesuffix("?only=yes")).text
    assert planned_payments(visitor) == []
    assert "pays" not in visitor.visit(f"{table}recap").find("textarea").get_text()


def test_a_payment_of_the_table_itself_does_not_make_due_again_what_was_paid_with_everything(visitor: Visitor) -> None:
    table = robre(visitor).table
    pay(visitor.visit(f"{circle_of(visitor)}settlement"))
    other_payment(
        visitor.visit(f"{table}settlement?only=yes"), giver="David", taker="Chloé", amount="2", account="whist"
    )
    assert planned_payments(visitor.visit(f"{table}settlement?only=yes")) == []
    assert planned_payments(visitor.visit(f"{table}settlement")) == ["David pays 3 fiches Chloé"]


@pytest.mark.parametrize("shown", ["table", "day"])
def test_the_page_that_shows_how_to_pay_leads_back_once_it_was_paid_with_everything(
    app: Flask, visitor: Visitor, shown: str
) -> None:
    table = robre(visitor, **EUROS).table
    set_details(app, visitor, iban=IBAN)
    paths = pages(app, visitor, table)
    link = str(visitor.visit(paths[shown]).find("a[href*='/pay?']")["href"])
    pay(visitor.visit(paths["all"]))
    assert visitor.visit(link).path == paths[shown].removesuffix("?only=yes")
    assert IBAN not in visitor.text


def test_the_page_that_shows_how_to_pay_leads_back_once_another_table_has_settled_it(
    app: Flask, visitor: Visitor
) -> None:
    table = robre(visitor, **EUROS).table
    set_details(app, visitor, iban=IBAN)
    link = str(visitor.visit(f"{table}settlement?only=yes").find("a[href*='/pay?']")["href"])
    visitor.open_table("whist", **EUROS)
    for _ in range(4):
        visitor.record(tricks="ew-5")
    assert visitor.visit(link).path == f"{table}settlement"
