"""What recaps say of payments: those that are due, those that were made, and whether all is settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from ..models import Circle, Table
from ..people.players import find_banker, read_persons
from ..site.amounts import format_amount, name_of_settlement
from ..site.language import isolate_rtl, t
from ..tables.recap import Settling
from .balances import find_wider_settlements, read_open_accounts
from .payment_history import list_payments_in
from .scopes import Scope


def settle(circle: Circle, tables: Sequence[Table], day: date | None = None) -> Settling:
    """Return what is due and what was paid of a table, or of an evening with its tables."""
    scope = Scope(day=day) if day is not None else Scope(table=tables[0])
    banker = find_banker(read_persons(circle).values())
    due = [
        _in_words("recap.pays", account.key, payment.amount, {"who": payment.giver, "to": payment.taker})
        for account in read_open_accounts(circle, scope).values()
        for payment in account.plan(banker.name if banker is not None else None)
    ]
    made = [
        _in_words("settlement.gave", p.settlement.account, int(p.amount), {"from": giver.name, "to": taker.name})
        for p in list_payments_in(circle, scope)
        for giver, taker in [(p.giver.person, p.taker.person)]
    ]
    return Settling(due, made, _state(circle, scope, tables, is_open=bool(due)))


def _in_words(key: str, account: str, amount: int, names: Mapping[str, str]) -> str:
    isolated = {parameter: isolate_rtl(name) for parameter, name in names.items()}
    return t(key, **isolated, amount=format_amount(account, amount))


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
