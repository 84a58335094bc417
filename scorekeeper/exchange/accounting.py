"""Ledgers of tables and payments for plain-text accounting programs."""

from __future__ import annotations

import heapq
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from tempfile import TemporaryFile
from typing import IO

from .. import currency
from ..games import find_game
from ..i18n import game_name, has_message, translate, unit_text
from ..scoring.accounts import is_currency
from ..scoring.adjustments import Agreement
from ..scoring.entries import POT, Entry
from ..scoring.game import AnyGame
from ..scoring.sheet import Value
from ..scoring.standing import Row
from ..scoring.statement import settlement_unit
from ..scoring.values import clean_name
from ..tables.state import TableState
from .beancount import Beancount
from .double_entry import AccountChange, Books, Commodity, Posting, Program, Transaction, components
from .exported import ExportedFee, ExportedPayment, ExportedTable
from .hledger import Hledger

COUNTERS = "Counters"  # last part of the accounts of counters
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
    return item.table.stored.day if isinstance(item, ExportedTable) else item.day


def commodity(game: AnyGame, unit: str) -> str:
    """Return a counter's commodity, such as GAME.FICHE: capitals, points and hyphens, as both programs accept."""
    return f"{game.slug}.{unit.removesuffix('s')}".upper()


@dataclass
class _Writer:
    program: Program
    language: str
    books: Books

    def table(self, exported: ExportedTable) -> Iterator[str]:
        """Yield a table's prices and transactions; of a game that is not installed, a comment."""
        if not exported.table.has_rules:
            slug = exported.table.game.slug
            yield f"\n; {translate(self.language, 'missing-game.ledger', label=exported.label, game=slug)}\n"
            return
        if not exported.table.stored.has_stakes:
            return
        table, day = exported.table, self.books.record_day(exported.table.stored.day)
        accounts = {
            seat: self.books.account(name, COUNTERS) for seat, name in table.names.items() if seat in table.everybody
        }
        self._declare_counters(table.game)
        for row in table.standing.rows:
            for entry in row.entries:
                if not entry.is_payment:
                    continue
                narration, counter = self._narration(table, row, entry), commodity(table.game, entry.unit)
                sides = entry.giver, entry.taker
                giver, taker = (self.books.pot(counter) if side is POT else accounts[side] for side in sides)
                postings = Posting(giver, -entry.amount, counter), Posting(taker, entry.amount, counter)
                yield self.program.transaction(Transaction(day, narration, exported.label, postings))
        for seat, balance in table.standing.balances.items():
            for unit, amount in balance.items():
                self.books.add_balance(accounts[seat], commodity(table.game, unit), amount)
        yield from self._exchange(exported, accounts)

    def _exchange(self, exported: ExportedTable, accounts: dict[str, str]) -> Iterator[str]:
        """Yield the transaction that changes a table's counters to what the app adds up, if those differ."""
        table, game = exported.table, exported.table.game
        result = table.result
        changes: Counter[tuple[str, str]] = Counter()
        for seat, balance in table.standing.balances.items():
            for unit, amount in balance.items():
                changes[accounts[seat], commodity(game, unit)] -= amount
            if table.value is not None:
                self._declare_currency(result.account)
                changes[self.books.account(table.names[seat], result.account), result.account] += result.subunits[seat]
            elif game.units:
                changes[accounts[seat], commodity(game, settlement_unit(game))] += result.subunits[seat]
        postings = self.books.post(AccountChange(*where, amount) for where, amount in changes.items())
        if postings:
            rate, name = self._rate(game, table.value), self._name(table)
            narration = translate(self.language, "ledger.exchange", names=str, game=name, rate=rate)
            day = self.books.record_day(table.stored.day)
            yield self.program.transaction(Transaction(day, narration, exported.label, postings))

    def _name(self, table: TableState) -> str:
        return game_name(self.language, table.game.slug, table.stored.house_rules)

    def _rate(self, game: AnyGame, value: Value | None) -> str:
        """Return what counters are worth: `1 fiche = 0.25 EUR`, or in counters of the smallest unit."""

        def count(unit: str, number: int) -> str:
            return unit_text(self.language, game.slug, "count", unit, count=number)

        if value is not None:
            return f"{count(game.unit_of_value(value.unit), 1)} = {value.amount:f} {value.currency}"
        smallest = settlement_unit(game)
        return ", ".join(f"{count(unit, 1)} = {count(smallest, game.worth_of(unit))}" for unit in game.units[1:])

    def _declare_counters(self, game: AnyGame) -> None:
        for unit in game.units:
            name = translate(self.language, f"{game.slug}.name")
            description = f"{name}, {unit_text(self.language, game.slug, 'unit', unit)}"
            self.books.commodities[commodity(game, unit)] = Commodity(description, 0, False)

    def _declare_currency(self, name: str) -> None:
        self.books.commodities[name] = Commodity(currency.name(name, self.language), currency.places(name), True)

    def _narration(self, table: TableState, row: Row, entry: Entry) -> str:
        key = f"{table.game.slug}.reason.{entry.reason}"
        reason = translate(self.language, key if has_message(self.language, key) else f"reason.{entry.reason}")
        if isinstance(row.fact, Agreement) and row.fact.adjustment.reason:
            reason = f"{reason}, {clean_name(row.fact.adjustment.reason)}"
        key = "ledger.narration"
        if row.name.deal_number is None:
            key += ".adjustment" if row.deals else ".adjustment.first"
        number = str(row.name.deals_begun)
        return translate(self.language, key, game=self._name(table), number=number, reason=reason)

    def money(self, item: ExportedFee | ExportedPayment) -> str:
        """Return the transaction of fees, prizes or a payment."""
        return self.fees(item) if isinstance(item, ExportedFee) else self.payment(item)

    def fees(self, fees: ExportedFee) -> str:
        """Return the transaction of an event's fees or prizes, which have one posting for each player."""
        self._declare_currency(fees.account)
        postings = self.books.post(
            AccountChange(self.books.account(name, fees.account), fees.account, amount)
            for name, amount in fees.amounts.items()
        )
        narration = translate(self.language, f"ledger.event-{fees.kind}", event=clean_name(fees.title))
        return self.program.transaction(Transaction(self.books.record_day(fees.day), narration, None, postings))

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
        amount = payment.amount if payment.withdraws is None else -payment.amount
        postings = self.books.post((AccountChange(taker, counter, -amount), AccountChange(giver, counter, amount)))
        day = self.books.record_day(payment.day)
        return self.program.transaction(Transaction(day, self._payment_narration(payment), None, postings))

    def _payment_narration(self, payment: ExportedPayment) -> str:
        key = "ledger.payment" if payment.withdraws is None else "ledger.withdrawal"
        number = payment.number if payment.withdraws is None else payment.withdraws
        return translate(self.language, key, names=str, number=str(number), giver=payment.giver, taker=payment.taker)
