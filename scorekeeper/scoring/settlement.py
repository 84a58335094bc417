"""Settlement: the fewest payments after which nobody has a coin or more open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

MAX_EXACT_PLAYERS = 12  # with balances left to clear; the search takes up to 3^n / 2 steps
MAX_TRIED_GROUPS = 50_000  # among more players, of which as many as possible are first split into small groups


class Transfer(NamedTuple):
    giver: str
    taker: str
    amount: int  # above 0, in the unit of the balances


class _Open(NamedTuple):
    """A balance. The amounts have one sign."""

    name: str
    amount: int
    low: int  # the least and the most of it in coins that can be paid now
    high: int


_Group = list[_Open]


def settle(balances: Mapping[str, int], coin: int = 1) -> list[Transfer]:
    """Return the fewest payments in multiples of `coin` that leave everybody with less than a coin.

    The players are split into groups that pay among themselves, as many as possible, since each saves a payment; then
    the balances are rounded in each group. So balances that are cleared exactly before they are rounded are found too.
    Of several such splits it is one whose groups' exact sums are closest to 0.

    Debtors only pay and creditors are only paid. Players with less than a coin take no part, unless somebody else would
    be left with a coin or more; then those with the largest amounts do.

    The number of payments is minimal for up to 12 players who take part, not counting pairs of opposite balances in
    whole coins, and always below the number of players. The result does not depend on the order of the balances.

    Raises:
        ValueError: The balances do not sum to 0.
    """
    if sum(balances.values()) != 0:
        raise ValueError("balances that do not sum to 0 cannot be settled")
    payments = []
    for group in _split_into_groups(_open_balances(balances, coin)):
        payments += _clear(round_to_coins({item.name: item.amount for item in group}, coin))
    return sorted(payments, key=lambda payment: (-payment.amount, payment.giver, payment.taker))


def round_to_coins(balances: Mapping[str, int], coin: int) -> dict[str, int]:
    """Round balances to multiples of `coin` that can be paid now, in the unit of the balances.

    Both the balances and the result sum to 0, or, for a group of players, to less than a coin each. Every balance of a
    coin or more is rounded to the nearest coin, half a coin towards 0, and every other to 0. If the sum is not 0 then,
    as few players as possible are moved by one coin: first those with a coin or more, then those whose exact amount is
    closest to the other neighbour. Each player's remainder is less than a coin. So nothing can be paid if, and only if,
    nobody has a coin or more.
    """
    rounded = {player: _round(amount, coin) for player, amount in balances.items()}
    off = sum(rounded.values()) // coin
    sign = -1 if off > 0 else 1
    movable = sorted(
        (player for player in balances if (balances[player] - rounded[player]) * sign > 0),
        key=lambda player: (rounded[player] == 0, -abs(balances[player] - rounded[player]), player),
    )
    for player in movable[: abs(off)]:
        rounded[player] += sign * coin
    return rounded


def _round(amount: int, coin: int) -> int:
    if abs(amount) < coin:
        return 0  # so that nothing is left to pay after the planned payments
    coins = (2 * abs(amount) + coin - 1) // (2 * coin) * coin
    return coins if amount > 0 else -coins


def _open_balances(balances: Mapping[str, int], coin: int) -> _Group:
    """Return the balances of those who take part, the largest first.

    A player with less than a coin takes part only where that is needed, and then gives or gets exactly one coin.
    """
    found = []
    for name, rounded in round_to_coins(balances, coin).items():
        amount = balances[name]
        if abs(amount) >= coin:
            found.append(_Open(name, amount, amount // coin, -(-amount // coin)))
        elif rounded:
            found.append(_Open(name, amount, rounded // coin, rounded // coin))
    return sorted(found, key=lambda item: (-abs(item.amount), item.name))


def _can_pay_each_other(group: Iterable[_Open]) -> bool:
    """Return whether the group's balances can be rounded to coins that sum to 0."""
    low = high = 0
    for item in group:
        low += item.low
        high += item.high
    return low <= 0 <= high


def _split_into_groups(items: _Group) -> list[_Group]:
    # There is always a best split that contains these pairs.
    groups, rest = _match_opposites(items, only_whole=True)
    if len(rest) > MAX_EXACT_PLAYERS:
        pairs, rest = _match_opposites(rest, only_whole=False)
        groups += pairs
    if len(rest) > MAX_EXACT_PLAYERS:
        small, rest = _split_off_small_groups(rest)
        groups += small
    return groups + (_search(rest) if len(rest) <= MAX_EXACT_PLAYERS else [rest])


def _match_opposites(items: _Group, *, only_whole: bool) -> tuple[list[_Group], _Group]:
    """Return pairs of opposite balances, with `only_whole` of those in whole coins, and the other balances."""
    unmatched: dict[int, _Group] = {}
    pairs: list[_Group] = []
    for item in items:
        if item.low != item.high and only_whole:
            continue
        opposites = unmatched.get(-item.amount)
        if opposites:
            pairs.append([opposites.pop(0), item])
        else:
            unmatched.setdefault(item.amount, []).append(item)
    matched = {item.name for pair in pairs for item in pair}
    return pairs, [item for item in items if item.name not in matched]


def _split_off_small_groups(items: _Group) -> tuple[list[_Group], _Group]:
    """Split off groups, the smallest first, until the rest is few enough for the search; return them and the rest."""
    found: list[tuple[int, int, tuple[_Open, ...]]] = []
    tried = 0
    for size in range(2, len(items) // 2 + 1):
        tried += comb(len(items), size)
        if tried > MAX_TRIED_GROUPS:
            break
        for some in combinations(items, size):
            if _can_pay_each_other(some):
                found.append((size, abs(sum(item.amount for item in some)), some))
    groups: list[_Group] = []
    rest = dict.fromkeys(items)
    for _, _, some in sorted(found, key=lambda group: group[:2]):
        if len(rest) <= MAX_EXACT_PLAYERS:
            break
        if all(item in rest for item in some) and _can_pay_each_other(item for item in rest if item not in some):
            groups.append(list(some))
            for item in some:
                del rest[item]
    return groups, list(rest)


def _search(items: _Group) -> list[_Group]:
    """Split the balances into as many groups as possible, by dynamic programming over subsets (bit masks)."""
    sums, lows, highs = [0], [0], [0]
    for item in items:
        sums += [amount + item.amount for amount in sums]
        lows += [low + item.low for low in lows]
        highs += [high + item.high for high in highs]
    fits = [low <= 0 <= high for low, high in zip(lows, highs, strict=True)]

    @cache
    def best_split(subset: int) -> tuple[int, int, int]:
        """Return the number of groups, minus how far their sums are from 0 in all, and the first player's group."""
        if not subset:
            return 0, 0, 0
        first = subset & -subset
        others = rest = subset ^ first
        best = (0, 0, 0)
        while True:
            if fits[rest] and fits[subset ^ rest]:
                groups, off, _ = best_split(rest)
                best = max(best, (groups + 1, off - abs(sums[subset ^ rest]), subset ^ rest))
            if not rest:
                return best
            rest = (rest - 1) & others

    groups: list[_Group] = []
    subset = len(fits) - 1
    while subset:
        group = best_split(subset)[2]
        groups.append([item for bit, item in enumerate(items) if group >> bit & 1])
        subset ^= group
    return groups


def _clear(balances: Mapping[str, int]) -> list[Transfer]:
    """Clear a group in fewer payments than it has players, always from the largest debt to the largest credit."""
    payments = []
    # The amounts are negative in both, so that pop() returns the largest, of equal ones the first by name.
    debts = sorted(((amount, name) for name, amount in balances.items() if amount < 0), reverse=True)
    claims = sorted(((-amount, name) for name, amount in balances.items() if amount > 0), reverse=True)
    while debts:
        (debt, giver), (claim, taker) = debts.pop(), claims.pop()
        amount = -max(debt, claim)
        payments.append(Transfer(giver, taker, amount))
        for rest, name, others in ((debt + amount, giver, debts), (claim + amount, taker, claims)):
            if rest:
                others.append((rest, name))
                others.sort(reverse=True)
    return payments


def payments_via(banker: str, balances: Mapping[str, int]) -> list[Transfer]:
    """Return payments that clear the balances through one player; those to the banker come first."""
    payments = [
        Transfer(player, banker, -amount) if amount < 0 else Transfer(banker, player, amount)
        for player, amount in balances.items()
        if amount and player != banker
    ]
    return sorted(
        payments, key=lambda payment: (payment.taker != banker, -payment.amount, payment.giver, payment.taker)
    )
