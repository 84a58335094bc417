"""The rows of a circle's or a table's spreadsheets, in the reader's words: no keys, numbers as numbers.

csv_files.py and workbooks.py write them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import NamedTuple

from ..currency import places
from ..games import find_game, games
from ..i18n import game_name, has_message, translate, unit_text
from ..i18n.dates import long_day
from ..scoring.accounts import is_currency, to_money
from ..scoring.adjustments import Agreement
from ..scoring.entries import POINTS, Entry
from ..scoring.game import AnyGame
from ..scoring.standing import AnyStanding, Row
from ..scoring.statement import balances_in_unit, settlement_unit
from ..scoring.values import clean_name
from ..tables.state import ScoredDeal, TableState
from .exported import ExportedPayment, ExportedPlayer, ExportedTable

Cell = str | int | Decimal | date | time | None
Cells = list[Cell]

MAX_DECIMAL_PLACES = 6  # of a counter's value
_INVISIBLE = re.compile("[\u2060\ufeff]")  # keeps a line from breaking on a page

_TABLE = ("table", "date", "game")
COLUMNS = {
    "players": ("player", "tables", "unit", "won", "paid", "moved", "open"),
    "balances": (*_TABLE, "place", "title", "player", "jetons", "fiches", "money", "currency"),
    "payments": ("number", "date", "time", "giver", "taker", "amount", "unit", "purpose", "state"),
    "deals": (*_TABLE, "deal", "dealer", "facts", "result", "side", "players", "scored", "score"),
    "entries": (*_TABLE, "deal", "giver", "taker", "amount", "unit", "reason", "explanation"),
}
OWN_COUNTERS = ("counters", "unit")  # more columns of balances, if a game has other counters than jetons and fiches
KINDS = tuple(COLUMNS)
TABLE_KINDS = tuple(kind for kind in KINDS if kind != "players")  # of a single table


def list_columns(kind: str) -> tuple[str, ...]:
    """Return the columns of a kind of rows."""
    has_own = kind == "balances" and any(set(game.units) - {"jetons", "fiches"} for game in games().values())
    return COLUMNS[kind] + OWN_COUNTERS if has_own else COLUMNS[kind]


class DealInWords(NamedTuple):
    """A deal in words, and what it won, such as a rubber; both as the pages say it."""

    facts: str
    result: str


@dataclass(frozen=True)
class SpreadsheetContents:
    """The source of spreadsheets.

    Attributes:
        language: the reader's locale.
        describe: puts a deal into words.
        tables: in order of day.
    """

    language: str
    describe: Callable[[TableState, ScoredDeal], DealInWords]
    tables: Iterable[ExportedTable]
    payments: Iterable[ExportedPayment] = ()
    players: Iterable[ExportedPlayer] = ()

    def headings(self, kind: str) -> list[str]:
        """Return the headings of a sheet's columns."""
        return [self._t(f"spreadsheet.column.{column}") for column in list_columns(kind)]

    def sheet_name(self, kind: str) -> str:
        """Return the name of a sheet."""
        return self._t(f"exchange.csv.{kind}")

    def rows(self, kind: str) -> Iterator[Cells]:
        """Yield the rows of one of the `KINDS`."""
        if kind == "players":
            yield from map(self._player, self.players)
        elif kind == "payments":
            yield from (self._payment(payment) for payment in self.payments if payment.withdraws is None)
        else:
            for table in self.tables:
                yield from self.rows_of_table(kind, table)

    def rows_of_table(self, kind: str, exported: ExportedTable) -> Iterator[Cells]:
        """Yield a table's rows of a kind: its balances, deals or entries.

        Of a game that is not installed, a row that says so.
        """
        table, own = exported.table, {"balances": self._balances, "deals": self._deals, "entries": self._entries}[kind]
        first: Cells = [exported.number, table.stored.day]
        if table.has_rules:
            name = game_name(self.language, table.game.slug, table.stored.house_rules)
            return ([*first, name, *cells] for cells in own(table))
        name = self._t("missing-game.left-out", game=table.game.slug)
        return iter([[*first, name, *[None] * (len(list_columns(kind)) - len(_TABLE))]])

    def _t(self, key: str, /, **params: object) -> str:
        return translate(self.language, key, names=str, **params)

    def _unit_name(self, game: AnyGame, unit: str) -> str:
        return unit_text(self.language, game.slug, "unit.within", unit) if unit else ""

    # --- tables --------------------------------------------------------------------------------------------

    def _balances(self, table: TableState) -> Iterator[Cells]:
        result, is_owed = table.result, table.stored.has_stakes
        place, title = clean_name(table.stored.place), clean_name(table.stored.title)
        unit = self._unit_name(table.game, settlement_unit(table.game))
        has_own = list_columns("balances") != COLUMNS["balances"]
        in_unit = balances_in_unit(table.game, table.standing.balances)
        settled: dict[str, Cells] = {seat: [amount, unit] for seat, amount in in_unit.items() if is_owed}
        for seat, balance in table.standing.balances.items():
            counters = [balance.get(unit) if is_owed else None for unit in ("jetons", "fiches")]
            money: Cells = [None, None]
            if is_currency(result.account):
                money = [amount_in(result.account, result.subunits[seat]), result.account]
            own = settled.get(seat, [None, None]) if has_own else ()
            yield [place, title, table.names[seat], *counters, *money, *own]

    def _deals(self, table: TableState) -> Iterator[Cells]:
        """Yield a row for each deal and each who scores: a side or a player."""
        for scored in table.scored_deals:
            row = scored.row
            if row is not None:
                words = self.describe(table, scored)
                deal: Cells = [row.name.deal_number, table.names[row.dealer], _plain(words.facts), _plain(words.result)]
                standing = table.standing.seated_as(row)
                for party in standing.parties:
                    yield [*deal, *self._party(table, standing, party), row.scored[party], row.scores[party]]

    def _party(self, table: TableState, standing: AnyStanding, party: str) -> list[str]:
        """Return a side and its players, or no side and the player."""
        if not table.game.in_sides:
            return ["", table.names[party]]
        players = ", ".join(table.names[seat] for seat in standing.partners(party))
        return [self._t(f"side.{party}"), players]

    def _entries(self, table: TableState) -> Iterator[Cells]:
        for row in table.standing.rows:
            for entry in row.entries:
                yield [row.name.deal_number, *self._sides_of(table, entry), *self._words_of(table, row, entry)]

    def _sides_of(self, table: TableState, entry: Entry) -> Cells:
        """Return who gives and who gets: players, or the pot. Nobody gives points."""
        if not entry.is_payment:
            return ["", self._t(f"side.{entry.taker}") if table.game.in_sides else table.names[str(entry.taker)]]
        pot = self._t("spreadsheet.pot")
        return [pot if seat is None else table.names[seat] for seat in (entry.giver, entry.taker)]

    def _words_of(self, table: TableState, row: Row, entry: Entry) -> Cells:
        """Return an entry's amount, unit and reason, and how it was calculated or what was noted."""
        game = table.game
        unit = self._t(f"unit.{POINTS}") if entry.unit == POINTS else self._unit_name(game, entry.unit)
        own = f"{game.slug}.reason.{entry.reason}"
        reason = self._t(own if has_message(self.language, own) else f"reason.{entry.reason}")
        return [entry.amount, unit, _plain(reason), _plain(self._explanation(table, row, entry))]

    def _explanation(self, table: TableState, row: Row, entry: Entry) -> str:
        if isinstance(row.fact, Agreement):
            return clean_name(row.fact.adjustment.reason)
        numbers = table.game.explain(table.standing, row, entry)
        return self._t(f"{table.game.slug}.explanation.{entry.reason}", **numbers) if numbers else ""

    # --- payments and players ------------------------------------------------------------------------------

    def _payment(self, payment: ExportedPayment) -> Cells:
        at, amount = payment.at, amount_in(payment.account, payment.amount)
        state = "removed" if payment.withdrawn_by is not None else "waiting" if payment.is_waiting else "paid"
        return [
            *(payment.number, at.date(), at.time().replace(second=0, microsecond=0)),
            *(payment.giver, payment.taker, amount, self._unit(payment.account, name=payment.game_name)),
            *(self._purpose(payment), self._t(f"spreadsheet.state.{state}")),
        ]

    def _purpose(self, payment: ExportedPayment) -> str:
        game = payment.game_name or (self._t(f"{payment.game}.name") if payment.game is not None else None)
        if payment.event is not None:
            return payment.event
        if payment.table is not None:
            return self._t("spreadsheet.purpose.table", number=str(payment.table), game=game)
        if payment.evening is not None:
            purpose = self._t("spreadsheet.purpose.evening", day=long_day(payment.evening, self.language))
        else:
            purpose = self._t("spreadsheet.purpose.everything")
        return f"{purpose} ({game})" if game else purpose

    def _player(self, player: ExportedPlayer) -> Cells:
        if player.account is None:
            return [player.name, player.tables, *[None] * 5]
        amounts = player.won, player.paid, player.moved, player.open
        in_account = (amount_in(player.account, amount) for amount in amounts)
        return [player.name, player.tables, self._unit(player.account, player.game), *in_account]

    def _unit(self, account: str, game: str | None = None, name: str = "") -> str:
        """Return the code of a currency, or the counters of a game: EUR, fiches (<game>); by its name if it has one."""
        if is_currency(account):
            return account if game is None else f"{account} ({self._t(f'{game}.name')})"
        game_of_account = find_game(account)
        unit = self._unit_name(game_of_account, settlement_unit(game_of_account))
        return f"{unit} ({name or self._t(f'{account}.name')})"


def _plain(text: str) -> str:
    """Return a text without the invisible characters that only matter on a page."""
    return _INVISIBLE.sub("", text)


def amount_in(account: str, subunits: int) -> Decimal | int:
    """Return an amount of subunits as counters or as money, with as many decimal places as needed, at most six."""
    if not is_currency(account):
        return subunits
    exact, rounded = to_money(subunits, MAX_DECIMAL_PLACES), to_money(subunits, places(account))
    return rounded if exact == rounded else Decimal(f"{exact:f}".rstrip("0"))
