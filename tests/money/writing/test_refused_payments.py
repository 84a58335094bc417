"""Payments that are not recorded: refused, sent again, from a stale page, or by a browser without access."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scorekeeper.db.outcome import Conflict, Done, Stale
from scorekeeper.money.payments import pay
from scorekeeper.money.scopes import Scope
from scorekeeper.scoring.problems import Problem, Refusal, refuse

from ...club import DAY, NEXT_DAY, Club


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


def test_no_more_is_paid_than_giver_owes_and_taker_is_owed(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("David", "Chloé", 8))
    for scope in (Scope(), Scope(day=DAY), Scope(table=table)):
        assert club.try_to_pay("Anne", "Bruno", 6, scope) == amount_problem("Anne", "Bruno", 5)
        assert club.try_to_pay("Anne", "Chloé", 8, scope) == amount_problem("Anne", "Chloé", 5)
        assert club.try_to_pay("David", "Bruno", 8, scope) == amount_problem("David", "Bruno", 5)
    assert recorded(club) == 0
    assert isinstance(club.try_to_pay("Anne", "Chloé", 5), Done)


# --- sent again, or too late


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
