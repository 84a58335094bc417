"""Write all spreadsheets as one workbook (.xlsx), row by row, so that thousands of tables need little memory."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from itertools import count
from tempfile import TemporaryDirectory
from typing import IO, Any
from unicodedata import east_asian_width

from .escaping import csv_cell
from .spreadsheets import Cell, SpreadsheetContents

MAX_ROWS = 1_048_576  # of a worksheet, its headings included; more rows go to another worksheet
MAX_DIGITS = 15  # a spreadsheet stores no number with more, so such amounts are written as text
MAX_WIDTH = 60  # characters
_FILTER_WIDTH = 3  # of a heading's button
_MAX_NAME = 31  # characters of a worksheet's name
_NOT_IN_A_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_FIRST_YEAR = 1901  # earlier days are not known to every spreadsheet
_DATE, _TIME = 14, 20  # of the formats that follow the reader's settings
_CREATED = datetime(2000, 1, 1)  # in every workbook, so that the same tables give the same bytes


def write_workbook(kinds: Collection[str], contents: SpreadsheetContents, file: IO[bytes]) -> None:
    """Write a workbook with a worksheet for each of these kinds. The same contents give the same bytes."""
    from xlsxwriter import Workbook  # noqa: PLC0415  # few ask for a workbook

    with TemporaryDirectory() as folder:
        workbook = Workbook(file, {"constant_memory": True, "tmpdir": folder})
        workbook.set_properties({"created": _CREATED})
        styles = _Styles(workbook)
        sheets = {kind: _Sheet(workbook, styles, kind, contents) for kind in kinds}
        of_tables = [kind for kind in kinds if kind not in ("players", "payments")]
        for kind in kinds:
            for row in contents.rows(kind) if kind not in of_tables else ():
                sheets[kind].append(row)
        for table in contents.tables:
            for kind in of_tables:
                for row in contents.rows_of_table(kind, table):
                    sheets[kind].append(row)
        for sheet in sheets.values():
            sheet.finish()
        workbook.close()


class _Styles:
    """The formats of a workbook's cells."""

    def __init__(self, workbook: Any) -> None:
        self.workbook = workbook
        self.heading = workbook.add_format({"bold": True, "bottom": 1, "bg_color": "#EEEEEE"})
        self.day = workbook.add_format({"num_format": _DATE, "align": "left"})
        self.time = workbook.add_format({"num_format": _TIME})
        # Shown as it is, and no formula either when somebody edits the cell.
        self.quoted = workbook.add_format({"quote_prefix": True})
        self._amounts: dict[int, Any] = {}

    def amount(self, places: int) -> Any:
        """Return the format of an amount with this number of decimal places."""
        if places not in self._amounts:
            pattern = f"#,##0.{'0' * places}" if places else "#,##0"
            self._amounts[places] = self.workbook.add_format({"num_format": pattern})
        return self._amounts[places]


@dataclass
class _Sheet:
    """The rows of one kind: a worksheet, and further ones when it is full."""

    workbook: Any
    styles: _Styles
    kind: str
    contents: SpreadsheetContents
    widths: list[int] = field(default_factory=list)
    next_row: int = 0
    worksheet: Any = None

    def __post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Begin a worksheet with its headings, which stay in view and on every printed page."""
        self.worksheet = self.workbook.add_worksheet(self._free_name())
        self.worksheet.freeze_panes(1, 0)
        self.worksheet.repeat_rows(0)
        self.worksheet.set_landscape()
        self.worksheet.fit_to_pages(1, 0)
        headings = self.contents.headings(self.kind)
        for column, heading in enumerate(headings):
            self.worksheet.write_string(0, column, heading, self.styles.heading)
        self.widths = [_width(heading) + _FILTER_WIDTH for heading in headings]
        self.next_row = 1

    def _free_name(self) -> str:
        """Return the worksheet's name, with a number if there is one of this name."""
        name = _NOT_IN_A_NAME.sub(" ", self.contents.sheet_name(self.kind)).strip(" '")
        used = {sheet.get_name().lower() for sheet in self.workbook.worksheets()}
        endings = (f" ({number})" if number > 1 else "" for number in count(1))
        names = (f"{name[: _MAX_NAME - len(ending)]}{ending}".strip() for ending in endings)
        return next(free for free in names if free and free.lower() not in used)

    def append(self, row: Sequence[Cell]) -> None:
        """Write a row, in another worksheet if this one is full."""
        if self.next_row == MAX_ROWS:
            self.finish()
            self._begin()
        for column, cell in enumerate(row):
            if cell is not None and cell != "":
                self._write(column, cell)
                self.widths[column] = max(self.widths[column], _width(_shown(cell)))
        self.next_row += 1

    def _write(self, column: int, cell: str | int | Decimal | date | time) -> None:
        sheet, row, styles = self.worksheet, self.next_row, self.styles
        if isinstance(cell, str):
            sheet.write_string(row, column, cell, styles.quoted if csv_cell(cell) != cell else None)
        elif isinstance(cell, int | Decimal):
            if _digits(cell) > MAX_DIGITS:
                sheet.write_string(row, column, _shown(cell))
            else:
                style = styles.amount(_places(cell)) if isinstance(cell, Decimal) else None
                sheet.write_number(row, column, cell, style)
        elif isinstance(cell, time):
            sheet.write_datetime(row, column, cell, styles.time)
        elif cell.year < _FIRST_YEAR:
            sheet.write_string(row, column, cell.isoformat())
        else:
            sheet.write_datetime(row, column, datetime(cell.year, cell.month, cell.day), styles.day)

    def finish(self) -> None:
        """Set what depends on all rows: the filter and the columns' widths."""
        self.worksheet.autofilter(0, 0, self.next_row - 1, len(self.widths) - 1)
        for column, width in enumerate(self.widths):
            self.worksheet.set_column(column, column, min(width, MAX_WIDTH) + 1)


def _digits(number: int | Decimal) -> int:
    return len(Decimal(number).as_tuple().digits)


def _places(number: Decimal) -> int:
    return max(0, -int(number.as_tuple().exponent))


def _shown(cell: str | int | Decimal | date | time) -> str:
    return f"{cell:f}" if isinstance(cell, Decimal) else str(cell)


@lru_cache(maxsize=1024)  # a deal's facts stand in several rows
def _width(text: str) -> int:
    """Return the width of a text in characters; those of East Asia are twice as wide."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
