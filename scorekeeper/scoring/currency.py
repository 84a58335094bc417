"""Currencies and their smallest coins, from Unicode CLDR, and amounts of money in subunits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache

from babel.core import get_global
from babel.numbers import get_currency_name

# Of a currency: for amounts of six decimal places, and counters that are worth 3 or 9 of the smallest one. A price that
# does not divide, such as 0.10 for a counter worth 7, is refused. Stored amounts are in subunits, so it never changes.
SUBUNITS_PER_UNIT = 9_000_000
# Coins that CLDR does not know: the smallest that are legal tender, as their central banks say.
_COINS = {"AUD": Decimal("0.05"), "HUF": Decimal(5), "NZD": Decimal("0.10")}
_DIGITS = 80  # decimal precision, more than any sheet needs
_SINCE = (2026, 1, 1)  # what has been legal tender since then stays readable, even where another takes its place


@cache
def list_currencies() -> tuple[str, ...]:
    """Return the ISO 4217 codes of all legal tenders: neither metals, funds and codes for tests nor former money."""
    periods = (period for of_place in get_global("territory_currencies").values() for period in of_place)
    return tuple(sorted({code for code, _, end, is_tender in periods if is_tender and (end is None or end >= _SINCE)}))


def is_currency(account: str) -> bool:
    return account.isupper()


def to_subunits(money: Decimal) -> int:
    """Convert an amount of money to subunits.

    Raises:
        ValueError: The amount has more than six decimal places.
    """
    with localcontext(prec=_DIGITS):
        subunits = money * SUBUNITS_PER_UNIT
        if subunits != subunits.to_integral_value():
            raise ValueError("money has at most six decimal places")
        return int(subunits)


def to_money(subunits: int, places: int) -> Decimal:
    """Convert subunits of a currency to money with `places` decimal places, rounding half away from 0."""
    smallest = SUBUNITS_PER_UNIT // 10**places
    whole, rest = divmod(abs(subunits), smallest)
    count = whole + (2 * rest >= smallest)
    with localcontext(prec=_DIGITS):
        return Decimal(-count if subunits < 0 else count).scaleb(-places)


def decimal_places(currency: str) -> int:
    fractions = get_global("currency_fractions")
    return int(fractions.get(currency, fractions["DEFAULT"])[0])


def coin(account: str, *, in_cash: bool = True) -> int:
    """Return the smallest amount of a currency that can be paid, in subunits; 1 for an account in counters.

    This is its smallest coin (0.05 Swiss francs), or by transfer what its decimal places allow (0.01).
    """
    if not is_currency(account):
        return 1
    fractions = get_global("currency_fractions")
    digits, _, cash_digits, cash_steps = fractions.get(account, fractions["DEFAULT"])
    if not in_cash:
        return to_subunits(Decimal(1).scaleb(-digits))
    return to_subunits(_COINS.get(account) or Decimal(cash_steps or 1).scaleb(-cash_digits))


def has_larger_coins(account: str) -> bool:
    return coin(account) > coin(account, in_cash=False)


def name(currency: str, locale: str, *, count: int | None = None) -> str:
    """Return a currency's name in a language: British Pound, or of an amount, such as 2, British pounds."""
    return get_currency_name(currency, count=count, locale=locale)
