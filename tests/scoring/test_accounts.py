"""Accounts: balances of several tables added up exactly, and paid in whole coins."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.currency import coin
from scorekeeper.games import games
from scorekeeper.scoring.accounts import GRAINS, in_coins, through, to_grains, to_money, worth
from scorekeeper.scoring.settlement import settle
from scorekeeper.scoring.sheet import Value

NAMES = "ABCDEFGHIJKL"


@st.composite
def balances(draw: st.DrawFn, most: int = 12) -> dict[str, int]:
    """Grains that sum to 0."""
    some = draw(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=most - 1))
    return dict(zip(NAMES, [*some, -sum(some)], strict=False))


coins = st.sampled_from([coin("EUR"), coin("CHF"), coin("JPY"), 1])


@given(balances(), coins)
def test_what_is_paid_in_coins_sums_to_nought_and_is_within_a_coin_of_each_balance(
    held: dict[str, int], each: int
) -> None:
    paid = in_coins(held, each)
    assert sum(paid.values()) == 0
    for player, amount in paid.items():
        assert amount % each == 0
        assert abs(amount - held[player]) < each


@given(balances(), coins)
def test_once_the_coins_are_paid_nothing_is_left_to_pay(held: dict[str, int], each: int) -> None:
    paid = in_coins(held, each)
    left = {player: held[player] - paid[player] for player in held}
    assert sum(left.values()) == 0
    assert not any(in_coins(left, each).values())


@given(balances())
def test_whole_coins_are_paid_to_the_coin(held: dict[str, int]) -> None:
    whole = {player: amount * coin("EUR") for player, amount in held.items()}
    assert in_coins(whole, coin("EUR")) == whole


@given(balances(), st.sampled_from(NAMES))
def test_a_banker_clears_every_balance(held: dict[str, int], banker: str) -> None:
    left = dict(held) | ({} if banker in held else {banker: 0})
    for giver, taker, amount in through(banker, held):
        assert amount > 0
        assert banker in (giver, taker)
        left[giver] += amount
        left[taker] -= amount
    assert not any(left.values())


@given(balances(most=7), coins)
def test_the_plan_in_coins_is_the_fewest_payments_that_any_split_into_groups_allows(
    held: dict[str, int], each: int
) -> None:
    paid = {player: amount for player, amount in in_coins(held, each).items() if amount}
    assert len(settle(paid)) == len(paid) - most_groups(paid)


def most_groups(held: dict[str, int]) -> int:
    """By trying every group the first player can be in: into how many that sum to 0 the players fall."""
    if not held:
        return 0
    first, *others = held
    best = 0
    for size in range(len(others) + 1):
        for some in combinations(others, size):
            group = {first, *some}
            if sum(held[player] for player in group) == 0:
                rest = {player: amount for player, amount in held.items() if player not in group}
                best = max(best, 1 + most_groups(rest))
    return best


@pytest.mark.parametrize(
    ("slug", "value", "held", "account", "grains"),
    [
        ("whist", None, {"fiches": 3}, "whist", 3),
        ("francion", None, {"jetons": 4, "fiches": 1}, "francion", 13),
        ("whist", ("EUR", "fiche", "0.25"), {"fiches": 3}, "EUR", 3 * GRAINS // 4),
        ("francion", ("EUR", "fiche", "0.25"), {"jetons": 4, "fiches": 1}, "EUR", 13 * GRAINS // 36),
        ("francion", ("CHF", "jeton", "0.000001"), {"jetons": -1, "fiches": 0}, "CHF", -9),
        ("francion", ("CHF", "fiche", "0.000001"), {"jetons": -1, "fiches": 0}, "CHF", -1),
    ],
)
def test_a_balance_is_worth_a_whole_number_of_grains(
    slug: str, value: tuple[str, str, str] | None, held: dict[str, int], account: str, grains: int
) -> None:
    told = Value(value[0], value[1], Decimal(value[2])) if value else None
    assert worth(games()[slug], told, {"Anne": held}) == (account, {"Anne": grains})


@pytest.mark.parametrize(("currency", "money"), [("EUR", "0.01"), ("CHF", "0.05"), ("CAD", "0.05"), ("JPY", "1")])
def test_the_smallest_coin_is_the_currencys_own(currency: str, money: str) -> None:
    assert coin(currency) == to_grains(Decimal(money))


@given(st.decimals(-(10**9), 10**9, places=2))
def test_money_of_whole_cents_is_the_same_in_grains_and_back(amount: Decimal) -> None:
    assert to_money(to_grains(amount), 2) == amount


def test_money_finer_than_a_millionth_is_refused() -> None:
    with pytest.raises(ValueError, match="six"):
        to_grains(Decimal("0.0000001"))
