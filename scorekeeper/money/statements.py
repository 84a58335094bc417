"""Pages that say where amounts come from: payments made, why something is open, statements, the cash box."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from flask import Blueprint, abort, g, render_template, request, url_for
from sqlalchemy import or_

from ..circles import access
from ..i18n import part_of_date
from ..limits import parse_day
from ..models import INCOME, PAYMENT, Circle, Event, Payment, Player
from ..people.players import find_cashier, list_persons, read_ids_by_token, read_persons
from ..scoring.currency import is_currency, places, to_money, to_subunits
from ..site.amounts import account_name, format_amount, format_signed_amount
from ..site.around import find_event_url
from ..site.language import name_of_game, t
from ..tables.opening import read_names as read_game_names
from .forms import Choices, Outcome, PaymentForm, make_choices, make_form, read_outcome
from .ledger import BOX, EVERYTHING, Account, Entry
from .payments import find_receiver, list_confirmable
from .reading import Ledger, PaymentSource, TableSource, find_payment, list_payments, read_ledger
from .scopes import ALL, CASH_BOX, is_account_of, make_url, name_purpose, parse_key_or_404, party_in_words

blueprint = Blueprint("statements", __name__)

PAGE = 50  # payments on a page of them


# --- payments ------------------------------------------------------------------------------------------------


@blueprint.get("/circles/<name>/payments")
def payments(name: str) -> str:
    """List a circle's payments, newest first; with `?before=<number>`, an older page of them."""
    circle = access.get_circle_or_404(name).circle
    before = request.args.get("before", type=int)
    older = [Payment.number < before] if before is not None else []
    found = list_payments(circle, *older, newest=PAGE + 1)
    oldest = found[PAGE - 1].number if len(found) > PAGE else None
    return render_template("money/payments.html", circle=circle, payments=found[:PAGE], oldest=oldest)


@blueprint.get("/circles/<name>/payments/<payment_token>")
def payment(name: str, payment_token: str) -> str:
    """Show the receipt of a payment."""
    circle = access.get_circle_or_404(name).circle
    found = find_payment(circle, payment_token) or abort(404)
    return render_template(
        "money/payment.html",
        circle=circle,
        payment=found,
        purpose=name_purpose(found.table, found.event, found.evening),
        receiver=find_receiver(circle, found),
        may_confirm=found.number in list_confirmable(circle, g.membership, [found]),
        was_confirmed=request.args.get("confirmed") == "yes",
    )


# --- where an amount comes from ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """What an entry adds to somebody's balance, with the page about it, and the sum so far; both in subunits.

    They are rounded to what the account's amounts are written with, so that each balance is the one before and the
    amount. `is_rounded`: the exact amount is slightly different.
    """

    account: str
    on: date
    text: str
    url: str | None
    amount: int
    balance: int
    is_rounded: bool

    @property
    def day(self) -> str:
        return name_day(self.on)


def list_lines(circle: Circle, name: str, account: str, entries: Iterable[Entry], balance: int = 0) -> Iterator[Line]:
    """Yield the lines of a person, or of the cash box, with the running balance from `balance` on."""
    for entry in entries:
        amount = entry.amounts.get(name, 0)
        if amount:
            before, balance = _round(account, balance), balance + amount
            after = _round(account, balance)
            words = _describe(circle, name, entry)
            yield Line(account, entry.day, *words, after - before, after, _round(account, amount) != amount)


def _round(account: str, subunits: int) -> int:
    return to_subunits(to_money(subunits, places(account))) if is_currency(account) else subunits


def _describe(circle: Circle, name: str, entry: Entry) -> tuple[str, str | None]:
    source = entry.source
    if isinstance(source, TableSource):
        return name_of_game(source), url_for("history.balance", token=source.token, seat=source.seats[name])
    if isinstance(source, PaymentSource):
        others = next((party for party in entry.amounts if party != name), BOX)
        key = "settlement.line.gave" if entry.amounts[name] > 0 else "settlement.line.got"
        address = url_for("statements.payment", name=circle.name, payment_token=source.token)
        return t(key, party=party_in_words(others)), address
    if isinstance(source, Event):
        return t(f"settlement.event.{entry.kind}", event=source.title), find_event_url(source)
    return "", None


def name_day(day: date) -> str:
    """Write a day briefly: 28 Nov 2026."""
    return part_of_date(day, g.language, "yMMMd")


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.day, entry.at))


@blueprint.get("/circles/<name>/settlement/why")
def explanation(name: str) -> str:
    """Explain a payment that is due: the balances of its giver and its taker, table by table."""
    circle = access.get_circle_or_404(name).circle
    key, account = request.args.get("of", ""), request.args.get("account", "")
    scope = parse_key_or_404(circle, key)
    if not is_account_of(circle, account):
        abort(404)
    persons, ids = read_persons(circle), read_ids_by_token(circle)
    found = read_ledger(circle).read_accounts(scope).get(account)
    entries = in_order(found.entries) if found is not None else []
    parties: dict[str, list[Line]] = {}
    for role in ("giver", "taker"):
        token = request.args.get(role, "")
        person = persons.get(ids.get(token, 0))
        if person is not None or token == CASH_BOX:
            party = person.name if person is not None else BOX
            parties[party_in_words(party)] = list(list_lines(circle, party, account, entries))[::-1]
    return render_template("money/explanation.html", circle=circle, back_url=make_url(name, key), parties=parties)


# --- a person's statement ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StatementOf:
    """What a statement says in one currency or in one game's counters: the balance before, its lines, and after."""

    title: str
    unit: str
    before: str
    lines: list[Line]
    after: str
    open: list[str]

    @property
    def text(self) -> str:
        """The statement to share."""
        lines = (f"{each.day} {each.text} {format_signed_amount(each.account, each.amount)}" for each in self.lines)
        return "\n".join([f"{self.title}: {self.after}", *lines, *self.open])


@dataclass(frozen=True)
class Period:
    """The days of a statement; those of a month, or from and to any day; all if both are None."""

    first: date | None
    last: date | None

    def contains(self, day: date) -> bool:
        return (self.first is None or day >= self.first) and not self.is_after(day)

    def is_before(self, day: date) -> bool:
        """Return whether a day is before the period."""
        return self.first is not None and day < self.first

    def is_after(self, day: date) -> bool:
        return self.last is not None and day > self.last

    @property
    def title(self) -> str:
        """The period in words, "" for all."""
        first, last = (name_day(day) if day is not None else "" for day in (self.first, self.last))
        return f"{first} – {last}" if first or last else ""


def _list_months(entries: Iterable[Entry]) -> list[tuple[str, Period]]:
    """List the months of these entries with their names, the newest first."""
    firsts = sorted({entry.day.replace(day=1) for entry in entries}, reverse=True)
    lasts = (first.replace(day=monthrange(first.year, first.month)[1]) for first in firsts)
    periods = map(Period, firsts, lasts)
    return [(part_of_date(first, g.language, "yMMM"), period) for first, period in zip(firsts, periods, strict=True)]


@blueprint.get("/circles/<name>/players/<player_token>/statement")
def statement(name: str, player_token: str) -> str:
    """Show a person's entries with a running balance; `?first=` and `?last=` are the days of a period."""
    circle = access.get_circle_or_404(name).circle
    person = read_persons(circle).get(read_ids_by_token(circle).get(player_token, 0)) or abort(404)
    period, ledger = read_period(), read_ledger(circle)
    mine = [entry for entry in ledger.entries if person.name in entry.amounts]
    return render_template(
        "money/statement.html",
        circle=circle,
        person=person,
        period=period,
        months=_list_months(mine),
        accounts=list(make_statements(ledger, person, period)),
    )


def read_period() -> Period:
    """Return the period that the address names."""
    return Period(*(parse_day(request.args.get(field, "")) for field in ("first", "last")))


def make_statements(ledger: Ledger, person: Player, period: Period) -> Iterator[StatementOf]:
    names = read_game_names(ledger.circle)
    for account in ledger.read_accounts(EVERYTHING).values():
        entries = [entry for entry in in_order(account.entries) if person.name in entry.amounts]
        if entries:
            before = sum(entry.amounts[person.name] for entry in entries if period.is_before(entry.day))
            shown = [entry for entry in entries if period.contains(entry.day)]
            after = before + sum(entry.amounts[person.name] for entry in shown)
            yield StatementOf(
                account_name(account.key, names),
                account.key if is_currency(account.key) else account_name(account.key, names),
                format_signed_amount(account.key, before),
                list(list_lines(ledger.circle, person.name, account.key, shown, before)),
                format_signed_amount(account.key, after),
                list(_list_open_with(account, person.name, ledger.banker)) if period.last is None else [],
            )


def _list_open_with(account: Account, name: str, banker: str | None) -> Iterator[str]:
    """Yield with whom something is open, by the plan that clears everything."""
    for giver, taker, amount in account.plan(banker):
        if name in (giver, taker):
            words = {"who": party_in_words(giver), "to": party_in_words(taker)}
            yield t("recap.pays", **words, amount=format_amount(account.key, amount))


# --- the cash box --------------------------------------------------------------------------------------------


class Movement(NamedTuple):
    """What came into the cash box or went out of it, and what it held then."""

    payment: Payment
    day: str
    text: str
    amount: str
    held: str


@dataclass(frozen=True)
class BoxOf:
    """What the cash box should hold in a currency, what has to come in and go out yet, and what did, newest first."""

    title: str
    held: str
    open: list[str]
    movements: list[Movement]


@dataclass(frozen=True)
class BoxPage:
    """The cash box. `waiting`: payments into or out of it that do not count yet."""

    circle: Circle
    boxes: list[BoxOf]
    waiting: list[Payment]
    cashier: Player | None
    people: list[Player]
    form: PaymentForm
    choices: Choices
    outcome: Outcome


@blueprint.get("/circles/<name>/cash-box")
def cash_box(name: str) -> str:
    """Show what the cash box should hold, and what came in and went out."""
    return render_box(access.get_circle_or_404(name).circle)


def render_box(circle: Circle, outcome: Outcome | None = None) -> str:
    ledger, people, names = read_ledger(circle), list_persons(circle), read_game_names(circle)
    moved: dict[str, list[Payment]] = {}
    in_box = or_(Payment.giver_id.is_(None), Payment.taker_id.is_(None))
    standing = list_payments(circle, in_box, Payment.withdrawn_at.is_(None))
    for each in standing:
        if each.counts:
            moved.setdefault(each.account, []).append(each)
    accounts = ledger.read_accounts(EVERYTHING)
    boxes = [
        _show_box(account_name(key, names), moved.get(key, []), accounts.get(key), key)
        for key in sorted({*moved, *(key for key, account in accounts.items() if any(account.due_with_box().values()))})
    ]
    page = BoxPage(
        circle,
        boxes,
        [each for each in standing if each.is_waiting],
        find_cashier(people),
        people,
        make_form(circle, ALL, CASH_BOX),
        make_choices(ledger, people, outside=True),
        outcome or read_outcome(circle, ledger),
    )
    return render_template("money/cash_box.html", page=page, circle=circle)


def _show_box(title: str, moved: Sequence[Payment], account: Account | None, key: str) -> BoxOf:
    held, movements = 0, []
    for each in moved:
        amount = int(each.amount) * (-1 if each.giver_id is None and each.kind != INCOME else 1)
        held += amount
        shown = (format_signed_amount(key, value) for value in (amount, held))
        movements.append(Movement(each, name_day(each.paid_on), _describe_movement(each), *shown))
    due = account.due_with_box() if account is not None else {}
    open_ = [
        t("cash-box.in" if amount < 0 else "cash-box.out", who=name, amount=format_amount(key, amount))
        for name, amount in sorted(due.items(), key=lambda item: item[0].casefold())
        if name != BOX and amount
    ]
    return BoxOf(title, format_signed_amount(key, held), open_, movements[::-1])


def _describe_movement(payment: Payment) -> str:
    if payment.kind != PAYMENT:
        return t(f"cash-box.{payment.kind}")
    giver, taker = payment.giver, payment.taker
    if giver is not None:
        return t("cash-box.from", who=giver.person.name)
    return t("cash-box.to", who=taker.person.name if taker is not None else "")
