"""Check what was imported of a circle: everything that its pages rely on, by what checks an ordinary write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import chain
from typing import Any, NamedTuple

from ..games import games
from ..limits import GROWTH, MAX_DEALS, MAX_PAYMENTS, MAX_SEASONS, MAX_TEXT_LENGTH
from ..models import PAYMENT, Payment, Season, Table
from ..scoring import schema, sheet
from ..scoring.common_facts import find_long_reason
from ..scoring.game import announcement_problems
from ..scoring.problems import Problem, Refusal, abbreviate_value
from ..scoring.standing import SUBSTITUTION
from ..scoring.values import JsonObject
from ..site.features import features
from ..standings.handicaps import find_size_problem
from ..standings.seasons import SeasonSettings
from ..tables import revisions as kinds
from ..tables.chairs import to_labels
from ..tables.reading import read_revisions
from ..tables.revisions import RevisionRow, find_count_problems
from ..tables.state import IllegalDealError, TableState
from ..tables.writing import store_summary
from . import circle_format
from .circle_format import raise_problem, raise_problems

MAX_RESCORED = 200_000  # deals scored again by corrections, in a file: seconds in which nobody else can write

# What a revision of each kind has of deal, before, body and undoes, and what it may have besides.
NEEDED = {
    kinds.RECORD: {"deal", "body"},
    kinds.INSERT: {"deal", "before", "body"},
    kinds.AMEND: {"deal", "body"},
    kinds.WITHDRAW: {"deal"},
    kinds.RESTORE: {"deal", "body"},
    kinds.UNDO: {"deal", "undoes"},
    kinds.CLOSE: set(),
    kinds.REOPEN: set(),
    kinds.COUNT: {"body"},
    kinds.ANNOUNCE: set(),
}
OPTIONAL = {kinds.UNDO: {"body"}, kinds.ANNOUNCE: {"body"}}


class Item(NamedTuple):
    section: str
    place: int  # in the section, from 1
    values: Any  # of its class in circle_format.py

    @property
    def path(self) -> str:
        return f"{self.section}.{self.place}"


class Checker:
    """Checks stored items in the file's order.

    Attributes:
        persons: the number of the person that each player is, by the player's number.
        pads: the path of the event's table that has a table as its pad, by the table's number.
        rescored: how many deals were scored again so far, because an earlier one was corrected.
    """

    def __init__(self, players: Iterable[circle_format.Player]) -> None:
        self.persons = {number: player.person or number for number, player in enumerate(players, start=1)}
        self.pads: dict[int, str] = {}
        self.rescored = 0

    def check(self, item: Item, row: Any) -> None:
        """Check an item that was stored in a row. Raises a CircleFileError."""
        if item.section in _CHECKS:
            _CHECKS[item.section](self, item, row)
        for feature in features():
            feature.check_item(self, item, row)


def _check_table(checker: Checker, item: Item, table: Table) -> None:
    players = [seat.player for seat in item.values.seats]
    if len({checker.persons[player] for player in players}) < len(players):
        raise_problem(f"{item.path}.seats", "person-twice")
    substitutes = [seat.is_substitute for seat in item.values.seats]
    if substitutes != sorted(substitutes):
        raise_problem(f"{item.path}.seats", "substitutes-last")
    _check_head(table, item.path)
    store_summary(_replay(checker, table, item.path))


def _replay(checker: Checker, table: Table, path: str) -> TableState:
    state = TableState(table)
    rows = read_revisions(table)
    for row in rows:
        problem = _find_problem(state, row)
        raise_problems(f"{path}.revisions.{row.number}", [problem] if problem is not None else [])
        if row.deal_id is not None and row.kind != kinds.RECORD:
            checker.rescored += len(state.deals)
        if checker.rescored > MAX_RESCORED:
            raise_problem(f"{path}.revisions.{row.number}", "too-many-corrections", most=MAX_RESCORED)
        try:
            state = state.with_revision(row)
        except IllegalDealError as error:
            number = max(each.number for each in rows[: row.number] if each.deal_id == error.deal_id)
            raise_problems(f"{path}.revisions.{number}.body", [*error.refusal.problems])
        if row.kind in (kinds.CLOSE, kinds.REOPEN):
            table.closed_at = row.at if row.kind == kinds.CLOSE else None
    return state


def _check_payment(_checker: Checker, item: Item, _row: Payment) -> None:
    payment = item.values
    if item.place > MAX_PAYMENTS:
        raise_problem("payments", "too-many-payments", most=MAX_PAYMENTS)
    if (payment.giver is None and payment.taker is None) != (payment.kind != PAYMENT):
        raise_problem(f"{item.path}.kind", "box-and-people")
    if (payment.withdrawn_at is None) != (payment.withdrawn_by is None):
        raise_problem(f"{item.path}.withdrawn_by", "missing")


def _check_season(_checker: Checker, item: Item, season: Season) -> None:
    if item.place > MAX_SEASONS:
        raise_problem("seasons", "too-many-seasons", most=MAX_SEASONS)
    raise_problems(item.path, [*SeasonSettings.of(season).find_problems(None)])
    for place, handicap in enumerate(item.values.handicaps, start=1):
        problem = find_size_problem(handicap.kind, Decimal(handicap.size))
        raise_problems(f"{item.path}.handicaps.{place}", [problem] if problem is not None else [])


_CHECKS: dict[str, Callable[[Checker, Item, Any], None]] = {
    "tables": _check_table,
    "payments": _check_payment,
    "seasons": _check_season,
}


def expect_game(slug: str, path: str) -> None:
    if slug not in games():
        raise_problem(f"{path}.game", "game-missing", game=slug)


def _check_head(table: Table, path: str) -> None:
    """Check a table's head as that of a sheet whose players are the seats; its house rules are stored in full."""
    expect_game(table.game, path)
    seats = [seat.label for seat in table.seats if not seat.is_substitute]
    head: JsonObject = {"format": sheet.FORMAT, "game": table.game, "players": seats, "dealer": table.dealer}
    value = {"currency": table.value_currency, "unit": table.value_unit, "amount": table.value_amount}
    given = {"value": {key: each for key, each in value.items() if each is not None}} if any(value.values()) else {}
    opened = sheet.load(head | given | {"house_rules": table.house_rules, "deals": []}, games())
    if isinstance(opened, Refusal):
        raise_problems(path, [*opened.problems])
        return
    table.house_rules = schema.dump(opened.options)


def _find_problem(table: TableState, row: RevisionRow) -> Problem | None:
    """Return why a revision cannot follow those of the table."""
    if row.kind not in NEEDED:
        return Problem("kind", "one-of", {"found": row.kind, "choices": tuple(NEEDED)})
    of_body = _find_body_problems(table, row.kind, row.body) if row.body is not None else ()
    in_body = (each._replace(field=f"body.{each.field}".rstrip(".")) for each in of_body)
    return next(chain(_find_shape_problems(row), _find_number_problems(table, row), in_body), None)


def _find_shape_problems(row: RevisionRow) -> Iterator[Problem]:
    values = {"deal": row.deal_id, "before": row.before_id, "body": row.body, "undoes": row.undoes}
    given = {name for name, value in values.items() if value is not None}
    needed = NEEDED[row.kind]
    for name in sorted(needed - given):
        yield Problem(name, "missing", {"kind": row.kind})
    for name in sorted(given - needed - OPTIONAL.get(row.kind, set())):
        yield Problem(name, "not-for-kind", {"kind": row.kind})


def _find_number_problems(table: TableState, row: RevisionRow) -> Iterator[Problem]:
    is_new = row.kind in (kinds.RECORD, kinds.INSERT)
    if is_new and row.deal_id != row.number:
        yield Problem("deal", "next-number", {"found": str(row.deal_id), "must": str(row.number)})
    if is_new and len(table.deals) >= MAX_DEALS:
        yield Problem("deal", "too-many-deals", {"found": len(table.deals) + 1, "most": MAX_DEALS})
    for name, number in (("deal", None if is_new else row.deal_id), ("before", row.before_id)):
        if number is not None and all(deal.id != number for deal in table.deals):
            yield _miss(name, number, "revisions")
    if row.undoes is not None:
        last = table.revisions[row.undoes - 1] if 0 < row.undoes <= table.version else None
        if last is None or last.deal_id != row.deal_id or last.kind == kinds.UNDO:
            yield _miss("undoes", row.undoes, "revisions")


def _miss(field: str, found: object, section: str) -> Problem:
    return Problem(field, "not-in-file", {"found": abbreviate_value(found), "section": section})


def _find_body_problems(table: TableState, kind: str, body: JsonObject) -> Iterator[Problem]:
    change = body.get(SUBSTITUTION)
    label = change.get("in") if isinstance(change, dict) else None
    if isinstance(label, str) and label not in table.names:
        yield _miss(f"{SUBSTITUTION}.in", label, "seats")
    if (problem := find_long_reason(body, GROWTH * MAX_TEXT_LENGTH)) is not None:
        yield problem
    if kind == kinds.ANNOUNCE:
        facts = to_labels(table.game, body, table.chairs, table.standing.players)
        yield from announcement_problems(table.game, table.standing, facts)
    if kind == kinds.COUNT:
        try:
            yield from find_count_problems(table.game, table.standing.balances, body)
        except (KeyError, TypeError):
            units = ", ".join(table.game.units)
            yield Problem("", "not-a-count", {"found": abbreviate_value(body), "units": units})
