"""Check the tables and events of a circle's file: everything that their pages rely on, at each revision and round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...events import scoring
from ...events.formats import FORMATS
from ...events.prizes import prize_problem
from ...exchange.circle_records import (
    DEAL_KINDS,
    KEYS_OF_KINDS,
    EventRecord,
    RevisionRecord,
    RoundResultRecord,
    TableRecord,
)
from ...exchange.sheets import reason_problems
from ...games import find_game, games
from ...limits import GROWTH, MAX_DEALS, MAX_LABEL, MAX_PLACES, MAX_TEXT_LENGTH
from ...scoring import schema, sheet
from ...scoring.game import AnyGame, announcement_problems
from ...scoring.problems import Problem, Refusal, abbreviate_value
from ...scoring.sheet import value_problems
from ...scoring.standing import SUBSTITUTION
from ...scoring.values import NO_SEATS, JsonObject
from ...tables.replay import IllegalDealError, Replay
from ...tables.revisions import ANNOUNCE, CLOSE, COUNT, INSERT, RECORD, REOPEN, UNDO, RevisionRow
from ...tables.seating import to_labels
from ..event_game import find_played, list_sides, plays_alone
from ..events.games import house_rule_problems
from ..events.money import fee_problems
from ..tables import counter_checks
from ..tables.opening import RULES_VERSION
from .circle_rows import Problems, join, make_row

MAX_RESCORED = 200_000  # deals scored again because an earlier one changed, in the whole file; about six seconds


class TableFacts(NamedTuple):
    """A checked table, as later parts of the file refer to it; `players` are all who have a label."""

    account: str
    day: str
    players: tuple[int, ...]
    deals: frozenset[int]


@dataclass
class TableChecker:
    """Checks tables; `rescored` counts the deals that had to be scored again."""

    problems: Problems
    rescored: int = 0
    _missing: set[str] = field(default_factory=set)  # games

    def check(self, table: TableRecord, path: str) -> TableFacts | None:
        """Add what is wrong with a table, or return what later parts of the file refer to."""
        before = len(self.problems.found)
        game = games().get(table.game)
        if game is None:
            self._add_missing(table.game, path)
            return None
        if table.rules_version > RULES_VERSION:
            params = {"found": str(table.rules_version), "low": 1, "high": RULES_VERSION}
            self.problems.add(join(path, "rules_version"), "whole-number", **params)
        opened = self._open(table, path)
        if opened is None or len(self.problems.found) > before:
            return None
        if len(table.players) + len(table.substitutes) > MAX_LABEL:
            self.problems.add(join(path, "substitutes"), "too-many-people", most=MAX_LABEL)
            return None
        replayed = _Replayer(self, opened, path, frozenset(number_labels(table).values()))
        for place, revision in enumerate(table.revisions, start=1):
            if not replayed.add(revision, place):
                return None
        if not replayed.flush():
            return None
        if replayed.is_closed != (table.closed_at is not None):
            self.problems.add(join(path, "closed_at"), "closed-without-revision")
        account = table.value.currency if table.value is not None else table.game
        return TableFacts(account, table.day, (*table.players, *table.substitutes), frozenset(replayed.bodies))

    def _add_missing(self, slug: str, path: str) -> None:
        """Add a problem for the first table of a game that is not installed. Its deals could not be checked."""
        if slug not in self._missing:
            self._missing.add(slug)
            self.problems.add(join(path, "game"), "game-missing", game=slug)

    def _open(self, table: TableRecord, path: str) -> Replay | None:
        """Check a table's head as that of a sheet whose players are the seats."""
        seats = [str(number) for number in range(1, len(table.players) + 1)]
        document: JsonObject = {"format": sheet.FORMAT, "game": table.game, "players": seats, "deals": []}
        document |= {"dealer": table.dealer, "house_rules": table.house_rules}
        document |= {"value": schema.dump(table.value)} if table.value is not None else {}
        opened = sheet.load(document, games())
        if isinstance(opened, Refusal):
            self.problems.add_all(path, list(opened.problems))
            return None
        if opened.value is not None and table.value is not None and str(opened.value.amount) != table.value.amount:
            self.problems.add(join(path, "value.amount"), "amount", found=table.value.amount)
        standing = opened.open()
        return Replay(opened.game, standing, standing)


@dataclass
class _Replayer:
    """Replays a table revision by revision. Those that only add a deal at the end are scored together."""

    checker: TableChecker
    replay: Replay
    path: str
    labels: frozenset[str]
    bodies: dict[int, JsonObject | None] = field(default_factory=dict)
    revisions: list[RevisionRecord] = field(default_factory=list)
    undone: set[int] = field(default_factory=set)
    waiting: list[RevisionRow] = field(default_factory=list)
    is_closed: bool = False

    @property
    def game(self) -> AnyGame:
        return self.replay.game

    def add(self, revision: RevisionRecord, place: int) -> bool:
        """Add the next revision; return False if it is invalid, after which nothing can be checked."""
        path = join(self.path, f"revisions.{place}")
        found = self._problems_of_deal(revision) or self._problems_of_label(revision)
        if not found and revision.kind in (COUNT, ANNOUNCE):
            if not self.flush():
                return False
            found = self._problems_of_body(revision)
        self.checker.problems.add_all(path, found)
        if found:
            return False
        self._note(revision)
        self.waiting.append(make_row(RevisionRow, revision, {}, browser_id=0))
        if revision.kind in (RECORD, CLOSE, REOPEN):
            return True
        self.checker.rescored += len(self.bodies) if revision.kind in DEAL_KINDS else 0
        if self.checker.rescored > MAX_RESCORED:
            self.checker.problems.add(path, "too-many-corrections", most=MAX_RESCORED)
            return False
        return self.flush()

    def flush(self) -> bool:
        """Score what was added; return False if a deal breaks a rule."""
        rows, self.waiting = self.waiting, []
        try:
            self.replay = self.replay.extended(rows)
        except IllegalDealError as error:
            number = next((row.number for row in reversed(rows) if row.deal == error.deal), rows[-1].number)
            body = join(self.path, f"revisions.{number}.body")
            self.checker.problems.add_all(body, list(error.refusal.problems))
            return False
        return True

    def _problems_of_deal(self, revision: RevisionRecord) -> list[Problem]:
        """List what is wrong with the deal that a revision is about, and with the keys that its kind has or lacks."""
        kind, is_new = revision.kind, revision.kind in (RECORD, INSERT)
        required, allowed = KEYS_OF_KINDS[kind]
        for name in ("deal", "before", "undoes", "body"):
            is_given = getattr(revision, name) is not None
            if is_given != (name in required) and not (is_given and name in allowed):
                return [Problem(name, "not-for-kind" if is_given else "missing", {"kind": kind})]
        if kind in DEAL_KINDS and self.is_closed:
            return [Problem("kind", "table-closed")]
        if is_new and revision.deal != revision.number:
            return [Problem("deal", "next-number", {"found": str(revision.deal), "must": str(revision.number)})]
        if is_new and len(self.bodies) >= MAX_DEALS:
            return [Problem("deal", "too-many-deals", {"found": len(self.bodies) + 1, "most": MAX_DEALS})]
        for name, number in (("deal", None if is_new else revision.deal), ("before", revision.before)):
            if number is not None and number not in self.bodies:
                return [Problem(name, "not-in-file", {"found": str(number), "section": "revisions"})]
        return self._problems_of_undo(revision)

    def _problems_of_label(self, revision: RevisionRecord) -> list[Problem]:
        """List what is wrong with who sits down, which only the table knows, or with a reason."""
        change = (revision.body or {}).get(SUBSTITUTION)
        label = change.get("in") if isinstance(change, dict) else None
        if isinstance(label, str) and label not in self.labels:
            params = {"found": abbreviate_value(label), "section": "substitutes"}
            return [Problem(f"body.{SUBSTITUTION}.in", "not-in-file", params)]
        return self._problems_of_reason(revision)

    def _problems_of_reason(self, revision: RevisionRecord) -> list[Problem]:
        problems = reason_problems(revision.body, GROWTH * MAX_TEXT_LENGTH)
        return [Problem(join("body", problem.field), problem.key, problem.params) for problem in problems]

    def _problems_of_undo(self, revision: RevisionRecord) -> list[Problem]:
        number = revision.undoes
        if number is None:
            return []
        undone = self.revisions[number - 1] if number <= len(self.revisions) else None
        if undone is None or undone.deal != revision.deal or undone.kind == UNDO or number in self.undone:
            return [Problem("undoes", "not-in-file", {"found": str(number), "section": "revisions"})]
        return []

    def _problems_of_body(self, revision: RevisionRecord) -> list[Problem]:
        """List what is wrong with an announcement or a count, at this point of play."""
        if revision.body is None:
            return []
        if revision.kind == ANNOUNCE:
            facts = to_labels(self.game, revision.body, self.replay.chairs, self.replay.standing.players)
            problems = announcement_problems(self.game, self.replay.standing, facts)
        else:
            problems = _count_problems(self.game, tuple(self.replay.standing.balances), revision.body)
        return [Problem(join("body", problem.field), problem.key, problem.params) for problem in problems]

    def _note(self, revision: RevisionRecord) -> None:
        self.revisions.append(revision)
        if revision.deal is not None:
            self.bodies[revision.deal] = revision.body
        if revision.undoes is not None:
            self.undone.add(revision.undoes)
        if revision.kind in (CLOSE, REOPEN):
            self.is_closed = revision.kind == CLOSE


def _count_problems(game: AnyGame, seats: Sequence[str], body: JsonObject) -> list[Problem]:
    """List what is wrong with the counters in a count."""
    units = set(game.units)
    start, held = body.get("start"), body.get("held")
    has_shape = (
        body.keys() == {"start", "held"}
        and isinstance(start, dict)
        and start.keys() == units
        and isinstance(held, dict)
        and held.keys() == set(seats)
        and all(isinstance(counters, dict) and counters.keys() == units for counters in held.values())
    )
    if not has_shape:
        return [Problem("", "not-a-count", {"found": abbreviate_value(body), "units": ", ".join(game.units)})]
    return counter_checks.find_problems(game, dict.fromkeys(seats), body)


def number_labels(table: TableRecord) -> dict[int, str]:
    """Return the label of each of a table's people, by their number."""
    return {player: str(label) for label, player in enumerate((*table.players, *table.substitutes), start=1)}


def get_house_rules(table: TableRecord) -> JsonObject:
    """Return the house rules of a table that was checked, as they are stored."""
    game = games()[table.game]
    seats = game.seats(tuple(str(number) for number in range(1, len(table.players) + 1)))
    rules: JsonObject = schema.dump(schema.load(game.options, table.house_rules, seats, []))
    return rules


PARTIE = "partie"


def check_event(event: EventRecord, path: str, problems: Problems, persons: Mapping[int, int]) -> None:
    """Add what is wrong with an event; `persons` are those of the file's players by number."""
    problems.add_all(path, list(_settings_problems(event)))
    before, seen, last = len(problems.found), set[int](), (0, 0)
    for place, entrant in enumerate(event.entrants, start=1):
        if persons[entrant.player] in seen:
            problems.add(join(path, f"entrants.{place}.player"), "entrant-twice")
        seen.add(persons[entrant.player])
    for place, change in enumerate(event.substitutions, start=1):
        if (change.number, change.round) <= last:
            found, must = f"{change.number}, {change.round}", f"> {last[0]}, {last[1]}"
            problems.add(join(path, f"substitutions.{place}.round"), "next-number", found=found, must=must)
        last = change.number, change.round
    if len(problems.found) == before:
        _check_rounds(event, path, problems, persons)


def _check_rounds(event: EventRecord, path: str, problems: Problems, persons: Mapping[int, int]) -> None:
    sides = list_sides(is_alone=plays_alone(_find_game(event)))
    for place, drawn in enumerate(event.drawn, start=1):
        tables = join(path, f"drawn.{place}.tables")
        for at, table in enumerate(drawn.tables, start=1):
            of_table = join(tables, at)
            problems.expect_once("tables of rounds", table.table, join(of_table, "table"), "table-again")
            for number, result in enumerate(table.results, start=1):
                problems.add_all(join(of_table, f"results.{number}"), list(_result_problems(result, sides)))
        seated = [*drawn.sits_out, *(number for table in drawn.tables for pair in table.pairs for number in pair)]
        people = people_of_round(event, place, persons)
        if len({people[number] for number in seated}) < len(seated):
            problems.add(tables, "seated-twice")


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
        yield from house_rule_problems(game, event.house_rules, FORMATS.get(event.format))
        yield from value_problems(game, schema.dump(event.value)) if event.value is not None else ()
    if event.format in FORMATS:
        yield from _options_problems(FORMATS[event.format].options, event.options, "options")
    else:
        yield Problem("format", "one-of", {"found": event.format[:40], "choices": tuple(FORMATS)})
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
    format_ = FORMATS.get(event.format)
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
    classes = games()[event.game].options, FORMATS[event.format].options
    rules, options = (
        schema.dump(schema.load(cls, values, NO_SEATS, []))
        for cls, values in zip(classes, (event.house_rules, event.options), strict=True)
    )
    return rules, options
