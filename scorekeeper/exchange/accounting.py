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
from ..games import find_game
from ..i18n import has_message, translate, unit_text
from ..scoring.accounts import is_currency
from ..scoring.adjustments import Agreement
from ..scoring.entries import POT, Entry
from ..scoring.game import AnyGame
from ..scoring.missing import is_installed
from ..scoring.sheet import Value
from ..scoring.standing import Row
from ..scoring.statement import settlement_unit
from ..scoring.values import clean_name
from ..tables.state import TableState
from .beancount import Beancount
from .double_entry import Amount, Books, Commodity, Posting, Price, Program, Transaction, components
from .exported import ExportedFee, ExportedPayment, ExportedTable
from .hledger import Hledger
from .spreadsheets import amount_in

COUNTERS = "Counters"  # last part of the accounts for tables without stakes in money
PROGRAMS: dict[str, Program] = {"beancount": Beancount(), "hledger": Hledger()}


def write_ledger(
    program: str,
    language: str,
    names: Iterable[str],
    tables: Iterable[ExportedTable],
    payments: Iterable[ExportedPayment],
    file: IO[bytes],
    fees: Iterable[ExportedFee] = (),
) -> None:
    """Write a ledger.

    Args:
        program: a key of `PROGRAMS`.
        names: every player named in the tables and payments.
        tables: in order of their days.
        payments: only those that count are written.
        file: receives UTF-8 text.
        fees: the fees and prizes of events, in order of their days.
    """
    books = Books(
        components(names), translate(language, "ledger.introduction"), translate(language, "ledger.conclusion")
    )
    writer = _Writer(PROGRAMS[program], language, books)
    streams: list[Iterable[_Exported]] = [tables, fees, sorted(_counted(payments), key=_day)]
    with TemporaryFile() as body:
        for item in heapq.merge(*streams, key=_day):
            lines = writer.table(item) if isinstance(item, ExportedTable) else [writer.money(item)]
            body.writelines(line.encode() for line in lines)
        file.write(writer.program.head(writer.books).encode())
        body.seek(0)
        shutil.copyfileobj(body, file)
    file.write(writer.program.tail(writer.books).encode())


def _counted(payments: Iterable[ExportedPayment]) -> list[ExportedPayment]:
    """Leave out payments that wait for a confirmation, or were withdrawn before one."""
    payments = list(payments)
    waiting = {payment.number for payment in payments if payment.is_waiting}
    return [payment for payment in payments if payment.number not in waiting and payment.withdraws not in waiting]


_Exported = ExportedTable | ExportedFee | ExportedPayment


def _day(item: _Exported) -> date:
    return item.table.table.day if isinstance(item, ExportedTable) else item.day


def commodity(game: AnyGame, unit: str) -> str:
    """Return a counter's commodity, such as GAME.FICHE: capitals, points and hyphens, as both programs accept."""
    return f"{game.slug}.{unit.removesuffix('s')}".upper()


@dataclass
class _Writer:
    program: Program
    language: str
    books: Books

    def table(self, exported: ExportedTable) -> Iterator[str]:
        """Yield a table's prices and transactions; of a game that is not installed or fails, a comment."""
        if not exported.table.has_rules:
            slug = exported.table.game.slug
            key = f"missing-game.ledger{'-failing' if is_installed(exported.table.game) else ''}"
            yield f"\n; {translate(self.language, key, label=exported.label, game=slug)}\n"
            return
        table, day = exported.table, self.books.record_day(exported.table.table.day)
        part = table.value.currency if table.value is not None else COUNTERS
        accounts = {
            seat: self.books.account(name, part) for seat, name in table.names.items() if seat in table.everybody
        }
        self._declare_counters(table.game)
        yield from self._prices(table, day)
        for row in table.standing.rows:
            for entry in row.entries:
                if not entry.is_payment:
                    continue
                narration, counter = self._narration(table.game, row, entry), commodity(table.game, entry.unit)
                sides = entry.giver, entry.taker
                giver, taker = (self.books.pot(counter) if side is POT else accounts[side] for side in sides)
                price = _counter_prices(table.game, table.value).get(entry.unit)
                postings = _postings(giver, taker, entry.amount, counter, price)
                yield self.program.transaction(Transaction(day, narration, exported.label, postings))
        self._add_balances(table, accounts)

    def _declare_counters(self, game: AnyGame) -> None:
        for unit in game.units:
            name = translate(self.language, f"{game.slug}.name")
            description = f"{name}, {unit_text(self.language, game.slug, 'unit', unit)}"
            self.books.commodities[commodity(game, unit)] = Commodity(description, 0, False)

    def _declare_currency(self, name: str) -> None:
        self.books.commodities[name] = Commodity(currency.name(name, self.language), currency.places(name), True)

    def _prices(self, table: TableState, day: date) -> Iterator[str]:
        """Yield the prices of the table's counters that differ from the last ones written."""
        game = table.game
        for unit in game.units[1:]:
            yield from self._price(
                Price(day, commodity(game, unit), game.worth_of(unit), commodity(game, game.units[0]))
            )
        for unit, (amount, money) in _counter_prices(game, table.value).items():
            self._declare_currency(money)
            yield from self._price(Price(day, commodity(game, unit), amount, money))

    def _price(self, price: Price) -> Iterator[str]:
        if self.books.prices.get((price.commodity, price.unit)) != price.amount:
            self.books.prices[price.commodity, price.unit] = price.amount
            yield self.program.price(price)

    def _narration(self, game: AnyGame, row: Row, entry: Entry) -> str:
        key = f"{game.slug}.reason.{entry.reason}"
        reason = translate(self.language, key if has_message(self.language, key) else f"reason.{entry.reason}")
        if isinstance(row.fact, Agreement) and row.fact.adjustment.reason:
            reason = f"{reason}, {clean_name(row.fact.adjustment.reason)}"
        name = translate(self.language, f"{game.slug}.name")
        return translate(self.language, "ledger.narration", game=name, number=str(row.number), reason=reason)

    def _add_balances(self, table: TableState, accounts: dict[str, str]) -> None:
        for seat, balance in table.standing.balances.items():
            for unit, amount in balance.items():
                self.books.add_balance(accounts[seat], commodity(table.game, unit), amount)

    def money(self, item: ExportedFee | ExportedPayment) -> str:
        """Return the transaction of fees, prizes or a payment."""
        return self.fees(item) if isinstance(item, ExportedFee) else self.payment(item)

    def fees(self, fees: ExportedFee) -> str:
        """Return the transaction of an event's fees or prizes, which have one posting for each player."""
        self._declare_currency(fees.account)
        postings = []
        for name, subunits in fees.amounts.items():
            account, amount = self.books.account(name, fees.account), amount_in(fees.account, subunits)
            self.books.add_balance(account, fees.account, amount)
            postings.append(Posting(account, amount, fees.account))
        narration = translate(self.language, f"ledger.event-{fees.kind}", event=clean_name(fees.title))
        return self.program.transaction(Transaction(self.books.record_day(fees.day), narration, None, tuple(postings)))

    def payment(self, payment: ExportedPayment) -> str:
        """Return the transaction of a payment: it is added to the giver's account, who owes less by it."""
        game = None if is_currency(payment.account) else find_game(payment.account)
        if game is None:
            self._declare_currency(payment.account)
        else:
            self._declare_counters(game)
        counter = payment.account if game is None else commodity(game, settlement_unit(game))
        part = payment.account if game is None else COUNTERS
        giver, taker = (self.books.account(name, part) for name in (payment.giver, payment.taker))
        amount = amount_in(payment.account, payment.amount if payment.withdraws is None else -payment.amount)
        self.books.add_balance(giver, counter, amount)
        self.books.add_balance(taker, counter, -amount)
        day, postings = self.books.record_day(payment.day), _postings(taker, giver, amount, counter)
        return self.program.transaction(Transaction(day, self._payment_narration(payment), None, postings))

    def _payment_narration(self, payment: ExportedPayment) -> str:
        key = "ledger.payment" if payment.withdraws is None else "ledger.withdrawal"
        number = payment.number if payment.withdraws is None else payment.withdraws
        return translate(self.language, key, names=str, number=str(number), giver=payment.giver, taker=payment.taker)


def _counter_prices(game: AnyGame, value: Value | None) -> dict[str, tuple[Amount, str]]:
    """Return the price of one counter by unit, with its currency; without units whose price is a repeating decimal."""
    if value is None:
        return {}
    valued = game.worth_of(game.unit_of_value(value.unit))
    worths = {unit: game.worth_of(unit) for unit in game.units}
    return {
        unit: (value.amount * (worth // valued), value.currency)
        for unit, worth in worths.items()
        if worth % valued == 0
    }


def _postings(
    giver: str, taker: str, amount: Amount, counter: str, price: tuple[Amount, str] | None = None
) -> tuple[Posting, Posting]:
    return Posting(giver, -amount, counter, price), Posting(taker, amount, counter, price)
