"""The pages that say what is open of a table, of an evening or of everything, and which payments clear it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flask import Blueprint, g, render_template, request, url_for

from ..circles import access
from ..models import CASH, TRANSFER, Circle, Payment
from ..people.reading import list_persons
from ..scoring.settlement import Transfer
from ..site.language import t
from ..site.navigation import Tab
from ..tables import access as table_access
from ..tables import words
from ..tables.endings import list_pairwise_payments
from ..tables.reading import find_table as find_stored_table
from ..tables.settling import list_paid_corrections
from ..tables.state import TableState
from . import payments
from .forms import FormOutcome, OfficeForm, PaymentForm, PlanForm, read_form_outcome
from .ledger import EVERYTHING, Scope
from .open_accounts import OpenAccount, list_open_accounts
from .reading import Ledger, list_payments_of, read_corrected, read_ledger
from .scopes import ALL, KeyedScope, make_url, make_wider_key, name_purpose, parse_key_or_404

blueprint = Blueprint("money", __name__)


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


@dataclass(frozen=True)
class OpenPage:
    """What is open in the scope that `key` names."""

    key: str
    scope: Scope
    table: TableState | None
    planned: list[OpenAccount]  # none if payments are due elsewhere
    elsewhere: str | None  # the address of the page on which they are due
    is_settled: bool
    scopes: list[Tab]
    ways_to_pay: list[Tab]
    corrections: list[str]  # what was corrected since it was paid for
    made: list[Payment]  # latest day first; empty for everything, whose payments have a page of their own
    waiting: list[Payment]
    confirmable: set[int]

    @property
    def is_everything(self) -> bool:
        return self.scope == EVERYTHING

    @property
    def purpose(self) -> str:
        return name_purpose(self.table.stored if self.table is not None else None, None, self.scope.day)

    @property
    def shown(self) -> list[OpenAccount]:
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
        return self.table.game.subunits_per_counter(self.table.standing.value)

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
        planned=list(list_open_accounts(ledger, accounts, people, table)) if due_scope == scope else [],
        elsewhere=make_url(circle.token, make_wider_key(due_scope)) if due_scope and due_scope != scope else None,
        is_settled=ledger.is_settled(scope),
        scopes=_list_scopes(circle, shown, page),
        ways_to_pay=_list_ways_to_pay(circle, key, page.key, in_cash=in_cash),
        corrections=list(_tell_corrections(ledger, scope, page.table)),
        made=list_payments_of(circle, entries)[::-1],
        waiting=waiting,
        confirmable=payments.list_confirmable(circle, g.membership, waiting),
    )
    at = {"of": key, "at": page.key}
    form = outcome.form or PaymentForm(ledger, people, formdata=None, **at)
    banker = next((person.token for person in people if person.is_banker), "")
    return render_template(
        "money/open.html",
        circle=circle,
        page=opened,
        table=table,
        outcome=outcome,
        form=form.renew(),
        plan=PlanForm(formdata=None, seen=form.seen.data, plan=opened.plan, method="" if in_cash else TRANSFER, **at),
        office=OfficeForm(circle, people, t("settlement.no-banker"), formdata=None, person=banker),
    )


def _list_ways_to_pay(circle: Circle, key: str, page_key: str, *, in_cash: bool) -> list[Tab]:
    """List how payments can be made, with the pages that plan them so."""
    chosen = CASH if in_cash else TRANSFER
    table = request.args.get("table")
    return [
        Tab(make_url(circle.token, page_key, key, by=by, table=table), t(f"settlement.by.{by}"), by == chosen)
        for by in (CASH, TRANSFER)
    ]


def _list_scopes(circle: Circle, shown: KeyedScope, page: KeyedScope) -> list[Tab]:
    """List what can be settled from a page.

    The pages of an evening and of everything say with `?table=` from which table they were opened.
    """
    token = page.table.stored.token if page.table is not None else request.args.get("table", "")
    table = find_stored_table(circle, token) if token else None
    day = table.day if table is not None else page.scope.day
    found = []
    if table is not None:
        address = url_for("money.of_table", token=token, only="yes")
        found.append(Tab(address, t("settlement.this-table"), shown.table is not None))
    if day is not None:
        address = url_for("money.evening", circle_token=circle.token, day=day, table=token or None, only="yes")
        found.append(Tab(address, t("settlement.this-evening"), shown.scope.day is not None))
    address = url_for("money.everything", circle_token=circle.token, table=token or None)
    return [*found, Tab(address, t("settlement.everything"), shown.scope == EVERYTHING)]


def _tell_corrections(ledger: Ledger, scope: Scope, shown: TableState | None) -> Iterable[str]:
    """Yield what was corrected after it was paid: at the table shown or, without one, at each open table."""
    for table in [shown] if shown is not None else read_corrected(ledger, scope):
        if found := list_paid_corrections(table):
            of_table = f"{name_purpose(table.stored, None, None)}{t('colon')} " if shown is None else ""
            yield of_table + words.tell_corrections(table, found)
