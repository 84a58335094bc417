"""Accounts, in which the results of several tables are added up.

An account is a currency code, for tables played for money, or a game's slug, for tables whose counters have no value.
Amounts are integers in subunits, so that sums are exact. In a game's account a subunit is one counter of the unit the
game is settled in. In a currency it is 1/9,000,000 of the currency's unit: counters are valued with up to six decimal
places, and one may be worth nine smaller ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from typing import NamedTuple

from . import units
from .game import AnyGame
from .settlement import Transfer
from .sheet import Value
from .statement import balances_in_unit
from .units import POT, Entry

NOT_MADE, TWICE, REVERSED = "not-made", "twice", "reversed"
_EXTRA_TIMES = {NOT_MADE: -1, TWICE: 1, REVERSED: -2}  # how often the payment was made, less the once it should be

Journal = Iterable[tuple[int, Sequence[Entry]]]  # the number of each deal and its entries


class Explanation(NamedTuple):
    """Payments of a deal and a mistake in making them that would explain a difference.

    `how` is the mistake: `NOT_MADE`, `TWICE` or `REVERSED`. `is_whole` says whether it explains the differences of
    all players. Otherwise it explains that of at least one player, and those of others in part.
    """

    deal: int
    entries: tuple[Entry, ...]
    how: str
    is_whole: bool


def find_explanations(journal: Journal, surplus: Mapping[str, int], worth: Mapping[str, int]) -> list[Explanation]:
    """Return the mistakes that explain what players have too much (below 0: too little), newest deal first.

    `surplus` is by player, in the smallest unit, and `worth` what one of a larger unit is worth in it. A mistake is
    returned if undoing it would clear the difference of at least one player and increase that of none.
    """
    surplus = {player: amount for player, amount in surplus.items() if amount}
    found = [
        Explanation(deal, entries, how, _difference(surplus, change) == {})
        for deal, all_entries in journal
        for entries, mistakes in _candidates([entry for entry in all_entries if entry.is_payment])
        for how in mistakes
        if _explains(change := _change(entries, worth, _EXTRA_TIMES[how]), surplus)
    ]
    return sorted(found, key=lambda explanation: (-explanation.deal, not explanation.is_whole))


def _candidates(entries: list[Entry]) -> Iterator[tuple[tuple[Entry, ...], tuple[str, ...]]]:
    """Yield groups of payments a mistake may have been made in, with the mistakes to consider.

    The groups are each payment, all with the same reason, all with the pot, and the whole deal.
    """
    all_mistakes = tuple(_EXTRA_TIMES)
    groups: dict[tuple[Entry, ...], tuple[str, ...]] = {(entry,): all_mistakes for entry in entries}
    for reason in dict.fromkeys(entry.reason for entry in entries):
        groups.setdefault(tuple(entry for entry in entries if entry.reason == reason), all_mistakes)
    groups.setdefault(tuple(entry for entry in entries if POT in (entry.giver, entry.taker)), (NOT_MADE, TWICE))
    groups.setdefault(tuple(entries), (NOT_MADE, TWICE))
    groups.pop((), None)
    yield from groups.items()


def _change(entries: tuple[Entry, ...], worth: Mapping[str, int], extra_times: int) -> dict[str, int]:
    """Return what each player gains if the payments are made `extra_times` more often; players with 0 are omitted."""
    change: Counter[str] = Counter()
    for giver, taker, amount, unit, _ in entries:
        converted = extra_times * amount * worth.get(unit, 1)
        if giver is not POT:
            change[giver] -= converted
        if taker is not POT:
            change[taker] += converted
    return _difference(change, {})


def _difference(amounts: Mapping[str, int], subtracted: Mapping[str, int]) -> dict[str, int]:
    """Subtract amounts by player; players left with 0 are omitted."""
    differences = {player: amount - subtracted.get(player, 0) for player, amount in amounts.items()}
    return {player: amount for player, amount in differences.items() if amount}


def _explains(change: Mapping[str, int], surplus: Mapping[str, int]) -> bool:
    return any(surplus.get(player) == amount for player, amount in change.items()) and all(
        _is_part(amount, surplus.get(player, 0)) for player, amount in change.items()
    )


def _is_part(amount: int, whole: int) -> bool:
    """Return whether `amount` has the sign of `whole` and is no larger."""
    return amount * whole > 0 and abs(amount) <= abs(whole)


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
