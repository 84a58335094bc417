"""Fees and prizes of an event among the circle's balances."""

from __future__ import annotations

import pytest

from scorekeeper.money.balances import read_all_accounts, read_open_accounts
from scorekeeper.money.payment_history import list_parts, list_sources
from scorekeeper.money.scopes import Scope
from scorekeeper.scoring.settlement import Transfer

from ...club import Club
from ...event_rows import DAY
from .test_money import EURO, Cash

SETTLED = {"Ada": 20 - 5 - 11.5, "Ben": 2.5, "Cleo": -5, "Dan": -5, "Eve": 4}


@pytest.fixture
def cash(club: Club) -> Cash:
    return Cash(club)


def test_an_evening_takes_over_the_fees_and_what_is_paid_there_is_paid(cash: Cash) -> None:
    cash.settle()
    club = cash.club
    euros = {"currency": "EUR", "unit": "fiche", "amount": "1"}
    club.table(("Anne", "Bruno", 5), day=DAY, value=euros)
    evening = Scope(day=DAY)
    assert cash.balances(evening)["Dan"] == -5
    assert cash.balances(evening)["Bruno"] == 5
    account = read_all_accounts(club.circle, evening)["EUR"]
    assert {name: won / EURO for name, won in account.won.items() if won} == cash.balances(evening)
    assert account.moved == {}
    club.pay("Dan", "Bruno", 5 * EURO, evening, account="EUR")
    assert cash.balances(evening) == {"Ada": 3.5, "Anne": -5, "Ben": 2.5, "Cleo": -5, "Eve": 4}
    assert cash.states()["Dan"] == "offset"
    assert cash.money.unpaid == {}
    assert not cash.money.is_open
    account = read_all_accounts(club.circle, evening)["EUR"]
    assert {name: won / EURO for name, won in account.won.items() if won} == {**SETTLED, "Anne": -5, "Bruno": 5}
    assert account.moved == {}
    table_free = Scope(event=cash.event)
    assert read_all_accounts(club.circle, table_free)["EUR"].subunits.get("Dan", 0) == 0


def test_the_circles_plan_goes_through_the_cashier_while_fees_and_prizes_are_open(cash: Cash) -> None:
    cash.settle()
    club = cash.club
    euros = {"currency": "EUR", "unit": "fiche", "amount": "1"}
    club.table(("Anne", "Bruno", 5), day=DAY, value=euros)
    evening = Scope(day=DAY)
    for scope in (Scope(), evening):
        plan = read_open_accounts(club.circle, scope)["EUR"].plan()
        assert sorted(plan) == sorted([*cash.money.plan, Transfer("Anne", "Bruno", 5 * EURO)])
    # Prizes before the fees have come in, and after the first was taken over.
    for payment in reversed(list(cash.money.plan)):
        assert payment in read_open_accounts(club.circle, evening)["EUR"].plan()
        club.pay(*payment, evening, account="EUR")
    club.pay("Anne", "Bruno", 5 * EURO, evening, account="EUR")
    assert cash.balances() == {}
    assert {row.state for row in cash.money.fees} == {"cashier", "free", "offset"}


def test_fees_explain_what_somebody_owes(cash: Cash) -> None:
    cash.pay("Dan", "5")
    cash.settle()
    eve, club = cash.club.player("Eve"), cash.club
    last = club.settlements()[-1]
    assert [(source.event, source.kind, source.subunits) for source in list_parts(last, eve)] == [
        (cash.event, "prize", 9 * EURO),
        (cash.event, "fee", -5 * EURO),
    ]
    (source,) = list_sources(club.circle, Scope(), "EUR", eve)
    assert (source.settlement, source.subunits) == (last, 4 * EURO)
