"""A circle's payments as double-entry bookkeeping: accounts, transactions, and the balances to assert at the end.

Each player has an account named Counters, and one per currency played for. Deals move counters between the former.
Then each table has a transaction that takes its counters back and gives what the app adds up instead: money if the
counters have a value, otherwise the game's smallest counters. So no account needs prices: its balance is what the
player is owed, also at cost and at market value. The pot has its own account.

The app adds up ninths of a millionth of a currency's unit, which have no finite decimal. At any moment a balance here
is the app's rounded to a millionth, however many tables were played; what that leaves over is in `ROUNDING`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple, Protocol
from unicodedata import category, normalize

from ..scoring.accounts import SUBUNITS_PER_UNIT
from .spreadsheets import MAX_DECIMAL_PLACES, amount_in

Amount = int | Decimal

POT = "Assets:Pot"
PLAYERS = "Assets:Players"
ROUNDING = "Equity:Rounding"
LAST_DAY = date.max - timedelta(days=1)  # the balances are asserted a day later
_NAMELESS = "Player"
_STEP = SUBUNITS_PER_UNIT // 10**MAX_DECIMAL_PLACES  # subunits of money are rounded to it; odd, so there are no ties


class Posting(NamedTuple):
    """An amount added to an account, negative if taken from it."""

    account: str
    amount: Amount
    commodity: str


class AccountChange(NamedTuple):
    """A change of an account's balance: counters, or subunits of a currency."""

    account: str
    commodity: str
    amount: int


class Transaction(NamedTuple):
    """A transfer between two accounts or more. `label` identifies the table at which it happened, if any."""

    day: date
    narration: str
    label: str | None
    postings: tuple[Posting, ...]


class Commodity(NamedTuple):
    """A counter or currency: its translated description, its number of decimal places, and whether it is money."""

    description: str
    places: int
    is_money: bool


@dataclass
class Books:
    """Facts collected while a ledger is written, for its head and its tail.

    Attributes:
        components: the part of the account's name for each player's name.
        introduction: comment at the head.
        conclusion: comment at the tail.
        owners: the player of each account; None for the pot and `ROUNDING`.
        balances: account → commodity → counters or subunits as the app computes them, independently of the
            transactions of deals.
        first, last: days of the first and the last transaction.
    """

    components: Mapping[str, str]
    introduction: str
    conclusion: str
    owners: dict[str, str | None] = field(default_factory=dict)
    balances: dict[str, dict[str, int]] = field(default_factory=dict)
    commodities: dict[str, Commodity] = field(default_factory=dict)
    first: date = LAST_DAY
    last: date = date.min

    def account(self, name: str, part: str) -> str:
        """Return the name of a player's account, and include it in the declarations."""
        account = f"{PLAYERS}:{self.components[name]}:{part}"
        self.owners[account] = name
        return account

    def pot(self, commodity: str) -> str:
        """Return the pot's account. Its balance is zero, since stakes are won in the same deal."""
        self.owners[POT] = None
        self.add_balance(POT, commodity, 0)
        return POT

    def add_balance(self, account: str, commodity: str, amount: int) -> None:
        """Add counters or subunits to an account's balance."""
        balance = self.balances.setdefault(account, {})
        balance[commodity] = balance.get(commodity, 0) + amount

    def post(self, changes: Iterable[AccountChange]) -> tuple[Posting, ...]:
        """Make changes, which sum to 0 per commodity, and return their postings."""
        postings, rests = [], Counter[str]()
        for account, commodity, amount in changes:
            before = self._rounded_balance(account, commodity)
            self.add_balance(account, commodity, amount)
            rounded = self._rounded_balance(account, commodity) - before
            rests[commodity] -= rounded
            postings.append(Posting(account, self._amount(commodity, rounded), commodity))
        for commodity, rest in rests.items():
            if rest:
                self.owners[ROUNDING] = None
                self.add_balance(ROUNDING, commodity, rest)
                postings.append(Posting(ROUNDING, self._amount(commodity, rest), commodity))
        return tuple(posting for posting in postings if posting.amount)

    def final_balances(self) -> Iterator[Posting]:
        """Yield the balances to assert."""
        for account, amounts in self.balances.items():
            for commodity in amounts:
                amount = self._amount(commodity, self._rounded_balance(account, commodity))
                yield Posting(account, amount, commodity)

    def _rounded_balance(self, account: str, commodity: str) -> int:
        step = _STEP if self.commodities[commodity].is_money else 1
        return (2 * self.balances.get(account, {}).get(commodity, 0) + step) // (2 * step) * step

    def _amount(self, commodity: str, amount: int) -> Amount:
        return amount_in(commodity, amount) if self.commodities[commodity].is_money else amount

    def record_day(self, day: date) -> date:
        """Return the day of a transaction, at most `LAST_DAY`, and remember the first and the last one."""
        day = min(day, LAST_DAY)
        self.first, self.last = min(self.first, day), max(self.last, day)
        return day

    @property
    def day_after(self) -> date:
        """The day after the last transaction, on which the balances are asserted."""
        return self.last + timedelta(days=1)


class Program(Protocol):
    """The syntax of an accounting program. Each method returns complete lines."""

    def head(self, books: Books) -> str: ...

    def transaction(self, transaction: Transaction) -> str: ...

    def tail(self, books: Books) -> str:
        """Assertions of every account's final balance."""


def components(names: Iterable[str]) -> dict[str, str]:
    """Return a unique part of an account's name for each player's name. Appended names do not change earlier parts."""
    result: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        plain = component(name)
        number, unique = 1, plain
        while unique in used:
            number += 1
            unique = f"{plain}-{number}"
        used.add(unique)
        result[name] = unique
    return result


def component(name: str) -> str:
    """Return a name as Beancount allows it in an account: letters, digits, hyphens; first a capital or a digit."""
    words = "".join(char if _is_letter_or_digit(char) else " " for char in normalize("NFC", name)).split()
    plain = "-".join(words) or _NAMELESS
    capital = plain[0].upper() + plain[1:]
    valid = next((start for start in (plain, capital) if category(start[0]) in ("Lu", "Nd")), None)
    is_valid = valid is not None and all(_is_letter_or_digit(char) or char == "-" for char in valid)
    return valid if valid is not None and is_valid else f"P-{plain}"


def _is_letter_or_digit(char: str) -> bool:
    return category(char) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")
