"""Check the events of a circle's file: everything that an event's pages rely on, in each of its rounds."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ...events import scoring
from ...events.formats import find_format
from ...events.prizes import read_prizes
from ...events.schedule import UnschedulableError
from ...exchange.circle_file import Item
from ...exchange.circle_records import (
    EntrantRecord,
    EntrantSubstitutionRecord,
    EventRecord,
    RoundRecord,
    RoundResultRecord,
    RoundTableRecord,
)
from ...games import games
from ...scoring import schema
from ...scoring.problems import Problem
from ...scoring.values import JsonObject, Seats
from ..events.money import fee_problems
from .records import Problems, items_of, join, load

PARTIE = "partie"
_NO_SEATS = Seats((), (), ())

R = TypeVar("R")


class LoadedRoundTable(NamedTuple):
    """A table of a round and the versions of its result as they stand in the file."""

    table: RoundTableRecord
    results: list[RoundResultRecord]


class LoadedRound(NamedTuple):
    """A round and its tables as they stand in the file."""

    round: RoundRecord
    tables: list[LoadedRoundTable]


class LoadedEvent(NamedTuple):
    """An event and all its rows as they stand in the file."""

    event: EventRecord
    entrants: list[EntrantRecord]
    substitutions: list[EntrantSubstitutionRecord]
    drawn: list[LoadedRound]


# --- reading -----------------------------------------------------------------------------------------------


def load_event(content: object, path: str, problems: Problems) -> LoadedEvent | None:
    """Read an event and its rows; None if a value is invalid."""
    before = len(problems.found)
    head, entrants = _list_of(EntrantRecord, content, "entrants", path, problems)
    head, substitutions = _list_of(EntrantSubstitutionRecord, head, "substitutions", path, problems)
    head, rounds = items_of(head, "drawn", path, problems)
    drawn = [found for item in rounds if (found := _load_round(item, problems)) is not None]
    event = load(EventRecord, head, path, problems)
    is_valid = event is not None and len(problems.found) == before
    return LoadedEvent(event, entrants, substitutions, drawn) if is_valid and event is not None else None


def _load_round(item: Item, problems: Problems) -> LoadedRound | None:
    head, items = items_of(item.content, "tables", item.path, problems)
    tables = [found for each in items if (found := _load_table(each, problems)) is not None]
    record = load(RoundRecord, head, item.path, problems)
    return LoadedRound(record, tables) if record is not None else None


def _load_table(item: Item, problems: Problems) -> LoadedRoundTable | None:
    head, results = _list_of(RoundResultRecord, item.content, "results", item.path, problems)
    record = load(RoundTableRecord, head, item.path, problems)
    return LoadedRoundTable(record, results) if record is not None else None


def _list_of(cls: type[R], content: object, key: str, path: str, problems: Problems) -> tuple[JsonObject, list[R]]:
    """Split off a list of records; return the other keys, and the valid ones of the records."""
    rest, items = items_of(content, key, path, problems)
    return rest, [found for item in items if (found := load(cls, item.content, item.path, problems)) is not None]


# --- checking ----------------------------------------------------------------------------------------------


@dataclass
class EventChecker:
    """Checks events. `persons` are those of the file's players by number, `browsers` and `tables` the numbers."""

    problems: Problems
    persons: Mapping[int, int]
    browsers: Container[int]
    tables: Container[int]
    days: dict[int, str] = field(default_factory=dict)  # of the events so far, by number

    def check(self, item: Item) -> None:
        """Add what is wrong with the next event."""
        loaded = load_event(item.content, item.path, self.problems)
        if loaded is None:
            return
        self.problems.expect_place(item, loaded.event.number)
        self.problems.add_all(item.path, list(_settings_problems(loaded.event)))
        self._expect(loaded.event.cashier, self.persons, item.path, "cashier", "players")
        before = len(self.problems.found)
        self._check_entrants(loaded, item.path)
        self._check_substitutions(loaded, item.path)
        if len(self.problems.found) == before:
            self._check_rounds(loaded, item.path)
        self.days[loaded.event.number] = loaded.event.day

    def _check_entrants(self, loaded: LoadedEvent, path: str) -> None:
        last, persons = 0, set()
        for place, entrant in enumerate(loaded.entrants, start=1):
            where = join(path, f"entrants.{place}")
            if entrant.number <= last:
                self.problems.add(join(where, "number"), "next-number", found=str(entrant.number), must=f"> {last}")
            self._expect(entrant.player, self.persons, where, "player", "players")
            person = self.persons.get(entrant.player)
            if person in persons:
                self.problems.add(join(where, "player"), "entrant-twice")
            persons.add(person)
            last = max(last, entrant.number)

    def _check_substitutions(self, loaded: LoadedEvent, path: str) -> None:
        numbers, last = {entrant.number for entrant in loaded.entrants}, (0, 0)
        for place, change in enumerate(loaded.substitutions, start=1):
            where = join(path, f"substitutions.{place}")
            self._expect(change.number, numbers, where, "number", "entrants")
            self._expect(change.player, self.persons, where, "player", "players")
            if (change.number, change.round) <= last:
                found, must = f"{change.number}, {change.round}", f"> {last[0]}, {last[1]}"
                self.problems.add(join(where, "round"), "next-number", found=found, must=must)
            last = change.number, change.round

    def _check_rounds(self, loaded: LoadedEvent, path: str) -> None:
        numbers, keys = {entrant.number for entrant in loaded.entrants}, set[str]()
        for place, (drawn, tables) in enumerate(loaded.drawn, start=1):
            where = join(path, f"drawn.{place}")
            if drawn.number != place:
                self.problems.add(join(where, "number"), "next-number", found=str(drawn.number), must=str(place))
            for number in drawn.sits_out:
                self._expect(number, numbers, where, "sits_out", "entrants")
            seated = [*drawn.sits_out]
            for at, (table, results) in enumerate(tables, start=1):
                self._check_table(table, numbers, at, join(where, f"tables.{at}"))
                self._check_results(results, keys, join(where, f"tables.{at}"))
                seated += [number for pair in table.pairs for number in pair]
            people = people_of_round(loaded, place, self.persons)
            playing = [people[number] for number in seated if number in people]
            if len(set(seated)) < len(seated) or len(set(playing)) < len(playing):
                self.problems.add(join(where, "tables"), "seated-twice")

    def _check_table(self, table: RoundTableRecord, numbers: set[int], place: int, path: str) -> None:
        if table.number != place:
            self.problems.add(join(path, "number"), "next-number", found=str(table.number), must=str(place))
        if [len(pair) for pair in table.pairs] != [2, 2]:
            self.problems.add(join(path, "pairs"), "two-pairs")
        for number in (number for pair in table.pairs for number in pair):
            self._expect(number, numbers, path, "pairs", "entrants")
        self._expect(table.table, self.tables, path, "table", "tables")

    def _check_results(self, results: list[RoundResultRecord], keys: set[str], path: str) -> None:
        for place, result in enumerate(results, start=1):
            where = join(path, f"results.{place}")
            if result.number != place:
                self.problems.add(join(where, "number"), "next-number", found=str(result.number), must=str(place))
            if result.key in keys:
                self.problems.add(join(where, "key"), "key-again", found=result.key)
            keys.add(result.key)
            self._expect(result.by, self.browsers, where, "by", "browsers")
            for each, said in enumerate(result.confirmed, start=1):
                self._expect(said.by, self.browsers, where, f"confirmed.{each}.by", "browsers")
            self.problems.add_all(where, list(_result_problems(result)))

    def _expect(self, number: int | None, known: Container[int], path: str, key: str, section: str) -> None:
        if number is not None and number not in known:
            self.problems.add(join(path, key), "not-in-file", found=str(number), section=section)


def people_of_round(loaded: LoadedEvent, number: int, persons: Mapping[int, int]) -> dict[int, int]:
    """Return the person who plays under each entrant's number in a round."""
    people = {entrant.number: persons[entrant.player] for entrant in loaded.entrants}
    for change in loaded.substitutions:  # in order of their rounds
        if change.round <= number:
            people[change.number] = persons[change.player]
    return people


def _result_problems(result: RoundResultRecord) -> Iterator[Problem]:
    body, sides = result.body, [said.side for said in result.confirmed]
    if body is not None and (len(body.scores) != 2 or len(body.slams) not in (0, 2)):
        yield Problem("body", "two-scores")
    if len(set(sides)) < len(sides) or (sides and (body is None or result.is_slip)):
        yield Problem("confirmed", "result-not-confirmable")


# --- settings ----------------------------------------------------------------------------------------------


def _settings_problems(event: EventRecord) -> Iterator[Problem]:
    """Yield what is wrong with the settings of an event."""
    game = games().get(event.game)
    if game is None:
        yield Problem("game", "game-missing", {"game": event.game})
    else:
        yield from _options_problems(game.options, event.house_rules, "house_rules")
    try:
        options = find_format(event.format).options
    except UnschedulableError as error:
        yield error.problem._replace(field="format")
    else:
        yield from _options_problems(options, event.options, "options")
    if event.scoring not in scoring.scoring_slugs():
        yield Problem("scoring", "one-of", {"found": event.scoring[:40], "choices": scoring.scoring_slugs()})
    if (event.length is None) != (event.round_unit == PARTIE):
        yield Problem("length", "missing" if event.length is None else "no-length")
    yield from fee_problems(event.fee, event.currency)
    yield from _prize_problems(event)


def _options_problems(cls: type[Any], values: JsonObject, path: str) -> list[Problem]:
    problems: list[Problem] = []
    schema.load(cls, values, _NO_SEATS, problems, path)
    return problems


def _prize_problems(event: EventRecord) -> Iterator[Problem]:
    for place, prize in enumerate(event.prizes, start=1):
        found: list[Problem] = []
        read_prizes([prize], found)
        yield from (each._replace(field=each.field.replace("prizes[0]", f"prizes.{place}")) for each in found)
        if "amount" in prize and event.currency is None:
            yield Problem("currency", "missing")


def options_of(event: EventRecord) -> tuple[JsonObject, JsonObject]:
    """Return the house rules and the format's options of an event that was checked, as they are stored."""
    classes = games()[event.game].options, find_format(event.format).options
    rules, options = (
        schema.dump(schema.load(cls, values, _NO_SEATS, []))
        for cls, values in zip(classes, (event.house_rules, event.options), strict=True)
    )
    return rules, options
