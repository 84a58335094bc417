"""What pages show of accounts and payments, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flask import url_for

from ..models import Circle, Payment, Player
from ..people.payment_details import read_payment_details
from ..people.players import read_ids_by_token
from ..scoring.currency import coin, has_larger_coins, is_currency
from ..scoring.settlement import Transfer
from ..site.amounts import (
    account_name,
    amount_for_input,
    format_amount,
    format_signed_amount,
    name_of_settlement,
    open_amount,
    unit_name,
)
from ..site.language import name_of_game, number, t
from ..tables.state import TableState
from .balances import Account, WiderSettlement, currencies_to_choose
from .scopes import Scope, is_settled_apart
from .unpaid import is_in_cash


class Due(NamedTuple):
    """A payment of a plan.

    Attributes:
        typed: the amount as the value of an input.
        pay_url: the page that shows how its taker wants to be paid; None if they have not said so.
        hand_over: how its counters change hands, for the game's layout.
    """

    giver: str
    taker: str
    amount: int
    giver_token: str
    taker_token: str
    typed: str
    why_url: str
    pay_url: str | None
    hand_over: object = None


class Balance(NamedTuple):
    """What is open of a player, and what it is made of."""

    name: str
    open: str
    parts: list[str]


@dataclass(frozen=True)
class ShownAccount:
    """An account with the payments that clear it; `key` says in forms what they settle."""

    account: Account
    key: str
    title: str
    due: list[Due]

    @property
    def unit(self) -> str:
        return unit_name(self.account.key)

    @property
    def remainder(self) -> str:
        return say_remainder(self.account)

    @property
    def balances(self) -> list[Balance]:
        """Those of the players of whom anything was won, paid or open."""
        account, open_coins = self.account, self.account.open_coins
        found = []
        for name, won in sorted(account.won.items(), key=lambda item: item[0].lower()):
            amounts = [account.paid.get(name, 0), account.moved.get(name, 0), account.waiting.get(name, 0)]
            paid, moved, waiting = amounts
            is_open = open_coins.get(name, 0)
            if won or any(amounts) or is_open:
                parts = [self._share(won, "settlement.won", "settlement.lost")]
                parts.append(self._share(paid, "settlement.paid-since", "settlement.received"))
                parts += [self._add_up(moved, "settlement.together"), self._add_up(waiting, "confirm.waiting")]
                shown = open_amount(account.key, is_open) if is_open else number(0)
                found.append(Balance(name, shown, list(filter(None, parts))))
        return found

    def _share(self, amount: int, above: str, below: str) -> str:
        return f"{t(above if amount > 0 else below)} {format_amount(self.account.key, amount)}" if amount else ""

    def _add_up(self, amount: int, label: str) -> str:
        return f"{t(label)} {format_signed_amount(self.account.key, amount)}" if amount else ""


def say_remainder(account: Account) -> str:
    """Say how amounts are rounded, if there are larger coins, and what becomes of the rest; "" without a rest."""
    if not account.has_remainder:
        return ""
    smallest = format_amount(account.key, account.coin)
    is_rounded = account.in_cash and has_larger_coins(account.key)
    keys = ("settlement.coins", "settlement.coins.left") if is_rounded else ("settlement.coins.left",)
    return " ".join(t(key, coin=smallest) for key in keys)


def name_account(circle: Circle, scope: Scope, account: Account, table: TableState | None) -> str:
    is_of_game = table is not None and account.key == table.game.slug
    name = name_of_game(table.stored) if table is not None and is_of_game else account_name(account.key)
    if account.game is not None:
        return f"{name} · {name_of_game(table.stored) if table is not None else t(f'{account.game}.name')}"
    return f"{name} · {t('settlement.together-earlier')}" if is_settled_apart(circle, scope, account.key) else name


class Plans:
    """Shows how accounts are cleared on a page; `page_key` says which page their forms are sent from."""

    def __init__(self, circle: Circle, page_key: str, people: Iterable[Player], banker: str | None) -> None:
        self.circle, self.page_key, self.banker = circle, page_key, banker
        self.tokens = {person.name: person.token for person in people}
        details = read_payment_details(circle)
        self.payable = {token for token, id_ in read_ids_by_token(circle).items() if id_ in details}

    def show(self, account: Account, key: str, hand_overs: Sequence[object] = ()) -> list[Due]:
        return [
            self._show_payment(account, key, payment, hand_overs[index] if hand_overs else None)
            for index, payment in enumerate(account.plan(self.banker))
        ]

    def _show_payment(self, account: Account, key: str, payment: Transfer, hand_over: object) -> Due:
        giver, taker = self.tokens[payment.giver], self.tokens[payment.taker]
        query: dict[str, Any] = {"of": key, "account": account.key, "giver": giver, "taker": taker}
        is_payable = taker in self.payable and is_currency(account.key)
        return Due(
            *(payment.giver, payment.taker, payment.amount, giver, taker),
            typed=amount_for_input(account.key, payment.amount),
            why_url=url_for("settlements.explanation", name=self.circle.name, **query),
            pay_url=url_for("paying.pay", name=self.circle.name, at=self.page_key, **query) if is_payable else None,
            hand_over=hand_over,
        )


# --- payments and settlements that were made ---------------------------------------------------------------


class Made(NamedTuple):
    """A payment that was made, or a withdrawal."""

    payment: Payment
    of: str  # what was settled
    is_withdrawn: bool

    @property
    def counts(self) -> bool:
        return not (self.payment.withdraws or self.is_withdrawn)


def show_payments(payments: Iterable[Payment], withdrawn: Collection[int | None] = ()) -> list[Made]:
    return [Made(each, name_of_settlement(each.settlement), each.number in withdrawn) for each in payments]


class Wider(NamedTuple):
    """A wider settlement; `is_ambiguous` if another one has its name."""

    found: WiderSettlement
    name: str
    is_ambiguous: bool


def show_wider(settlements: Iterable[WiderSettlement]) -> list[Wider]:
    found = [(each, name_of_settlement(each.settlement)) for each in settlements]
    names = [name for _, name in found]
    return [Wider(each, name, names.count(name) > 1) for each, name in found]


# --- settings ----------------------------------------------------------------------------------------------


class Rounding(NamedTuple):
    """Whether amounts in a currency are rounded to coins; the smallest amount as it is, and by the other choice."""

    currency: str
    in_cash: bool
    coin: str
    other_coin: str


def list_roundings(circle: Circle) -> list[Rounding]:
    return [_show_rounding(currency, in_cash=is_in_cash(circle, currency)) for currency in currencies_to_choose(circle)]


def _show_rounding(currency: str, *, in_cash: bool) -> Rounding:
    coins = (format_amount(currency, coin(currency, in_cash=is_cash)) for is_cash in (in_cash, not in_cash))
    return Rounding(currency, in_cash, *coins)
