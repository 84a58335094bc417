"""Check a circle's file from its beginning to its end, before anything of it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ... import time_zones
from ...exchange.circle_file import Item
from ...exchange.circle_records import (
    LISTS,
    BrowserRecord,
    CircleRecord,
    EventRecord,
    PartRecord,
    PaymentRecord,
    PlayerRecord,
    SeasonRecord,
    SettlementRecord,
    TableRecord,
)
from ...limits import MAX_CIRCLE_TEXT, MAX_PRESENT, MAX_SEASONS
from ...scoring import schema
from ...scoring.sheet import is_currency
from ...scoring.values import NO_SEATS, CleanedText
from ..seasons.seasons import SeasonPlan, WantedHandicap
from .circle_plays import TableChecker, TableFacts, check_event
from .circle_rows import Problems, join, load


@dataclass
class CheckedCircle:
    """Everything in a circle's file but its tables and events, which are read once more to be stored."""

    circle: CircleRecord
    players: list[PlayerRecord] = field(default_factory=list)
    browsers: list[BrowserRecord] = field(default_factory=list)
    seasons: list[SeasonRecord] = field(default_factory=list)
    settlements: list[SettlementRecord] = field(default_factory=list)
    payments: list[PaymentRecord] = field(default_factory=list)
    cleaned: list[CleanedText] = field(default_factory=list)


def check(items: Iterable[Item]) -> CheckedCircle:
    """Check all items of a circle's file.

    Raises:
        CircleFileError: something is wrong; its problems say where, and what would be right.
    """
    checker = _Checker()
    for item in items:
        checker.add(item)
    while checker.end_section():
        pass
    return checker.result


def load_again(items: Iterable[Item]) -> Iterator[TableRecord | EventRecord]:
    """Yield the tables and events of a file that was checked."""
    for item in items:
        if item.section in ("tables", "events"):
            record: Any = schema.load(LISTS[item.section], item.content, NO_SEATS, [])
            yield record


class _Checker:
    """Checks the items in the order of the file; each section is ended before the next one begins."""

    def __init__(self) -> None:
        self.problems = Problems()
        self.tables: dict[int, TableFacts] = {}
        self.persons: dict[int, int] = {}  # by the number of a player
        self.events: dict[int, str] = {}  # the days, by number
        self._check_table = TableChecker(self.problems)
        self._section = "circle"
        self._names: set[str] = set()
        self._withdrawn: set[int] = set()
        self.result = CheckedCircle(CircleRecord(created_at=""), cleaned=self.problems.cleaned)

    def add(self, item: Item) -> None:
        while item.section != self._section:
            self.end_section()
        cls = CircleRecord if item.section == "circle" else LISTS[item.section]
        record: Any = load(cls, item, self.problems)
        if record is not None:
            getattr(self, f"_add_{item.section}")(record, item.path)

    def end_section(self) -> bool:
        """Check what refers to later items of the section, or counts them; return whether another one follows."""
        if self._section == "players":
            self._check_players()
        if self._section == "settlements":
            for place, settlement in enumerate(self.result.settlements, start=1):
                self._check_successor(settlement, f"settlements.{place}.successor")
        if len(self.result.seasons) > MAX_SEASONS:
            self.problems.add("seasons", "too-many-seasons", most=MAX_SEASONS)
        self.problems.raise_if_any()
        order = ("circle", *LISTS, "")
        self._section = order[order.index(self._section) + 1]
        return bool(self._section)

    # --- the circle and its people

    def _add_circle(self, circle: CircleRecord, _path: str) -> None:
        if circle.time_zone is not None and not time_zones.is_known(circle.time_zone):
            self.problems.add("circle.time_zone", "unknown-time-zone")
        self.result.circle = circle

    def _add_players(self, player: PlayerRecord, path: str) -> None:
        if player.name in self._names:
            self.problems.add(join(path, "name"), "name-taken", found=player.name)
        self._names.add(player.name)
        self.result.players.append(player)

    def _check_players(self) -> None:
        here = sum(player.present is not None for player in self.result.players)
        if here > MAX_PRESENT:
            self.problems.add("players", "too-many-here", found=here, most=MAX_PRESENT)
        players = {player.number: player for player in self.result.players}
        self.persons = {number: player.merged_into or number for number, player in players.items()}
        for place, player in enumerate(self.result.players, start=1):
            person = players.get(player.merged_into or 0)
            if player.merged_into is None:
                continue
            path = f"players.{place}.merged_into"
            if person is None or person.merged_into is not None or person is player:
                self.problems.add(path, "not-a-person", found=str(player.merged_into))
            elif (person.erased_at is None) != (player.erased_at is None):
                self.problems.add(path, "erased-in-part")
        banker = self.result.circle.banker
        if banker is not None and self.persons.get(banker) != banker:
            self.problems.add("circle.banker", "not-a-person", found=str(banker))

    def _add_browsers(self, browser: BrowserRecord, path: str) -> None:
        earlier = self.result.browsers
        if earlier and browser.number <= earlier[-1].number:
            must = f"> {earlier[-1].number}"
            self.problems.add(join(path, "number"), "next-number", found=str(browser.number), must=must)
        self.result.browsers.append(browser)

    # --- what they have played

    def _add_tables(self, table: TableRecord, path: str) -> None:
        persons = [self.persons[player] for player in (*table.players, *table.substitutes)]
        if len(set(persons)) < len(persons):
            self.problems.add(join(path, "players"), "person-twice")
        facts = self._check_table.check(table, path)
        if facts is not None:
            self.tables[table.number] = facts

    def _add_events(self, event: EventRecord, path: str) -> None:
        check_event(event, path, self.problems, self.persons)
        self.events[event.number] = event.day

    def _add_seasons(self, season: SeasonRecord, path: str) -> None:
        """Check a season as its form does, and that each of its handicaps is of another player."""
        self.problems.add_all(path, [*_make_plan(season).problems(None, season.games)])
        for place, handicap in enumerate(season.handicaps, start=1):
            of_handicap = join(path, f"handicaps.{place}")
            self.problems.expect_once(path, handicap.player, join(of_handicap, "player"), "person-twice")
            wanted = WantedHandicap(handicap.kind, Decimal(handicap.size))
            self.problems.add_all(of_handicap, [*wanted.problems("size")])
        self.result.seasons.append(season)

    # --- money

    def _add_settlements(self, settlement: SettlementRecord, path: str) -> None:
        if settlement.table is not None and settlement.day is not None:
            self.problems.add(join(path, "day"), "one-of-both", found="table", other="day")
        for place, part in enumerate(settlement.parts, start=1):
            self._check_part(settlement, part, join(path, f"parts.{place}"))
        self._check_sums(settlement.parts, path)
        self._check_day(settlement, path)
        self.result.settlements.append(settlement)

    def _check_part(self, settlement: SettlementRecord, part: PartRecord, path: str) -> None:
        if [part.table, part.event, part.settlement].count(None) != 2:
            self.problems.add(path, "one-of-three", found="table", second="event", third="settlement")
        if (part.event is None) != (part.kind is None):
            self.problems.add(path, "kind-of-part")
        if part.event is not None and (part.event != settlement.event or not is_currency(settlement.account)):
            self.problems.add(join(path, "event"), "other-event", found=str(part.event))
        account = self.result.settlements[part.settlement - 1].account if part.settlement is not None else None
        if part.table is not None:
            account = self.tables[part.table].account
            if part.player not in self.tables[part.table].players:
                self.problems.add(join(path, "player"), "not-in-file", found=str(part.player), section="players")
        if account is not None and account != settlement.account:
            self.problems.add(path, "other-account", found=account, must=settlement.account)

    def _check_sums(self, parts: Iterable[PartRecord], path: str) -> None:
        """Check that what comes from each table, or from each earlier settlement, adds up to 0."""
        sums: Counter[str] = Counter()
        for part in parts:
            sums[_name_source(part)] += int(part.amount)
        for source, total in sums.items():
            if total:
                self.problems.add(join(path, "parts"), "parts-not-zero", source=source, found=str(total))

    def _check_day(self, settlement: SettlementRecord, path: str) -> None:
        """Check that a settlement has its event's day, or that of a table of the evening, as `evenings` keeps it."""
        days = {self.tables[part.table].day for part in settlement.parts if part.table is not None}
        if settlement.event is not None:
            days = {self.events[settlement.event]}
            if settlement.day is None:
                self.problems.add(join(path, "day"), "missing")
        if settlement.day is not None and days and settlement.day not in days:
            self.problems.add(join(path, "day"), "wrong-day", found=settlement.day, must=max(days))

    def _check_successor(self, settlement: SettlementRecord, path: str) -> None:
        successor, settlements = settlement.successor, self.result.settlements
        if successor is None:
            return
        later = settlements[successor - 1] if settlement.number < successor <= len(settlements) else None
        if later is None:
            self.problems.add(path, "not-in-file", found=str(successor), section="settlements")
        elif later.account != settlement.account:
            self.problems.add(path, "other-account", found=later.account, must=settlement.account)

    def _add_payments(self, payment: PaymentRecord, path: str) -> None:
        if payment.from_ == payment.to:
            self.problems.add(join(path, "to"), "who-is-paid")
        if payment.withdraws is not None:
            self._check_withdrawal(payment, payment.withdraws, path)
        self.result.payments.append(payment)

    def _check_withdrawal(self, payment: PaymentRecord, number: int, path: str) -> None:
        paid = self.result.payments[number - 1] if number <= len(self.result.payments) else None
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


def _make_plan(season: SeasonRecord) -> SeasonPlan:
    """Return a season as it would be typed. Its name may be longer: placeholders replace names that are erased."""
    return SeasonPlan(
        season.name[:MAX_CIRCLE_TEXT],
        season.first,
        season.last,
        season.counts,
        season.games,
        season.currency or "",
        season.lowest_wins,
        season.best or "",
        season.least,
        season.bonus,
        season.ties,
        season.places,
    )


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
