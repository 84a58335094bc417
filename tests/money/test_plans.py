"""The payments that an account plans while others wait for a confirmation."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.money.ledger import BOX, PAYMENT, TABLE, Account, LedgerEntry

AT, DAY = datetime(2026, 11, 20, 21), date(2026, 11, 20)
PENNY = 90_000  # in subunits
NAMES = ("Anne", "Bruno", "Chloé", "David")
Payments = list[tuple[str, str, int]]


def entries(kind: str, payments: Payments) -> list[LedgerEntry]:
    """Return an entry for each payment; a debt is an entry like a payment from the person who is owed it."""
    return [LedgerEntry(kind, "GBP", {giver: amount, taker: -amount}, AT, DAY) for giver, taker, amount in payments]


def account(owed: Payments, waiting: Payments) -> Account:
    played = entries(TABLE, [(taker, giver, amount * PENNY) for giver, taker, amount in owed])
    return Account(
        "GBP", played, entries(PAYMENT, [(giver, taker, amount * PENNY) for giver, taker, amount in waiting])
    )


@pytest.mark.parametrize(
    ("owed", "waiting", "planned"),
    [
        ([], [("Anne", BOX, 3)], []),
        ([], [("Anne", "Bruno", 1)], []),
        ([("Anne", "Bruno", 250)], [("Bruno", "Anne", 33)], [("Anne", "Bruno", 250)]),
        ([("Anne", "Bruno", 250)], [("Anne", "Bruno", 50)], [("Anne", "Bruno", 200)]),
        ([("Anne", "Bruno", 5)], [("Anne", "Bruno", 7)], []),
        ([("Anne", BOX, 5)], [("Anne", BOX, 7)], []),
        ([("Anne", "Bruno", 5)], [("Anne", "Chloé", 5)], []),
        ([("Anne", "Bruno", 5)], [("Chloé", "Bruno", 5)], []),
    ],
)
def test_nobody_pays_again_or_back_what_waits(owed: Payments, waiting: Payments, planned: Payments) -> None:
    assert account(owed, waiting).plan() == [(giver, taker, amount * PENNY) for giver, taker, amount in planned]


def test_a_banker_passes_on_what_waits() -> None:
    owed: Payments = [("Anne", "Bruno", 5)]
    assert account(owed, [("Anne", "David", 5)]).plan("David") == [("David", "Bruno", 5 * PENNY)]
    assert account([], [("Anne", "David", 5), ("David", "Chloé", 3)]).plan("David") == []


payments = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from((*NAMES, BOX)), st.integers(1, 9)).filter(
        lambda each: each[0] != each[1]
    ),
    max_size=5,
)


@given(owed=payments, waiting=payments, banker=st.sampled_from((None, "David")))
def test_nobody_pays_or_is_paid_more_because_something_waits(
    owed: Payments, waiting: Payments, banker: str | None
) -> None:
    found, without = account(owed, waiting), account(owed, [])
    for is_with_box in (False, True):
        hub = BOX if is_with_box else banker
        confirmed = dict.fromkeys((*NAMES, BOX), 0)
        for entry in without.entries:
            for name, amount in entry.amounts.items():
                confirmed[name] += amount * (entry.is_with_box == is_with_box)
        left = dict(confirmed)
        for each in found.plan(banker):
            if (BOX in each) == is_with_box:
                left[each.giver] += each.amount
                left[each.taker] -= each.amount
        for name in {*left} - {hub}:
            assert min(0, confirmed[name]) <= left[name] <= max(0, confirmed[name])
