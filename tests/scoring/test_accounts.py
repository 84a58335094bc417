"""Accounts: balances of several tables are added up exactly and paid in whole coins."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.scoring.currency import SUBUNITS_PER_UNIT, coin, to_money, to_subunits
from scorekeeper.scoring.settlement import Transfer, payments_via, round_to_coins
from scorekeeper.scoring.values import Value

from ..support.sheets import count_subunits

NAMES = "ABCDEFGHIJKL"


@st.composite
def balances(draw: st.DrawFn) -> dict[str, int]:
    """Draw balances in subunits that sum to 0."""
    some = draw(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=11))
    return dict(zip(NAMES, [*some, -sum(some)], strict=False))


coins = st.sampled_from([coin("EUR"), coin("CHF"), coin("JPY"), 1])


@given(balances(), coins)
def test_rounded_balances_sum_to_zero_and_differ_by_less_than_a_coin(amounts: dict[str, int], each: int) -> None:
    paid = round_to_coins(amounts, each)
    assert sum(paid.values()) == 0
    for player, amount in paid.items():
        assert amount % each == 0
        assert abs(amount - amounts[player]) < each


@given(balances(), coins)
def test_after_paying_the_coins_nothing_more_can_be_paid(amounts: dict[str, int], each: int) -> None:
    paid = round_to_coins(amounts, each)
    left = {player: amounts[player] - paid[player] for player in amounts}
    assert sum(left.values()) == 0
    assert not any(round_to_coins(left, each).values())


@given(balances(), st.sampled_from(NAMES))
def test_a_banker_clears_every_balance(amounts: dict[str, int], banker: str) -> None:
    left = dict(amounts) | ({} if banker in amounts else {banker: 0})
    for giver, taker, amount in payments_via(banker, amounts):
        assert amount > 0
        assert banker in (giver, taker)
        left[giver] += amount
        left[taker] -= amount
    assert not any(left.values())


@pytest.mark.parametrize(
    ("slug", "value", "amounts", "subunits"),
    [
        ("whist", None, {"fiches": 3}, 3),
        ("francion", None, {"jetons": 4, "fiches": 1}, 13),
        ("whist", ("EUR", "fiche", "0.25"), {"fiches": 3}, 3 * SUBUNITS_PER_UNIT // 4),
        ("francion", ("EUR", "fiche", "0.25"), {"jetons": 4, "fiches": 1}, 13 * SUBUNITS_PER_UNIT // 36),
        ("francion", ("CHF", "jeton", "0.000001"), {"jetons": -1, "fiches": 0}, -9),
        ("francion", ("CHF", "fiche", "0.000001"), {"jetons": -1, "fiches": 0}, -1),
    ],
)
def test_a_balance_has_a_whole_number_of_subunits(
    slug: str, value: tuple[str, str, str] | None, amounts: dict[str, int], subunits: int
) -> None:
    counter_value = Value(value[0], value[1], Decimal(value[2])) if value else None
    assert count_subunits(games()[slug], counter_value, amounts) == subunits


@pytest.mark.parametrize(("currency", "money"), [("EUR", "0.01"), ("CHF", "0.05"), ("CAD", "0.05"), ("JPY", "1")])
def test_the_smallest_coin_depends_on_the_currency(currency: str, money: str) -> None:
    assert coin(currency) == to_subunits(Decimal(money))


def test_amounts_of_forty_digits_are_exact() -> None:
    amount = Decimal("1234567890123456789012345678901234567890.12")
    assert to_subunits(amount) == 123456789012345678901234567890123456789012 * SUBUNITS_PER_UNIT // 100
    assert to_money(to_subunits(amount), 2) == amount


@pytest.mark.parametrize(
    ("amounts", "each", "paid"),
    [
        # The credits are a coin less than the debts. It goes to the largest remainder, not to the largest balance.
        ({"Anne": 104, "Bruno": 18, "Chloé": -122}, 10, {"Anne": 100, "Bruno": 20, "Chloé": -120}),
        ({"Anne": -104, "Bruno": -18, "Chloé": 122}, 10, {"Anne": -100, "Bruno": -20, "Chloé": 120}),
        # With equal remainders it goes to the first by name. One subunit is enough.
        ({"Bruno": 1, "Anne": 1, "Chloé": 1, "David": -3}, 3, {"Bruno": 0, "Anne": 3, "Chloé": 0, "David": -3}),
        ({"Bruno": -1, "Anne": -1, "Chloé": -1, "David": 3}, 3, {"Bruno": 0, "Anne": -3, "Chloé": 0, "David": 3}),
        ({"Anne": -1, "Bruno": 1}, 1, {"Anne": -1, "Bruno": 1}),
        ({"Anne": -4, "Bruno": 4}, 5, {"Anne": 0, "Bruno": 0}),
    ],
)
def test_missing_coins_go_to_the_largest_remainders(amounts: dict[str, int], each: int, paid: dict[str, int]) -> None:
    assert round_to_coins(amounts, each) == paid


def test_a_banker_is_paid_before_he_pays_and_the_largest_amount_comes_first() -> None:
    amounts = {"David": 7, "Anne": -1, "Bruno": -8, "Chloé": 1, "Banker": 2, "Élise": -1, "Fanny": 0}
    assert payments_via("Banker", amounts) == [
        Transfer("Bruno", "Banker", 8),
        Transfer("Anne", "Banker", 1),
        Transfer("Élise", "Banker", 1),
        Transfer("Banker", "David", 7),
        Transfer("Banker", "Chloé", 1),
    ]
