"""An exact search for the fewest payments, to compare plans with."""

from __future__ import annotations

from collections.abc import Iterable


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
