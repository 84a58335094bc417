"""Laws of money that hold after every step of a random walk, against a ledger of the test's own."""

from __future__ import annotations

from collections import Counter

from scorekeeper.currency import coin
from scorekeeper.services.money.balances import Account, read_all_accounts, read_open_accounts
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.verify import verify

from ...plans import fewest_payments
from ..club import Club
from ..money_walk import Amounts, MoneyWalk, WalkedTable, added, without_zeros

STEPS, SCOPES = 24, 2  # everything, and that many others after each step


def test_money_is_neither_lost_nor_doubled(club: Club) -> None:
    walk = MoneyWalk(club, seed=1)
    for _ in range(STEPS):
        walk.step()
        everything, *others = walk.scopes()
        for scope, tables in (everything, *walk.rng.sample(others, min(SCOPES, len(others)))):
            laws_of_a_scope(walk, scope, tables)
        assert summed(walk, Scope(), "paid") == walk.paid()
        assert summed(walk, Scope(), "subunits") == added(walk.won(), walk.paid())
        assert summed(walk, Scope(), "moved") == {}
    assert [fault for fault in verify().faults if fault.params.get("what") != "fingerprint"] == []  # see Club.table
    assert walk.payments


def laws_of_a_scope(walk: MoneyWalk, scope: Scope, tables: list[WalkedTable]) -> None:
    assert summed(walk, scope, "won") == walk.won(tables)
    in_all = added(*(summed(walk, scope, kind) for kind in ("won", "paid", "moved")))
    assert summed(walk, scope, "subunits") == in_all
    accounts = read_open_accounts(walk.club.circle, scope)
    assert accounts == read_open_accounts(walk.club.circle, scope)
    for account in accounts.values():
        laws_of_a_plan(account)


def summed(walk: MoneyWalk, scope: Scope, kind: str) -> Amounts:
    """Return one kind of amounts of a scope's accounts, over all games."""
    sums: Amounts = {}
    for account in read_all_accounts(walk.club.circle, scope).values():
        amounts = sums.setdefault(account.key, Counter())
        for name, amount in getattr(account, kind).items():
            amounts[name] += amount
    for amounts in sums.values():
        assert sum(amounts.values()) == 0
    return without_zeros(sums)


def laws_of_a_plan(account: Account) -> None:
    plan = account.plan()
    assert len(plan) == fewest_payments(account.due.values(), coin(account.key))
    for payments in (plan, account.plan("Anne")):
        left = Counter(account.subunits)
        for payment in payments:
            left[payment.giver] += payment.amount
            left[payment.taker] -= payment.amount
        assert all(abs(amount) < coin(account.key) for amount in left.values())
