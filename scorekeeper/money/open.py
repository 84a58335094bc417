"""What is open of a table, of an evening or of everything, and the payments that clear it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from flask import Blueprint, abort, g, render_template, request, url_for

from ..circles import access
from ..limits import parse_day
from ..models import HOST, Circle, Payment, Player, may
from ..people.payment_details import read_payment_details
from ..people.players import list_persons, read_ids_by_token
from ..scoring.currency import coin, has_larger_coins, is_currency
from ..scoring.settlement import Transfer
from ..site.amounts import account_name, amount_for_input, format_amount, open_amount, unit_name
from ..site.language import name_of_game, number, t
from ..tables import access as table_access
from ..tables.endings import list_pairwise_payments
from ..tables.opening import read_names as read_game_names
from ..tables.state import TableState
from . import payments
from .forms import Choices, Outcome, PaymentForm, make_choices, make_form, read_outcome
from .ledger import BOX, FEE, PRIZE, TABLE, Account, Scope
from .ledger import PAYMENT as PAID
from .reading import Ledger, find_day_of_table, is_in_cash, list_payments_of, read_ledger, read_tables_in
from .scopes import ALL, CASH_BOX, find_table, make_url, name_purpose, parse_key_or_404, party_in_words

blueprint = Blueprint("money", __name__)


@blueprint.get("/circles/<name>/settlement")
def everything(name: str) -> str:
    """Show all that is open in a circle."""
    return render_open(access.get_circle_or_404(name).circle, ALL)


@blueprint.get("/circles/<name>/evenings/<day>/settlement")
def evening(name: str, day: str) -> str:
    """Show what is open of an evening."""
    circle, day_of = access.get_circle_or_404(name).circle, parse_day(day) or abort(404)
    return _render_usual(circle, f"day:{day_of}", Scope(day=day_of))


@blueprint.get("/tables/<token>/settlement")
def of_table(token: str) -> str:
    """Show what is open of a table."""
    table = table_access.get_table_or_404(token).stored
    return _render_usual(table.circle, f"table:{token}", Scope(table=table.id))


def _render_usual(circle: Circle, key: str, scope: Scope) -> str:
    """Render what is open in a scope, unless the address says `only=yes`: of everything if something older is open.

    What was paid in part with everything, or a table with its evening, goes on being paid there.
    """
    shown, ledger = key, read_ledger(circle)
    if "only" not in request.args:
        paid_in = ledger.find_scope(scope, read_tables_in(circle, scope))
        if paid_in.is_everything or _is_older_open(ledger, scope):
            shown = ALL
        elif paid_in != scope:
            shown = f"day:{paid_in.day}"
    return render_open(circle, shown, key, ledger=ledger)


def _is_older_open(ledger: Ledger, scope: Scope) -> bool:
    """Return whether something else of the people in a scope is open, of its evening or before."""
    inside = [entry for entry in ledger.entries if scope.contains(entry)]
    people = {name for entry in inside for name in entry.amounts}
    last = max((entry.evening for entry in inside if entry.evening is not None), default=date.max)
    return any(
        not ledger.settled.contains(entry)
        for entry in ledger.entries
        if entry.kind != PAID and not scope.contains(entry) and entry.evening is not None and entry.evening <= last
        if not people.isdisjoint(entry.amounts)
    )


class Due(NamedTuple):
    """A payment of a plan: its giver and taker by token and in words, and the addresses of pages about it."""

    giver: str
    taker: str
    amount: int
    giver_token: str
    taker_token: str
    typed: str
    why_url: str
    pay_url: str | None
    hand_over: object


class Balance(NamedTuple):
    """What is open of somebody, in words, and what it is made of."""

    name: str
    open: str
    parts: list[str]


@dataclass(frozen=True)
class ShownAccount:
    """An account with the payments that clear it."""

    account: Account
    title: str
    plan: list[Transfer]
    due: list[Due]
    balances: list[Balance]
    remainder: str

    @property
    def unit(self) -> str:
        return unit_name(self.account.key)

    @property
    def is_paid(self) -> bool:
        return bool(self.account.sum_of(PAID))


@dataclass(frozen=True)
class OpenPage:
    """What is open in a scope; `key` names the scope in addresses and forms, `scopes` those to choose from."""

    circle: Circle
    key: str
    title: str
    scopes: list[tuple[str, str, bool]]
    accounts: list[ShownAccount]
    plan: str
    is_settled: bool
    elsewhere: str | None
    made: list[Payment]
    waiting: list[Payment]
    confirmable: Collection[int]
    banker: str | None
    people: list[Player]
    roundings: list[Rounding]
    table: TableState | None
    pairwise: list[Transfer]
    form: PaymentForm
    choices: Choices
    outcome: Outcome

    @property
    def is_everything(self) -> bool:
        return self.key == ALL

    @property
    def count(self) -> int:
        return sum(len(shown.due) for shown in self.accounts)


def render_open(
    circle: Circle,
    key: str,
    at: str | None = None,
    outcome: Outcome | None = None,
    ledger: Ledger | None = None,
) -> str:
    """Render what is open in the scope that `key` names, on the page `at`, by default that of the scope."""
    scope, table = parse_key_or_404(circle, key), find_table(key)
    ledger, people = ledger or read_ledger(circle), list_persons(circle)
    accounts = ledger.read_accounts(scope).values()
    inside = [each for group in accounts for each in group.entries] if not scope.is_everything else []
    made_payments = list_payments_of(circle, inside)
    waiting = list_payments_of(circle, filter(scope.contains, ledger.waiting))
    entries = [entry for account in accounts for entry in account.entries]
    is_settled = bool(entries) and all(map(ledger.settled.contains, entries))
    plans = _Plans(ledger, key, people)
    paid_in = ledger.find_scope(scope, read_tables_in(circle, scope)) if not scope.is_everything else scope
    is_elsewhere = paid_in != scope and not is_settled
    # Where wider payments count as well, the scope's own entries alone would be paid twice.
    is_shown = scope.is_everything or not (is_settled or is_elsewhere)
    shown = [plans.show(each, table) for each in accounts] if is_shown else []
    page = OpenPage(
        circle=circle,
        key=key,
        title=name_purpose(table.stored if table is not None else None, None, scope.day),
        scopes=_list_scopes(circle, key, at or key),
        accounts=[each for each in shown if each.due or not scope.is_everything or any(each.account.waiting)],
        plan=payments.hash_plan((each.account.key, *planned) for each in shown for planned in each.plan),
        is_settled=is_settled,
        elsewhere=make_url(circle.name, f"day:{paid_in.day}" if paid_in.day else ALL) if is_elsewhere else None,
        made=made_payments[::-1],
        waiting=waiting,
        confirmable=payments.list_confirmable(circle, g.membership, waiting),
        banker=ledger.banker,
        people=people,
        roundings=_list_roundings(circle) if scope.is_everything and may(g.membership.right, HOST) else [],
        table=table,
        pairwise=list_pairwise_payments(table) if table is not None and not made_payments else [],
        form=make_form(circle, key, at),
        choices=make_choices(ledger, people),
        outcome=outcome or read_outcome(circle, ledger),
    )
    return render_template("money/open.html", page=page, circle=circle, table=table)


def _list_scopes(circle: Circle, key: str, at: str) -> list[tuple[str, str, bool]]:
    """List what can be settled from a page: name, address, and whether it is shown."""
    token = at.partition(":")[2] if at.startswith("table:") else request.args.get("table", "")
    day_of_table = find_day_of_table(circle, token) if token else None
    found = [
        (t("settlement.everything"), url_for("money.everything", name=circle.name, table=token or None), key == ALL)
    ]
    if day_of_table is not None:
        address = url_for("money.of_table", token=token, only="yes")
        found.insert(0, (t("settlement.this-table"), address, key.startswith("table:")))
        evening_url = url_for("money.evening", name=circle.name, day=day_of_table, table=token, only="yes")
        found.insert(1, (t("settlement.this-evening"), evening_url, key.startswith("day:")))
    elif at.startswith("day:"):
        day = at.partition(":")[2]
        evening_url = url_for("money.evening", name=circle.name, day=day, only="yes")
        found.insert(0, (t("settlement.this-evening"), evening_url, key.startswith("day:")))
    return found


class _Plans:
    """Shows how accounts are cleared."""

    def __init__(self, ledger: Ledger, key: str, people: Iterable[Player]) -> None:
        self.circle, self.key, self.banker = ledger.circle, key, ledger.banker
        circle = ledger.circle
        self.tokens = {person.name: person.token for person in people} | {BOX: CASH_BOX}
        details = read_payment_details(circle)
        self.payable = {token for token, id_ in read_ids_by_token(circle).items() if id_ in details}
        self.names = read_game_names(circle)

    def show(self, account: Account, table: TableState | None) -> ShownAccount:
        plan = account.plan(self.banker)
        is_in_counters = table is not None and not is_currency(account.key)
        is_untouched = is_in_counters and not account.sum_of(PAID) and not account.waiting
        changes = table.standing.settlement_hand_overs(plan, table.names) if table is not None and is_untouched else ()
        due = [self._show_due(account, each, changes[place] if changes else None) for place, each in enumerate(plan)]
        title = (
            name_of_game(table.stored)
            if table is not None and is_in_counters
            else account_name(account.key, self.names)
        )
        balances = list(_show_balances(account))
        return ShownAccount(account, title, plan, due, balances, _say_remainder(account, self.circle))

    def _show_due(self, account: Account, planned: Transfer, hand_over: object) -> Due:
        giver, taker = self.tokens[planned.giver], self.tokens[planned.taker]
        query: dict[str, Any] = {"of": self.key, "account": account.key, "giver": giver, "taker": taker}
        is_payable = taker in self.payable and is_currency(account.key)
        return Due(
            *(party_in_words(planned.giver), party_in_words(planned.taker), planned.amount, giver, taker),
            typed=amount_for_input(account.key, planned.amount),
            why_url=url_for("statements.explanation", name=self.circle.name, **query),
            pay_url=url_for("how_to_pay.pay", name=self.circle.name, **query) if is_payable else None,
            hand_over=hand_over,
        )


def _show_balances(account: Account) -> Iterable[Balance]:
    """Yield the balances of people, and of the cash box, of whom anything was won, paid or open."""
    won, paid, waiting = account.sum_of(TABLE, FEE, PRIZE), account.sum_of(PAID), account.due
    for name in sorted(account.due, key=str.casefold):
        amounts = won.get(name, 0), paid.get(name, 0), waiting[name] - account.open.get(name, 0)
        if any(amounts):
            keys = (
                ("settlement.won", "settlement.lost"),
                ("settlement.paid-since", "settlement.received"),
                ("confirm.waiting", "confirm.waiting"),
            )
            parts = [
                f"{t(pair[amount < 0])} {format_amount(account.key, amount)}"
                for pair, amount in zip(keys, amounts, strict=True)
                if amount
            ]
            amount = account.open.get(name, 0)
            yield Balance(party_in_words(name), open_amount(account.key, amount) if amount else number(0), parts)


def _say_remainder(account: Account, circle: Circle) -> str:
    """Say how amounts are rounded, if there are larger coins, and what becomes of the rest; "" without a rest."""
    if not account.has_remainder:
        return ""
    is_rounded = is_in_cash(circle, account.key) and is_currency(account.key) and has_larger_coins(account.key)
    keys = ("settlement.coins", "settlement.coins.left") if is_rounded else ("settlement.coins.left",)
    return " ".join(t(key, coin=format_amount(account.key, account.coin)) for key in keys)


# --- settings ------------------------------------------------------------------------------------------------


class Rounding(NamedTuple):
    """Whether amounts in a currency are rounded to coins; the smallest amount as it is, and by the other choice."""

    currency: str
    in_cash: bool
    coin: str
    other_coin: str


def _list_roundings(circle: Circle) -> list[Rounding]:
    found = []
    for account in payments.list_rounded(circle):
        in_cash = is_in_cash(circle, account)
        coins = (format_amount(account, coin(account, in_cash=is_cash)) for is_cash in (in_cash, not in_cash))
        found.append(Rounding(account, in_cash, *coins))
    return found
