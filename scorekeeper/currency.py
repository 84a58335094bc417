"""Currencies and their smallest coins, from Unicode CLDR."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

from babel.core import get_global
from babel.numbers import get_currency_name

from .scoring.accounts import is_currency, to_subunits


def places(currency: str) -> int:
    """Return the number of decimal places of a currency."""
    fractions = get_global("currency_fractions")
    return int(fractions.get(currency, fractions["DEFAULT"])[0])


@cache
def coin(account: str) -> int:
    """Return the smallest coin of a currency in subunits (0.05 for Swiss francs); 1 for an account in counters."""
    if not is_currency(account):
        return 1
    fractions = get_global("currency_fractions")
    _, _, digits, steps = fractions.get(account, fractions["DEFAULT"])
    return to_subunits(Decimal(steps or 1).scaleb(-digits))


def name(currency: str, language: str) -> str:
    """Return a currency's name in a language."""
    return get_currency_name(currency, locale=language)
