"""Balances -> the fewest payments that bring each of them to 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

EXACT = 12  # players up to whom the plan is the fewest payments there can be


class Payment(NamedTuple):
    giver: str
    taker: str
    amount: int  # above 0, in the unit of the balances


def settle(balances: Mapping[str, int]) -> list[Payment]:
    """The fewest payments that clear the balances, which sum to 0: exact up to 12 players who owe or are owed.

    Never more than players − 1. The same balances give the same payments, in whatever order they are told.
    Raises ValueError where the balances do not sum to 0, for then no plan clears them.
    """
    if sum(balances.values()) != 0:
        raise ValueError("balances that do not sum to 0 cannot be settled")
    uneven = sorted(((name, amount) for name, amount in balances.items() if amount), key=_standing_out)
    payments: list[Payment] = []
    rest = _match_opposites(uneven, payments)
    groups = _most_groups(rest) if len(rest) <= EXACT else [rest]
    for group in groups:
        payments.extend(_clear(group))
    return sorted(payments, key=lambda payment: (-payment.amount, payment.giver, payment.taker))


def _standing_out(item: tuple[str, int]) -> tuple[int, str]:
    name, amount = item
    return -abs(amount), name


def _match_opposites(uneven: list[tuple[str, int]], payments: list[Payment]) -> list[tuple[str, int]]:
    """Pair off who owes exactly what another is owed: some plan with the fewest payments always does."""
    waiting: dict[int, list[str]] = {}
    for name, amount in uneven:
        opposite = waiting.get(-amount)
        if opposite:
            other = opposite.pop(0)
            giver, taker = (name, other) if amount < 0 else (other, name)
            payments.append(Payment(giver, taker, abs(amount)))
        else:
            waiting.setdefault(amount, []).append(name)
    left = {name for names in waiting.values() for name in names}
    return [item for item in uneven if item[0] in left]


def _most_groups(items: list[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Split into as many groups that each sum to 0 as there can be: each saves a payment.

    Over every subset (a bit mask), `most` counts how often the running sum can touch 0 while the subset is built
    up one by one; the groups are what lies between two touches on a best way to the whole.
    """
    size = 1 << len(items)
    amounts = [amount for _, amount in items]
    sums, most, added = [0] * size, [0] * size, [0] * size
    for subset in range(1, size):
        low = subset & -subset
        total = sums[subset] = sums[subset ^ low] + amounts[low.bit_length() - 1]
        best, by, rest = -1, 0, subset
        while rest:
            bit = rest & -rest
            rest ^= bit
            if most[subset ^ bit] > best:
                best, by = most[subset ^ bit], bit
        most[subset], added[subset] = best + (total == 0), by
    groups: list[list[tuple[str, int]]] = []
    subset = size - 1
    while subset:
        if sums[subset] == 0:
            groups.append([])
        groups[-1].append(items[added[subset].bit_length() - 1])
        subset ^= added[subset]
    return groups


def _clear(group: list[tuple[str, int]]) -> list[Payment]:
    """At most one payment fewer than the group has players: the largest debt goes to the largest credit."""
    payments = []
    left = dict(group)
    while any(left.values()):
        giver = min(left, key=lambda name: (left[name], name))
        taker = min(left, key=lambda name: (-left[name], name))
        amount = min(-left[giver], left[taker])
        payments.append(Payment(giver, taker, amount))
        left[giver] += amount
        left[taker] -= amount
    return payments
