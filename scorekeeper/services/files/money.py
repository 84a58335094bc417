"""Check the settlements and payments of a circle's file against its tables."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from ...exchange.circle_file import Item
from ...exchange.circle_records import PartRecord, PaymentRecord, SettlementRecord, Signed
from ...scoring.accounts import is_currency
from .records import Problems, join, load
from .tables import TableFacts


@dataclass
class MoneyChecker:
    """Checks settlements and payments in the order of the file.

    `tables` are those of the file by number, `events` the days of its events, `players` and `browsers` the numbers
    there are.
    """

    problems: Problems
    tables: Mapping[int, TableFacts]
    events: Mapping[int, str]
    players: set[int]
    browsers: set[int]
    settlements: list[SettlementRecord] = field(default_factory=list)
    payments: list[PaymentRecord] = field(default_factory=list)
    _accounts: dict[int, str] = field(default_factory=dict)  # of the settlements so far, by number
    _withdrawn: set[int] = field(default_factory=set)

    def add(self, item: Item) -> None:
        """Check a settlement or a payment, and keep it."""
        add = {"settlements": self._add_settlement, "payments": self._add_payment}
        add[item.section](item)

    def end_section(self, section: str) -> None:
        """Check what refers to later items of the same section, or counts them."""
        if section == "settlements":
            for place, settlement in enumerate(self.settlements, start=1):
                self._check_successor(settlement, f"settlements.{place}")

    # --- settlements

    def _add_settlement(self, item: Item) -> None:
        settlement = load(SettlementRecord, item, self.problems)
        if settlement is None:
            return
        self.problems.expect_place(item.path, settlement.number, item.place)
        self._expect(settlement.table, self.tables, item.path, "table", "tables")
        self._expect(settlement.event, self.events, item.path, "event", "events")
        if settlement.table is not None and settlement.day is not None:
            self.problems.add(join(item.path, "day"), "one-of-both", found="table", other="day")
        for place, part in enumerate(settlement.parts, start=1):
            self._check_part(settlement, part, join(item.path, f"parts.{place}"))
        self._check_sums(settlement.parts, item.path)
        self._check_day(settlement, item.path)
        self.settlements.append(settlement)
        self._accounts[settlement.number] = settlement.account

    def _check_part(self, settlement: SettlementRecord, part: PartRecord, path: str) -> None:
        if [part.table, part.event, part.settlement].count(None) != 2:
            self.problems.add(path, "one-of-three", found="table", second="event", third="settlement")
        if (part.event is None) != (part.kind is None):
            self.problems.add(path, "kind-of-part")
        if part.event is not None and (part.event != settlement.event or not is_currency(settlement.account)):
            self.problems.add(join(path, "event"), "other-event", found=str(part.event))
        self._expect(part.player, self.players, path, "player", "players")
        self._expect(part.table, self.tables, path, "table", "tables")
        self._expect(part.settlement, self._accounts, path, "settlement", "settlements")
        table = self.tables.get(part.table or 0)
        if table is not None and part.player not in table.players:
            self.problems.add(join(path, "player"), "not-in-file", found=str(part.player), section="players")
        account = table.account if table is not None else self._accounts.get(part.settlement or 0)
        if account is not None and account != settlement.account:
            self.problems.add(path, "other-account", found=account, must=settlement.account)

    def _check_sums(self, parts: Iterable[PartRecord], path: str) -> None:
        """Check that what comes from each table, or from each earlier settlement, adds up to 0."""
        sums: dict[str, int] = {}
        for part in parts:
            source = _name_source(part)
            sums[source] = sums.get(source, 0) + int(part.amount)
        for source, total in sums.items():
            if total:
                self.problems.add(join(path, "parts"), "parts-not-zero", source=source, found=str(total))

    def _check_day(self, settlement: SettlementRecord, path: str) -> None:
        """Check that a settlement has its event's day, or that of a table of the evening, as `evenings` keeps it."""
        days = {self.tables[part.table or 0].day for part in settlement.parts if part.table in self.tables}
        if settlement.event in self.events:
            days = {self.events[settlement.event or 0]}
            if settlement.day is None:
                self.problems.add(join(path, "day"), "missing")
        if settlement.day is not None and days and settlement.day not in days:
            self.problems.add(join(path, "day"), "wrong-day", found=settlement.day, must=max(days))

    def _check_successor(self, settlement: SettlementRecord, path: str) -> None:
        successor = settlement.successor
        if successor is None:
            return
        later = self.settlements[successor - 1] if successor <= len(self.settlements) else None
        if later is None or successor <= settlement.number:
            self.problems.add(join(path, "successor"), "not-in-file", found=str(successor), section="settlements")
        elif later.account != settlement.account:
            self.problems.add(join(path, "successor"), "other-account", found=later.account, must=settlement.account)

    # --- payments

    def _add_payment(self, item: Item) -> None:
        payment = load(PaymentRecord, item, self.problems)
        if payment is None:
            return
        self.problems.expect_place(item.path, payment.number, item.place)
        settlements = range(1, len(self.settlements) + 1)
        self._expect(payment.settlement, settlements, item.path, "settlement", "settlements")
        self._expect(payment.from_, self.players, item.path, "from", "players")
        self._expect(payment.to, self.players, item.path, "to", "players")
        self._expect_signed(Signed(by=payment.by, at=payment.at), item.path)
        self._expect_signed(payment.confirmed, join(item.path, "confirmed"))
        self.problems.expect_once("payments", payment.key, join(item.path, "key"))
        if payment.from_ == payment.to:
            self.problems.add(join(item.path, "to"), "who-is-paid")
        if payment.withdraws is not None:
            self._check_withdrawal(payment, item.path)
        self.payments.append(payment)

    def _check_withdrawal(self, payment: PaymentRecord, path: str) -> None:
        number = payment.withdraws or 0
        paid = self.payments[number - 1] if 0 < number <= len(self.payments) else None
        if paid is None or paid.withdraws is not None or number in self._withdrawn:
            self.problems.add(join(path, "withdraws"), "not-in-file", found=str(number), section="payments")
            return
        self._withdrawn.add(number)
        if payment.confirmed is not None:
            self.problems.add(join(path, "confirmed"), "withdrawal-confirmed")
        for name in ("settlement", "from_", "to", "amount"):
            if getattr(payment, name) != getattr(paid, name):
                must = str(getattr(paid, name))
                self.problems.add(join(path, name.rstrip("_")), "not-as-withdrawn", must=must, payment=str(number))

    # --- references

    def _expect(self, number: int | None, known: Container[int], path: str, key: str, section: str) -> None:
        self.problems.expect_known(number, known, join(path, key), section)

    def _expect_signed(self, signed: Signed | None, path: str) -> None:
        if signed is not None:
            self._expect(signed.by, self.browsers, path, "by", "browsers")


def _name_source(part: PartRecord) -> str:
    """Return where a part comes from, in words; what comes from an event adds up to 0 for each kind."""
    if part.table is not None:
        return f"table {part.table}"
    return f"event {part.event}, {part.kind}" if part.event is not None else f"settlement {part.settlement}"


def add_up_taken_over(settlements: Iterable[SettlementRecord]) -> dict[int, dict[int, int]]:
    """Return what settlements have taken over, in subunits by the numbers of table and player."""
    amounts: dict[int, dict[int, int]] = {}
    for part in (part for settlement in settlements for part in settlement.parts if part.table is not None):
        of_table = amounts.setdefault(part.table or 0, {})
        of_table[part.player] = of_table.get(part.player, 0) + int(part.amount)
    return amounts
