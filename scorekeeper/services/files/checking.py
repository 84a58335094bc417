"""Check a circle's file from its beginning to its end, before anything of it is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ... import time_zones
from ...exchange.circle_file import Item
from ...exchange.circle_records import (
    LISTS,
    BrowserRecord,
    CircleRecord,
    EventRecord,
    PaymentRecord,
    PlayerRecord,
    SeasonRecord,
    SettlementRecord,
    TableRecord,
    parse_moment,
)
from ...limits import MAX_PRESENT
from ...scoring.values import CleanedText
from ...time_zones import find_evening
from .events import EventChecker
from .money import MoneyChecker
from .records import Problems, join, load
from .seasons import check_count, check_season
from .tables import TableChecker, TableFacts


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
    for item in _with_ends(items, checker):
        checker.add(item)
    return checker.result


def load_again(items: Iterable[Item]) -> Iterator[TableRecord | EventRecord]:
    """Yield the tables and events of a file that was checked."""
    for item in items:
        record: TableRecord | EventRecord | None = None
        if item.section == "tables":
            record = load(TableRecord, item, Problems())
        elif item.section == "events":
            record = load(EventRecord, item, Problems())
        if record is not None:
            yield record


def _with_ends(items: Iterable[Item], checker: _Checker) -> Iterator[Item]:
    """Yield the items, and end each section before the next one begins."""
    sections = iter(("circle", *LISTS))
    section = next(sections)
    for item in items:
        while item.section != section:
            checker.end_section(section)
            section = next(sections)
        yield item
    for rest in (section, *sections):
        checker.end_section(rest)


class _Checker:
    def __init__(self) -> None:
        self.problems = Problems()
        self.tables: dict[int, TableFacts] = {}
        self.persons: dict[int, int] = {}  # by the number of a player
        self._names: set[str] = set()
        self._check_table: TableChecker | None = None
        self._check_event: EventChecker | None = None
        self._check_money: MoneyChecker | None = None
        self.result = CheckedCircle(CircleRecord(created_at=""), cleaned=self.problems.cleaned)

    def add(self, item: Item) -> None:
        {
            "circle": self._add_circle,
            "players": self._add_player,
            "browsers": self._add_browser,
            "tables": self._add_table,
            "events": self._add_event,
            "seasons": self._add_season,
        }.get(item.section, self._add_other)(item)

    def end_section(self, section: str) -> None:
        if section == "players":
            self._check_players()
        if section == "browsers":
            self._check_table = TableChecker(self.problems, {browser.number for browser in self.result.browsers})
        if section == "seasons":
            check_count(self.result.seasons, self.problems)
        if self._check_money is not None:
            self._check_money.end_section(section)
        self.problems.raise_if_any()
        browsers = {browser.number for browser in self.result.browsers}
        if section == "tables":
            self._check_event = EventChecker(self.problems, self.persons, browsers, self.tables.keys())
        if section == "events" and self._check_event is not None:
            players = {player.number for player in self.result.players}
            self._check_money = MoneyChecker(self.problems, self.tables, self._check_event.days, players, browsers)
            self.result.settlements = self._check_money.settlements
            self.result.payments = self._check_money.payments

    # --- the circle and its people

    def _add_circle(self, item: Item) -> None:
        circle = load(CircleRecord, item, self.problems)
        if circle is None:
            return
        if circle.time_zone is not None and not time_zones.is_known(circle.time_zone):
            self.problems.add("circle.time_zone", "unknown-time-zone")
        self.result.circle = circle

    def _add_player(self, item: Item) -> None:
        player = load(PlayerRecord, item, self.problems)
        if player is None:
            return
        self.problems.expect_place(item.path, player.number, item.place)
        if player.name in self._names:
            self.problems.add(join(item.path, "name"), "name-taken", found=player.name)
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

    def _add_browser(self, item: Item) -> None:
        browser = load(BrowserRecord, item, self.problems)
        if browser is None:
            return
        earlier = self.result.browsers
        if earlier and browser.number <= earlier[-1].number:
            must = f"> {earlier[-1].number}"
            self.problems.add(join(item.path, "number"), "next-number", found=str(browser.number), must=must)
        self.problems.expect_known(browser.player, self.persons, join(item.path, "player"), "players")
        self.result.browsers.append(browser)

    # --- its tables

    def _add_table(self, item: Item) -> None:
        table = load(TableRecord, item, self.problems)
        if table is None or self._check_table is None:
            return
        self.problems.expect_place(item.path, table.number, item.place)
        self.problems.expect_once("tables", table.key, join(item.path, "key"))
        numbers = (*table.players, *table.substitutes)
        persons = [self.persons.get(player) for player in numbers]
        for place, (player, person) in enumerate(zip(numbers, persons, strict=True)):
            if person is None:
                key = "players" if place < len(table.players) else "substitutes"
                self.problems.add(join(item.path, key), "not-in-file", found=str(player), section="players")
        if None not in persons and len(set(persons)) < len(persons):
            self.problems.add(join(item.path, "players"), "person-twice")
        zone = self.result.circle.time_zone
        evening = find_evening(parse_moment(table.opened_at), zone).isoformat()
        if zone is not None and not table.is_dated and table.day != evening:
            self.problems.add(join(item.path, "day"), "wrong-day", found=table.day, must=evening)
        facts = self._check_table.check(table, item.path)
        if facts is not None:
            self.tables[table.number] = facts

    def _add_event(self, item: Item) -> None:
        if self._check_event is not None:
            self._check_event.check(item)

    def _add_season(self, item: Item) -> None:
        season = load(SeasonRecord, item, self.problems)
        if season is not None:
            check_season(season, item.path, self.problems, self.persons)
            self.result.seasons.append(season)

    def _add_other(self, item: Item) -> None:
        if self._check_money is not None:
            self._check_money.add(item)
