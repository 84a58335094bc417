"""Settlement: the fewest payments that bring every balance to 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MAX_EXACT_PLAYERS = 12  # with balances left to clear; above that the search, which takes 2^n steps, is skipped


class Transfer(NamedTuple):
    """A payment between players. `amount` is above 0, in the unit of the balances."""

    giver: str
    taker: str
    amount: int


def settle(balances: Mapping[str, int]) -> list[Transfer]:
    """Return the fewest payments that clear the balances.

    The number of payments is minimal for up to 12 players with a balance, and never above players − 1. The result
    does not depend on the order of the balances.

    Raises:
        ValueError: The balances do not sum to 0.
    """
    if sum(balances.values()) != 0:
        raise ValueError("balances that do not sum to 0 cannot be settled")
    open_balances = sorted(((name, amount) for name, amount in balances.items() if amount), key=_by_size)
    payments: list[Transfer] = []
    rest = _match_opposites(open_balances, payments)
    groups = _split_into_groups(rest) if len(rest) <= MAX_EXACT_PLAYERS else [rest]
    for group in groups:
        payments.extend(_clear(group))
    return sorted(payments, key=lambda payment: (-payment.amount, payment.giver, payment.taker))


def _by_size(item: tuple[str, int]) -> tuple[int, str]:
    name, amount = item
    return -abs(amount), name


def _match_opposites(open_balances: list[tuple[str, int]], payments: list[Transfer]) -> list[tuple[str, int]]:
    """Add a payment for every pair of opposite balances, and return the other balances.

    There is always a minimal set of payments that contains these.
    """
    unmatched: dict[int, list[str]] = {}
    for name, amount in open_balances:
        opposites = unmatched.get(-amount)
        if opposites:
            other = opposites.pop(0)
            giver, taker = (name, other) if amount < 0 else (other, name)
            payments.append(Transfer(giver, taker, abs(amount)))
        else:
            unmatched.setdefault(amount, []).append(name)
    remaining = {name for names in unmatched.values() for name in names}
    return [item for item in open_balances if item[0] in remaining]


def _split_into_groups(items: list[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Split the balances into as many groups with sum 0 as possible, since each group saves a payment.

    Dynamic programming over subsets (bit masks): `zero_sums` is how often the running sum can be 0 while the subset
    is built up item by item, `added` the last item on the best way. A group is what lies between two zeros.
    """
    size = 1 << len(items)
    amounts = [amount for _, amount in items]
    sums, zero_sums, added = [0] * size, [0] * size, [0] * size
    for subset in range(1, size):
        low = subset & -subset
        total = sums[subset] = sums[subset ^ low] + amounts[low.bit_length() - 1]
        best, best_bit, rest = -1, 0, subset
        while rest:
            bit = rest & -rest
            rest ^= bit
            if zero_sums[subset ^ bit] > best:
                best, best_bit = zero_sums[subset ^ bit], bit
        zero_sums[subset], added[subset] = best + (total == 0), best_bit
    groups: list[list[tuple[str, int]]] = []
    subset = size - 1
    while subset:
        if sums[subset] == 0:
            groups.append([])
        groups[-1].append(items[added[subset].bit_length() - 1])
        subset ^= added[subset]
    return groups


def _clear(group: list[tuple[str, int]]) -> list[Transfer]:
    """Clear a group in fewer payments than it has players, always from the largest debt to the largest credit."""
    payments = []
    # Both are negative, and sorted so that the next one is the last: the largest, of equals the first by name.
    debts = sorted(((amount, name) for name, amount in group if amount < 0), reverse=True)
    claims = sorted(((-amount, name) for name, amount in group if amount > 0), reverse=True)
    while debts:
        (debt, giver), (claim, taker) = debts.pop(), claims.pop()
        amount = -max(debt, claim)
        payments.append(Transfer(giver, taker, amount))
        for rest, name, others in ((debt + amount, giver, debts), (claim + amount, taker, claims)):
            if rest:
                others.append((rest, name))
                others.sort(reverse=True)
    return payments
