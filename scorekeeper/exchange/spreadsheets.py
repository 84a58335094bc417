"""Tables and payments as CSV files for spreadsheets, with English keys and formulas escaped."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from io import TextIOWrapper
from typing import IO, Any

from ..currency import places
from ..games import games
from ..scoring.accounts import is_currency, table_result, to_money
from ..scoring.adjustments import Agreement, Misdeal
from .escaping import csv_cell, json_in_a_cell
from .exported import ExportedPayment, ExportedTable

Cell = str | int | Decimal | None

# Without it Excel takes UTF-8 for the country's old code page; all others know what it means.
BYTE_ORDER_MARK = "\ufeff"
_EXACT = 6  # decimal places of the least that a counter may be worth

PARTIES = max(2 if game.in_sides else max(game.player_counts) for game in games().values())
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


def write_csv(kind: str, tables: Iterable[ExportedTable], payments: Iterable[ExportedPayment], file: IO[bytes]) -> None:
    """Write one of the `KINDS` with a header row."""
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    text.write(BYTE_ORDER_MARK)
    writer = csv.writer(text)
    writer.writerow(COLUMNS[kind])
    if kind == "payments":
        writer.writerows(map(_safe, map(_payment, payments)))
    else:
        for exported in tables:
            writer.writerows(map(_safe, _ROWS[kind](exported)))
    text.detach()


def _safe(row: Iterable[Cell]) -> list[Any]:
    return [csv_cell(cell) if isinstance(cell, str) else cell for cell in row]


def _head(told: ExportedTable) -> tuple[str, str, str]:
    table = told.table.table
    return told.label, table.day.isoformat(), table.game


def _deals(told: ExportedTable) -> Iterator[list[Cell]]:
    table = told.table
    for facts, row in zip(table.sheet().deals, table.standing.rows, strict=True):
        kind = (
            "misdeal" if isinstance(row.fact, Misdeal) else "adjustment" if isinstance(row.fact, Agreement) else "deal"
        )
        cells: list[Cell] = [*_head(told), row.number, kind, table.names[row.dealer]]
        cells.append(json_in_a_cell(facts))
        for party in table.standing.parties:
            cells += table.names.get(party, party), row.scored[party], row.scores[party]
        yield cells + [None] * (len(COLUMNS["deals"]) - len(cells))


def _entries(told: ExportedTable) -> Iterator[list[Cell]]:
    """Yield every entry. An empty giver or taker is the pot, or for points: nobody gives them."""
    names = {None: None} | told.table.names
    for row in told.table.standing.rows:
        note = row.fact.adjustment.reason if isinstance(row.fact, Agreement) else None
        for giver, taker, amount, unit, reason in row.entries:
            who = names.get(giver, giver), names.get(taker, taker)
            yield [*_head(told), row.number, *who, amount, unit, reason, note if reason == "adjustment" else None]


def _balances(told: ExportedTable) -> Iterator[list[Cell]]:
    table = told.table
    money = table_result(table.game, table.value, table.standing.balances)
    for seat, held in table.standing.balances.items():
        grains = money.subunits[seat]
        counters = held.get("jetons"), held.get("fiches")
        amount = amount_in(money.account, grains)
        cells = [table.table.title, seat, table.names[seat], *counters, money.account, amount, grains]
        yield [*_head(told), *cells]


def _payment(paid: ExportedPayment) -> list[Cell]:
    kind = "payment" if paid.withdraws is None else "withdrawal"
    amount = amount_in(paid.account, paid.amount)
    cells: list[Cell] = [paid.number, f"{paid.at.isoformat(timespec='seconds')}Z", kind, paid.giver, paid.taker, amount]
    return [*cells, paid.account, paid.amount, paid.settles or "everything", paid.withdraws, paid.withdrawn_by]


_ROWS: dict[str, Callable[[ExportedTable], Iterator[list[Cell]]]] = {
    "deals": _deals,
    "entries": _entries,
    "balances": _balances,
}


def amount_in(account: str, grains: int) -> Decimal | int:
    """Return an amount of subunits as counters or as money, with as many decimal places as needed, at most six."""
    if not is_currency(account):
        return grains
    exact, least = to_money(grains, _EXACT), to_money(grains, places(account))
    return least if exact == least else Decimal(f"{exact:f}".rstrip("0"))
