"""Tables as CSV for spreadsheets: keys in English, numbers as numbers, no text that would be taken for a formula."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from io import TextIOWrapper
from typing import IO, Any

from ..currency import places
from ..games import games
from ..scoring.accounts import is_currency, to_money, worth
from ..scoring.agreed import Agreed, Misdeal
from .labelled import Labelled, PaymentMade

Cell = str | int | Decimal | None

# Without it Excel takes UTF-8 for the country's old code page; all others know what it means.
BYTE_ORDER_MARK = "\ufeff"
_STARTS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_EXACT = 6  # decimal places of the least that a counter may be worth

PARTIES = max(2 if game.in_sides else max(game.seatings) for game in games().values())
OF_A_TABLE = ("table", "date", "game")
COLUMNS = {
    "deals": (
        *OF_A_TABLE,
        *("deal", "kind", "dealer", "facts"),
        *(f"{column}_{n}" for n in range(1, PARTIES + 1) for column in ("party", "scored", "score")),
    ),
    "entries": (*OF_A_TABLE, "deal", "giver", "taker", "amount", "unit", "reason", "note"),
    "balances": (*OF_A_TABLE, "title", "seat", "player", "jetons", "fiches", "account", "amount", "grains"),
    "payments": (
        *("payment", "at", "kind", "giver", "taker", "amount", "account", "grains"),
        *("settles", "withdraws", "withdrawn_by"),
    ),
}
KINDS = tuple(COLUMNS)


def write_csv(kind: str, tables: Iterable[Labelled], payments: Iterable[PaymentMade], file: IO[bytes]) -> None:
    """One of the four kinds, with a header."""
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    text.write(BYTE_ORDER_MARK)
    writer = csv.writer(text)
    writer.writerow(COLUMNS[kind])
    if kind == "payments":
        writer.writerows(map(_safe, map(_payment, payments)))
    else:
        for told in tables:
            writer.writerows(map(_safe, _ROWS[kind](told)))
    text.detach()


def _safe(row: Iterable[Cell]) -> list[Any]:
    return [f"'{cell}" if isinstance(cell, str) and cell.startswith(_STARTS_A_FORMULA) else cell for cell in row]


def _head(told: Labelled) -> tuple[str, str, str]:
    table = told.table.table
    return told.label, table.day.isoformat(), table.game


def _deals(told: Labelled) -> Iterator[list[Cell]]:
    table = told.table
    for facts, row in zip(table.sheet().deals, table.standing.rows, strict=True):
        kind = "misdeal" if isinstance(row.fact, Misdeal) else "adjustment" if isinstance(row.fact, Agreed) else "deal"
        cells: list[Cell] = [*_head(told), row.number, kind, table.names[row.dealer]]
        cells.append(json.dumps(facts, ensure_ascii=False))
        for party in table.standing.parties:
            cells += table.names.get(party, party), row.scored[party], row.scores[party]
        yield cells + [None] * (len(COLUMNS["deals"]) - len(cells))


def _entries(told: Labelled) -> Iterator[list[Cell]]:
    """Every payment and every mark of points; where nobody is named, the pot is, or nobody gives points."""
    names = {None: None} | told.table.names
    for row in told.table.standing.rows:
        note = row.fact.adjustment.reason if isinstance(row.fact, Agreed) else None
        for giver, taker, amount, unit, reason in row.entries:
            who = names.get(giver, giver), names.get(taker, taker)
            yield [*_head(told), row.number, *who, amount, unit, reason, note if reason == "adjustment" else None]


def _balances(told: Labelled) -> Iterator[list[Cell]]:
    table = told.table
    money = worth(table.game, table.value, table.standing.balances)
    for seat, held in table.standing.balances.items():
        grains = money.grains[seat]
        counters = held.get("jetons"), held.get("fiches")
        amount = amount_in(money.account, grains)
        cells = [table.table.title, seat, table.names[seat], *counters, money.account, amount, grains]
        yield [*_head(told), *cells]


def _payment(paid: PaymentMade) -> list[Cell]:
    kind = "payment" if paid.withdraws is None else "withdrawal"
    amount = amount_in(paid.account, paid.amount)
    cells: list[Cell] = [paid.number, f"{paid.at.isoformat(timespec='seconds')}Z", kind, paid.giver, paid.taker, amount]
    return [*cells, paid.account, paid.amount, paid.settles or "everything", paid.withdraws, paid.withdrawn_by]


_ROWS: dict[str, Callable[[Labelled], Iterator[list[Cell]]]] = {
    "deals": _deals,
    "entries": _entries,
    "balances": _balances,
}


def amount_in(account: str, grains: int) -> Decimal | int:
    """Counters, or money to as many places as it takes; to six, where a ninth of a fiche has no end."""
    if not is_currency(account):
        return grains
    exact, least = to_money(grains, _EXACT), to_money(grains, places(account))
    return least if exact == least else Decimal(f"{exact:f}".rstrip("0"))
