"""What is open of a table, of an evening or of everything, the payments that clear it, and how to make one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ..circles import access
from ..models import CASH, TRANSFER, Circle, Payment, Player, now
from ..people.payment_details import PLACEHOLDER, PaymentDetails, fill_in, group_iban, read_payment_details
from ..people.reading import list_persons
from ..scoring.currency import decimal_places, is_currency, to_money
from ..scoring.settlement import Transfer
from ..scoring.sheet import subunits_per_counter
from ..site.amounts import account_name, amount_for_input, format_amount, open_amount, rounding_remark, unit_name
from ..site.language import find_evening, money, name_of_game, number, t
from ..site.qr_codes import MAX_TRANSFER, MIN_TRANSFER, transfer_code
from ..tables import access as table_access
from ..tables import words
from ..tables.endings import list_pairwise_payments
from ..tables.named_games import read_game_names
from ..tables.reading import find_table as find_stored_table
from ..tables.settling import list_paid_corrections
from ..tables.state import TableState
from . import payments
from .forms import FormOutcome, PaymentForm, read_form_outcome
from .ledger import BOX, EVERYTHING, Account, Scope, add_up
from .reading import Ledger, list_payments_of, read_corrected, read_ledger
from .scopes import ALL, BOX_KEY, KeyedScope, make_url, make_wider_key, name_purpose, parse_key_or_404, party_in_words

blueprint = Blueprint("money", __name__)

EUROS = "EUR"  # the currency of the QR code of a transfer
_UNUSUAL = re.compile(r"[^\w /?:().,'+-]+")  # in a transfer's reference, banks refuse them


@blueprint.get("/circles/<circle_token>/settlement")
def everything(circle_token: str) -> str:
    whole = KeyedScope(ALL, EVERYTHING)
    return render_open(access.get_membership_or_404(circle_token).circle, whole, whole)


@blueprint.get("/circles/<circle_token>/evenings/<day>/settlement")
def evening(circle_token: str, day: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    return _render_where_paid(circle, parse_key_or_404(circle, f"day:{day}"))


@blueprint.get("/tables/<token>/settlement")
def of_table(token: str) -> str:
    table = table_access.get_table_or_404(token)
    page = KeyedScope(f"table:{token}", Scope(table=table.stored.id), table)
    return _render_where_paid(table.stored.circle, page)


def _render_where_paid(circle: Circle, page: KeyedScope) -> str:
    """Render the scope in which a table or an evening is paid; everything if something older is open as well.

    With `only=yes` in the address, render the table or the evening itself.
    """
    shown = page
    ledger = read_ledger(circle)
    if "only" not in request.args:
        scope = EVERYTHING if ledger.has_older_open(page.scope) else ledger.find_scope_of_payment(page.scope)
        shown = page if scope == page.scope else KeyedScope(make_wider_key(scope), scope)
    return render_open(circle, shown, page, ledger=ledger)


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


def _list_due(
    account: Account, plan: Iterable[Transfer], people: Iterable[Player], details: Mapping[int, PaymentDetails]
) -> list[Due]:
    method = payments.find_method(account.key, in_cash=account.in_cash)
    tokens = {person.name: person.token for person in people} | {BOX: BOX_KEY}
    is_payable = is_currency(account.key) and method != CASH  # coins are handed over
    payable = {person.name for person in people if person.id in details} if is_payable else set()
    return [
        Due(
            account=account.key,
            giver=party_in_words(each.giver),
            taker=party_in_words(each.taker),
            amount=each.amount,
            giver_token=tokens[each.giver],
            taker_token=tokens[each.taker],
            method=method,
            is_payable=each.taker in payable,
        )
        for each in plan
    ]


class Balance(NamedTuple):
    name: str
    open: str
    parts: list[str]


@dataclass(frozen=True)
class ShownAccount:
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
    def has_larger_coins(self) -> bool:
        return payments.find_method(self.account.key, in_cash=True) is not None

    @property
    def is_rounded_to_coins(self) -> bool:
        return self.account.in_cash and self.has_larger_coins

    @property
    def balances(self) -> Iterator[Balance]:
        """The balances of all, also the cash box, who have won, lost, paid or received something."""
        key = self.account.key
        won = self.account.won
        paid = self.account.paid
        waiting = add_up(entry.amounts for entry in self.account.waiting)
        roundings = self._find_roundings()
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
                in_words = f"{open_amount(key, open_ + rounding)}{rounding_remark(key, open_)}" if open_ else number(0)
                yield Balance(party_in_words(name, is_first=True), in_words, parts)

    def _find_roundings(self) -> dict[str, int]:
        """Return by how much what each pays or gets by the plan differs from what is due, if not for larger coins."""
        if self.is_rounded_to_coins:
            return {}
        planned = add_up({each.giver: -each.amount, each.taker: each.amount} for each in self.plan)
        off = {name: amount - self.account.due.get(name, 0) for name, amount in planned.items()}
        # More is not rounded: a part is not planned until another payment is confirmed.
        return {name: amount for name, amount in off.items() if abs(amount) < self.account.smallest_payment}

    @property
    def remainder(self) -> str:
        """How amounts are rounded, if there are larger coins, and what becomes of the rest; "" without a rest."""
        if not self.account.has_remainder:
            return ""
        coins = ("settlement.coins",) if self.is_rounded_to_coins else ()
        coin = format_amount(self.account.key, self.account.smallest_payment)
        return " ".join(t(key, coin=coin) for key in (*coins, "settlement.coins.left"))


@dataclass(frozen=True)
class OpenPage:
    """What is open in the scope that `key` names."""

    key: str
    scope: Scope
    table: TableState | None
    in_cash: bool
    planned: list[ShownAccount]  # none if payments are due elsewhere
    elsewhere: str | None  # the address of the page on which they are due
    is_settled: bool
    scopes: list[tuple[str, str, bool]]
    ways_to_pay: list[tuple[str, str, bool]]
    corrections: list[str]  # what was corrected since it was paid for
    made: list[Payment]  # latest day first; empty for everything, whose payments have a page of their own
    waiting: list[Payment]
    confirmable: set[int]
    people: list[Player]
    banker: str | None

    @property
    def is_everything(self) -> bool:
        return self.scope == EVERYTHING

    @property
    def purpose(self) -> str:
        return name_purpose(self.table.stored if self.table is not None else None, None, self.scope.day)

    @property
    def shown(self) -> list[ShownAccount]:
        return [each for each in self.planned if each.due or not self.is_everything or each.account.waiting]

    @property
    def count(self) -> int:
        return sum(len(each.due) for each in self.planned)

    @property
    def plan(self) -> str:
        """Identifies the planned payments."""
        return payments.hash_plan(
            payments.AccountTransfer(each.account.key, *transfer) for each in self.planned for transfer in each.plan
        )

    @property
    def subunits_per_counter(self) -> int:
        """What one counter of the table is worth; 0 of several tables, and if it had several values."""
        if self.table is None or len(self.table.values) != 1:
            return 0
        return subunits_per_counter(self.table.game, self.table.standing.value)

    @property
    def pairwise(self) -> Sequence[Transfer]:
        return list_pairwise_payments(self.table) if self.table is not None and not self.made else []


def render_open(
    circle: Circle,
    shown: KeyedScope,
    page: KeyedScope,
    outcome: FormOutcome | None = None,
    ledger: Ledger | None = None,
) -> str:
    """Render what is open in the scope `shown`: that of the page's address, or a wider one in which it is paid."""
    key, scope, table = shown
    ledger = ledger or read_ledger(circle)
    people = list_persons(circle)
    outcome = outcome or read_form_outcome(circle)
    in_cash = (outcome.form.method.data if outcome.form else request.args.get("by")) != TRANSFER
    accounts = ledger.read_accounts(scope, in_cash=in_cash).values()
    due_scope = ledger.find_due_scope(scope)
    entries = [entry for account in accounts for entry in account.entries] if scope != EVERYTHING else []
    waiting = list_payments_of(circle, filter(scope.contains, ledger.waiting))
    opened = OpenPage(
        key=key,
        scope=scope,
        table=table,
        in_cash=in_cash,
        planned=list(_show(ledger, accounts, people, table)) if due_scope == scope else [],
        elsewhere=make_url(circle.token, make_wider_key(due_scope)) if due_scope and due_scope != scope else None,
        is_settled=ledger.is_settled(scope),
        scopes=_list_scopes(circle, shown, page),
        ways_to_pay=_list_ways_to_pay(circle, key, page.key, in_cash=in_cash),
        corrections=list(_tell_corrections(ledger, scope, page.table)),
        made=list_payments_of(circle, entries)[::-1],
        waiting=waiting,
        confirmable=payments.list_confirmable(circle, g.membership, waiting),
        people=people,
        banker=ledger.banker,
    )
    form = (outcome.form or PaymentForm(formdata=None, of=key, at=page.key)).prepare(ledger, people)
    return render_template("money/open.html", circle=circle, page=opened, table=table, outcome=outcome, form=form)


def _list_ways_to_pay(circle: Circle, key: str, page_key: str, *, in_cash: bool) -> list[tuple[str, str, bool]]:
    """List how payments can be made: address of the page that plans them so, name, and whether it is shown."""
    chosen = CASH if in_cash else TRANSFER
    table = request.args.get("table")
    return [
        (make_url(circle.token, page_key, key, by=by, table=table), t(f"settlement.by.{by}"), by == chosen)
        for by in (CASH, TRANSFER)
    ]


def _list_scopes(circle: Circle, shown: KeyedScope, page: KeyedScope) -> list[tuple[str, str, bool]]:
    """List what can be settled from a page: address, name, and whether it is shown.

    The pages of an evening and of everything say with `?table=` from which table they were opened.
    """
    token = page.table.stored.token if page.table is not None else request.args.get("table", "")
    table = find_stored_table(circle, token) if token else None
    day = table.day if table is not None else page.scope.day
    found = []
    if table is not None:
        address = url_for("money.of_table", token=token, only="yes")
        found.append((address, t("settlement.this-table"), shown.table is not None))
    if day is not None:
        address = url_for("money.evening", circle_token=circle.token, day=day, table=token or None, only="yes")
        found.append((address, t("settlement.this-evening"), shown.scope.day is not None))
    address = url_for("money.everything", circle_token=circle.token, table=token or None)
    return [*found, (address, t("settlement.everything"), shown.scope == EVERYTHING)]


def _show(
    ledger: Ledger, accounts: Iterable[Account], people: Sequence[Player], table: TableState | None
) -> Iterator[ShownAccount]:
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
        yield ShownAccount(
            account=account,
            title=title,
            plan=plan,
            due=_list_due(account, plan, people, details),
            hand_overs=hand_overs,
            banker=ledger.banker if all(ledger.banker in (each.giver, each.taker) for each in plan) else None,
        )


def _tell_corrections(ledger: Ledger, scope: Scope, shown: TableState | None) -> Iterable[str]:
    """Yield what was corrected after it was paid: at the table shown or, without one, at each open table."""
    for table in [shown] if shown is not None else read_corrected(ledger, scope):
        if found := list_paid_corrections(table):
            of_table = f"{name_purpose(table.stored, None, None)}{t('colon')} " if shown is None else ""
            yield of_table + words.tell_corrections(table, found)


# --- how to make a payment ---------------------------------------------------------------------------------


@blueprint.get("/circles/<circle_token>/pay")
def how_to_pay(circle_token: str) -> str | Response:
    """Show how to make a planned payment; redirect to the plan if it no longer has it, so that nobody pays twice.

    The app itself sends no money.
    """
    circle = access.get_membership_or_404(circle_token).circle
    key, scope, table = parse_key_or_404(circle, request.args.get("of", ""))
    people = list_persons(circle)
    ledger = read_ledger(circle)
    all_details = read_payment_details(circle)
    due = _find_requested_due(ledger, scope, people, all_details)
    if due is None or not due.is_payable:
        return redirect(make_url(circle_token, key), 303)
    taker = next(person for person in people if person.token == due.taker_token)
    details = all_details[taker.id]
    amount = to_money(due.amount, decimal_places(due.account))
    link = fill_in(details.link, amount, decimal_places(due.account)) if details.link else ""
    reference = _make_reference(circle, table, scope.day)
    is_code = due.account == EUROS and details.iban is not None
    return render_template(
        "money/how_to_pay.html",
        circle=circle,
        due=due,
        amount=format_amount(due.account, due.amount),
        details=details,
        iban=group_iban(details.iban) if details.iban else None,
        reference=reference,
        code=transfer_code(taker.name, details.iban, amount, reference) if is_code and details.iban else None,
        code_limits={"least": money(MIN_TRANSFER, EUROS), "most": money(MAX_TRANSFER, EUROS)} if is_code else None,
        link=link,
        host=urlsplit(link).hostname or "",
        takes_amount=details.link is not None and PLACEHOLDER in details.link,
        back_url=make_url(circle_token, key),
        form=PaymentForm(formdata=None, of=key, at=key).prepare(ledger, people),
    )


def _find_requested_due(
    ledger: Ledger, scope: Scope, people: Sequence[Player], details: Mapping[int, PaymentDetails]
) -> Due | None:
    """Return the planned payment that the query names by its account, giver and taker."""
    account = ledger.read_accounts(scope, in_cash=False).get(request.args.get("account", ""))
    if account is None or ledger.find_due_scope(scope) != scope:
        return None
    parties = [request.args.get(role) for role in ("giver", "taker")]
    planned = _list_due(account, account.plan(ledger.banker), people, details)
    return next((each for each in planned if [each.giver_token, each.taker_token] == parties), None)


def _make_reference(circle: Circle, table: TableState | None, day: date | None) -> str:
    """Return what a transfer is for: the circle or the app, the table's game if it is for one, and the evening."""
    if table is not None:
        day = table.stored.day
    parts = [circle.title or t("app.name"), name_of_game(table.stored) if table is not None else ""]
    return " ".join(_UNUSUAL.sub(" ", " ".join([*parts, str(day or find_evening(now()))])).split())
