"""Ledgers of tables and payments for plain-text accounting programs."""

from __future__ import annotations

import heapq
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from tempfile import TemporaryFile
from typing import IO

from .. import currency
from ..games import games
from ..i18n import has_message, translate
from ..scoring.adjustments import Agreement
from ..scoring.entries import FICHE, FICHES, JETONS, POT, Entry
from ..scoring.game import Game
from ..scoring.sheet import Value
from ..scoring.standing import Row
from ..scoring.statement import settlement_unit
from ..scoring.values import clean_name
from ..tables.state import TableState
from .beancount import Beancount
from .double_entry import Amount, Books, Commodity, Posting, Price, Program, Transaction, components
from .exported import ExportedPayment, ExportedTable
from .hledger import Hledger
from .spreadsheets import amount_in

COUNTERS = "Counters"  # where no currency is played for
PROGRAMS: dict[str, Program] = {"beancount": Beancount(), "hledger": Hledger()}


def write_ledger(
    program: str,
    language: str,
    names: Iterable[str],
    tables: Iterable[ExportedTable],
    payments: Iterable[ExportedPayment],
    file: IO[bytes],
) -> None:
    """Write a ledger.

    Args:
        program: a key of `PROGRAMS`.
        names: every player named in the tables and payments.
        tables: in order of their days.
        file: receives UTF-8 text.
    """
    books = Books(
        components(names), translate(language, "ledger.introduction"), translate(language, "ledger.conclusion")
    )
    writer = _Writer(PROGRAMS[program], language, books)
    streams: list[Iterable[ExportedTable | ExportedPayment]] = [tables, sorted(payments, key=_day)]
    with TemporaryFile() as body:
        for item in heapq.merge(*streams, key=_day):
            lines = writer.table(item) if isinstance(item, ExportedTable) else [writer.payment(item)]
            body.writelines(line.encode() for line in lines)
        file.write(writer.program.head(writer.books).encode())
        body.seek(0)
        shutil.copyfileobj(body, file)
    file.write(writer.program.tail(writer.books).encode())


def _day(item: ExportedTable | ExportedPayment) -> date:
    return item.table.table.day if isinstance(item, ExportedTable) else item.day


def commodity(game: Game, unit: str) -> str:
    """Return a counter's commodity, such as WHIST.FICHE: capitals, points and hyphens, as both programs accept."""
    return f"{game.slug}.{unit.removesuffix('s')}".upper()


@dataclass
class _Writer:
    program: Program
    language: str
    books: Books

    def table(self, told: ExportedTable) -> Iterator[str]:
        table, day = told.table, self.books.on(told.table.table.day)
        part = table.value.currency if table.value is not None else COUNTERS
        accounts = {seat: self.books.account(name, part) for seat, name in table.names.items()}
        self._counters(table.game)
        yield from self._prices(table, day)
        for row in table.standing.rows:
            for entry in filter(_is_payment, row.entries):
                narration, counter = self._narration(table.game, row, entry), commodity(table.game, entry.unit)
                sides = entry.giver, entry.taker
                giver, taker = (self.books.pot(counter) if who is POT else accounts[who] for who in sides)
                price = _worth(table.value).get(entry.unit)
                postings = _postings(giver, taker, entry.amount, counter, price)
                yield self.program.transaction(Transaction(day, narration, told.label, postings))
        self._hold(table, accounts)

    def _counters(self, game: Game) -> None:
        for unit in game.units:
            words = f"{translate(self.language, f'{game.slug}.name')}, {translate(self.language, f'unit.{unit}')}"
            self.books.commodities[commodity(game, unit)] = Commodity(words, 0, False)

    def _money(self, name: str) -> None:
        self.books.commodities[name] = Commodity(currency.name(name, self.language), currency.places(name), True)

    def _prices(self, table: TableState, day: date) -> Iterator[str]:
        """What counters are worth, wherever that is new."""
        if JETONS in table.game.units:
            yield from self._price(Price(day, commodity(table.game, FICHES), FICHE, commodity(table.game, JETONS)))
        for unit, (amount, money) in _worth(table.value).items():
            self._money(money)
            yield from self._price(Price(day, commodity(table.game, unit), amount, money))

    def _price(self, price: Price) -> Iterator[str]:
        known = self.books.prices.get((price.commodity, price.unit))
        if known != price.amount:
            self.books.prices[price.commodity, price.unit] = price.amount
            yield self.program.price(price)

    def _narration(self, game: Game, row: Row, entry: Entry) -> str:
        key = f"{game.slug}.reason.{entry.reason}"
        reason = translate(self.language, key if has_message(self.language, key) else f"reason.{entry.reason}")
        if isinstance(row.fact, Agreement) and row.fact.adjustment.reason:
            reason = f"{reason}, {clean_name(row.fact.adjustment.reason)}"
        name = translate(self.language, f"{game.slug}.name")
        return translate(self.language, "ledger.narration", game=name, number=str(row.number), reason=reason)

    def _hold(self, table: TableState, accounts: dict[str, str]) -> None:
        for seat, held in table.standing.balances.items():
            for unit, amount in held.items():
                self.books.hold(accounts[seat], commodity(table.game, unit), amount)

    def payment(self, paid: ExportedPayment) -> str:
        """Whoever hands money over owes so much less: it is put on his account."""
        game = games().get(paid.account)
        if game is None:
            self._money(paid.account)
        else:
            self._counters(game)
        counter = paid.account if game is None else commodity(game, settlement_unit(game))
        part = paid.account if game is None else COUNTERS
        giver, taker = (self.books.account(name, part) for name in (paid.giver, paid.taker))
        amount = amount_in(paid.account, paid.amount if paid.withdraws is None else -paid.amount)
        self.books.hold(giver, counter, amount)
        self.books.hold(taker, counter, -amount)
        day, postings = self.books.on(paid.day), _postings(taker, giver, amount, counter)
        return self.program.transaction(Transaction(day, self._paid(paid), None, postings))

    def _paid(self, paid: ExportedPayment) -> str:
        key = "ledger.payment" if paid.withdraws is None else "ledger.withdrawal"
        number = paid.number if paid.withdraws is None else paid.withdraws
        return translate(self.language, key, names=str, number=str(number), giver=paid.giver, taker=paid.taker)


def _is_payment(entry: Entry) -> bool:
    return entry.is_payment


def _worth(value: Value | None) -> dict[str, tuple[Amount, str]]:
    """What one counter of each unit is worth in money, for those of which it can be written out in full."""
    if value is None:
        return {}
    if value.unit == "jeton":
        return {JETONS: (value.amount, value.currency), FICHES: (value.amount * FICHE, value.currency)}
    return {FICHES: (value.amount, value.currency)}


def _postings(
    giver: str, taker: str, amount: Amount, counter: str, price: tuple[Amount, str] | None = None
) -> tuple[Posting, Posting]:
    return Posting(giver, -amount, counter, price), Posting(taker, amount, counter, price)
