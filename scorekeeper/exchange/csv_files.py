"""Write spreadsheets as CSV files, with the separators that spreadsheets of the reader's region expect."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import time
from decimal import Decimal
from io import TextIOWrapper
from typing import IO, NamedTuple

from babel import Locale
from babel.numbers import get_decimal_symbol

from .escaping import csv_cell
from .spreadsheets import Cell, SpreadsheetContents

# Without it, Excel reads UTF-8 as the system's legacy code page.
BYTE_ORDER_MARK = "\ufeff"
# Where numbers have a point, but lists a semicolon all the same.
_SEMICOLON_REGIONS = ("CH", "LI")


class Separators(NamedTuple):
    """The signs between cells, and between a number's units and decimals."""

    delimiter: str
    decimal_mark: str


def separators(language: str) -> Separators:
    """Return the separators of a locale's spreadsheets: semicolons where a comma is in numbers."""
    mark = "," if get_decimal_symbol(language) == "," else "."
    needs_semicolon = mark == "," or Locale.parse(language).territory in _SEMICOLON_REGIONS
    return Separators(";" if needs_semicolon else ",", mark)


def write_csv(kind: str, contents: SpreadsheetContents, file: IO[bytes]) -> None:
    """Write one of the `KINDS` with a row of headings."""
    write_csv_rows(contents.language, contents.headings(kind), contents.rows(kind), file)


def write_csv_rows(language: str, headings: Iterable[Cell], rows: Iterable[Iterable[Cell]], file: IO[bytes]) -> None:
    """Write rows below their headings, as spreadsheets of a locale read them.

    Days are written as 2026-11-21 and times as 22:05, which spreadsheets of every language read as such.
    """
    delimiter, decimal_mark = separators(language)
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    text.write(BYTE_ORDER_MARK)
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(_written(headings, decimal_mark))
    writer.writerows(_written(row, decimal_mark) for row in rows)
    text.detach()


def _written(row: Iterable[Cell], decimal_mark: str) -> list[str]:
    return [_cell(cell, decimal_mark) for cell in row]


def _cell(cell: Cell, decimal_mark: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return csv_cell(cell)
    if isinstance(cell, Decimal):
        return f"{cell:f}".replace(".", decimal_mark)
    return cell.isoformat("minutes") if isinstance(cell, time) else str(cell)
