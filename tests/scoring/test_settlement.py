"""The settlement: the fewest payments after which nobody has a coin or more open, against an exact search."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

import pytest

from scorekeeper.scoring.settlement import MAX_EXACT_PLAYERS, Transfer, round_to_coins, settle

COIN = 9  # subunits
CASES = 2_000

Balances = dict[str, int]


def named(amounts: list[int]) -> Balances:
    return {f"player {number:02}": amount for number, amount in enumerate(amounts)}


def planted(chance: random.Random, sizes: list[int], most: int) -> list[int]:
    """Draw groups that sum to 0, and shuffle them."""
    amounts: list[int] = []
    for size in sizes:
        group = [chance.randint(-most, most) for _ in range(size - 1)]
        amounts += [*group, -sum(group)]
    chance.shuffle(amounts)
    return amounts


def cases(players: int) -> Iterator[Balances]:
    """Draw balances: planted groups with large and small amounts, and amounts of about a coin without groups."""
    chance = random.Random(players)  # noqa: S311  # no secret
    for number in range(CASES):
        most = (12, 60, 5_000)[number % 3]
        sizes = [chance.randint(2, 4)]
        while sum(sizes) < players - 1:
            sizes.append(min(chance.randint(2, 4), players - sum(sizes)))
        yield named(planted(chance, sizes if number % 4 else [sum(sizes)], most))


def after(balances: Balances, payments: list[Transfer]) -> Balances:
    left = dict(balances)
    for giver, taker, amount in payments:
        left[giver] += amount
        left[taker] -= amount
    return left


def test_twelve_players_are_searched_whole_though_some_balances_are_opposite() -> None:
    amounts = [7, -7, -3, 3, -2, 4, -12, -8, 5, -11, -6, 30]
    assert len(amounts) == MAX_EXACT_PLAYERS
    assert len(settle(named(amounts), 2)) == 7


def test_groups_that_clear_each_other_before_rounding_are_found() -> None:
    cents = {"O'Neil": 350, "Zoë": -350, "David": -198, "Élise": 65, "Chloé": 33, "Bruno": 100}
    plan = settle(cents, COIN)
    assert len(plan) == 4
    assert plan[0] == Transfer("Zoë", "O'Neil", 351)
    assert {payment.giver for payment in plan[1:]} == {"David"}


@pytest.mark.parametrize(("players", "coin"), [(5, COIN), (7, COIN), (6, 1)])
def test_no_plan_has_fewer_payments(players: int, coin: int) -> None:
    for balances in cases(players):
        assert len(settle(balances, coin)) == fewest_payments(balances.values(), coin), balances


def test_the_plan_in_coins_is_the_fewest_for_twelve_players_too() -> None:
    chance = random.Random(12)  # noqa: S311  # no secret
    for sizes in ([3, 3, 3, 3], [5, 7], [4, 4, 4], [2, 3, 7], [6, 6], [12]):
        assert sum(sizes) == MAX_EXACT_PLAYERS
        balances = named(planted(chance, sizes, 5_000))
        assert len(settle(balances, COIN)) == fewest_payments(balances.values(), COIN), balances


def test_everybody_who_follows_the_plan_has_less_than_a_coin_left() -> None:
    for balances in cases(9):
        plan = settle(balances, COIN)
        left = after(balances, plan)
        assert all(abs(amount) < COIN for amount in left.values()), balances
        assert all(payment.amount % COIN == 0 < payment.amount for payment in plan)
        assert all(balances[payment.giver] < 0 < balances[payment.taker] for payment in plan)
        assert settle(left, COIN) == []
        assert not any(round_to_coins(left, COIN).values())


def groups_of(plan: list[Transfer]) -> list[set[str]]:
    """Return the groups of players who pay among themselves."""
    groups: list[set[str]] = []
    for giver, taker, _ in plan:
        apart = [group for group in groups if not group & {giver, taker}]
        joined = [group for group in groups if group & {giver, taker}]
        groups = [*apart, {giver, taker}.union(*joined)]
    return groups


def test_every_group_pays_the_nearest_coins_that_add_up() -> None:
    within_half = 0
    for balances in cases(6):
        plan = settle(balances, COIN)
        left = after(balances, plan)
        for group in groups_of(plan):
            amounts = [balances[player] for player in group]
            assert sum(abs(left[player]) for player in group) == least_left(amounts, COIN), balances
            nearest = [(2 * amount + COIN) // (2 * COIN) for amount in amounts]
            if sum(nearest) == 0 and all(nearest):
                assert all(2 * abs(left[player]) <= COIN for player in group), balances
                within_half += 1
    assert within_half


@pytest.mark.parametrize("players", [2, 13, 30])
def test_every_balance_is_cleared_by_payments_above_0(players: int) -> None:
    for balances in islice(cases(players), 50):
        payments = settle(balances)
        assert not any(after(balances, payments).values())
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
        assert not any(after(balances, plan).values())


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


# --- exact searches, to compare with


def fewest_payments(balances: Iterable[int], coin: int) -> int:
    """Return the minimal number of payments in whole coins after which nobody has a coin or more open.

    Try every way to split all the players into groups, with whoever neither
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
