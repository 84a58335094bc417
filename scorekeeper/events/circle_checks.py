"""Checks of the events in a circle's file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select

from ..files.circle_checks import Checker, expect_game
from ..files.circle_format import Item, refuse, refuse_all
from ..limits import MAX_PLACES
from ..models import Event, db
from ..scoring.problems import Problem
from . import setup
from .games import find_sides
from .money import fee_problems
from .scoring import add_boards


def check_event(checker: Checker, item: Item, id_: int) -> None:
    """Check an event as its form does, then its rounds."""
    event = db.session.scalars(select(Event).where(Event.id == id_)).one()
    expect_game(event.game, item.path)
    details, values = setup.read_details(event), item.values
    problems = [*setup.find_problems(event.circle, details, details), *fee_problems(event.fee, event.currency)]
    if (drawn := len(values.drawn)) > event.rounds:
        problems.append(Problem("rounds", "rounds-drawn", {"least": drawn, "count": drawn}))
    if len(values.entrants) * event.rounds > MAX_PLACES:
        params = {"most": MAX_PLACES // event.rounds, "rounds": event.rounds}
        problems.append(Problem("rounds", "too-many-places", params))
    refuse_all(item.path, problems)
    setup.apply(event, details)
    for place, change in enumerate(values.substitutions, start=1):
        where = f"{item.path}.substitutions.{place}.number"
        if change.number > len(values.entrants):
            refuse(where, "not-in-file", found=str(change.number), section="entrants")
    for number, drawn in enumerate(values.drawn, start=1):
        _check_round(checker, event, values, number, drawn, f"{item.path}.drawn.{number}")


def _check_round(checker: Checker, event: Event, values: Any, number: int, drawn: Any, path: str) -> None:
    sides = find_sides(event)
    people = {place: checker.persons[entrant.player] for place, entrant in enumerate(values.entrants, start=1)}
    for change in sorted(values.substitutions, key=lambda change: change.round):
        people |= {change.number: checker.persons[change.player]} if change.round <= number else {}
    seated = [*drawn.sits_out, *(each for table in drawn.tables for pair in table.pairs for each in pair)]
    unknown = {*seated} - people.keys()
    if unknown:
        refuse(f"{path}.tables", "not-in-file", found=str(min(unknown)), section="entrants")
    if len({people[each] for each in seated}) < len(seated):
        refuse(f"{path}.tables", "seated-twice")
    for place, table in enumerate(drawn.tables, start=1):
        where = f"{path}.tables.{place}"
        if table.table is not None and checker.pads.setdefault(table.table, where) != where:
            refuse(f"{where}.table", "key-again")
        for version, result in enumerate(table.results, start=1):
            refuse_all(f"{where}.results.{version}", [*_find_result_problems(result, sides)])


def _find_result_problems(result: Any, sides: range) -> Iterator[Problem]:
    said, body = {each.side for each in result.confirmed}, result.body
    if not said <= {*sides} or (said and (body is None or result.is_slip)):
        yield Problem("confirmed", "result-not-confirmable")
    if body is None or not (body.scores or body.slams or body.boards):  # withdrawn, or not played
        return
    if any(len(each) != len(sides) for each in (body.scores, *([body.slams] if body.slams else []), *body.boards)):
        yield Problem("body.scores", "scores-of-table", {"must": len(sides)})
    elif body.boards and body.scores != add_boards(body.boards):
        yield Problem("body.scores", "boards-add-up", {"must": add_boards(body.boards)[0]})
