"""Cash, rounded to coins, or transfers, to the cent: the circle's choice for each currency."""

from __future__ import annotations

from scorekeeper.db.outcome import Done
from scorekeeper.money.balances import read_open_accounts, set_in_cash
from scorekeeper.money.scopes import Scope
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.settlement import Transfer

from ...club import CENTIME, FRANCS, Club


def plan(club: Club) -> list[Transfer]:
    account = read_open_accounts(club.circle, Scope()).get("CHF")
    return account.plan() if account is not None else []


def test_transfers_are_planned_to_the_cent_and_recorded_payments_stay(club: Club) -> None:
    club.table(("Anne", "Bruno", 21), value=FRANCS)
    assert plan(club) == [Transfer("Anne", "Bruno", 20 * CENTIME)]
    club.pay("Anne", "Bruno", 20 * CENTIME, account="CHF")
    assert plan(club) == []
    assert set_in_cash(club.circle, "CHF", False, club.browser) is None
    assert plan(club) == [Transfer("Anne", "Bruno", CENTIME)]
    assert [settlement.is_paid for settlement in club.settlements()] == [False]
    assert set_in_cash(club.circle, "CHF", True, club.browser) is None
    assert plan(club) == []
    assert [settlement.is_paid for settlement in club.settlements()] == [True]
    assert [int(payment.amount) for payment in club.payments()] == [20 * CENTIME]


def test_a_debt_of_four_cents_can_be_paid_by_transfer(club: Club) -> None:
    club.table(("Anne", "Bruno", 4), value=FRANCS)
    assert plan(club) == []
    set_in_cash(club.circle, "CHF", False, club.browser)
    assert plan(club) == [Transfer("Anne", "Bruno", 4 * CENTIME)]
    refused = club.try_to_pay("Anne", "Bruno", 5 * CENTIME, account="CHF")
    assert isinstance(refused, Refusal)
    assert refused.problems[0].params["most"] == 4 * CENTIME
    assert isinstance(club.try_to_pay("Anne", "Bruno", 4 * CENTIME, account="CHF"), Done)
    assert plan(club) == []
