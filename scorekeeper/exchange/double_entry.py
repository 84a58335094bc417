"""A circle's payments as double entry: accounts, transactions, and what each account must hold in the end.

A player has an account for each currency that he plays for, and one named Counters for tables that play for none. On
it lie counters as they were paid, and money as it was handed over: what is owed in counters of a known value is
cleared by money, and at that value the account then comes to nothing. The pot has an account of its own. Nothing is
rounded: a jeton that is worth a ninth of a priced fiche stays a jeton.
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
    """What one of a commodity is worth in another, from that day on."""

    day: date
    commodity: str
    amount: Amount
    unit: str


class Posting(NamedTuple):
    """An amount above 0 that an account takes, below 0 that it gives; `price` is what one is worth, and in what."""

    account: str
    amount: Amount
    commodity: str
    price: tuple[Amount, str] | None = None


class Transaction(NamedTuple):
    """What passed from one account to another; `label` is that of the table it happened at."""

    day: date
    narration: str
    label: str | None
    postings: tuple[Posting, Posting]


class Commodity(NamedTuple):
    """What a commodity is, in words; its decimal places, and whether it is money."""

    words: str
    places: int
    is_money: bool


@dataclass
class Books:
    """What is gathered while a ledger is written, for its head and its tail.

    `components` are each player's part of an account's name, `introduction` and `conclusion` words for the reader.
    `owners` are the players behind the accounts, None for the pot. `balances` are what the app says that each account
    holds of each commodity, never the sum of what was written.
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
        account = f"{PLAYERS}:{self.components[name]}:{part}"
        self.owners[account] = name
        return account

    def pot(self, commodity: str) -> str:
        """The pot's account: whatever is staked of that commodity is won in the same deal."""
        self.owners[POT] = None
        self.hold(POT, commodity, 0)
        return POT

    def hold(self, account: str, commodity: str, amount: Amount) -> None:
        held = self.balances.setdefault(account, {})
        held[commodity] = held.get(commodity, 0) + amount

    def on(self, day: date) -> date:
        """That day, as one on which something happened."""
        day = min(day, LAST_DAY)
        self.first, self.last = min(self.first, day), max(self.last, day)
        return day

    @property
    def day_after(self) -> date:
        """The day after the last on which something happened, for what is said of the end."""
        return self.last + timedelta(days=1)


class Program(Protocol):
    """How a program wants its ledger written; each answers whole lines."""

    def head(self, books: Books) -> str: ...

    def price(self, price: Price) -> str: ...

    def transaction(self, transaction: Transaction) -> str: ...

    def tail(self, books: Books) -> str:
        """That every account holds what the app says, when all has happened."""


def components(names: Iterable[str]) -> dict[str, str]:
    """A part of an account's name for each player's name, no two the same; earlier names keep theirs."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = component(name)
        number, unique = 1, plain
        while unique in taken:
            number += 1
            unique = f"{plain}-{number}"
        taken.add(unique)
        found[name] = unique
    return found


def component(name: str) -> str:
    """The name as Beancount lets an account be called: letters, digits and hyphens, from a capital or a digit on."""
    words = "".join(sign if _is_letter_or_digit(sign) else " " for sign in normalize("NFC", name)).split()
    plain = "-".join(words) or _NAMELESS
    capital = plain[0].upper() + plain[1:]
    starts = next((start for start in (plain, capital) if category(start[0]) in ("Lu", "Nd")), None)
    return starts if starts is not None and all(_is_letter_or_digit(s) or s == "-" for s in starts) else f"P-{plain}"


def _is_letter_or_digit(sign: str) -> bool:
    return category(sign) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")
