"""What was paid is not recorded again, on whatever page."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.models import Payment, db

from ..visitor import Visitor
from .test_settled_pages import evening_path
from .test_settlements import EUROS, circle_path, robre


def pages(app: Flask, visitor: Visitor, table: str) -> dict[str, str]:
    """Return the paths of the pages on which the table's payments are due, by the name of what they show."""
    return {
        "table": f"{table}settlement?only=yes",
        "day": f"{evening_path(app, visitor)}settlement?only=yes",
        "all": f"{circle_path(visitor)}settlement",
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
    robre(visitor, **EUROS | {"currency": "CHF"}).visit(f"{circle_path(visitor)}settlement")
    form = visitor.form("/payments/all")
    for changed, status in (({}, 200), ({}, 200), ({"method": "transfer"}, 409), ({"plan": "x"}, 409)):
        assert visitor.send(changed, form=form).status == status
    assert count_payments(app) == 2
