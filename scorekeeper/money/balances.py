"""Open balances of a table, an evening or everything, the payments that would clear them, and those that were made.

A balance is open until a settlement takes it over. A settlement is created by the first payment for something open
(payments.py) and belongs to a table, an evening or everything. What is unpaid of it is open there and in every wider
scope, until a later settlement takes that over too. So each scope has one plan, computed anew after every change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import joinedload

from ..db.transactions import get_id, write_to_circle
from ..models import HOST, Browser, Circle, Part, Payment, Player, Settlement, Summary, Table, db
from ..people.players import read_persons
from ..scoring.currency import coin, has_larger_coins
from ..scoring.problems import Problem
from ..scoring.settlement import Transfer, payments_via, round_to_coins, settle
from ..site.currencies import list_used_currencies
from ..tables.summary import open_subunits
from .confirmations import read_waiting_payments
from .scopes import (
    Scope,
    games_of_settlements,
    games_of_tables,
    get_game,
    is_contained,
    is_settled_apart,
    open_events,
    open_summaries,
    tables_in,
    uncleared_settlements,
)
from .unpaid import find_unpaid_chains, is_counted, is_in_cash, recompute_all


def currencies_to_choose(circle: Circle) -> list[str]:
    """List the currencies of the circle of which less can be transferred than paid in coins, in order of code."""
    found = {*list_used_currencies(circle.id), *circle.transferred.split()}
    return sorted(filter(has_larger_coins, found))


def set_in_cash(circle: Circle, currency: str, in_cash: bool, by: Browser | None = None) -> Problem | None:
    """Set whether amounts in a currency are rounded to its smallest coin.

    Payments stay as they are. What is left of settlements counts as paid, or not, by the new choice. Returns a problem
    if there is nothing to choose in the currency.
    """

    def change(locked: Circle) -> Problem | None:
        if currency not in currencies_to_choose(locked):
            return Problem("currency", "not-among-choices")
        kept = {*locked.transferred.split()} - {currency}
        locked.transferred = " ".join(sorted(kept if in_cash else kept | {currency}))
        recompute_all(locked, read_persons(locked))
        return None

    return write_to_circle(get_id(circle), change, browser=by, right=HOST)


MAX_SETTLEMENTS = 20  # listed on a page


@dataclass
class Account:
    """The balances of one account in a scope, by the players' names, in subunits of the account.

    `key` is a currency or a game's slug; `game` is set if only the money of that game is in it. `subunits` is what is
    open, above 0 for what a player is owed: the sum of what they won, `paid` (above 0 for who gave) and `moved` (what
    wider settlements took over); both are empty in the results of `read_open_accounts`. `waiting` is what payments that
    wait for a confirmation will add to what is open; plans leave it out. `guests` are those of events, by the name of
    the cashier through whom they pay as long as fees or prizes are open.
    """

    key: str
    subunits: dict[str, int] = field(default_factory=dict)
    game: str | None = None
    waiting: dict[str, int] = field(default_factory=dict)
    paid: dict[str, int] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    in_cash: bool = True
    guests: dict[str, set[str]] = field(default_factory=dict)

    @property
    def coin(self) -> int:
        """The smallest amount that can be paid, in subunits: a coin, or less by transfer."""
        return coin(self.key, in_cash=self.in_cash)

    def add(self, name: str, subunits: int) -> None:
        """Add an amount to a player's open balance."""
        _add(self.subunits, name, subunits)

    @property
    def won(self) -> dict[str, int]:
        """The amount that each player won at the scope's tables."""
        names = dict.fromkeys((*self.subunits, *self.paid, *self.moved))
        return {name: self.subunits.get(name, 0) - self.paid.get(name, 0) - self.moved.get(name, 0) for name in names}

    def add_waiting(self, payments: Iterable[Payment]) -> None:
        """Add payments that wait for a confirmation."""
        for payment in payments:
            _add(self.waiting, payment.giver.person.name, int(payment.amount))
            _add(self.waiting, payment.taker.person.name, -int(payment.amount))

    @property
    def due(self) -> dict[str, int]:
        """The amounts that will be open once all that waits is confirmed, in subunits."""
        names = dict.fromkeys((*self.subunits, *self.waiting))
        return {name: self.subunits.get(name, 0) + self.waiting.get(name, 0) for name in names}

    @property
    def coins(self) -> dict[str, int]:
        """The part of what is due that can be paid in whole coins, in subunits."""
        return round_to_coins(self.due, self.coin)

    @property
    def open_coins(self) -> dict[str, int]:
        """The part of what is open that can be paid in whole coins, in subunits."""
        return round_to_coins(self.subunits, self.coin)

    @property
    def has_remainder(self) -> bool:
        """True if a part of what is due is less than a coin."""
        return self.coins != self.due

    def plan(self, banker: str | None = None) -> list[Transfer]:
        """Plan the payments that clear the account: as few as possible, or all through the banker if there is one.

        What the guests of an event owe or are owed goes through its cashier.
        """
        if banker is not None:
            return payments_via(banker, self.coins)
        if not self.guests:
            return settle(self.due, self.coin)
        rest, payments = dict(self.coins), list[Transfer]()
        for cashier, guests in self.guests.items():
            theirs = {name: rest.pop(name) for name in guests - self.guests.keys() if name in rest}
            payments += payments_via(cashier, theirs)
            rest[cashier] = rest.get(cashier, 0) + sum(theirs.values())
        return payments + settle(rest, self.coin)


def _add(amounts: dict[str, int], name: str, amount: int) -> None:
    amounts[name] = amounts.get(name, 0) + amount


def get_names(persons: Mapping[int, Player]) -> dict[int, str]:
    """Return each player's current name by player id; `persons` is the result of `read_persons`."""
    return {player_id: person.name for player_id, person in persons.items()}


def read_names(circle: Circle) -> dict[int, str]:
    """Return the current name of each of the circle's players by player id."""
    return get_names(read_persons(circle))


# --- accounts ----------------------------------------------------------------------------------------------


def read_open_accounts(circle: Circle, scope: Scope) -> dict[str, Account]:
    """Return the scope's open accounts by `make_account_id`, currencies first.

    They hold what no settlement has taken over, and what is unpaid of the settlements in the scope. Whatever says who
    owes whom asks here, or `read_all_accounts`.
    """
    accounts = _Accounts(circle, scope)
    accounts.add_open()
    return accounts.in_order()


def read_all_accounts(circle: Circle, scope: Scope) -> dict[str, Account]:
    """Return the scope's accounts as `read_open_accounts` does, and settled ones, all with what was paid and moved."""
    accounts = _Accounts(circle, scope)
    accounts.add_open()
    accounts.add_paid()
    accounts.add_moved()
    return accounts.in_order()


def make_account_id(account: str, game: str | None) -> str:
    """Return the key of an account in a scope: EUR, a game's slug, or EUR:<slug> for the money of one game."""
    return account if game is None else f"{account}:{game}"


class _Accounts:
    """The accounts of a scope while they are added up."""

    def __init__(self, circle: Circle, scope: Scope) -> None:
        self.circle, self.scope, self.names = circle, scope, read_names(circle)
        self.found: dict[str, Account] = {}

    def of(self, account: str, game: str | None) -> Account:
        """Return the account that a table or a settlement of the game belongs to; None if of several games."""
        own = game if is_settled_apart(self.circle, self.scope, account) else None
        return self.found.setdefault(
            make_account_id(account, own), Account(account, game=own, in_cash=is_in_cash(self.circle, account))
        )

    def in_order(self) -> dict[str, Account]:
        """Return the accounts by id; with a game in the scope, those of that game.

        Currencies come first: they are written in capital letters, names of games are not.
        """
        return {id_: account for id_, account in sorted(self.found.items()) if self.scope.game in (None, account.game)}

    def add_open(self) -> None:
        """Add what no settlement has taken over, and what is unpaid of those in the scope."""
        for summary in open_summaries(self.circle, self.scope):
            self._add_table(summary)
        uncleared = {each.id: each for each in uncleared_settlements(self.circle, self.scope)}
        for settlement in uncleared.values():
            account = self.of(settlement.account, get_game(settlement))
            for player_id, amount in settlement.unpaid.items():
                account.add(self.names[int(player_id)], amount)
        for debts in open_events(self.circle, uncleared.keys()):
            settlement = uncleared[debts.settlement_id]
            guests = {self.names[id_] for id_ in debts.guests if settlement.unpaid.get(str(id_))}
            account = self.of(settlement.account, get_game(settlement))
            account.guests.setdefault(self.names[debts.cashier], set()).update(guests)
        for payment in read_waiting_payments(self.circle):
            if self.scope.contains(payment.settlement):
                self.of(payment.settlement.account, get_game(payment.settlement)).add_waiting([payment])

    def _add_table(self, summary: Summary) -> None:
        account = self.of(summary.data["account"], summary.table.game)
        for seat, subunits in open_subunits(summary).items():
            account.add(self.names[summary.data["seats"][seat]], subunits)

    def add_paid(self) -> None:
        """Add the payments that count."""
        games = games_of_settlements(self.circle, self.scope)
        query = (
            select(Payment.settlement_id, Settlement.account, Payment.giver_id, Payment.taker_id, Payment.amount)
            .join(Payment.settlement)
            .where(is_contained(self.circle, self.scope), is_counted())
        )
        for settlement_id, account, giver, taker, amount in db.session.execute(query):
            paid = self.of(account, games[settlement_id]).paid
            _add(paid, self.names[giver], int(amount))
            _add(paid, self.names[taker], -int(amount))

    def add_moved(self) -> None:
        """Add what settlements took over from an account to another one, or from or to outside the scope."""
        if self.scope.is_everything and self.scope.game is None and self.circle.settles_games_together:
            return
        settlements = games_of_settlements(self.circle, self.scope)
        tables = games_of_tables(self.circle, self.scope)
        for part, account in db.session.execute(_parts_in(self.circle, self.scope)):
            if part.event_id is not None:
                continue  # won at the event, and of the same account as its settlement
            of_table, target = part.table_id is not None, self._find(settlements, part.settlement_id, account)
            source = self._find(tables if of_table else settlements, part.table_id or part.earlier_id, account)
            if source is not target:
                for moved, sign in ((source, -1), (target, 1)):
                    if moved is not None:
                        _add(moved.moved, self.names[part.player_id], sign * int(part.amount))

    def _find(
        self, games: Mapping[int, str] | Mapping[int, str | None], id_: int | None, account: str
    ) -> Account | None:
        """Return the account of a table or a settlement; None if it is outside the scope."""
        return self.of(account, games[id_]) if id_ is not None and id_ in games else None


def _parts_in(circle: Circle, scope: Scope) -> Select[Part, str]:
    """Select what settlements took over from or into the scope, and the account."""
    settlements = select(Settlement.id).where(is_contained(circle, scope))
    tables = select(Table.id).where(tables_in(circle, scope))
    return (
        select(Part, Settlement.account)
        .join(Part.settlement)
        .where(Part.circle_id == circle.id)
        .where(or_(Part.settlement_id.in_(settlements), Part.earlier_id.in_(settlements), Part.table_id.in_(tables)))
    )


# --- settlements and payments that were made ---------------------------------------------------------------


def find_settlement(circle: Circle, token: str) -> Settlement | None:
    """Return the circle's settlement with this token, with its table or event."""
    query = (
        select(Settlement)
        .where(Settlement.circle_id == circle.id, Settlement.token == token)
        .options(joinedload(Settlement.table), joinedload(Settlement.event))
    )
    return db.session.scalar(query)


class WiderSettlement(NamedTuple):
    """A settlement with which a part of a scope was settled; whether all of it, and what became of it, is paid."""

    settlement: Settlement
    is_paid: bool


def find_wider_settlements(circle: Circle, scope: Scope) -> list[WiderSettlement]:
    """List the newest settlements outside a table or an evening that took over a part of it, newest first."""
    if scope.is_everything:
        return []
    settlements = select(Settlement.id).where(is_contained(circle, scope))
    tables = select(Table.id).where(tables_in(circle, scope))
    parts = select(Part.settlement_id).where(Part.circle_id == circle.id)
    took_over = parts.where(or_(Part.table_id.in_(tables), Part.earlier_id.in_(settlements)))
    query = (
        select(Settlement)
        .where(Settlement.circle_id == circle.id, Settlement.id.in_(took_over), Settlement.id.not_in(settlements))
        .order_by(Settlement.id.desc())
        .options(joinedload(Settlement.table), joinedload(Settlement.event))
    )
    found = list(db.session.scalars(query.limit(MAX_SETTLEMENTS)))
    unpaid = find_unpaid_chains(circle.id) if found else set()
    return [WiderSettlement(settlement, settlement.id not in unpaid) for settlement in found]


def make_unpaid_account(settlement: Settlement, names: Mapping[int, str], waiting: Iterable[Payment] = ()) -> Account:
    """Return what is unpaid of a settlement as an account.

    `names` are those of the circle's players by id, `waiting` its payments that wait for a confirmation.
    """
    account = Account(settlement.account, in_cash=is_in_cash(settlement.circle_id, settlement.account))
    account.add_waiting(payment for payment in waiting if payment.settlement_id == settlement.id)
    for player_id, amount in settlement.unpaid.items():
        account.add(names[int(player_id)], amount)
    return account
