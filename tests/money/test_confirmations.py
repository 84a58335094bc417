"""Pages on which receivers confirm payments, and the host's setting."""

from __future__ import annotations

import pytest
from flask import Flask

from ..support.visitor import Visitor
from .settling import planned_payments


@pytest.fixture
def host(visitor: Visitor) -> Visitor:
    """The host of a circle whose payments need a confirmation, with something to pay."""
    table = visitor.play_robre().table
    visitor.visit(f"{visitor.circle}settlement").send({}, "/confirmations")
    return visitor.visit(table)


def pay(visitor: Visitor) -> str:
    """Record the first payment of the plan; return its receiver's name."""
    visitor.visit(f"{visitor.circle}settlement")
    form = visitor.find(".due form.pay")
    taker = visitor.find(".due .taker").get_text(strip=True)
    visitor.send({}, form=form)
    return taker


def phone_of(app: Flask, host: Visitor, name: str) -> Visitor:
    """Let a player's own phone join and say whose it is."""
    table = host.visit(host.circle).find("a[href^='/tables/'][href$='/']")["href"]
    phone = Visitor(app).join(host.link("watch"))
    phone.visit(str(table))
    seat = next(option["value"] for option in phone.page.select("[name=seat]") if name in str(option.parent))
    phone.send({"seat": seat}, "/me")
    return phone


def confirm_form(visitor: Visitor) -> object:
    return visitor.visit(f"{visitor.circle}settlement").page.select_one("form[action$='/confirm']")


def test_a_waiting_payment_is_listed_and_not_asked_for_again(host: Visitor) -> None:
    before = len(host.visit(f"{host.circle}settlement").page.select(".due"))
    pay(host)
    assert "It counts once" in host.text
    assert "Waiting for confirmation" in host.text
    assert len(host.visit(f"{host.circle}settlement").page.select(".due")) == before - 1
    assert "waiting for confirmation by" in host.visit(f"{host.circle}payments").text
    host.visit(f"{host.circle}people").follow("Bruno").follow("Statement")
    open_ = [line.get_text(strip=True) for line in host.page.select(".sources > .hint")]
    assert open_ == ["Waiting for confirmation: Paid to Anne +5 fiches"]


def test_names_are_written_in_sentences_about_payments_as_they_were_typed(visitor: Visitor) -> None:
    names = {"seat-1": "Anne & Co", "seat-2": "Bruno O'Neill", "seat-3": "Chloé & Co", "seat-4": "David O'Neill"}
    visitor.play_robre(**names).visit(f"{visitor.circle}settlement").send({}, "/confirmations")
    taker = pay(visitor)
    assert f"O'Neill paid {taker} 5 fiches It counts once {taker} confirms it." in visitor.text
    assert f"waiting for confirmation by {taker}" in visitor.visit(f"{visitor.circle}payments").text


def test_the_receiver_is_told_and_confirms_even_if_watching(app: Flask, host: Visitor) -> None:
    taker = pay(host)
    phone = phone_of(app, host, taker)
    for page in (phone.path, host.circle):
        assert "A payment waits for your confirmation" in phone.visit(page).text
        assert "A payment waits for your confirmation" not in host.visit(page).text
    assert confirm_form(host) is None  # the receiver has a phone
    phone.visit(f"{host.circle}settlement").send({}, "/confirm")
    assert "Confirmed." in phone.text
    assert "confirmed" in phone.text
    assert confirm_form(phone) is None
    assert "waits for your confirmation" not in phone.visit(host.circle).text


def test_the_receiver_says_that_a_payment_did_not_arrive_even_if_watching(app: Flask, host: Visitor) -> None:
    before = planned_payments(host.visit(f"{host.circle}settlement"))
    phone = phone_of(app, host, pay(host))
    phone.visit(f"{host.circle}settlement").send({}, "/withdraw")
    assert "Removed. It counts no longer." in phone.text
    assert planned_payments(phone.visit(f"{host.circle}settlement")) == before


def test_that_a_payment_did_not_arrive_may_be_said_twice_by_one_tap(app: Flask, host: Visitor) -> None:
    phone = phone_of(app, host, pay(host))
    form = phone.visit(f"{host.circle}settlement").form("/withdraw")
    for _ in range(2):
        assert phone.send({}, form=form).status == 200


def test_a_host_confirms_for_a_receiver_without_a_phone(app: Flask, host: Visitor) -> None:
    pay(host)
    scorer = Visitor(app).join(host.link("score"))
    assert confirm_form(scorer) is None
    host.visit(f"{host.circle}settlement").send({}, "/confirm")
    assert "Confirmed." in host.text
    assert "confirmed" in host.text
    assert "phone 1" in host.text


def test_the_cash_box_names_what_waits_and_does_not_count_it(host: Visitor) -> None:
    box = f"{host.circle}cash-box"
    form = host.visit(box).find(".other form")
    giver = form.select("[name=giver] option")[1]["value"]
    host.send({"giver": str(giver), "taker": "box", "amount": "7", "account": "EUR"}, form=form)
    assert "Waiting for confirmation" in host.visit(box).text
    assert "the cash box €7.00" in host.text
    assert "waiting for confirmation by the cashier" in host.text
    assert "It should hold €0.00" in host.text
    assert "still gets" not in host.text
    assert all("cash box" not in line for line in planned_payments(host.visit(f"{host.circle}settlement")))


def test_a_fully_paid_settlement_that_waits_is_not_called_paid(host: Visitor) -> None:
    while host.visit(f"{host.circle}settlement").page.select(".due form.pay"):
        pay(host)
    assert "Nothing else has to be paid now." in host.text
    assert host.page.select(".due") == []
