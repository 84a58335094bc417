"""Pages that say where amounts come from: why something is open, a person's statement, the cash box."""

from __future__ import annotations

from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from flask import Blueprint, abort, g, render_template, request, url_for

from ..circles import access
from ..i18n import part_of_date
from ..limits import parse_day
from ..models import INCOME, PAYMENT, Circle, Payment, Player
from ..people.reading import find_cashier, find_person, list_persons
from ..scoring.currency import coin, is_currency
from ..site.amounts import account_name, format_amount, format_signed_amount
from ..site.language import name_of_game, t
from ..tables.named_games import read_game_names
from .forms import FormOutcome, OfficeForm, PaymentForm, read_form_outcome
from .ledger import BOX, EVERYTHING, TABLE, Account, LedgerEntry
from .reading import Ledger, list_box_payments, read_ledger
from .scopes import ALL, BOX_KEY, make_url, parse_key_or_404, party_in_words

blueprint = Blueprint("statements", __name__)


@dataclass(frozen=True)
class Line:
    """A change of a balance, and the balance after it, in subunits.

    Both are rounded as they are written, so that they add up on paper: three times 0.333 are written as 0.33, 0.34 and
    0.33, with balances of 0.33, 0.67 and 1.00. `is_rounded`: the exact amount is slightly different.
    """

    account: str
    on: date
    text: str
    url: str | None
    amount: int
    balance: int
    is_rounded: bool = False
    note: str = ""

    @property
    def day(self) -> str:
        return name_day(self.on)


def _list_lines(
    ledger: Ledger, name: str, account: str, entries: Iterable[LedgerEntry], balance: int = 0
) -> Iterator[Line]:
    """Yield the lines of a person, or of the cash box, with the running balance from `balance` on."""
    for entry in entries:
        amount = entry.amounts.get(name, 0)
        if amount:
            before = _round(account, balance)
            balance += amount
            after = _round(account, balance)
            text, url = _describe(ledger, name, entry)
            is_rounded = _round(account, amount) != amount
            yield Line(account, entry.day, text, url, amount=after - before, balance=after, is_rounded=is_rounded)


def _round(account: str, subunits: int) -> int:
    """Round an amount as it is written, halves upwards: so a payment changes a balance by what was paid."""
    least = coin(account, in_cash=False)
    return (subunits + least // 2) // least * least


def _describe(ledger: Ledger, name: str, entry: LedgerEntry) -> tuple[str, str | None]:
    if entry.kind == TABLE and entry.table is not None:
        table = ledger.tables[entry.table]
        return name_of_game(table), url_for("history.balance", token=table.token, seat=table.seats[name])
    if entry.payment is not None:
        others = next((party for party in entry.amounts if party != name), BOX)
        key = "settlement.line.gave" if entry.amounts[name] > 0 else "settlement.line.got"
        return t(key, party=party_in_words(others)), _url_of_receipt(ledger.circle, entry.payment)
    if entry.source is not None:
        url = url_for(entry.source.endpoint, token=entry.source.token)
        return t(f"settlement.event.{entry.kind}", event=entry.source.title), url
    return "", None


def _url_of_receipt(circle: Circle, token: str) -> str:
    return url_for("payments.receipt", circle_token=circle.token, payment_token=token)


def name_day(day: date) -> str:
    """Write a day briefly: 28 Nov 2026."""
    return part_of_date(day, g.locale, "yMMMd")


def _in_order(entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    return sorted(entries, key=lambda entry: (entry.day, entry.at))


@blueprint.get("/circles/<circle_token>/settlement/why")
def explanation(circle_token: str) -> str:
    """Explain a payment that is due: the balances of its giver and its taker, table by table."""
    circle = access.get_membership_or_404(circle_token).circle
    key = request.args.get("of", "")
    account = request.args.get("account", "")
    scope = parse_key_or_404(circle, key).scope
    ledger = read_ledger(circle)
    found = ledger.read_accounts(scope).get(account)
    entries = _in_order(found.entries) if found is not None else []
    parties: dict[str, list[Line]] = {}
    for role in ("giver", "taker"):
        token = request.args.get(role, "")
        person = find_person(circle, token)
        if person is not None or token == BOX_KEY:
            party = person.name if person is not None else BOX
            parties[party_in_words(party, is_first=True)] = list(_list_lines(ledger, party, account, entries))[::-1]
    return render_template(
        "money/explanation.html", circle=circle, back_url=make_url(circle_token, key), parties=parties
    )


# --- a person's statement ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statement:
    """What happened in one currency or in one game's counters.

    `before` is the balance in subunits before the period, if this has a first day; `open`: in words, what waits for
    confirmation, and what is open with whom.
    """

    account: str
    title: str
    unit: str
    lines: list[Line]
    after: str
    open: list[str]
    before: int | None = None

    @property
    def text(self) -> str:
        lines = (f"{each.day} {each.text} {format_signed_amount(each.account, each.amount)}" for each in self.lines)
        return "\n".join([f"{self.title}: {self.after}", *lines, *self.open])


@dataclass(frozen=True)
class Period:
    """The days of a statement, both included; None for no limit."""

    first: date | None
    last: date | None

    @property
    def title(self) -> str:
        """The period in words, "" for all."""
        first, last = (name_day(day) if day is not None else "" for day in (self.first, self.last))
        return f"{first} – {last}" if first or last else ""


def _list_months(entries: Iterable[LedgerEntry]) -> list[tuple[str, Period]]:
    """List the months of these entries with their names, the newest first."""
    months = []
    for first in sorted({entry.day.replace(day=1) for entry in entries}, reverse=True):
        last = first.replace(day=monthrange(first.year, first.month)[1])
        months.append((part_of_date(first, g.locale, "yMMM"), Period(first, last)))
    return months


@blueprint.get("/circles/<circle_token>/players/<player_token>/statement")
def statement(circle_token: str, player_token: str) -> str:
    """Show a person's entries with a running balance; `?first=` and `?last=` are the days of a period."""
    circle = access.get_membership_or_404(circle_token).circle
    person = find_person(circle, player_token) or abort(404)
    period = read_period()
    ledger = read_ledger(circle)
    return render_template(
        "money/statement.html",
        circle=circle,
        person=person,
        period=period,
        months=_list_months(entry for entry in ledger.entries if person.name in entry.amounts),
        accounts=list(make_statements(ledger, person, period)),
    )


def read_period() -> Period:
    return Period(*(parse_day(request.args.get(field, "")) for field in ("first", "last")))


def make_statements(ledger: Ledger, person: Player, period: Period) -> Iterator[Statement]:
    names = read_game_names(ledger.circle)
    name = person.name
    first = period.first or date.min
    last = period.last or date.max
    for key, account in ledger.read_accounts(EVERYTHING).items():
        entries = [entry for entry in _in_order(account.entries) if name in entry.amounts]
        waiting = [entry for entry in _in_order(account.waiting) if name in entry.amounts]
        if entries or waiting:
            before = sum(entry.amounts[name] for entry in entries if entry.day < first)
            shown = [entry for entry in entries if first <= entry.day <= last]
            after = before + sum(entry.amounts[name] for entry in shown)
            still = [*_list_waiting(ledger, name, waiting), *_list_open_with(account, name, ledger.banker)]
            yield Statement(
                account=key,
                title=account_name(key, names),
                unit=key if is_currency(key) else account_name(key, names),
                lines=list(_list_lines(ledger, name, key, shown, before)),
                after=format_signed_amount(key, _round(key, after)),
                open=still if period.last is None else [],
                before=_round(key, before) if period.first is not None else None,
            )


def _list_waiting(ledger: Ledger, name: str, waiting: Iterable[LedgerEntry]) -> Iterator[str]:
    for entry in waiting:
        said, _ = _describe(ledger, name, entry)
        amount = format_signed_amount(entry.account, entry.amounts[name])
        yield f"{t('confirm.waiting')}{t('colon')} {said} {amount}"


def _list_open_with(account: Account, name: str, banker: str | None) -> Iterator[str]:
    for giver, taker, amount in account.plan(banker):
        if name in (giver, taker):
            words = {"who": party_in_words(giver, is_first=True), "to": party_in_words(taker)}
            yield t("recap.pays", **words, amount=format_amount(account.key, amount))


# --- the cash box --------------------------------------------------------------------------------------------


@blueprint.get("/circles/<circle_token>/cash-box")
def cash_box(circle_token: str) -> str:
    return render_box(access.get_membership_or_404(circle_token).circle)


def render_box(circle: Circle, outcome: FormOutcome | None = None) -> str:
    ledger = read_ledger(circle)
    people = list_persons(circle)
    outcome = outcome or read_form_outcome(circle)
    form = outcome.form or PaymentForm(ledger, people, formdata=None, of=ALL, at=BOX_KEY)
    cashier = find_cashier(people)
    standing = list_box_payments(circle)
    return render_template(
        "money/cash_box.html",
        circle=circle,
        boxes=list(_make_statements_of_box(ledger, [each for each in standing if each.counts])),
        waiting=[each for each in standing if each.is_waiting],
        cashier=cashier,
        outcome=outcome,
        form=form.renew(),
        office=OfficeForm(
            circle, people, t("cash-box.nobody"), formdata=None, person=cashier.token if cashier is not None else ""
        ),
    )


def _make_statements_of_box(ledger: Ledger, moved: Iterable[Payment]) -> Iterator[Statement]:
    """Yield what came into the box and went out, the newest first, what it should hold, and what is due with it."""
    names = read_game_names(ledger.circle)
    lines = _list_lines_of_box(ledger.circle, moved)
    due = {key: account.due_with_box for key, account in ledger.read_accounts(EVERYTHING).items()}
    waiting = {entry.account for entry in ledger.waiting if entry.is_with_box}
    for key in sorted({*lines, *waiting, *(key for key, amounts in due.items() if any(amounts.values()))}):
        found = lines.get(key, [])
        held = found[-1].balance if found else 0
        yield Statement(
            account=key,
            title=account_name(key, names),
            unit="",
            lines=found[::-1],
            after=format_signed_amount(key, held).removeprefix("+"),
            open=[
                t("cash-box.in" if amount < 0 else "cash-box.out", who=name, amount=format_amount(key, amount))
                for name, amount in sorted(due.get(key, {}).items(), key=lambda item: item[0].casefold())
                if name != BOX and amount
            ],
        )


def _list_lines_of_box(circle: Circle, moved: Iterable[Payment]) -> dict[str, list[Line]]:
    """Return by account, oldest first, what came into the box and what went out, below 0."""
    lines: defaultdict[str, list[Line]] = defaultdict(list)
    for each in moved:
        before = lines[each.account]
        amount = each.amount * (-1 if each.giver_id is None and each.kind != INCOME else 1)
        before.append(
            Line(
                account=each.account,
                on=each.paid_on,
                text=_describe_movement(each),
                url=_url_of_receipt(circle, each.token),
                amount=amount,
                balance=amount + (before[-1].balance if before else 0),
                note=each.note or "",
            )
        )
    return lines


def _describe_movement(payment: Payment) -> str:
    if payment.kind != PAYMENT:
        return t(f"cash-box.{payment.kind}")
    if payment.giver is not None:
        return t("cash-box.from", who=payment.giver.person.name)
    return t("cash-box.to", who=payment.taker.person.name if payment.taker is not None else "")
