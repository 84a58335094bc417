"""The ledger of a circle: its entries, what is open of them, and the fewest payments that clear it. Pure.

An entry changes the balances of two or more accounts, and sums to 0: of people, by name, and of the cash box. A balance
is a sum of entries, a scope is a filter of them. What is open with the cash box is paid with the cash box; all else is
paid between people.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import NamedTuple

from ..scoring.currency import coin, has_larger_coins, is_currency
from ..scoring.settlement import Transfer, payments_via, round_to_coins, settle

BOX = ""  # the cash box where others are names of people; in addresses and forms, it is `BOX_KEY`
NOBODY = "\0"  # in a plan, who gives or takes what cannot be planned before waiting payments are confirmed

TABLE, PAYMENT = "table", "payment"  # other features have kinds of their own


class Source(NamedTuple):
    """What an entry of another feature comes from: its page, by the endpoint and the token, and its title."""

    endpoint: str
    token: str
    title: str


class LedgerEntry(NamedTuple):
    """What a table, a payment or another feature, such as the fees of an event, change.

    Attributes:
        account: a currency, or the key of a game's counters.
        amounts: in subunits by name, above 0 for who is owed: {"Anna": 500, "Ben": -500} if Ben owes Anna 5 euros.
        at: since when it counts: when the table was opened, or the payment recorded.
        day: the day that a statement gives it.
        table, event, evening: the ids and the day of what it belongs to; all None for a payment for everything.
        payment: the token of a payment.
        source: of an entry of another feature.
    """

    kind: str
    account: str
    amounts: Mapping[str, int]
    at: datetime
    day: date
    table: int | None = None
    event: int | None = None
    evening: date | None = None
    payment: str | None = None
    source: Source | None = None

    @property
    def is_with_box(self) -> bool:
        return BOX in self.amounts

    @property
    def is_for_everything(self) -> bool:
        return self.table is None and self.event is None and self.evening is None


@dataclass(frozen=True)
class Scope:
    """What is settled together: a table, an event, an evening, or everything if none is given."""

    table: int | None = None
    event: int | None = None
    day: date | None = None

    def contains(self, entry: LedgerEntry) -> bool:
        if self.table is not None:
            return entry.table == self.table
        if self.event is not None:
            return entry.event == self.event
        return self.day is None or entry.evening == self.day


EVERYTHING = Scope()
Balances = dict[str, int]  # in subunits by name, above 0 for what somebody is owed


def add_up(changes: Iterable[Mapping[str, int]]) -> Balances:
    total: Counter[str] = Counter()
    for amounts in changes:
        total.update(amounts)
    return dict(total)


def clamp(amount: int, bound: int) -> int:
    """Return the amount, or the nearest one between 0 and `bound`, which may be negative."""
    return max(0, min(amount, bound)) if bound > 0 else min(0, max(amount, bound))


@dataclass(frozen=True)
class Account:
    """The entries of a scope in one currency or in the counters of one game.

    Attributes:
        waiting: payments that wait for their receivers' confirmation: they do not count yet, and are not due again.
        in_cash: whether payments are planned in coins; otherwise by transfer, which is exact to the cent.
    """

    key: str
    entries: Sequence[LedgerEntry]
    waiting: Sequence[LedgerEntry] = ()
    in_cash: bool = True

    @property
    def smallest_payment(self) -> int:
        """In subunits: the smallest coin or, by transfer, what the decimal places allow."""
        return coin(self.key, in_cash=self.in_cash)

    @property
    def has_larger_coins(self) -> bool:
        """Whether payments in cash have other amounts than those by transfer."""
        return is_currency(self.key) and has_larger_coins(self.key)

    @property
    def is_in_coins(self) -> bool:
        return self.in_cash and self.has_larger_coins

    @cached_property
    def open(self) -> Balances:
        """The balance of each person, with others and with the cash box together, and that of the cash box."""
        return add_up(entry.amounts for entry in self.entries)

    @cached_property
    def due(self) -> Balances:
        """What is open and does not wait."""
        return add_up((self._find_due(NOBODY, is_with_box=False), self._find_due(BOX, is_with_box=True)))

    @cached_property
    def due_with_box(self) -> Balances:
        """What people owe the cash box, or it owes them, in whole coins."""
        return round_to_coins(self._find_due(BOX, is_with_box=True), self.smallest_payment)

    def _find_due(self, hub: str, *, is_with_box: bool) -> Balances:
        """Return what is open and does not wait; `hub` gets what the others do not clear among themselves.

        A payment that waits lessens what its giver owes and what its taker is owed, to 0 at most: nobody pays it again,
        and nobody pays it back before it is confirmed. An example: Anna owes Ben 5. She has paid him 7, which waits: so
        nothing is planned. Had she paid Carl instead, nothing would be planned either until Carl has confirmed.
        """
        now = add_up(entry.amounts for entry in self.entries if entry.is_with_box == is_with_box)
        waiting = add_up(entry.amounts for entry in self.waiting if entry.is_with_box == is_with_box)
        later = add_up((now, waiting))
        due = {name: clamp(later[name], now.get(name, 0)) for name in later if name != hub}
        return due | {hub: -sum(due.values())}

    @property
    def won(self) -> Balances:
        """What was won, above 0, or lost at tables and elsewhere, before payments."""
        return add_up(entry.amounts for entry in self.entries if entry.kind != PAYMENT)

    @property
    def paid(self) -> Balances:
        return add_up(entry.amounts for entry in self.entries if entry.kind == PAYMENT)

    @cached_property
    def payable(self) -> Balances:
        """The part of what is due that can be paid in whole coins."""
        between = self._find_due(NOBODY, is_with_box=False)
        return add_up((round_to_coins(between, self.smallest_payment), self.due_with_box))

    @property
    def has_remainder(self) -> bool:
        """Whether a part of what is due is less than a coin."""
        return any(self.payable.get(name, 0) != amount for name, amount in self.due.items())

    def plan(self, banker: str | None = None) -> list[Transfer]:
        """Plan the payments that clear the account, as few as possible; between people through the banker, if any."""
        with_box = payments_via(BOX, self.due_with_box)
        between = self._find_due(banker or NOBODY, is_with_box=False)
        if banker is not None:
            return payments_via(banker, round_to_coins(between, self.smallest_payment)) + with_box
        return [each for each in settle(between, self.smallest_payment) if NOBODY not in each] + with_box

    def find_roundings(self, plan: Iterable[Transfer]) -> Balances:
        """Return by how much what each pays or gets by the plan differs from what is due, if not for larger coins."""
        if self.is_in_coins:
            return {}
        planned = add_up({giver: -amount, taker: amount} for giver, taker, amount in plan)
        off = {name: amount - self.due.get(name, 0) for name, amount in planned.items()}
        # More is not rounded: a part is not planned until another payment is confirmed.
        return {name: amount for name, amount in off.items() if abs(amount) < self.smallest_payment}


def read_accounts(
    entries: Iterable[LedgerEntry], waiting: Iterable[LedgerEntry], *, in_cash: bool = True
) -> dict[str, Account]:
    """Return the accounts of these entries by key, currencies first: they are written in capital letters."""
    counting = _group_by_account(entries)
    pending = _group_by_account(waiting)
    keys = sorted({*counting, *pending})
    return {key: Account(key, counting.get(key, ()), pending.get(key, ()), in_cash) for key in keys}


def _group_by_account(entries: Iterable[LedgerEntry]) -> dict[str, list[LedgerEntry]]:
    groups: dict[str, list[LedgerEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.account, []).append(entry)
    return groups


AccountScope = tuple[str, Scope]  # a scope in one account


@dataclass(frozen=True)
class Settled:
    """Which tables, events and evenings are settled.

    They are if their own entries and payments balance, or those of their evening, or if all balances of the circle in
    their currency or counters were 0 at some time after they had begun. Less than the smallest coin counts as 0.
    """

    zero_at: Mapping[str, datetime]  # when all balances of an account were 0 for the last time
    changed_at: Mapping[int | None, datetime]  # since when a table's amounts are as they are
    open: Collection[AccountScope]

    def contains(self, entry: LedgerEntry) -> bool:
        changed_at = self.changed_at.get(entry.table, entry.at)
        is_before_zero = changed_at <= self.zero_at.get(entry.account, datetime.min)
        return is_before_zero or any(scope not in self.open for scope in _list_scopes(entry))


def find_settled(entries: Iterable[LedgerEntry]) -> Settled:
    """Find what is settled; a table has an entry for each time at which its amounts have changed."""
    in_order = sorted(entries, key=lambda entry: (entry.at, entry.kind == PAYMENT))
    coins = {account: coin(account) for account in {entry.account for entry in in_order}}
    zero_at: dict[str, datetime] = {}
    of_accounts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    of_scopes: defaultdict[AccountScope, Counter[str]] = defaultdict(Counter)
    for entry in in_order:
        balances = of_accounts[entry.account]
        balances.update(entry.amounts)
        if not _is_open(balances, coins[entry.account]):
            zero_at[entry.account] = entry.at
        for scope in _list_scopes(entry):
            of_scopes[scope].update(entry.amounts)
    changed_at = {entry.table: entry.at for entry in in_order if entry.kind == TABLE}
    open_ = {scope for scope, balances in of_scopes.items() if _is_open(balances, coins[scope[0]])}
    return Settled(zero_at, changed_at, open_)


def _is_open(balances: Balances, coin: int) -> bool:
    return any(abs(amount) >= coin for amount in balances.values())


def _list_scopes(entry: LedgerEntry) -> list[AccountScope]:
    """List the table, the event and the evening that an entry belongs to."""
    scopes = (Scope(table=entry.table), Scope(event=entry.event), Scope(day=entry.evening))
    return [(entry.account, scope) for scope in scopes if scope != EVERYTHING]
