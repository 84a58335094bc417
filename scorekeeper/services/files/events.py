"""Check the events of a circle's file: everything that an event's pages rely on, in each of its rounds."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...events import scoring
from ...events.formats import find_format, find_usable_format
from ...events.prizes import prize_problem
from ...events.schedule import UnschedulableError
from ...exchange.circle_file import Item
from ...exchange.circle_records import EventRecord, RoundResultRecord, RoundTableRecord
from ...games import find_game, games
from ...limits import MAX_PLACES
from ...scoring import schema
from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.sheet import value_problems
from ...scoring.values import NO_SEATS, JsonObject
from ..event_game import find_played, list_sides, plays_alone
from ..events.games import house_rule_problems
from ..events.money import fee_problems
from .records import Problems, join, load

PARTIE = "partie"


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
        event = load(EventRecord, item, self.problems)
        if event is None:
            return
        self.problems.expect_place(item.path, event.number, item.place)
        self.problems.expect_once("events", event.key, join(item.path, "key"))
        self.problems.add_all(item.path, list(_settings_problems(event)))
        self._expect(event.cashier, self.persons, item.path, "cashier", "players")
        before = len(self.problems.found)
        self._check_entrants(event, item.path)
        self._check_substitutions(event, item.path)
        if len(self.problems.found) == before:
            self._check_rounds(event, item.path)
        self.days[event.number] = event.day

    def _check_entrants(self, event: EventRecord, path: str) -> None:
        persons = set()
        for place, entrant in enumerate(event.entrants, start=1):
            where = join(path, f"entrants.{place}")
            self.problems.expect_place(where, entrant.number, place)
            self._expect(entrant.player, self.persons, where, "player", "players")
            person = self.persons.get(entrant.player)
            if person in persons:
                self.problems.add(join(where, "player"), "entrant-twice")
            persons.add(person)

    def _check_substitutions(self, event: EventRecord, path: str) -> None:
        numbers, last = range(1, len(event.entrants) + 1), (0, 0)
        for place, change in enumerate(event.substitutions, start=1):
            where = join(path, f"substitutions.{place}")
            self._expect(change.number, numbers, where, "number", "entrants")
            self._expect(change.player, self.persons, where, "player", "players")
            if (change.number, change.round) <= last:
                found, must = f"{change.number}, {change.round}", f"> {last[0]}, {last[1]}"
                self.problems.add(join(where, "round"), "next-number", found=found, must=must)
            last = change.number, change.round

    def _check_rounds(self, event: EventRecord, path: str) -> None:
        numbers, sides = range(1, len(event.entrants) + 1), list_sides(is_alone=plays_alone(_find_game(event)))
        for place, drawn in enumerate(event.drawn, start=1):
            where = join(path, f"drawn.{place}")
            self.problems.expect_place(where, drawn.number, place)
            for number in drawn.sits_out:
                self._expect(number, numbers, where, "sits_out", "entrants")
            seated = [*drawn.sits_out]
            for at, table in enumerate(drawn.tables, start=1):
                self._check_table(table, numbers, at, join(where, f"tables.{at}"))
                self._check_results(table.results, sides, f"results of {path}", join(where, f"tables.{at}"))
                seated += [number for pair in table.pairs for number in pair]
            people = people_of_round(event, place, self.persons)
            playing = [people[number] for number in seated if number in people]
            if len(set(seated)) < len(seated) or len(set(playing)) < len(playing):
                self.problems.add(join(where, "tables"), "seated-twice")

    def _check_table(self, table: RoundTableRecord, numbers: range, place: int, path: str) -> None:
        self.problems.expect_place(path, table.number, place)
        for number in (number for pair in table.pairs for number in pair):
            self._expect(number, numbers, path, "pairs", "entrants")
        self._expect(table.table, self.tables, path, "table", "tables")
        self.problems.expect_once("tables of rounds", table.table, join(path, "table"), "table-again")

    def _check_results(self, results: Iterable[RoundResultRecord], sides: range, group: str, path: str) -> None:
        for place, result in enumerate(results, start=1):
            where = join(path, f"results.{place}")
            self.problems.expect_place(where, result.number, place)
            self.problems.expect_once(group, result.key, join(where, "key"))
            self._expect(result.by, self.browsers, where, "by", "browsers")
            for each, said in enumerate(result.confirmed, start=1):
                self._expect(said.by, self.browsers, where, f"confirmed.{each}.by", "browsers")
            self.problems.add_all(where, list(_result_problems(result, sides)))

    def _expect(self, number: int | None, known: Container[int], path: str, key: str, section: str) -> None:
        self.problems.expect_known(number, known, join(path, key), section)


def people_of_round(event: EventRecord, number: int, persons: Mapping[int, int]) -> dict[int, int]:
    """Return the person who plays under each entrant's number in a round."""
    people = {entrant.number: persons[entrant.player] for entrant in event.entrants}
    for change in event.substitutions:  # in order of their rounds
        if change.round <= number:
            people[change.number] = persons[change.player]
    return people


def _find_game(event: EventRecord) -> AnyGame:
    """Return the game as the event plays it, or a stand-in if it is not installed."""
    return find_played(find_game(event.game), event.house_rules)


def _result_problems(result: RoundResultRecord, sides: range) -> Iterator[Problem]:
    confirmed = [said.side for said in result.confirmed]
    is_of_sides = len(set(confirmed)) == len(confirmed) and {*sides} >= {*confirmed}
    if not is_of_sides or (confirmed and (result.body is None or result.is_slip)):
        yield Problem("confirmed", "result-not-confirmable")
    body = result.body
    is_played = body is not None and (body.scores or body.slams or body.boards)
    lists = [body.scores, *([body.slams] if body.slams else []), *body.boards] if body is not None and is_played else []
    if any(len(each) != len(sides) for each in lists):
        yield Problem("body.scores", "scores-of-table", {"must": len(sides)})
    elif body is not None and body.boards:
        must = [sum(of_side) for of_side in zip(*body.boards, strict=True)]
        wrong = next((total for found, total in zip(body.scores, must, strict=True) if found != total), None)
        if wrong is not None:
            yield Problem("body.scores", "boards-add-up", {"must": wrong})


# --- settings ----------------------------------------------------------------------------------------------


def _settings_problems(event: EventRecord) -> Iterator[Problem]:
    """Yield what is wrong with the settings of an event."""
    game = games().get(event.game)
    if game is None:
        yield Problem("game", "game-missing", {"game": event.game})
    else:
        yield from house_rule_problems(game, event.house_rules, find_usable_format(event.format))
        yield from value_problems(game, schema.dump(event.value)) if event.value is not None else ()
    try:
        options = find_format(event.format).options
    except UnschedulableError as error:
        yield error.problem._replace(field="format")
    else:
        yield from _options_problems(options, event.options, "options")
    if event.scoring not in _scorings(event):
        yield Problem("scoring", "one-of", {"found": event.scoring[:40], "choices": _scorings(event)})
    if (event.length is None) != (event.round_unit == PARTIE):
        yield Problem("length", "missing" if event.length is None else "no-length")
    if len(event.drawn) > event.rounds:
        yield Problem("rounds", "rounds-drawn", {"least": len(event.drawn), "count": len(event.drawn)})
    if len(event.entrants) * event.rounds > MAX_PLACES:
        yield Problem("rounds", "too-many-places", {"most": MAX_PLACES // event.rounds, "rounds": event.rounds})
    yield from fee_problems(event.fee, event.currency)
    yield from _prize_problems(event)


def _scorings(event: EventRecord) -> tuple[str, ...]:
    """Return the slugs of the scorings that the event may have or have had: its format has not changed since."""
    format_ = find_usable_format(event.format)
    slugs = format_.scorings if format_ is not None else scoring.scoring_slugs()
    is_alone = plays_alone(_find_game(event))
    return tuple(slug for slug in slugs if not is_alone or scoring.find_scoring(slug).fits_alone)


def _options_problems(cls: type[Any], values: JsonObject, path: str) -> list[Problem]:
    problems: list[Problem] = []
    schema.load(cls, values, NO_SEATS, problems, path)
    return problems


def _prize_problems(event: EventRecord) -> Iterator[Problem]:
    for place, prize in enumerate(event.prizes, start=1):
        if (problem := prize_problem(prize)) is not None:
            yield problem._replace(field=join(f"prizes.{place}", problem.field))
        if prize.amount is not None and event.currency is None:
            yield Problem("currency", "missing")


def get_options(event: EventRecord) -> tuple[JsonObject, JsonObject]:
    """Return the house rules and the format's options of an event that was checked, as they are stored."""
    classes = games()[event.game].options, find_format(event.format).options
    rules, options = (
        schema.dump(schema.load(cls, values, NO_SEATS, []))
        for cls, values in zip(classes, (event.house_rules, event.options), strict=True)
    )
    return rules, options
