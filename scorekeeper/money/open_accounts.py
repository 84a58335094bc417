"""What pages say of an account that is open: which payments are due, and everybody's balance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..models import CASH, Player
from ..people.payment_details import PaymentDetails, read_payment_details
from ..scoring.currency import is_currency
from ..scoring.settlement import Transfer
from ..site.amounts import (
    account_name,
    amount_for_input,
    format_amount,
    is_written_as_zero,
    open_amount,
    rounding_remark,
    unit_name,
)
from ..site.language import name_of_game, number, t
from ..tables.named_games import read_game_names
from ..tables.state import TableState
from .ledger import BOX, Account, add_up
from .payments import find_method
from .reading import Ledger
from .scopes import BOX_KEY, party_in_words


class Due(NamedTuple):
    """A planned payment. Giver and taker are in words and by token; `method` is as in `find_method`."""

    account: str
    giver: str
    taker: str
    amount: int
    giver_token: str
    taker_token: str
    method: str | None
    is_payable: bool  # whether a page shows how to make it

    @property
    def typed(self) -> str:
        return amount_for_input(self.account, self.amount)


def list_due(
    account: Account, plan: Iterable[Transfer], people: Iterable[Player], details: Mapping[int, PaymentDetails]
) -> list[Due]:
    method = find_method(account.key, in_cash=account.in_cash)
    tokens = {person.name: person.token for person in people} | {BOX: BOX_KEY}
    is_payable = is_currency(account.key) and method != CASH  # coins are handed over
    payable = {person.name for person in people if person.id in details} if is_payable else set()
    return [
        Due(
            account=account.key,
            giver=party_in_words(giver),
            taker=party_in_words(taker),
            amount=amount,
            giver_token=tokens[giver],
            taker_token=tokens[taker],
            method=method,
            is_payable=taker in payable,
        )
        for giver, taker, amount in plan
    ]


class Balance(NamedTuple):
    name: str
    open: str
    parts: list[str]


@dataclass(frozen=True)
class OpenAccount:
    """An account with the payments that clear it; `hand_overs`: how the counters of each are handed over."""

    account: Account
    title: str
    plan: list[Transfer]
    due: list[Due]
    hand_overs: Sequence[object]
    banker: str | None  # through whom all payments go, if they do

    @property
    def unit(self) -> str:
        return unit_name(self.account.key)

    @property
    def is_paid(self) -> bool:
        return bool(self.account.paid)

    @property
    def balances(self) -> Iterator[Balance]:
        """The balances of all, also the cash box, who have won, lost, paid or received something."""
        key = self.account.key
        won = self.account.won
        paid = self.account.paid
        waiting = add_up(entry.amounts for entry in self.account.waiting)
        roundings = self.account.find_roundings(self.plan)
        for name in sorted({*self.account.open, *waiting}, key=str.casefold):
            rounding = roundings.get(name, 0)
            result = won.get(name, 0) + rounding
            given = paid.get(name, 0)
            amounts = {
                "settlement.won" if result > 0 else "settlement.lost": result,
                "settlement.paid-since" if given > 0 else "settlement.received": given,
                "confirm.waiting": waiting.get(name, 0),
            }
            parts = [
                f"{t(label)} {format_amount(key, amount)}{rounding_remark(key, amount)}"
                for label, amount in amounts.items()
                if amount
            ]
            if parts:
                open_ = self.account.open.get(name, 0)
                in_words = f"{open_amount(key, open_ + rounding)}{rounding_remark(key, open_)}"
                is_zero = is_written_as_zero(key, open_ + rounding)
                yield Balance(party_in_words(name, is_first=True), number(0) if is_zero else in_words, parts)

    @property
    def remainder(self) -> str:
        """How amounts are rounded, if there are larger coins, and what becomes of the rest; "" without a rest."""
        if not self.account.has_remainder:
            return ""
        coins = ("settlement.coins",) if self.account.is_in_coins else ()
        coin = format_amount(self.account.key, self.account.smallest_payment)
        return " ".join(t(key, coin=coin) for key in (*coins, "settlement.coins.left"))


def list_open_accounts(
    ledger: Ledger, accounts: Iterable[Account], people: Sequence[Player], table: TableState | None
) -> Iterator[OpenAccount]:
    names = read_game_names(ledger.circle)
    details = read_payment_details(ledger.circle)
    for account in accounts:
        plan = account.plan(ledger.banker)
        title = account_name(account.key, names)
        hand_overs: Sequence[object] = ()
        if table is not None and not is_currency(account.key):
            title = name_of_game(table.stored)
            if not account.paid and not account.waiting:
                hand_overs = table.standing.settlement_hand_overs(plan, table.names)
        yield OpenAccount(
            account=account,
            title=title,
            plan=plan,
            due=list_due(account, plan, people, details),
            hand_overs=hand_overs,
            banker=ledger.banker if all(ledger.banker in (giver, taker) for giver, taker, _ in plan) else None,
        )
