"""The settlement: the fewest payments that bring every balance to 0."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorekeeper.scoring.settlement import MAX_EXACT_PLAYERS, Transfer, settle

law = settings(max_examples=60)


def named(amounts: list[int]) -> dict[str, int]:
    return {f"player {number:02}": amount for number, amount in enumerate(amounts, start=1)}


def evened(amounts: list[int]) -> list[int]:
    """Append an amount that makes the sum 0."""
    return [*amounts, -sum(amounts)]


def owed_after(balances: dict[str, int], payments: list[Transfer]) -> dict[str, int]:
    left = dict(balances)
    for giver, taker, amount in payments:
        left[giver] += amount
        left[taker] -= amount
    return left


@cache
def fewest(amounts: tuple[int, ...]) -> int:
    """Return the minimal number of payments by exhaustive search.

    The player with the largest debt pays all of it to each player with a credit in turn.
    """
    uneven = sorted(amount for amount in amounts if amount)
    if not uneven:
        return 0
    first, rest = uneven[0], uneven[1:]
    trials = [
        fewest(tuple(sorted([*rest[:index], rest[index] + first, *rest[index + 1 :]])))
        for index in range(len(rest))
        if rest[index] > 0
    ]
    return 1 + min(trials)


small = st.lists(st.integers(-9, 9), max_size=6).map(evened)
any_size = st.lists(st.integers(-1000, 1000), min_size=1, max_size=30).map(evened)


@law
@given(small)
def test_no_plan_has_fewer_payments(amounts: list[int]) -> None:
    assert len(settle(named(amounts))) == fewest(tuple(amounts))


@law
@given(any_size)
def test_every_balance_is_cleared_by_payments_above_0(amounts: list[int]) -> None:
    balances = named(amounts)
    payments = settle(balances)
    assert not any(owed_after(balances, payments).values())
    assert all(payment.amount > 0 for payment in payments)


def spread(step: int, players: int) -> list[int]:
    """Return debts of 1, 2, 4, … steps and one credit of their sum: no proper subset sums to 0."""
    debts = [-step * 2**power for power in range(players - 1)]
    return [*debts, -sum(debts)]


TWELVE = [
    # These groups differ by powers of ten, so that only whole groups sum to 0; each saves one payment.
    ([spread(1, 12)], 11),
    ([spread(1, 6), spread(1000, 6)], 10),
    ([spread(1, 5), spread(1000, 7)], 10),
    ([spread(1, 4), spread(100, 4), spread(10_000, 4)], 9),
    ([spread(1, 3), spread(10, 4), spread(1000, 5)], 9),
    ([spread(1, 3), spread(10, 3), spread(100, 3), spread(1000, 3)], 8),
    ([spread(1, 2), spread(10, 2), spread(100, 2), spread(1000, 2), spread(10_000, 2), spread(100_000, 2)], 6),
    ([spread(1, 2), spread(10, 2), spread(100, 4), spread(10_000, 4)], 8),
    ([[-amount for amount in spread(1, 3)], spread(10, 3), spread(100, 3), spread(1000, 3)], 8),
    # No two are opposite, so a group has at least three players, and there are at most four groups.
    ([[41, -23, -18], [37, -20, -17], [-45, 26, 19], [-39, 25, 14]], 8),
    ([[9, -5, -4], [8, -7, -1], [17, -6, -11], [16, -14, -2]], 8),
]


@pytest.mark.parametrize(("groups", "payments"), TWELVE)
def test_the_plan_is_the_fewest_for_twelve_players_too(groups: list[list[int]], payments: int) -> None:
    amounts = [amount for group in groups for amount in group]
    assert len(amounts) == MAX_EXACT_PLAYERS == 12
    for seed in range(5):
        random.Random(seed).shuffle(amounts)  # noqa: S311  # no secret
        balances = named(amounts)
        plan = settle(balances)
        assert len(plan) == payments
        assert not any(owed_after(balances, plan).values())


def test_paying_the_largest_credit_first_is_not_always_the_fewest() -> None:
    # 9 = 5 + 4 and 8 = 7 + 1 make four payments; with 7 to 9 there would be five.
    assert len(settle({"a": 9, "b": 8, "c": -7, "d": -5, "e": -4, "f": -1})) == 4


def test_fifteen_players_who_can_pay_in_four_groups_make_eleven_payments() -> None:
    amounts = [4, 19, -11, 19, -11, -11, -3, -2, 7, 18, 7, -8, -14, -5, -9]
    assert len(settle(named(amounts))) == 15 - 4


@pytest.mark.parametrize("balances", [{"Anne": 1}, {"Anne": 1, "Bruno": -2}, {"Anne": 3, "Bruno": -1, "Chloé": -1}])
def test_balances_that_do_not_sum_to_0_cannot_be_settled(balances: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="sum to 0"):
        settle(balances)
