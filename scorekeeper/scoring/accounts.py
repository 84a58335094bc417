"""Accounts, in which the results of several tables are added up.

An account is a currency code, for tables played for money, or a game's slug, for tables whose counters have no value.
Amounts are integers in subunits, so that sums are exact. In a game's account a subunit is one counter of the unit the
game is settled in. In a currency it is 1/9,000,000 of the currency's unit: counters are valued with up to six decimal
places, and one may be worth nine smaller ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import NamedTuple

from . import units
from .game import AnyGame
from .settlement import Transfer
from .sheet import Value
from .statement import balances_in_unit

SUBUNITS_PER_UNIT = units.SUBUNITS_PER_UNIT  # of a currency
_DIGITS = 80  # decimal precision, more than any sheet needs


class TableResult(NamedTuple):
    """The result of a table by player, in subunits of its account; the amounts sum to 0."""

    account: str
    subunits: dict[str, int]


def table_result(game: AnyGame, value: Value | None, balances: Mapping[str, Mapping[str, int]]) -> TableResult:
    """Convert the balances of a table (by player and unit) to its account."""
    counters = balances_in_unit(game, balances)
    if value is None:
        return TableResult(game.slug, counters)
    each = subunits_per_counter(game, value)
    return TableResult(value.currency, {player: amount * each for player, amount in counters.items()})


def subunits_per_counter(game: AnyGame, value: Value | None) -> int:
    """Return the value of one counter of the game's settlement unit, in subunits of the table's account."""
    if value is None:
        return 1
    # Exact: a sheet whose value does not divide is refused.
    return to_subunits(value.amount) // game.worth_of(game.unit_of_value(value.unit))


def is_currency(account: str) -> bool:
    """Return whether the account is a currency and not a game's slug."""
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
    coin = SUBUNITS_PER_UNIT // 10**places
    whole, rest = divmod(abs(subunits), coin)
    coins = whole + (2 * rest >= coin)
    with localcontext(prec=_DIGITS):
        return Decimal(-coins if subunits < 0 else coins).scaleb(-places)


def payments_via(banker: str, balances: Mapping[str, int]) -> list[Transfer]:
    """Return payments that clear the balances, each of them to or from the banker."""
    payments = [
        Transfer(player, banker, -amount) if amount < 0 else Transfer(banker, player, amount)
        for player, amount in balances.items()
        if amount and player != banker
    ]
    return sorted(
        payments, key=lambda payment: (payment.taker != banker, -payment.amount, payment.giver, payment.taker)
    )
