"""The director's page about fees and prizes, and what the circle's pages say of them."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.db.outcome import Done
from scorekeeper.events import results
from scorekeeper.events.drawing import Result
from scorekeeper.events.reading import read
from scorekeeper.events.results import ResultRequest
from scorekeeper.models import Player, db

from ..visitor import Visitor
from .hall import EIGHT, Hall

PRIZES = ({"rule": "highest", "amount": "20"}, {"rule": "lowest", "text": "A ham"})


class Till:
    """An event of eight whose fee is 5 euros. Anne is the cashier."""

    def __init__(self, app: Flask) -> None:
        self.hall = Hall(app, fee="5", currency="EUR", prizes=PRIZES, rounds=1)
        with app.app_context():
            anne = db.session.scalars(db.select(Player.id).where(Player.name == "Anne")).one()
        self.hall.change(cashier_id=anne)
        self.circle = self.hall.director.circle

    def visit(self, page: str = "/money") -> Visitor:
        return self.hall.director.visit(self.hall.path + page)

    def finish(self) -> None:
        """Play one round, in which the entrants at table 1 who sit North and South take the most tricks."""
        self.hall.draw(1)
        with self.hall.app.app_context():
            event, by = self.hall._event(), self.hall._by()
            for row in read(event).current_tables:
                result = Result((14 - row.number, row.number - 1))
                request = ResultRequest(1, row.number, row.seen, f"slip-{row.number}", result)
                assert isinstance(results.record(event, request, by), Done)
        self.visit("/director").send({}, "/finish")

    def unpaid(self) -> list[str]:
        section = self.visit().find("section[aria-labelledby=unpaid]")
        return [name.get_text(strip=True) for name in section.select(".fees .description")]

    def plan(self) -> list[str]:
        rows = self.visit().page.select("section[aria-labelledby=plan] .payment")
        return [" ".join(row.get_text(" ").split()) for row in rows]

    def settle(self) -> Visitor:
        return self.visit().send({}, "/money/settle")

    def payments(self) -> int:
        return len(self.hall.director.visit(f"/circles/{self.circle}/payments").page.select("ul.made > li"))


@pytest.fixture
def till(app: Flask) -> Till:
    return Till(app)


def test_a_fee_is_marked_paid_with_one_tap(till: Till) -> None:
    assert till.unpaid() == list(EIGHT[1:])
    page = till.visit().send({}, "/money/payments")
    assert "The payment is recorded." in page.text
    assert till.unpaid() == list(EIGHT[2:])
    assert till.payments() == 1
    assert "Spring drive" in till.hall.director.text
    assert "Bruno paid Anne €5.00" in till.hall.director.text


def test_the_plan_is_shown_before_it_is_settled_and_the_circle_settles_it(till: Till) -> None:
    till.visit().send({}, "/money/payments")
    till.finish()
    plan = till.plan()
    assert len(plan) == 6  # Bruno has paid; two have won, whom Anne pays, and whom the others pay
    page = till.settle()
    assert "Settled." in page.text
    assert till.plan() == plan
    everything = till.hall.director.visit(f"/circles/{till.circle}/settlement")
    assert "€" in everything.text
    till.visit().send({}, "/money/payments")
    assert len(till.plan()) == len(plan) - 1
    assert till.payments() == 2


def test_settling_twice_settles_once_and_a_correction_settles_the_difference(till: Till) -> None:
    till.finish()
    form = till.visit().form("/money/settle")
    for _ in range(2):
        assert "Settled." in till.hall.director.send({}, form=form).text
    assert not till.visit().page.select("form[action$=settle]")
    till.hall.change(fee="6")
    assert till.hall.director.send({}, form=form).status == 409
    page = till.settle()
    assert len(page.page.select("section[aria-labelledby=settlements] li")) == 2


def test_without_money_or_a_cashier_the_page_says_what_to_do(app: Flask) -> None:
    hall = Hall(app)
    assert "Nobody pays or wins money" in hall.director.visit(f"{hall.path}/money").text
    hall.change(fee="5", currency="EUR")
    assert "Choose one in the settings." in hall.director.visit(f"{hall.path}/money").text
