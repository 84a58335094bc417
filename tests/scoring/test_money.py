"""The value of counters in money."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.scoring.currency import SUBUNITS_PER_UNIT, to_money
from scorekeeper.scoring.values import Value

from ..support.sheets import count_subunits

law = settings(max_examples=300)


def subunits(amount: int, unit: str, value: Value) -> int:
    """Convert an amount of counters of Francion; where Whist has the same unit, its result must be equal."""
    result = count_subunits(games()["francion"], value, {"jetons": 0, "fiches": 0} | {unit: amount})
    if (unit, value.unit) == ("fiches", "fiche"):
        assert count_subunits(games()["whist"], value, {"fiches": amount}) == result
    return result


def in_money(amount: int, unit: str, value: Value, places: int) -> Decimal:
    return to_money(subunits(amount, unit, value), places)


def priced(amount: int, unit: str, per: str, price: str) -> str:
    return str(in_money(amount, unit, Value("EUR", per, Decimal(price)), 2))


@pytest.mark.parametrize(
    ("amount", "unit", "per", "price", "expected"),
    [
        (3, "fiches", "fiche", "0.25", "0.75"),
        (4, "jetons", "jeton", "0.05", "0.20"),
        # A fiche is worth 9 jetons.
        (2, "fiches", "jeton", "0.05", "0.90"),
        (1, "fiches", "jeton", "1", "9.00"),
        (9, "jetons", "fiche", "0.25", "0.25"),
        (18, "jetons", "fiche", "0.25", "0.50"),
        (36, "jetons", "fiche", "1", "4.00"),
        (0, "jetons", "fiche", "0.25", "0.00"),
        (0, "fiches", "fiche", "0.25", "0.00"),
    ],
)
def test_counters_are_worth_their_number_times_the_value(
    amount: int, unit: str, per: str, price: str, expected: str
) -> None:
    assert priced(amount, unit, per, price) == expected


@pytest.mark.parametrize(
    ("amount", "unit", "per", "price", "expected"),
    [
        # Jetons by the fiche: 1/9 = 0.111…, 4/9 = 0.444…, 5/9 = 0.555…, 8/9 = 0.888….
        (1, "jetons", "fiche", "1", "0.11"),
        (4, "jetons", "fiche", "1", "0.44"),
        (5, "jetons", "fiche", "1", "0.56"),
        (8, "jetons", "fiche", "1", "0.89"),
        # Exactly half a coin: 9 × 0.005 / 9, 3 × 0.045 / 9, 1 × 0.225 / 9.
        (9, "jetons", "fiche", "0.005", "0.01"),
        (3, "jetons", "fiche", "0.045", "0.02"),
        (1, "jetons", "fiche", "0.225", "0.03"),
        (1, "fiches", "fiche", "0.005", "0.01"),
        (3, "fiches", "fiche", "0.005", "0.02"),
        (5, "fiches", "fiche", "0.005", "0.03"),
        (1, "jetons", "jeton", "0.125", "0.13"),
        (1, "jetons", "jeton", "0.124999", "0.12"),
        (1, "jetons", "jeton", "0.004999", "0.00"),
        (1, "fiches", "jeton", "0.005", "0.05"),
    ],
)
def test_half_a_coin_is_rounded_up(amount: int, unit: str, per: str, price: str, expected: str) -> None:
    assert priced(amount, unit, per, price) == expected


prices = st.integers(1, 10**9).map(lambda millionths: Decimal(millionths).scaleb(-6))
units = st.sampled_from([("jetons", "jeton"), ("jetons", "fiche"), ("fiches", "jeton"), ("fiches", "fiche")])
IN_JETONS = {"jetons": 1, "jeton": 1, "fiches": 9, "fiche": 9}


@law
@given(st.integers(0, 10**9), units, prices, st.sampled_from([0, 2, 3]))
def test_money_is_exact_to_the_last_place(amount: int, counted: tuple[str, str], price: Decimal, places: int) -> None:
    unit, per = counted
    exact = Fraction(price) * amount * IN_JETONS[unit] / IN_JETONS[per]
    coins = int(exact * 10**places + Fraction(1, 2))
    assert Fraction(subunits(amount, unit, Value("EUR", per, price)), SUBUNITS_PER_UNIT) == exact
    assert in_money(amount, unit, Value("EUR", per, price), places) == Decimal(coins).scaleb(-places)


def test_the_decimal_contexts_rounding_is_not_used() -> None:
    with localcontext() as context:
        context.rounding = ROUND_DOWN
        assert priced(5, "jetons", "fiche", "1") == "0.56"
