"""What other features ask of money: what is open and was paid of a person, a table or an evening, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date

from ..models import Circle, Table
from ..scoring.currency import is_currency
from ..site.amounts import format_amount, open_amount
from ..site.language import isolate_rtl, name_of_key, t
from ..tables.named_games import read_game_names
from ..tables.settling import Settling
from .ledger import EVERYTHING, PAYMENT, LedgerEntry, Scope
from .payments import AccountTransfer, list_planned
from .reading import read_ledger
from .scopes import party_in_words


def list_open_amounts(circle: Circle, name: str) -> list[str]:
    """Say what is open of the person with this name, in each account: "gets €5", "pays 2 fiches (Whist)"."""
    names = read_game_names(circle)
    found = []
    for key, account in read_ledger(circle).read_accounts(EVERYTHING).items():
        if amount := account.payable.get(name, 0):
            words = open_amount(key, amount)
            found.append(words if is_currency(key) else f"{words} ({name_of_key(key, names)})")
    return found


def read_settling(circle: Circle, tables: Sequence[Table], day: date | None = None) -> Settling:
    """Return what is due and what was paid of a table, or of an evening with its tables."""
    ledger = read_ledger(circle)
    scope = Scope(day=day) if day is not None else Scope(table=tables[0].id)
    entries = [entry for entry in ledger.entries if scope.contains(entry)]
    accounts = {entry.account for entry in entries} or {table.summary.account for table in tables if table.summary}
    due_scope = ledger.find_due_scope(scope)
    planned = list_planned(ledger, due_scope) if due_scope is not None else []
    return Settling(
        due=_in_words("recap.pays", "who", "to", _list_due(ledger.list_people(scope), accounts, planned)),
        made=_in_words("settlement.gave", "from", "to", _list_paid(entries)),
        state=[t("recap.settled")] if due_scope is None else [],
        paid_at=ledger.find_last_payment_at(tables[0]) if day is None else None,
    )


def _list_due(
    people: Collection[str], accounts: Collection[str], planned: Iterable[AccountTransfer]
) -> list[AccountTransfer]:
    """List those of the planned payments, perhaps of a wider scope, that these people make or get."""
    return [each for each in planned if each.account in accounts and (each.giver in people or each.taker in people)]


def _list_paid(entries: Iterable[LedgerEntry]) -> Iterator[AccountTransfer]:
    for entry in entries:
        if entry.kind == PAYMENT and entry.amounts:  # nothing between two players who were merged since
            giver, taker = entry.amounts
            yield AccountTransfer(entry.account, giver, taker, entry.amounts[giver])


def _in_words(key: str, giver_is: str, taker_is: str, transfers: Iterable[AccountTransfer]) -> list[str]:
    lines = []
    for each in transfers:
        giver = party_in_words(each.giver, is_first=True)
        taker = party_in_words(each.taker)
        names = {giver_is: isolate_rtl(giver), taker_is: isolate_rtl(taker)}
        lines.append(t(key, **names, amount=format_amount(each.account, each.amount)))
    return lines
