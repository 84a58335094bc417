"""The spreadsheets of a circle: their rows, and how they are written as CSV and as a workbook."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from io import TextIOWrapper
from itertools import chain
from tempfile import TemporaryDirectory
from typing import IO, Any

from babel import Locale
from babel.numbers import get_decimal_symbol

from ..games import find_game, games, slug_of
from ..i18n import game_name, long_day, own_key, translate, unit_text
from ..models import EXPENSE, INCOME, PAYMENT
from ..money.ledger import BOX, LedgerEntry
from ..scoring.common_facts import Agreement
from ..scoring.currency import decimal_places, is_currency, to_money
from ..scoring.game import AnyGame
from ..scoring.sheet import balances_in_smallest_unit, settlement_unit
from ..scoring.standing import POINTS, Entry, Row
from ..scoring.values import clean_name
from ..tables.state import ScoredDeal, TableState
from .exports import Export, ExportedPayment, ExportedPlayer

Cell = str | int | Decimal | date | None
Cells = list[Cell]

MAX_DECIMAL_PLACES = 6  # of a counter's value
_INVISIBLE = re.compile("[\u2060\ufeff]")  # keeps a line from breaking on a page

_TABLE = ("table", "date", "game")
COLUMNS = {
    "players": ("player", "tables", "unit", "won", "paid", "open"),
    "balances": (*_TABLE, "place", "title", "player", "jetons", "fiches", "money", "currency"),
    "payments": ("number", "date", "giver", "taker", "amount", "unit", "purpose", "method", "note", "state"),
    "deals": (*_TABLE, "deal", "dealer", "facts", "result", "side", "players", "scored", "score"),
    "entries": (*_TABLE, "deal", "giver", "taker", "amount", "unit", "reason", "explanation"),
}
OWN_COUNTERS = ("counters", "unit")  # more columns of balances, if a game has other counters than jetons and fiches
KINDS = tuple(COLUMNS)
TABLE_KINDS = tuple(kind for kind in KINDS if kind != "players")  # of a single table


def _has_own_counters() -> bool:
    return any(set(game.units) - {"jetons", "fiches"} for game in games().values())


@dataclass(frozen=True)
class SpreadsheetContents:
    """The source of spreadsheets. `describe` returns what puts a deal of a table, and what it won, into words."""

    locale: str
    describe: Callable[[TableState], Callable[[ScoredDeal], tuple[str, str]]]
    export: Export

    def headings(self, kind: str) -> list[str]:
        columns = COLUMNS[kind]
        if kind == "balances" and _has_own_counters():
            columns += OWN_COUNTERS
        return [self._t(f"spreadsheet.column.{column}") for column in columns]

    def rows(self, kinds: Collection[str]) -> Iterator[tuple[str, Cells]]:
        """Yield the rows of these kinds, each with its kind. The tables are read once."""
        if "players" in kinds:
            yield from (("players", self._player(player)) for player in self.export.players)
        if "payments" in kinds:
            yield from (("payments", self._payment(payment)) for payment in self.export.payments)
        of_table = {"balances": self._balances, "deals": self._deals, "entries": self._entries}
        wanted = {kind: list_rows for kind, list_rows in of_table.items() if kind in kinds}
        for exported in self.export.tables if wanted else ():
            table = exported.table
            name = game_name(self.locale, table.game.slug, table.stored.house_rules)
            first: Cells = [exported.number, table.stored.day, name]
            for kind, list_rows in wanted.items():
                yield from ((kind, [*first, *cells]) for cells in list_rows(table))
        for fee in self.export.fees if "balances" in kinds else ():
            yield from (("balances", cells) for cells in self._fee(fee))

    def _t(self, key: str, /, **params: object) -> str:
        return translate(self.locale, key, names=str, **params)

    def _unit_name(self, game: AnyGame, unit: str) -> str:
        return unit_text(self.locale, game.slug, "unit.within", unit) if unit else ""

    def _balances(self, table: TableState) -> Iterator[Cells]:
        result = table.result
        is_owed = table.stored.has_stakes
        place = clean_name(table.stored.place)
        title = clean_name(table.stored.title)
        unit = self._unit_name(table.game, settlement_unit(table.game))
        has_own = _has_own_counters()
        in_unit = balances_in_smallest_unit(table.game, table.standing.balances)
        settled: dict[str, Cells] = {seat: [amount, unit] for seat, amount in in_unit.items() if is_owed}
        for seat, balance in table.standing.balances.items():
            counters = [balance.get(unit) if is_owed else None for unit in ("jetons", "fiches")]
            money: Cells = [None, None]
            if is_currency(result.account):
                money = [amount_in(result.account, result.subunits[seat]), result.account]
            own = settled.get(seat, [None, None]) if has_own else ()
            yield [place, title, table.names[seat], *counters, *money, *own]

    def _fee(self, fee: LedgerEntry) -> Iterator[Cells]:
        """Yield what each has paid for an event, or won there as a prize."""
        event = clean_name(fee.source.title if fee.source is not None else "")
        title = self._t(f"books.event-{fee.kind}", event=event)
        for name, amount in fee.amounts.items():
            if name != BOX:
                of_event: Cells = [None, fee.day, None, None, title, name]
                own = [None] * len(OWN_COUNTERS) if _has_own_counters() else []
                yield [*of_event, None, None, amount_in(fee.account, amount), fee.account, *own]

    def _deals(self, table: TableState) -> Iterator[Cells]:
        describe = self.describe(table)
        for scored in table.scored_deals:
            row = scored.row
            if row is not None:
                facts, result = describe(scored)
                deal: Cells = [row.name.deal_number, table.names[row.dealer], _plain(facts), _plain(result)]
                standing = table.standing.seated_as(row)
                for party in standing.parties:
                    side = self._t(f"side.{party}") if table.game.in_sides else ""
                    players = ", ".join(table.names[seat] for seat in standing.partners(party))
                    yield [*deal, side, players, row.scored[party], row.scores[party]]

    def _entries(self, table: TableState) -> Iterator[Cells]:
        game = table.game
        pot = self._t("spreadsheet.pot")
        for row in table.standing.rows:
            for entry in row.entries:
                if entry.is_payment:
                    sides: Cells = [pot if seat is None else table.names[seat] for seat in (entry.giver, entry.taker)]
                    unit = self._unit_name(game, entry.unit)
                else:
                    sides = ["", self._t(f"side.{entry.taker}") if game.in_sides else table.names[str(entry.taker)]]
                    unit = self._t(f"unit.{POINTS}")
                reason = self._t(own_key(self.locale, game.slug, f"reason.{entry.reason}"))
                explanation = self._explain(table, row, entry)
                yield [row.name.deal_number, *sides, entry.amount, unit, _plain(reason), _plain(explanation)]

    def _explain(self, table: TableState, row: Row, entry: Entry) -> str:
        if isinstance(row.fact, Agreement):
            return clean_name(row.fact.adjustment.reason)
        numbers = table.game.explain_entry(table.standing, row, entry)
        return self._t(f"{table.game.slug}.explanation.{entry.reason}", **numbers) if numbers else ""

    def _payment(self, payment: ExportedPayment) -> Cells:
        row = payment.row
        outside = self._t(f"spreadsheet.kind.{row.kind}") if row.kind != PAYMENT else ""
        giver, taker = (name or self._t("cash-box.party") for name in payment.parties)
        state = "paid" if row.counts else row.state
        return [
            row.number,
            row.paid_on,
            giver if row.kind != INCOME else outside,
            taker if row.kind != EXPENSE else outside,
            amount_in(row.account, row.amount),
            self._unit(row.account, payment.unit_name),
            self._purpose(payment),
            self._t(f"payment.method.{row.method}") if row.method is not None else None,
            row.note or None,
            self._t(f"spreadsheet.state.{state}"),
        ]

    def _purpose(self, payment: ExportedPayment) -> str:
        row = payment.row
        if row.event is not None:
            return row.event.title
        if row.table is not None:
            game = game_name(self.locale, row.table.game, row.table.house_rules)
            return self._t("spreadsheet.purpose.table", number=str(payment.table), game=game)
        if row.evening is not None:
            return self._t("spreadsheet.purpose.evening", day=long_day(row.evening, self.locale))
        return self._t("spreadsheet.purpose.everything")

    def _player(self, player: ExportedPlayer) -> Cells:
        if player.account is None:
            return [player.name, player.tables, *[None] * 4]
        amounts = (amount_in(player.account, amount) for amount in (player.won, player.paid, player.open))
        return [player.name, player.tables, self._unit(player.account, player.game_name), *amounts]

    def _unit(self, account: str, game_name: str) -> str:
        """Return the code of a currency, or the counters of a game: EUR, fiches (<game>); by its name if it has one."""
        if is_currency(account):
            return account
        slug = slug_of(account)
        unit = self._unit_name(find_game(slug), settlement_unit(find_game(slug)))
        return f"{unit} ({game_name or self._t(f'{slug}.name')})"


def _plain(text: str) -> str:
    """Return a text without the invisible characters that only matter on a page."""
    return _INVISIBLE.sub("", text)


def amount_in(account: str, subunits: int) -> Decimal | int:
    """Return an amount of subunits as counters or as money, with as many decimal places as needed, at most six."""
    if not is_currency(account):
        return subunits
    exact, rounded = to_money(subunits, MAX_DECIMAL_PLACES), to_money(subunits, decimal_places(account))
    return rounded if exact == rounded else Decimal(f"{exact:f}".rstrip("0"))


# Where decimals are written with a comma, spreadsheets separate cells at semicolons, even within quotation marks. So a
# formula may begin after a semicolon as well.
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=\s*[=+\-@|＝＋－＠｜]|[\t\r\n])")


def csv_cell(text: str) -> str:
    """Put an apostrophe before anything that a spreadsheet would interpret as a formula."""
    return _FORMULA.sub(r"\1'", text)


# Without it, Excel reads UTF-8 as the system's legacy code page.
BYTE_ORDER_MARK = "\ufeff"
# Where numbers have a point, but lists a semicolon all the same.
_SEMICOLON_REGIONS = ("CH", "LI")


def separators(locale: str) -> tuple[str, str]:
    """Return what separates cells, and what a number's decimals: a semicolon where a comma is in numbers."""
    mark = "," if get_decimal_symbol(locale) == "," else "."
    needs_semicolon = mark == "," or Locale.parse(locale).territory in _SEMICOLON_REGIONS
    return ";" if needs_semicolon else ",", mark


CSV_TYPE = "text/csv; charset=utf-8"


def write_csv(kind: str, contents: SpreadsheetContents, file: IO[bytes]) -> None:
    rows = (row for _, row in contents.rows([kind]))
    write_csv_rows(contents.locale, contents.headings(kind), rows, file)


def write_csv_rows(locale: str, headings: Iterable[Cell], rows: Iterable[Iterable[Cell]], file: IO[bytes]) -> None:
    """Write rows as spreadsheets of a locale read them; days as 2026-11-21, which those of all languages read."""
    delimiter, decimal_mark = separators(locale)
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    text.write(BYTE_ORDER_MARK)
    written = ([_cell(cell, decimal_mark) for cell in row] for row in chain([headings], rows))
    csv.writer(text, delimiter=delimiter).writerows(written)
    text.detach()


def _cell(cell: Cell, decimal_mark: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return csv_cell(cell)
    if isinstance(cell, Decimal):
        return f"{cell:f}".replace(".", decimal_mark)
    return str(cell)


MAX_WIDTH = 60  # characters
_FILTER_WIDTH = 3  # of a heading's button
_FIRST_YEAR = 1901  # earlier days are not known to every spreadsheet
_DATE = 14  # the format that follows the reader's settings
_CREATED = datetime(2000, 1, 1)  # in every workbook, so that the same tables give the same bytes


def write_workbook(kinds: Collection[str], contents: SpreadsheetContents, file: IO[bytes]) -> None:
    """Write a workbook with a worksheet for each of these kinds. The same contents give the same bytes."""
    from xlsxwriter import Workbook  # noqa: PLC0415  # few ask for a workbook

    with TemporaryDirectory() as folder:
        workbook = Workbook(file, {"constant_memory": True, "tmpdir": folder})
        workbook.set_properties({"created": _CREATED})
        sheets = {
            kind: _Sheet(workbook, translate(contents.locale, f"files.csv.{kind}"), contents.headings(kind))
            for kind in kinds
        }
        for kind, row in contents.rows(kinds):
            sheets[kind].append(row)
        for sheet in sheets.values():
            sheet.finish()
        workbook.close()


class _Sheet:
    """A worksheet with the rows of one kind."""

    def __init__(self, workbook: Any, name: str, headings: Sequence[str]) -> None:
        self.workbook = workbook
        self.sheet = workbook.add_worksheet(name)
        self._styles: dict[tuple[tuple[str, Any], ...], Any] = {}
        self.sheet.freeze_panes(1, 0)
        self.sheet.repeat_rows(0)
        self.sheet.set_landscape()
        self.sheet.fit_to_pages(1, 0)
        for column, heading in enumerate(headings):
            self.sheet.write_string(0, column, heading, self._style(bold=True, bottom=1, bg_color="#EEEEEE"))
        self.widths = [len(heading) + _FILTER_WIDTH for heading in headings]
        self.next_row = 1

    def _style(self, **properties: Any) -> Any:
        key = tuple(properties.items())
        if key not in self._styles:
            self._styles[key] = self.workbook.add_format(properties)
        return self._styles[key]

    def append(self, row: Sequence[Cell]) -> None:
        for column, cell in enumerate(row):
            if cell is not None and cell != "":
                self._write(column, cell)
                self.widths[column] = max(self.widths[column], len(str(cell)))
        self.next_row += 1

    def _write(self, column: int, cell: str | int | Decimal | date) -> None:
        at = (self.next_row, column)
        if isinstance(cell, str):  # shown as it is, and no formula either when somebody edits the cell
            self.sheet.write_string(*at, cell, self._style(quote_prefix=True) if csv_cell(cell) != cell else None)
        elif isinstance(cell, Decimal):
            places = max(0, -int(cell.as_tuple().exponent))
            self.sheet.write_number(*at, cell, self._style(num_format=f"#,##0.{'0' * places}" if places else "#,##0"))
        elif isinstance(cell, int):
            self.sheet.write_number(*at, cell)
        elif cell.year < _FIRST_YEAR:
            self.sheet.write_string(*at, cell.isoformat())
        else:
            self.sheet.write_datetime(*at, cell, self._style(num_format=_DATE, align="left"))

    def finish(self) -> None:
        self.sheet.autofilter(0, 0, self.next_row - 1, len(self.widths) - 1)
        for column, width in enumerate(self.widths):
            self.sheet.set_column(column, column, min(width, MAX_WIDTH) + 1)
