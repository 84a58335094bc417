"""Settling: open balances, payments in full and in part, withdrawals, and what is carried over."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.models import Circle, Payment, Summary, Table, db
from scorekeeper.money.balances import read_open_accounts
from scorekeeper.money.scopes import Scope

from ..visitor import Visitor

EUROS = {"amount": "0.25", "unit": "fiche", "currency": "EUR"}


def robre(visitor: Visitor, **fields: str) -> Visitor:
    """Open a table of Whist at which North–South (Anne and Chloé) win a robre by 5."""
    visitor.open_table("whist", **fields)
    for _ in range(4):
        visitor.record(tricks="ns-5")
    return visitor


def circle_path(visitor: Visitor) -> str:
    with visitor.client.session_transaction() as session:
        return f"/circles/{session['circle']}/"


def planned_payments(visitor: Visitor) -> list[str]:
    """Return the payments of the page's plans as text."""
    return [" ".join(due.get_text(" ").split()) for due in visitor.page.select(".due .payment")]


def pay(visitor: Visitor, number: int = 0, **fields: str) -> Visitor:
    """Record a payment of the page's plans."""
    form = visitor.page.select(".due form.pay")[number]
    data = {str(field["name"]): str(field["value"]) for field in form.find_all("input")} | fields
    return visitor._arrive(
        visitor.client.post(str(form["action"]), data=data, headers=visitor.headers, follow_redirects=True)
    )


def is_settled(app: Flask, number: int = 1) -> bool:
    with app.app_context():
        return bool(db.session.get_one(Summary, number).is_settled)


def test_a_table_is_settled_once_its_payments_are_recorded(app: Flask, visitor: Visitor) -> None:
    robre(visitor).visit(f"{visitor.table}settlement")
    assert planned_payments(visitor) == ["Bruno pays 5 fiches Anne", "David pays 5 fiches Chloé"]
    assert not is_settled(app)
    pay(visitor)
    assert planned_payments(visitor) == ["David pays 5 fiches Chloé"]
    assert not is_settled(app)
    pay(visitor)
    assert planned_payments(visitor) == []
    assert "Everything is paid" in visitor.text
    assert is_settled(app)


def test_a_later_correction_of_a_settled_table_opens_a_difference(app: Flask, visitor: Visitor) -> None:
    pay(pay(robre(visitor).visit(f"{visitor.table}settlement")))
    table = visitor.table
    visitor.visit(f"{table}deals/4").send({}, "/withdraw")
    visitor.visit(f"{table}settlement")
    assert planned_payments(visitor) == ["Anne pays 5 fiches Bruno", "Chloé pays 5 fiches David"]
    assert not is_settled(app)
    with app.app_context():
        assert [int(payment.amount) for payment in db.session.query(Payment)] == [5, 5]
    visitor.visit(f"{table}deals/4").send({}, "/restore")
    assert planned_payments(visitor.visit(f"{table}settlement")) == []
    assert is_settled(app)


def test_a_withdrawn_payment_is_open_again_and_both_stay_listed(app: Flask, visitor: Visitor) -> None:
    pay(pay(robre(visitor).visit(f"{visitor.table}settlement")))
    table = visitor.table
    visitor.visit(f"{circle_path(visitor)}payments").send({}, "/payments/2/withdraw")
    assert "Removed: David did not pay Chloé 5 fiches" in visitor.text
    assert not is_settled(app)
    assert planned_payments(visitor.visit(f"{table}settlement")) == ["David pays 5 fiches Chloé"]
    with app.app_context():
        assert [payment.withdraws for payment in db.session.query(Payment).order_by(Payment.number)] == [None, None, 2]


def test_the_second_of_two_phones_recording_a_payment_gets_a_stale_notice(visitor: Visitor, another: Visitor) -> None:
    robre(visitor)
    link = visitor.visit(f"{visitor.table}share").find("#link")
    another.join(str(link["value"]))
    another.visit(f"{visitor.table}settlement")
    pay(visitor.visit(f"{visitor.table}settlement"))
    pay(another)
    assert another.status == 409
    assert "Bruno paid Anne 5 fiches" in another.text
    assert planned_payments(another) == ["David pays 5 fiches Chloé"]


@pytest.mark.parametrize(
    ("amount", "says"),
    [
        ("0", "whole number above 0"),
        ("6", "Bruno can pay Anne at most 5 fiches here"),
        ("9" * 400, "whole number above 0"),
    ],
)
def test_an_invalid_amount_is_refused_with_the_reason(visitor: Visitor, amount: str, says: str) -> None:
    pay(robre(visitor).visit(f"{visitor.table}settlement"), amount=amount)
    assert visitor.status == 422
    assert says in visitor.text
    assert len(planned_payments(visitor)) == 2


def test_an_evening_is_settled_over_all_its_tables_by_account(app: Flask, visitor: Visitor) -> None:
    robre(visitor, **EUROS)
    robre(visitor, **EUROS)
    robre(visitor)
    with app.app_context():
        day = db.session.scalars(db.select(Table.day)).first()
    visitor.visit(f"{circle_path(visitor)}evenings/{day}/settlement")
    assert planned_payments(visitor) == [
        "Bruno pays €2.50 Anne",
        "David pays €2.50 Chloé",
        "Bruno pays 5 fiches Anne",
        "David pays 5 fiches Chloé",
    ]
    for _ in range(4):
        pay(visitor)
    assert planned_payments(visitor) == []
    assert all(is_settled(app, number) for number in (1, 2, 3))


def test_a_payment_can_be_traced_to_its_tables_and_their_deals(visitor: Visitor) -> None:
    robre(visitor)
    robre(visitor)
    visitor.visit(f"{circle_path(visitor)}settlement").follow("Why?")
    sources = [" ".join(section.get_text(" ").split()) for section in visitor.page.select(".sources")]
    assert len(sources) == 2
    assert sources[0].startswith("Bruno −10 fiches")
    assert sources[0].count("−5 fiches") == 2
    visitor.follow("Whist,")
    assert visitor.find(".explains").get_text(" ", strip=True).startswith("Bruno −5 fiches")
    assert "Bruno pays Anne 5 fiches" in visitor.text
    assert "David pays" not in visitor.text


def test_less_than_a_coin_is_carried_over_until_it_can_be_paid(app: Flask, visitor: Visitor) -> None:
    """At a cent for a fiche, a jeton is worth a ninth of a cent."""

    def owe(jetons: str) -> None:
        visitor.open_table("francion", 3, amount="0.01", unit="fiche", currency="EUR").more().follow("Adjustment")
        visitor.send({"kind": "counters", "giver": "1", "to": "3", "unit": "jetons", "amount": jetons})
        visitor.visit(f"{circle_path(visitor)}settlement")

    def left() -> int:
        with app.app_context():
            account = read_open_accounts(db.session.scalars(db.select(Circle)).one(), Scope())["EUR"]
            assert sum(account.subunits.values()) == 0
            return account.subunits["Chloé"]

    ninth = 10_000  # grains of a ninth of a cent
    owe("5")
    assert planned_payments(visitor) == []
    assert "less than €0.01 per player, is not lost" in visitor.text
    assert "rounded to coins" not in visitor.text  # that is every amount in euros
    owe("6")
    assert planned_payments(visitor) == ["Anne pays €0.01 Chloé"]
    pay(visitor)
    assert left() == 2 * ninth
    owe("7")
    assert planned_payments(visitor) == ["Anne pays €0.01 Chloé"]
    pay(visitor)
    assert "EUR" not in open_counters(app)


def open_counters(app: Flask) -> set[str]:
    with app.app_context():
        accounts = read_open_accounts(db.session.scalars(db.select(Circle)).one(), Scope())
        return {key for key, account in accounts.items() if any(account.subunits.values())}


def test_a_payment_cannot_name_another_circles_table(app: Flask, visitor: Visitor, another: Visitor) -> None:
    robre(another)
    robre(visitor).visit(f"{visitor.table}settlement")
    pay(visitor, of=f"table:{another.table.split('/')[2]}")
    assert visitor.status == 404
    with app.app_context():
        assert db.session.query(Payment).count() == 0
