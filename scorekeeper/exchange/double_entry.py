"""A circle's payments as double-entry bookkeeping: accounts, transactions, and the balances to assert at the end.

Each player has one account per currency played for, and one named Counters for tables without stakes in money. An
account holds the counters paid at the tables and the money handed over to settle them; once settled, it is worth zero
at the counters' price. The pot has its own account. Nothing is rounded: a jeton worth a ninth of a priced fiche stays
a jeton.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple, Protocol
from unicodedata import category, normalize

Amount = int | Decimal

POT = "Assets:Pot"
PLAYERS = "Assets:Players"
LAST_DAY = date.max - timedelta(days=1)  # the balances are asserted a day later
_NAMELESS = "Player"


class Price(NamedTuple):
    """The price of one commodity in another, from that day on."""

    day: date
    commodity: str
    amount: Amount
    unit: str


class Posting(NamedTuple):
    """An amount added to an account, negative if taken from it. `price` is the price of one and its commodity."""

    account: str
    amount: Amount
    commodity: str
    price: tuple[Amount, str] | None = None


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
        owners: the player of each account; None for the pot.
        balances: account → commodity → amount as the app computes it, independently of the transactions written.
        prices: the last price written, by commodity and the commodity in which it is expressed.
        first, last: days of the first and the last transaction.
    """

    components: Mapping[str, str]
    introduction: str
    conclusion: str
    owners: dict[str, str | None] = field(default_factory=dict)
    balances: dict[str, dict[str, Amount]] = field(default_factory=dict)
    commodities: dict[str, Commodity] = field(default_factory=dict)
    prices: dict[tuple[str, str], Amount] = field(default_factory=dict)
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

    def add_balance(self, account: str, commodity: str, amount: Amount) -> None:
        """Add an amount to an account's balance."""
        balance = self.balances.setdefault(account, {})
        balance[commodity] = balance.get(commodity, 0) + amount

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

    def price(self, price: Price) -> str: ...

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
