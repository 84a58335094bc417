"""Payments that are not recorded: refused, sent again, from a stale page, or by a browser without access."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scorekeeper.db.clock import now
from scorekeeper.db.transactions import AccessRevokedError, CircleErasedError
from scorekeeper.models import db
from scorekeeper.scoring.problems import Problem, Refusal, refuse
from scorekeeper.services.circles.lifecycle import erase_circle
from scorekeeper.services.money.payments import pay, withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.outcome import Conflict, Done, Stale
from scorekeeper.services.people.people import set_banker

from ..club import CENTIME, DAY, FIVE_CENTIMES, FRANCS, GAME, NEXT_DAY, OTHER_GAME, Club


def recorded(club: Club) -> int:
    """Return the number of the circle's payments and withdrawals."""
    return len(club.payments())


# --- what is refused


def amount_problem(giver: str, taker: str, most: int) -> Refusal:
    names = {"giver": giver, "taker": taker}
    if not most:
        return refuse(None, [Problem("amount", "nothing-open", names)])
    return refuse(None, [Problem("amount", "more-than-open", names | {"most": most})])


def test_giver_and_taker_must_be_two_persons_of_the_circle(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    other = Club()
    other.table()
    stranger = other.player("Anne").id
    who_pays, who_is_paid = Problem("giver", "who-pays"), Problem("taker", "who-is-paid")
    request = club.request("Anne", "Bruno", 1)
    assert pay(club.circle, replace(request, giver=stranger), club.browser) == refuse(None, [who_pays])
    assert pay(club.circle, replace(request, taker=stranger), club.browser) == refuse(None, [who_is_paid])
    assert club.try_to_pay("Anne", "Anne", 1) == refuse(None, [Problem("taker", "pays-themselves", {"giver": "Anne"})])
    assert (recorded(club), club.settlements()) == (0, [])


def test_nobody_pays_another_name_of_their_own(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    club.table(names=("Annie", "Bruno", "Chloé", "David"))
    club.merge("Annie", "Anne")
    assert club.try_to_pay("Anne", "Annie", 1) == refuse(None, [Problem("taker", "pays-themselves", {"giver": "Anne"})])
    assert isinstance(club.try_to_pay("Annie", "Bruno", 5), Done)


@pytest.mark.parametrize("amount", [0, -1])
@pytest.mark.parametrize("has_banker", [False, True])
def test_nothing_and_less_than_nothing_cannot_be_paid(club: Club, amount: int, has_banker: bool) -> None:
    club.table(("Anne", "Bruno", 5))
    if has_banker:  # whose payments have no limit
        set_banker(club.circle, club.player("Bruno").id)
    assert club.try_to_pay("Anne", "Bruno", amount) == refuse(None, [Problem("amount", "not-above-zero")])
    assert (recorded(club), club.settlements()) == (0, [])


def test_no_more_is_paid_than_giver_owes_and_taker_is_owed(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("David", "Chloé", 8))
    for scope in (Scope(), Scope(day=DAY), Scope(table=table)):
        assert club.try_to_pay("Anne", "Bruno", 6, scope) == amount_problem("Anne", "Bruno", 5)
        assert club.try_to_pay("Anne", "Chloé", 8, scope) == amount_problem("Anne", "Chloé", 5)
        assert club.try_to_pay("David", "Bruno", 8, scope) == amount_problem("David", "Bruno", 5)
    assert recorded(club) == 0
    assert isinstance(club.try_to_pay("Anne", "Chloé", 5), Done)


@pytest.mark.parametrize(("giver", "taker"), [("Bruno", "Anne"), ("Anne", "Élise"), ("Élise", "Bruno")])
def test_nothing_is_paid_that_is_not_owed(club: Club, giver: str, taker: str) -> None:
    """Élise has played for another account only."""
    club.table(("Anne", "Bruno", 5))
    club.table(("Élise", "Anne", 5), names=("Anne", "Bruno", "Chloé", "Élise"), game=OTHER_GAME)
    assert club.try_to_pay(giver, taker, 1) == amount_problem(giver, taker, 0)
    assert club.try_to_pay(giver, taker, 1, account="EUR") == amount_problem(giver, taker, 0)
    assert recorded(club) == 0


def test_amounts_up_to_the_next_whole_coin_may_be_paid(club: Club) -> None:
    club.table(("Anne", "Bruno", 6), ("David", "Chloé", 10), value=FRANCS)
    refused = club.try_to_pay("Anne", "Bruno", 2 * FIVE_CENTIMES + 1, account="CHF")
    assert refused == amount_problem("Anne", "Bruno", 2 * FIVE_CENTIMES)
    assert type(refused.first.params["most"]) is int
    exact = club.try_to_pay("David", "Chloé", 3 * FIVE_CENTIMES, account="CHF")
    assert exact == amount_problem("David", "Chloé", 2 * FIVE_CENTIMES)
    club.pay("Anne", "Bruno", 2 * FIVE_CENTIMES, account="CHF")
    balances = club.balances()["CHF"]
    assert (balances["Anne"], balances["Bruno"]) == (4 * CENTIME, -4 * CENTIME)


def test_a_settlements_payments_are_limited_by_what_is_unpaid_of_it(club: Club) -> None:
    settlement = club.pay("Anne", "Bruno", 3, Scope(table=club.table(("Anne", "Bruno", 5)))).settlement
    club.table(("Anne", "Bruno", 40))
    assert club.try_to_pay("Anne", "Bruno", 3, settlement=settlement) == amount_problem("Anne", "Bruno", 2)
    assert club.pay("Anne", "Bruno", 2, settlement=settlement).settlement is settlement
    assert club.balances()[GAME]["Bruno"] == 40


@pytest.mark.parametrize("banker", ["Anne", "Bruno"])
def test_payments_to_and_from_the_banker_are_not_limited(club: Club, banker: str) -> None:
    club.table(("Anne", "Bruno", 5))
    set_banker(club.circle, club.player(banker).id)
    assert isinstance(club.try_to_pay("Anne", "Bruno", 6), Done)
    assert club.try_to_pay("Chloé", "David", 1) == amount_problem("Chloé", "David", 0)


# --- sent again, or too late


def test_a_payment_sent_again_is_recorded_once(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    for scope in (Scope(table=table), Scope(day=DAY), Scope()):
        club.table(("Anne", "Bruno", 5))
        request = club.request("Anne", "Bruno", 1, scope)
        number = recorded(club) + 1
        assert pay(club.circle, request, club.browser) == Done(number)
        assert pay(club.circle, request, club.browser) == Done(number)
        assert recorded(club) == number
    settlement = club.settlements()[-1]
    request = club.request("Anne", "Bruno", 1, settlement=settlement)
    assert [pay(club.circle, request, club.browser) for _ in "12"] == [Done(4), Done(4)]
    assert recorded(club) == 4


def test_a_payment_sent_again_is_the_same_after_players_were_merged(club: Club) -> None:
    club.table(("Anne", "Dave", 5), names=("Anne", "Bruno", "Chloé", "Dave"))
    club.table()
    request = club.request("Anne", "Dave", 2, Scope(day=DAY))
    assert pay(club.circle, request, club.browser) == Done(1)
    club.merge("Dave", "David")
    assert pay(club.circle, request, club.browser) == Done(1)
    fields = {"last_number": 0, "key": request.key}
    assert club.try_to_pay("Anne", "David", 2, Scope(day=DAY), **fields) == Done(1)


def test_a_key_sent_again_with_other_contents_is_a_conflict(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 4), day=NEXT_DAY)
    payment = club.pay("Anne", "Bruno", 2, Scope(table=first), key="key")
    settlement, other = payment.settlement, club.pay("Anne", "Bruno", 2, Scope(table=second)).settlement

    def again(giver: str, taker: str, amount: int, scope: Scope | None = None, **fields: Any) -> object:
        return club.try_to_pay(giver, taker, amount, scope, key="key", **fields)

    conflict, same = Conflict(payment), Done(1)
    assert again("Anne", "Bruno", 2, Scope(table=first)) == same
    assert again("Anne", "Bruno", 3, Scope(table=first)) == conflict
    assert again("Chloé", "Bruno", 2, Scope(table=first)) == conflict
    assert again("Anne", "Chloé", 2, Scope(table=first)) == conflict
    request = club.request("Anne", "Bruno", 2, Scope(table=first), key="key")
    assert pay(club.circle, replace(request, taker=-1), club.browser) == conflict
    assert again("Anne", "Bruno", 2, Scope(table=second)) == conflict
    assert again("Anne", "Bruno", 2, Scope(day=DAY)) == same  # an evening contains its tables
    assert again("Anne", "Bruno", 2, Scope(day=NEXT_DAY)) == conflict
    assert again("Anne", "Bruno", 2, Scope(table=first), account="EUR") == conflict
    assert again("Anne", "Bruno", 2, settlement=settlement) == same
    assert again("Anne", "Bruno", 2, settlement=other) == conflict
    assert again("Anne", "Bruno", 2) == same
    assert again("Anne", "Bruno", 2, account="EUR") == conflict
    assert recorded(club) == 2


def test_a_key_of_an_evening_sent_again_for_another_is_a_conflict(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    payment = club.pay("Anne", "Bruno", 2, Scope(day=DAY), key="key")
    assert club.try_to_pay("Anne", "Bruno", 2, Scope(day=DAY), key="key") == Done(1)
    assert club.try_to_pay("Anne", "Bruno", 2, Scope(day=NEXT_DAY), key="key") == Conflict(payment)


def test_another_circle_may_use_the_same_key(club: Club) -> None:
    club.pay("Anne", "Bruno", 2, Scope(table=club.table(("Anne", "Bruno", 5))), key="key")
    other = Club()
    table = other.table(("Anne", "Bruno", 9))
    assert other.try_to_pay("Anne", "Bruno", 9, Scope(table=table), key="key") == Done(1)


def test_a_stale_page_records_nothing_and_is_shown_what_it_missed(club: Club) -> None:
    club.table(("Anne", "Bruno", 50))
    for _ in "123":
        club.pay("Anne", "Bruno", 1)
    for shown, missed in [(2, [3]), (1, [3, 2]), (0, [3, 2, 1]), (4, [3]), (9, [3])]:
        answer = club.try_to_pay("Anne", "Bruno", 1, last_number=shown)
        assert isinstance(answer, Stale)
        assert [payment.number for payment in answer.current] == missed
    assert recorded(club) == 3
    assert club.try_to_pay("Anne", "Bruno", 1, last_number=3) == Done(4)


def test_a_very_stale_page_is_shown_the_twenty_newest_payments(club: Club) -> None:
    settlement = club.pay("Anne", "Bruno", 1, Scope(table=club.table(("Anne", "Bruno", 50)))).settlement
    club.insert_payments(settlement, range(2, 24))
    answer = club.try_to_pay("Anne", "Bruno", 1, last_number=0)
    assert isinstance(answer, Stale)
    assert [payment.number for payment in answer.current] == list(range(23, 3, -1))


# --- without access


def revoke(club: Club) -> None:
    club.browser.revoked_at = now()
    db.session.commit()


def test_a_browser_without_access_neither_pays_nor_withdraws(club: Club) -> None:
    club.pay("Anne", "Bruno", 1, Scope(table=club.table(("Anne", "Bruno", 5))))
    revoke(club)
    with pytest.raises(AccessRevokedError):
        club.try_to_pay("Anne", "Bruno", 1)
    with pytest.raises(AccessRevokedError):
        withdraw(club.circle, 1, club.browser)
    assert recorded(club) == 1


def test_nothing_is_paid_in_an_erased_circle(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    request = club.request("Anne", "Bruno", 1)
    circle, browser = club.circle, club.browser
    assert erase_circle(club.id)
    with pytest.raises(CircleErasedError):
        pay(circle, request, browser)
    with pytest.raises(CircleErasedError):
        withdraw(circle, 1, browser)
