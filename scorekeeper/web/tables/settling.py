"""The settlement of a table or an evening in lines: who pays whom, and what was paid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from ...models import Circle, Table
from ...services.circles.players import find_banker, read_persons
from ...services.money.balances import find_wider_settlements, read_open_accounts
from ...services.money.payment_history import find_paid_at, list_payments_in
from ...services.money.scopes import Scope
from ...tables.revisions import NEW_KINDS, RevisionRow, has_correction_since
from ...tables.state import TableState
from ..support.amounts import format_amount
from ..support.language import isolate_rtl, t
from ..support.settlement_names import name_of_settlement


@dataclass(frozen=True)
class Settling:
    """Lines about a scope: `due`, the payments that clear what is open; `made`, those that count; and its `state`."""

    due: list[str]
    made: list[str]
    state: list[str]


def of_scope(circle: Circle, scope: Scope, tables: Iterable[Table]) -> Settling:
    """Return the lines about a scope; `tables` are those in it."""
    banker = find_banker(read_persons(circle).values())
    due = [
        _in_words("recap.pays", "who", payment.giver, payment.taker, account.key, payment.amount)
        for account in read_open_accounts(circle, scope).values()
        for payment in account.plan(banker.name if banker is not None else None)
    ]
    made = [
        _in_words(
            "settlement.gave", "from", p.giver.person.name, p.taker.person.name, p.settlement.account, int(p.amount)
        )
        for p in list_payments_in(circle, scope)
    ]
    return Settling(due, made, _state(circle, scope, tables, is_open=bool(due)))


def is_paid_deal_corrected(before: TableState, after: TableState) -> bool:
    """Return whether `after` corrects what was paid for, and with it what the players of the table `before` get."""
    if before.standing.balances == after.standing.balances:
        return False
    paid_at = find_paid_at(before.stored)
    return paid_at is not None and _is_corrected_since(after, paid_at)


def list_due_since_paid(table: TableState) -> list[str]:
    """Return the lines of the payments that clear a table that was paid for and corrected since; none of others."""
    if all(revision.kind in NEW_KINDS for revision in table.revisions):
        return []
    paid_at = find_paid_at(table.stored)
    if paid_at is None or not _is_corrected_since(table, paid_at):
        return []
    return of_scope(table.stored.circle, Scope(table=table.stored), [table.stored]).due


def _is_corrected_since(table: TableState, moment: datetime) -> bool:
    def takes_back(reopening: RevisionRow) -> bool:
        closed, reopened = (table.at_version(reopening.number - later) for later in (1, 0))
        return bool(closed.standing.balances != reopened.standing.balances)

    return has_correction_since(table.revisions, moment, takes_back)


def _in_words(key: str, giver_parameter: str, giver: str, taker: str, account: str, amount: int) -> str:
    names = {giver_parameter: isolate_rtl(giver), "to": isolate_rtl(taker)}
    return t(key, **names, amount=format_amount(account, amount))


def _state(circle: Circle, scope: Scope, tables: Iterable[Table], *, is_open: bool) -> list[str]:
    """Return whether all is settled, and what a part of it was settled together with."""
    together = [
        t(f"recap.together-with.{'paid' if is_paid else 'unpaid'}", settlement=name_of_settlement(settlement))
        for settlement, is_paid in find_wider_settlements(circle, scope)
    ]
    summaries = [table.summary for table in tables if table.summary is not None]
    settled = [summary for summary in summaries if any(summary.taken_over.values())]
    if is_open or not settled:
        return together
    if all(summary.is_settled for summary in settled):
        return [t("recap.settled"), *together]
    return together or [t("recap.under-way")]
