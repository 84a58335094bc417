"""Write what the tables of a circle owe as double-entry books, for Beancount and hledger."""

from __future__ import annotations

import heapq
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import chain, count
from operator import itemgetter
from tempfile import TemporaryFile
from typing import IO, NamedTuple
from unicodedata import category, normalize

from ..games import find_game, make_game_key, slug_of
from ..i18n import game_name, own_key, translate, unit_text
from ..models import EXPENSE, INCOME, PAYMENT
from ..money.ledger import BOX, LedgerEntry
from ..scoring import currency
from ..scoring.common_facts import Agreement
from ..scoring.currency import SUBUNITS_PER_UNIT, is_currency
from ..scoring.sheet import settlement_unit
from ..scoring.standing import POT, Entry, Row
from ..scoring.values import clean_name
from ..tables.state import TableState
from .exports import Export, ExportedPayment, ExportedTable
from .spreadsheets import MAX_DECIMAL_PLACES, amount_in

POT_ACCOUNT = "Assets:Pot"
BOX_OPEN = "Assets:Cash-Box:Open"  # what the cash box is owed
BOX_HELD = "Assets:Cash-Box:Held"  # what is in it
BOX_PAID = "Equity:Cash-Box"  # against it, what people paid into it
OUTSIDE = {EXPENSE: "Expenses:Cash-Box", INCOME: "Income:Cash-Box"}
PLAYERS = "Assets:Players"
ROUNDING = "Equity:Rounding"
COUNTERS = "Counters"  # last part of the accounts of counters
_STEP = SUBUNITS_PER_UNIT // 10**MAX_DECIMAL_PLACES  # subunits of money are rounded to it; odd, so there are no ties
# What hledger interprets in a comment, in names as JSON strings: any JSON parser returns the original text.
_TAG_ESCAPES = {",": r"\u002c", ":": r"\u003a", "[": r"\u005b", "]": r"\u005d", ";": r"\u003b"}

Amount = int | Decimal
Change = tuple[str, str, int]  # of an account, in a commodity: counters, or subunits of a currency


class Posting(NamedTuple):
    """An amount added to an account, negative if taken from it."""

    account: str
    amount: Amount
    commodity: str


# --- names ---------------------------------------------------------------------------------------------------


def components(names: Iterable[str]) -> dict[str, str]:
    """Return a unique part of an account's name for each player's name. Appended names do not change earlier parts."""
    result: dict[str, str] = {}
    for name in names:
        plain = component(name)
        candidates = chain([plain], (f"{plain}-{number}" for number in count(2)))
        result[name] = next(part for part in candidates if part not in result.values())
    return result


def component(name: str) -> str:
    """Return a name as Beancount allows it in an account: letters, digits, hyphens; first a capital or a digit."""
    words = "".join(char if _is_letter_or_digit(char) else " " for char in normalize("NFC", name)).split()
    plain = "-".join(words) or "Player"
    for written in (plain, plain[0].upper() + plain[1:]):
        if category(written[0]) in ("Lu", "Nd") and all(_is_letter_or_digit(char) or char == "-" for char in written):
            return written
    return f"P-{plain}"


def _is_letter_or_digit(char: str) -> bool:
    return category(char) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")


def name_commodity(key: str, unit: str) -> str:
    """Return a counter's commodity, such as GAME.FICHE: capitals, points and hyphens, as both programs accept."""
    slug, _, name = key.partition(".")
    return f"{slug}{f'-{name[:6]}' if name else ''}.{unit.removesuffix('s')}".upper()


def _is_money(commodity: str) -> bool:
    return "." not in commodity


def _show(commodity: str, amount: int) -> Amount:
    return amount_in(commodity, amount) if _is_money(commodity) else amount


def _single_line(text: str) -> str:
    return "".join(" " if category(char) in ("Cc", "Zl", "Zp") else char for char in text)


# --- programs ------------------------------------------------------------------------------------------------


class Beancount:
    """The syntax of Beancount. Each method returns complete lines, but for `string` and `amount`."""

    indent = "  "

    def string(self, text: str) -> str:
        escaped = _single_line(text).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'

    def amount(self, amount: Amount, commodity: str) -> str:
        return f"{amount} {commodity}"

    def head(self, books: Books) -> Iterator[str]:
        yield from (f'option "operating_currency" "{name}"\n' for name in books.commodities if _is_money(name))
        for name, description in books.commodities.items():
            yield f"{books.first} commodity {name}\n  name: {self.string(description)}\n"
        for account, owner in books.owners.items():
            yield f"{books.first} open {account}\n"
            if owner is not None:
                yield f"  name: {self.string(owner)}\n"

    def title(self, day: date, narration: str, label: str | None) -> str:
        return f"\n{day} * {self.string(narration)}{f' ^{label}' if label is not None else ''}\n"

    def tail(self, books: Books) -> Iterator[str]:
        """Assert balances without tolerance, a day after the last transaction: days are checked at their start."""
        yield f"\n; {books.conclusion}\n"
        for account, amount, name in books.list_balances():
            yield f"{books.last + timedelta(days=1)} balance {account} {amount} ~ 0 {name}\n"


class Hledger:
    indent = "    "

    def string(self, text: str) -> str:
        """Replace semicolons, which begin a comment, and bars, which separate payee and note."""
        plain = _single_line(text).replace(";", ",").replace("|", "/")
        return f'"{plain}"' if plain.startswith(("*", "!", "(", "=")) else plain

    def amount(self, amount: Amount, commodity: str) -> str:
        return f"{amount} {self._symbol(commodity)}"

    def _symbol(self, commodity: str) -> str:
        return commodity if commodity.isalpha() else f'"{commodity}"'

    def head(self, books: Books) -> Iterator[str]:
        """Declare what `hledger check --strict` requires."""
        yield "decimal-mark .\n"
        for name, description in books.commodities.items():
            places = currency.decimal_places(name) if _is_money(name) else 0
            yield f"commodity 1000.{'0' * places} {self._symbol(name)}  ; {description}\n"
        for account, owner in books.owners.items():
            yield f"account {account}\n"
            if owner is not None:
                quoted = json.dumps(_single_line(owner), ensure_ascii=False)
                yield f"  ; name: {''.join(_TAG_ESCAPES.get(char, char) for char in quoted)}\n"

    def title(self, day: date, narration: str, label: str | None) -> str:
        return f"\n{day} * {self.string(narration)}\n" + (f"    ; table: {label}\n" if label is not None else "")

    def tail(self, books: Books) -> Iterator[str]:
        """Return a final transaction of zero amounts whose postings assert the balances."""
        if books.balances:
            yield f"\n{books.last + timedelta(days=1)} * {self.string(books.conclusion)}\n"
        for account, amount, name in books.list_balances():
            yield f"    {account}  {self.amount(0, name)} = {self.amount(amount, name)}\n"


PROGRAMS: dict[str, Beancount | Hledger] = {"beancount": Beancount(), "hledger": Hledger()}


# --- books ---------------------------------------------------------------------------------------------------


def write_books(program: str, locale: str, export: Export, file: IO[bytes]) -> None:
    """Write the books for a key of `PROGRAMS`; of the payments, only those that count."""
    syntax = PROGRAMS[program]
    books = Books(syntax, locale, components(export.names))
    counted = sorted((each for each in export.payments if each.row.counts), key=lambda payment: payment.row.paid_on)
    written = heapq.merge(
        ((each.table.stored.day, books.write_table(each)) for each in export.tables if each.table.stored.has_stakes),
        ((fee.day, books.write_fee(fee)) for fee in export.fees),
        ((each.row.paid_on, books.write_payment(each)) for each in counted),
        key=itemgetter(0),
    )
    with TemporaryFile() as body:
        for day, lines in written:
            books.first = min(books.first, day)
            books.last = day
            body.writelines(line.encode() for line in lines)
        introduction = translate(locale, "books.introduction").splitlines()
        file.writelines(line.encode() for line in (*(f"; {each}\n" for each in introduction), *syntax.head(books)))
        body.seek(0)
        shutil.copyfileobj(body, file)
    file.writelines(line.encode() for line in syntax.tail(books))


@dataclass
class Books:
    """What is written, and the facts collected for the head and the tail.

    Attributes:
        components: the part of the account's name for each player's name.
        owners: the player of each account; None for the pot, the cash box and `ROUNDING`.
        balances: account → commodity → counters or subunits as the app computes them, independently of the
            transactions of deals.
        commodities: what each counter and currency is called.
        first, last: the first and the last day.
    """

    syntax: Beancount | Hledger
    locale: str
    components: dict[str, str]
    owners: dict[str, str | None] = field(default_factory=dict)
    balances: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    commodities: dict[str, str] = field(default_factory=dict)
    first: date = date.max
    last: date = date.min

    @property
    def conclusion(self) -> str:
        return translate(self.locale, "books.conclusion")

    def list_balances(self) -> Iterator[Posting]:
        for account, amounts in self.balances.items():
            for commodity in amounts:
                yield Posting(account, _show(commodity, self._round_balance(account, commodity)), commodity)

    def _write(self, day: date, narration: str, label: str | None, postings: Iterable[Posting]) -> str:
        """Return a transaction; `label` is that of its table."""
        lines = (
            f"{self.syntax.indent}{account}  {self.syntax.amount(amount, commodity)}\n"
            for account, amount, commodity in postings
        )
        return self.syntax.title(day, narration, label) + "".join(lines)

    # --- accounts

    def _open(self, name: str, part: str) -> str:
        """Return the account of a person, or of what is open of the cash box."""
        if name == BOX:
            return self._open_box(BOX_OPEN, part)
        account = f"{PLAYERS}:{self.components[name]}:{part}"
        self.owners[account] = name
        return account

    def _open_box(self, account: str, part: str) -> str:
        self.owners[f"{account}:{part}"] = None
        return f"{account}:{part}"

    def _post(self, changes: Iterable[Change]) -> list[Posting]:
        """Make changes, which sum to 0 per commodity, and return their postings."""
        postings = []
        rests = Counter[str]()
        for account, commodity, amount in changes:
            before = self._round_balance(account, commodity)
            self.balances[account][commodity] += amount
            rounded = self._round_balance(account, commodity) - before
            rests[commodity] -= rounded
            postings.append(Posting(account, _show(commodity, rounded), commodity))
        for commodity, rest in rests.items():
            if rest:
                self.owners[ROUNDING] = None
                self.balances[ROUNDING][commodity] += rest
                postings.append(Posting(ROUNDING, _show(commodity, rest), commodity))
        return [posting for posting in postings if posting.amount]

    def _round_balance(self, account: str, commodity: str) -> int:
        step = _STEP if _is_money(commodity) else 1
        return (2 * self.balances[account][commodity] + step) // (2 * step) * step

    def _declare_counters(self, key: str, game_name: str) -> None:
        slug = slug_of(key)
        for unit in find_game(slug).units:
            title = game_name or translate(self.locale, f"{slug}.name")
            description = f"{title}, {unit_text(self.locale, slug, 'unit', unit)}"
            self.commodities.setdefault(name_commodity(key, unit), description)

    def _declare_currency(self, code: str) -> None:
        self.commodities[code] = currency.name(code, self.locale)

    # --- tables

    def write_table(self, exported: ExportedTable) -> Iterator[str]:
        """Yield a transaction for each payment in counters, and one that exchanges what each has at the end."""
        table = exported.table
        day = table.stored.day
        key = make_game_key(table.game, table.stored.house_rules)
        game = self._name_game(table)
        accounts = {seat: self._open(name, COUNTERS) for seat, name in table.names.items() if seat in table.everybody}
        self._declare_counters(key, game)
        for row in table.standing.rows:
            for entry in row.entries:
                if entry.is_payment:
                    postings = self._move_counters(accounts, name_commodity(key, entry.unit), entry)
                    yield self._write(day, self._narrate(table, row, entry), exported.label, postings)
        for seat, balance in table.standing.balances.items():
            for unit, amount in balance.items():
                self.balances[accounts[seat]][name_commodity(key, unit)] += amount
        if exchanged := self._post(self._list_exchanged(table, key, accounts)):
            rate = self._describe_rate(table)
            narration = translate(self.locale, "books.exchange", names=str, game=game, rate=rate)
            yield self._write(day, narration, exported.label, exchanged)

    def _move_counters(self, accounts: Mapping[str, str], commodity: str, entry: Entry) -> tuple[Posting, Posting]:
        if POT in (entry.giver, entry.taker):
            self.owners[POT_ACCOUNT] = None
            self.balances[POT_ACCOUNT][commodity] += 0  # stakes are won in the same deal
        giver, taker = (POT_ACCOUNT if side is POT else accounts[side] for side in (entry.giver, entry.taker))
        return Posting(giver, -entry.amount, commodity), Posting(taker, entry.amount, commodity)

    def _list_exchanged(self, table: TableState, key: str, accounts: Mapping[str, str]) -> list[Change]:
        """List what changes a table's counters to what the app adds up, if those differ."""
        result = table.result
        changes = Counter[tuple[str, str]]()
        for seat, balance in table.standing.balances.items():
            for unit, amount in balance.items():
                changes[accounts[seat], name_commodity(key, unit)] -= amount
            if table.standing.value is not None:
                self._declare_currency(result.account)
                changes[self._open(table.names[seat], result.account), result.account] += result.subunits[seat]
            elif table.game.units:
                changes[accounts[seat], name_commodity(key, settlement_unit(table.game))] += result.subunits[seat]
        return [(*where, amount) for where, amount in changes.items()]

    def _name_game(self, table: TableState) -> str:
        return game_name(self.locale, table.game.slug, table.stored.house_rules)

    def _describe_rate(self, table: TableState) -> str:
        """Return what counters are worth: `1 fiche = 0.25 EUR`, or in counters of the smallest unit."""
        game = table.game

        def count(unit: str, number: int) -> str:
            return unit_text(self.locale, game.slug, "count", unit, count=number)

        if table.values:
            counters = [(count(game.unit_of_value(value.unit), 1), value) for value in table.values]
            return ", ".join(f"{counter} = {value.amount:f} {value.currency}" for counter, value in counters)
        smallest = settlement_unit(game)
        return ", ".join(f"{count(unit, 1)} = {count(smallest, game.worth_of(unit))}" for unit in game.units[1:])

    def _narrate(self, table: TableState, row: Row, entry: Entry) -> str:
        reason = translate(self.locale, own_key(self.locale, table.game.slug, f"reason.{entry.reason}"))
        if isinstance(row.fact, Agreement) and row.fact.adjustment.reason:
            reason = f"{reason}, {clean_name(row.fact.adjustment.reason)}"
        key = "books.narration"
        if row.name.deal_number is None:
            key += ".adjustment" if row.deal_count else ".adjustment.first"
        return translate(self.locale, key, game=self._name_game(table), number=str(row.deal_count), reason=reason)

    # --- money

    def write_fee(self, fee: LedgerEntry) -> Iterator[str]:
        """Yield the transaction of a fee or a prize."""
        code = fee.account
        self._declare_currency(code)
        postings = self._post((self._open(name, code), code, amount) for name, amount in fee.amounts.items())
        event = clean_name(fee.source.title if fee.source is not None else "")
        yield self._write(fee.day, translate(self.locale, f"books.event-{fee.kind}", event=event), None, postings)

    def write_payment(self, payment: ExportedPayment) -> Iterator[str]:
        """Yield a payment, which the giver owes less by, and the cash box holds if it is paid into it."""
        row = payment.row
        giver, taker = payment.parties
        part, commodity = self._declare_unit(payment)
        changes: list[Change] = []
        if row.kind == PAYMENT:
            of_giver, of_taker = (self._open(party, part) for party in (giver, taker))
            changes = [(of_taker, commodity, -row.amount), (of_giver, commodity, row.amount)]
        is_in = row.kind == INCOME or (row.kind == PAYMENT and taker == BOX)
        if is_in or BOX in (giver, taker):
            against = self._open_box(OUTSIDE.get(row.kind, BOX_PAID), part)
            moved = row.amount if is_in else -row.amount
            changes += [(self._open_box(BOX_HELD, part), commodity, moved), (against, commodity, -moved)]
        yield self._write(row.paid_on, self._narrate_payment(payment), None, self._post(changes))

    def _declare_unit(self, payment: ExportedPayment) -> tuple[str, str]:
        """Declare what is paid; return the last part of the accounts for it, and its commodity."""
        key = payment.row.account
        if is_currency(key):
            self._declare_currency(key)
            return key, key
        self._declare_counters(key, payment.unit_name)
        return COUNTERS, name_commodity(key, settlement_unit(find_game(slug_of(key))))

    def _narrate_payment(self, payment: ExportedPayment) -> str:
        row = payment.row
        people = {}
        if row.kind == PAYMENT:
            box = translate(self.locale, "cash-box.party")
            people = {role: name or box for role, name in zip(("giver", "taker"), payment.parties, strict=True)}
        said = translate(self.locale, f"books.{row.kind}", names=str, number=str(row.number), **people)
        return " – ".join(filter(None, (said, clean_name(row.note or ""))))
