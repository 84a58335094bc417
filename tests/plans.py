"""Exact searches for the fewest payments and the nearest coins, to compare plans with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product


def fewest_payments(balances: Iterable[int], coin: int) -> int:
    """Return the minimal number of payments in whole coins after which nobody has a coin or more open.

    Dynamic programming over subsets: it tries every way to split all the players into groups, with whoever neither
    pays nor is paid as a group of one. Each member of a group may be rounded up or down.
    """
    amounts = [amount for amount in balances if amount]
    least, most = [0], [0]
    for amount in amounts:
        least += [total + amount // coin for total in least]
        most += [total - (-amount // coin) for total in most]
    payments = [0] * len(least)
    for players in range(1, len(payments)):
        first = 1 << (players.bit_length() - 1)
        others = rest = players ^ first
        payments[players] = len(amounts)
        while True:
            group = players ^ rest
            if least[group] <= 0 <= most[group]:
                payments[players] = min(payments[players], group.bit_count() - 1 + payments[rest])
            if not rest:
                break
            rest = (rest - 1) & others
    return payments[-1]


def least_left(balances: Sequence[int], coin: int) -> int:
    """Return the minimal sum of what is left open, if all pay or are paid whole coins that leave less than a coin.

    It tries to round each balance up and down, in every combination.
    """
    neighbours = [{amount // coin * coin, -(-amount // coin) * coin} - {0} for amount in balances]
    return min(
        sum(abs(amount - paid) for amount, paid in zip(balances, choice, strict=True))
        for choice in product(*neighbours)
        if sum(choice) == 0
    )
