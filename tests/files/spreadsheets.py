"""Read CSV files and workbooks that the app has written, by the keys of their columns."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any

from python_calamine import CalamineWorkbook

from scorekeeper.files.spreadsheets import BYTE_ORDER_MARK, COLUMNS, SpreadsheetContents, separators
from scorekeeper.i18n import translate

NUMBERS = {
    *("table", "deal", "number", "tables", "jetons", "fiches", "money", "amount", "scored", "score"),
    *("won", "paid", "open"),
}
Row = dict[str, Any]


def headings(kind: str, language: str) -> list[str]:
    return SpreadsheetContents(language, lambda _table: lambda _scored: ("", ""), ()).headings(kind)


def csv_cells(data: bytes, language: str) -> list[list[str]]:
    """Return the cells of a CSV file as a spreadsheet of this language splits it."""
    text = data.decode()
    assert text.startswith(BYTE_ORDER_MARK)
    lines = StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="")
    return list(csv.reader(lines, delimiter=separators(language)[0]))


def csv_rows(data: bytes, kind: str, language: str = "en") -> list[Row]:
    """Return a CSV file's rows: numbers as Decimal, days as such, empty cells as None."""
    first, *rows = csv_cells(data, language)
    assert first == headings(kind, language)
    return [_read(kind, row, lambda key, cell: _csv_value(key, cell, language)) for row in rows]


def workbook_rows(data: bytes, kind: str, language: str = "en", sheet: str | None = None) -> list[Row]:
    """Return the rows of one of a workbook's sheets, as `csv_rows`; the sheet of this kind unless it is named."""
    name = sheet or translate(language, f"exchange.csv.{kind}")
    first, *rows = CalamineWorkbook.from_filelike(BytesIO(data)).get_sheet_by_name(name).to_python()
    assert first == headings(kind, language)
    return [_read(kind, row, _workbook_value) for row in rows]


def _read(kind: str, cells: list[Any], read_cell: Callable[[str, Any], Any]) -> Row:
    return {key: read_cell(key, cell) for key, cell in zip(COLUMNS[kind], cells, strict=True)}


def _csv_value(key: str, cell: str, language: str) -> Any:
    if not cell:
        return None
    if key in NUMBERS:
        return Decimal(cell.replace(separators(language)[1], "."))
    return date.fromisoformat(cell) if key == "date" else cell


def _workbook_value(key: str, cell: Any) -> Any:
    if cell == "":
        return None
    if key in NUMBERS:  # text if it has more digits than a spreadsheet's number
        return Decimal(str(cell))
    return date.fromisoformat(cell) if key == "date" and isinstance(cell, str) else cell
