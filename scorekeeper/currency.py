"""Currencies and their coins, as the Unicode consortium knows them."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

from babel.core import get_global
from babel.numbers import get_currency_name

from .scoring.accounts import is_currency, to_grains


def places(currency: str) -> int:
    """Decimal places that amounts of it are written with."""
    fractions = get_global("currency_fractions")
    return int(fractions.get(currency, fractions["DEFAULT"])[0])


@cache
def coin(account: str) -> int:
    """The smallest coin of a currency, in grains (0.05 for Swiss francs, 0.01 for euros); one counter of a game's."""
    if not is_currency(account):
        return 1
    fractions = get_global("currency_fractions")
    _, _, digits, steps = fractions.get(account, fractions["DEFAULT"])
    return to_grains(Decimal(steps or 1).scaleb(-digits))


def name(currency: str, language: str) -> str:
    return get_currency_name(currency, locale=language)
