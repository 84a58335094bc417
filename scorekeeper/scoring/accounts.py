"""Accounts: what balances of several tables are added up in, exactly, and paid in whole coins.

An account is a currency, for tables played for money, or the slug of a game, for counters that were given no value.
Its amounts are whole numbers of grains: of a game's account a grain is one counter of the unit the game is settled
in; of a currency it is a ninth of a millionth of one unit of it, so that a jeton valued by the fiche is still whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import NamedTuple

from .game import Game
from .ledger import FICHE, JETONS
from .settlement import Payment
from .sheet import Value
from .statement import settling_unit, totals

MILLION = 10**6  # the value of a counter has at most six decimal places
GRAINS = FICHE * MILLION  # in one unit of a currency
_DIGITS = 80  # enough for any amount that a sheet can come to


class Worth(NamedTuple):
    """What a table comes to: by player, in grains of its account; they sum to 0."""

    account: str
    grains: dict[str, int]


def worth(game: Game, value: Value | None, balances: Mapping[str, Mapping[str, int]]) -> Worth:
    held = totals(balances, settling_unit(game))
    if value is None:
        return Worth(game.slug, held)
    each = grains_of_a_counter(game, value)
    return Worth(value.currency, {player: amount * each for player, amount in held.items()})


def grains_of_a_counter(game: Game, value: Value | None) -> int:
    """How many grains of its account one counter of the game's settling unit is."""
    if value is None:
        return 1
    each = to_grains(value.amount)
    if settling_unit(game) == JETONS and value.unit == "fiche":
        each //= FICHE  # without a rest: a grain is a ninth of a millionth
    return each


def is_currency(account: str) -> bool:
    return account.isupper()  # slugs are not


def to_grains(money: Decimal) -> int:
    """Raises ValueError for more than six decimal places."""
    with localcontext(prec=_DIGITS):
        grains = money * GRAINS
        if grains != grains.to_integral_value():
            raise ValueError("money has at most six decimal places")
        return int(grains)


def to_money(grains: int, places: int) -> Decimal:
    """To so many decimal places, half rounded away from 0; exact for whole coins."""
    coin = GRAINS // 10**places
    whole, rest = divmod(abs(grains), coin)
    amount = Decimal(whole + (2 * rest >= coin)).scaleb(-places)
    return -amount if grains < 0 else amount


def in_coins(balances: Mapping[str, int], coin: int) -> dict[str, int]:
    """The balances (grains, which sum to 0) as what can be paid now: multiples of `coin`, which sum to 0 too.

    Every balance is cut to whole coins. Where the debts then come to more coins than the credits, or the other way
    round, the side that lacks some gets them one by one where most was cut off. What is not paid is less than a coin
    for each player and stays in the account: nothing is lost, and it is paid once it has grown to a coin.
    """
    cut = {player: _cut(amount, coin) for player, amount in balances.items()}
    missing = sum(cut.values()) // coin
    sign = -1 if missing > 0 else 1
    rest = sorted(
        (player for player in balances if (balances[player] - cut[player]) * sign > 0),
        key=lambda player: (-abs(balances[player] - cut[player]), player),
    )
    for player in rest[: abs(missing)]:
        cut[player] += sign * coin
    return cut


def _cut(amount: int, coin: int) -> int:
    whole = abs(amount) // coin * coin
    return whole if amount >= 0 else -whole


def through(banker: str, balances: Mapping[str, int]) -> list[Payment]:
    """Payments that clear the balances with one player giving or taking all of them."""
    payments = [
        Payment(player, banker, -amount) if amount < 0 else Payment(banker, player, amount)
        for player, amount in balances.items()
        if amount and player != banker
    ]
    return sorted(
        payments, key=lambda payment: (payment.taker != banker, -payment.amount, payment.giver, payment.taker)
    )
