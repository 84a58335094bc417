"""Tables and payments as CSV files for spreadsheets, with English keys and formulas escaped."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from io import TextIOWrapper
from typing import IO

from ..currency import places
from ..games import games
from ..scoring.accounts import is_currency, table_result, to_money
from ..scoring.adjustments import Agreement, Misdeal
from .escaping import csv_cell, json_in_a_cell
from .exported import ExportedPayment, ExportedTable

Cell = str | int | Decimal | None

# Without it, Excel reads UTF-8 as the system's legacy code page.
BYTE_ORDER_MARK = "\ufeff"
MAX_DECIMAL_PLACES = 6  # of a counter's value

MAX_PARTIES = max(2 if game.in_sides else max(game.player_counts) for game in games().values())
TABLE_COLUMNS = ("table", "date", "game")
COLUMNS = {
    "deals": (
        *TABLE_COLUMNS,
        *("deal", "kind", "dealer", "facts"),
        *(f"{column}_{n}" for n in range(1, MAX_PARTIES + 1) for column in ("party", "scored", "score")),
    ),
    "entries": (*TABLE_COLUMNS, "deal", "giver", "taker", "amount", "unit", "reason", "note"),
    "balances": (*TABLE_COLUMNS, "title", "seat", "player", "jetons", "fiches", "account", "amount", "grains"),
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
        writer.writerows(map(_escape, map(_payment, payments)))
    else:
        for exported in tables:
            writer.writerows(map(_escape, _ROWS[kind](exported)))
    text.detach()


def _escape(row: Iterable[Cell]) -> list[Cell]:
    return [csv_cell(cell) if isinstance(cell, str) else cell for cell in row]


def _table_cells(exported: ExportedTable) -> tuple[str, str, str]:
    table = exported.table.table
    return exported.label, table.day.isoformat(), table.game


def _deals(exported: ExportedTable) -> Iterator[list[Cell]]:
    table = exported.table
    for facts, row in zip(table.sheet().deals, table.standing.rows, strict=True):
        kind = (
            "misdeal" if isinstance(row.fact, Misdeal) else "adjustment" if isinstance(row.fact, Agreement) else "deal"
        )
        cells: list[Cell] = [*_table_cells(exported), row.number, kind, table.names[row.dealer]]
        cells.append(json_in_a_cell(facts))
        for party in table.standing.parties:
            cells += table.names.get(party, party), row.scored[party], row.scores[party]
        yield cells + [None] * (len(COLUMNS["deals"]) - len(cells))


def _entries(exported: ExportedTable) -> Iterator[list[Cell]]:
    """Yield every entry. An empty giver or taker is the pot, or for points: nobody gives them."""
    names = {None: None} | exported.table.names
    for row in exported.table.standing.rows:
        note = row.fact.adjustment.reason if isinstance(row.fact, Agreement) else None
        for giver, taker, amount, unit, reason in row.entries:
            cells = [row.number, names.get(giver, giver), names.get(taker, taker), amount, unit, reason]
            yield [*_table_cells(exported), *cells, note if reason == "adjustment" else None]


def _balances(exported: ExportedTable) -> Iterator[list[Cell]]:
    table = exported.table
    result = table_result(table.game, table.value, table.standing.balances)
    for seat, balance in table.standing.balances.items():
        subunits = result.subunits[seat]
        counters = balance.get("jetons"), balance.get("fiches")
        amount = amount_in(result.account, subunits)
        cells = [table.table.title, seat, table.names[seat], *counters, result.account, amount, subunits]
        yield [*_table_cells(exported), *cells]


def _payment(payment: ExportedPayment) -> list[Cell]:
    return [
        payment.number,
        f"{payment.at.isoformat(timespec='seconds')}Z",
        "payment" if payment.withdraws is None else "withdrawal",
        payment.giver,
        payment.taker,
        amount_in(payment.account, payment.amount),
        payment.account,
        payment.amount,
        payment.settles or "everything",
        payment.withdraws,
        payment.withdrawn_by,
    ]


_ROWS: dict[str, Callable[[ExportedTable], Iterator[list[Cell]]]] = {
    "deals": _deals,
    "entries": _entries,
    "balances": _balances,
}


def amount_in(account: str, subunits: int) -> Decimal | int:
    """Return an amount of subunits as counters or as money, with as many decimal places as needed, at most six."""
    if not is_currency(account):
        return subunits
    exact, rounded = to_money(subunits, MAX_DECIMAL_PLACES), to_money(subunits, places(account))
    return rounded if exact == rounded else Decimal(f"{exact:f}".rstrip("0"))
