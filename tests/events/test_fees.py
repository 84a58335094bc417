"""The director's page about fees and prizes, and what the circle's pages say of them."""

from __future__ import annotations

import pytest
from flask import Flask

from ..support.visitor import Visitor
from .hall import EIGHT, Hall

PRIZES = ({"rule": "highest", "amount": "20"}, {"rule": "lowest", "text": "A ham"})


class Till:
    """An event of eight whose fee is 5 euros."""

    def __init__(self, app: Flask) -> None:
        self.hall = Hall(app, fee="5", currency="EUR", prizes=PRIZES, rounds=1)
        self.circle = self.hall.director.circle

    def visit(self) -> Visitor:
        return self.hall.visit("money")

    def finish(self) -> None:
        """Play one round, in which the entrants at table 1 who sit North and South take the most tricks."""
        self.hall.draw(1)
        for table in (1, 2):
            self.hall.enter_slip(1, table, 14 - table)
        self.hall.press("/finish")

    def unpaid(self) -> list[str]:
        rows = self.visit().page.select(".fees li:has(form[action$='/payments']) .description")
        return [row.get_text(strip=True) for row in rows]

    def plan(self) -> list[str]:
        rows = self.visit().page.select("section[aria-labelledby=plan] .payment")
        return [" ".join(row.get_text(" ").split()) for row in rows]

    def payments(self) -> int:
        return len(self.hall.director.visit(f"{self.circle}payments").page.select("ul.made > li:not(.empty)"))


@pytest.fixture
def till(app: Flask) -> Till:
    return Till(app)


def test_a_fee_is_marked_paid_with_one_tap(till: Till) -> None:
    assert till.unpaid() == list(EIGHT)
    till.visit().send({}, "/money/payments")
    assert till.unpaid() == list(EIGHT[1:])
    page = till.visit()
    assert page.find("#fees").get_text(strip=True) == "Fees paid: 1 of 8"
    assert page.find(".fees #fee-1 .description").get_text(" ", strip=True) == "Anne paid"
    assert till.payments() == 1
    assert "Anne paid the cash box €5.00" in till.hall.director.text
    till.hall.director.visit(f"{till.circle}cash-box")
    assert "It should hold €5.00" in till.hall.director.text


def test_a_fee_that_was_marked_paid_by_mistake_is_owed_again(till: Till) -> None:
    till.visit().send({}, "/money/payments").send({}, "/money/payments/undo")
    assert till.unpaid() == list(EIGHT)


def test_the_plan_is_paid_one_by_one_here_or_with_everything_of_the_circle(till: Till) -> None:
    till.visit().send({}, "/money/payments")
    till.finish()
    plan = till.plan()
    assert len(plan) == 7  # Anne has paid; two have won, of whom one has paid
    assert "Bruno pays €5.00 the cash box" in till.hall.director.visit(f"{till.circle}settlement").text
    till.visit().send({}, "/money/payments")
    assert len(till.plan()) == len(plan) - 1
    till.hall.director.visit(f"{till.circle}settlement").send({}, "/payments/all")
    assert till.plan() == []


def test_a_page_that_is_out_of_date_records_nothing(till: Till) -> None:
    form = till.visit().form("/money/payments")
    till.hall.change(fee="6")
    assert till.hall.director.send({}, form=form).status == 409
    assert till.payments() == 0


def test_without_money_the_page_says_what_to_do(app: Flask) -> None:
    hall = Hall(app)
    assert "Nobody pays or wins money" in hall.visit("money").text
