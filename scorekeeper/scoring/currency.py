"""Currencies and their smallest coins, from Unicode CLDR."""

from __future__ import annotations

from decimal import Decimal

from babel.core import get_global
from babel.numbers import get_currency_name

from .sheet import is_currency, to_subunits


def places(currency: str) -> int:
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
    amount = Decimal(cash_steps or 1).scaleb(-cash_digits) if in_cash else Decimal(1).scaleb(-digits)
    return to_subunits(amount)


def has_larger_coins(account: str) -> bool:
    return coin(account) > coin(account, in_cash=False)


def name(currency: str, language: str, *, count: int | None = None) -> str:
    """Return a currency's name in a language: British Pound, or of an amount, such as 2, British pounds."""
    return get_currency_name(currency, count=count, locale=language)
