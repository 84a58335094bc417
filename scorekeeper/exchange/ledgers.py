"""Write what the tables of a circle owe as double-entry books, for Beancount and hledger."""

from __future__ import annotations

import heapq
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from tempfile import TemporaryFile
from typing import IO, NamedTuple, Protocol
from unicodedata import category, normalize

from .. import currency
from ..games import find_game
from ..i18n import game_name, has_message, translate, unit_text
from ..scoring.common import Agreement
from ..scoring.game import AnyGame
from ..scoring.sheet import SUBUNITS_PER_UNIT, Value, is_currency, settlement_unit
from ..scoring.standing import POT, Entry, Row
from ..scoring.values import clean_name
from ..tables.state import TableState
from .spreadsheets import MAX_DECIMAL_PLACES, ExportedFee, ExportedPayment, ExportedTable, amount_in

_TAG_ESCAPES = {",": r"\u002c", ":": r"\u003a", "[": r"\u005b", "]": r"\u005d", ";": r"\u003b"}


def hledger_tag_value(text: str) -> str:
    """Return a JSON string in which characters that hledger interprets in comments are escaped.

    These are `name:`, `,`, `[date]` and `;`. Any JSON parser returns the original text.
    """
    quoted = json.dumps(_single_line(text), ensure_ascii=False)
    return "".join(_TAG_ESCAPES.get(char, char) for char in quoted)


def hledger_description(text: str) -> str:
    """Replace semicolons, which begin a comment, and bars, which separate payee and note."""
    plain = _single_line(text).replace(";", ",").replace("|", "/")
    return f'"{plain}"' if plain.startswith(("*", "!", "(", "=")) else plain


def beancount_string(text: str) -> str:
    """Return a quoted Beancount string."""
    escaped = _single_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _single_line(text: str) -> str:
    return "".join(" " if category(char) in ("Cc", "Zl", "Zp") else char for char in text)


Amount = int | Decimal

POT_ACCOUNT = "Assets:Pot"
PLAYERS = "Assets:Players"
ROUNDING = "Equity:Rounding"
LAST_DAY = date.max - timedelta(days=1)  # the balances are asserted a day later
_NAMELESS = "Player"
_STEP = SUBUNITS_PER_UNIT // 10**MAX_DECIMAL_PLACES  # subunits of money are rounded to it; odd, so there are no ties


class Posting(NamedTuple):
    """An amount added to an account, negative if taken from it."""

    account: str
    amount: Amount
    commodity: str


class AccountChange(NamedTuple):
    """A change of an account's balance: counters, or subunits of a currency."""

    account: str
    commodity: str
    amount: int


class Transaction(NamedTuple):
    """A transfer between two accounts or more. `label` identifies the table at which it happened, if any."""

    day: date
    narration: str
    label: str | None
    postings: tuple[Posting, ...]


class Commodity(NamedTuple):
    """A counter or currency: its translated description, its number of decimal places, and whether it is money."""

    description: str
    places: int
    is_money: bool


@dataclass
class Books:
    """Facts collected while a ledger is written, for its head and its tail.

    Attributes:
        components: the part of the account's name for each player's name.
        introduction: comment at the head.
        conclusion: comment at the tail.
        owners: the player of each account; None for the pot and `ROUNDING`.
        balances: account → commodity → counters or subunits as the app computes them, independently of the
            transactions of deals.
        first, last: days of the first and the last transaction.
    """

    components: Mapping[str, str]
    introduction: str
    conclusion: str
    owners: dict[str, str | None] = field(default_factory=dict)
    balances: dict[str, dict[str, int]] = field(default_factory=dict)
    commodities: dict[str, Commodity] = field(default_factory=dict)
    first: date = LAST_DAY
    last: date = date.min

    def account(self, name: str, part: str) -> str:
        """Return the name of a player's account, and include it in the declarations."""
        account = f"{PLAYERS}:{self.components[name]}:{part}"
        self.owners[account] = name
        return account

    def pot(self, commodity: str) -> str:
        """Return the pot's account. Its balance is zero, since stakes are won in the same deal."""
        self.owners[POT_ACCOUNT] = None
        self.add_balance(POT_ACCOUNT, commodity, 0)
        return POT_ACCOUNT

    def add_balance(self, account: str, commodity: str, amount: int) -> None:
        """Add counters or subunits to an account's balance."""
        balance = self.balances.setdefault(account, {})
        balance[commodity] = balance.get(commodity, 0) + amount

    def post(self, changes: Iterable[AccountChange]) -> tuple[Posting, ...]:
        """Make changes, which sum to 0 per commodity, and return their postings."""
        postings, rests = [], Counter[str]()
        for account, commodity, amount in changes:
            before = self._rounded_balance(account, commodity)
            self.add_balance(account, commodity, amount)
            rounded = self._rounded_balance(account, commodity) - before
            rests[commodity] -= rounded
            postings.append(Posting(account, self._amount(commodity, rounded), commodity))
        for commodity, rest in rests.items():
            if rest:
                self.owners[ROUNDING] = None
                self.add_balance(ROUNDING, commodity, rest)
                postings.append(Posting(ROUNDING, self._amount(commodity, rest), commodity))
        return tuple(posting for posting in postings if posting.amount)

    def final_balances(self) -> Iterator[Posting]:
        """Yield the balances to assert."""
        for account, amounts in self.balances.items():
            for commodity in amounts:
                amount = self._amount(commodity, self._rounded_balance(account, commodity))
                yield Posting(account, amount, commodity)

    def _rounded_balance(self, account: str, commodity: str) -> int:
        step = _STEP if self.commodities[commodity].is_money else 1
        return (2 * self.balances.get(account, {}).get(commodity, 0) + step) // (2 * step) * step

    def _amount(self, commodity: str, amount: int) -> Amount:
        return amount_in(commodity, amount) if self.commodities[commodity].is_money else amount

    def record_day(self, day: date) -> date:
        """Return the day of a transaction, at most `LAST_DAY`, and remember the first and the last one."""
        day = min(day, LAST_DAY)
        self.first, self.last = min(self.first, day), max(self.last, day)
        return day

    @property
    def day_after(self) -> date:
        """The day after the last transaction, on which the balances are asserted."""
        return self.last + timedelta(days=1)


class Program(Protocol):
    """The syntax of an accounting program. Each method returns complete lines."""

    def head(self, books: Books) -> str: ...

    def transaction(self, transaction: Transaction) -> str: ...

    def tail(self, books: Books) -> str:
        """Assertions of every account's final balance."""


def components(names: Iterable[str]) -> dict[str, str]:
    """Return a unique part of an account's name for each player's name. Appended names do not change earlier parts."""
    result: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        plain = component(name)
        number, unique = 1, plain
        while unique in used:
            number += 1
            unique = f"{plain}-{number}"
        used.add(unique)
        result[name] = unique
    return result


def component(name: str) -> str:
    """Return a name as Beancount allows it in an account: letters, digits, hyphens; first a capital or a digit."""
    words = "".join(char if _is_letter_or_digit(char) else " " for char in normalize("NFC", name)).split()
    plain = "-".join(words) or _NAMELESS
    capital = plain[0].upper() + plain[1:]
    valid = next((start for start in (plain, capital) if category(start[0]) in ("Lu", "Nd")), None)
    is_valid = valid is not None and all(_is_letter_or_digit(char) or char == "-" for char in valid)
    return valid if valid is not None and is_valid else f"P-{plain}"


def _is_letter_or_digit(char: str) -> bool:
    return category(char) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")


class Beancount:
    """The syntax of Beancount."""

    def head(self, books: Books) -> str:
        """Return the introduction and the declarations of commodities and accounts."""
        lines = [f"; {line}" for line in books.introduction.splitlines()]
        lines += [
            f'option "operating_currency" "{name}"'
            for name, commodity in books.commodities.items()
            if commodity.is_money
        ]
        for name, commodity in books.commodities.items():
            lines += [f"{books.first} commodity {name}", f"  name: {beancount_string(commodity.description)}"]
        for account, owner in books.owners.items():
            lines.append(f"{books.first} open {account}")
            if owner is not None:
                lines.append(f"  name: {beancount_string(owner)}")
        return "".join(f"{line}\n" for line in lines)

    def transaction(self, transaction: Transaction) -> str:
        """Return a transaction, linked to the table's label."""
        link = f" ^{transaction.label}" if transaction.label is not None else ""
        head = f"\n{transaction.day} * {beancount_string(transaction.narration)}{link}\n"
        return head + "".join(map(_posting, transaction.postings))

    def tail(self, books: Books) -> str:
        """Return balance assertions without tolerance.

        Beancount checks them at the start of a day, so they are dated a day after the last transaction.
        """
        lines = [
            f"{books.day_after} balance {account} {_number(amount)} ~ 0 {commodity}\n"
            for account, amount, commodity in books.final_balances()
        ]
        return f"\n; {books.conclusion}\n" + "".join(lines)


def _posting(posting: Posting) -> str:
    return f"  {posting.account}  {_number(posting.amount)} {posting.commodity}\n"


def _number(amount: Amount) -> str:
    return f"{amount:f}" if not isinstance(amount, int) else str(amount)


class Hledger:
    """The syntax of hledger."""

    def head(self, books: Books) -> str:
        """Return the introduction and the declarations that `hledger check --strict` requires."""
        lines = [f"; {line}" for line in books.introduction.splitlines()]
        lines.append("decimal-mark .")
        for name, commodity in books.commodities.items():
            lines.append(f"commodity 1000.{'0' * commodity.places} {_symbol(name)}  ; {commodity.description}")
        for account, owner in books.owners.items():
            lines.append(f"account {account}")
            if owner is not None:
                lines.append(f"  ; name: {hledger_tag_value(owner)}")
        return "".join(f"{line}\n" for line in lines)

    def transaction(self, transaction: Transaction) -> str:
        """Return a transaction, tagged with the table's label."""
        label = f"    ; table: {transaction.label}\n" if transaction.label is not None else ""
        head = f"\n{transaction.day} * {hledger_description(transaction.narration)}\n{label}"
        return head + "".join(map(_hledger_posting, transaction.postings))

    def tail(self, books: Books) -> str:
        """Return a final transaction of zero amounts whose postings assert the balances."""
        if not books.balances:
            return ""
        lines = [
            f"    {account}  {_amount(0, commodity)} = {_amount(amount, commodity)}\n"
            for account, amount, commodity in books.final_balances()
        ]
        return f"\n{books.day_after} * {hledger_description(books.conclusion)}\n" + "".join(lines)


def _hledger_posting(posting: Posting) -> str:
    return f"    {posting.account}  {_amount(posting.amount, posting.commodity)}\n"


def _amount(amount: Amount, commodity: str) -> str:
    return f"{amount:f} {_symbol(commodity)}" if not isinstance(amount, int) else f"{amount} {_symbol(commodity)}"


def _symbol(commodity: str) -> str:
    """Quote a commodity's name if it contains other characters than letters."""
    return commodity if commodity.isalpha() else f'"{commodity}"'


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
        """Yield a table's prices and transactions."""
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
