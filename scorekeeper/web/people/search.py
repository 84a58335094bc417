"""Search of a circle's tables, and the tables of an evening."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from flask import Blueprint, abort, render_template, request

from ...games import games
from ...models import Circle, Event, Player, Table
from ...scoring.problems import Problem
from ...scoring.values import clean_name
from ...services.circles.players import read_persons
from ...services.people import search
from ...services.people.search import TableFilter, TablePage, TablePosition
from ...services.tables.opening import read_names
from ...services.tables.table import has_tables_of
from ...stats.summary import slug_of
from ..support import access
from ..support.language import in_name_order
from ..tables import recap
from ..totals.periods import parse_date, parse_range

blueprint = Blueprint("search", __name__)

FIELDS = ("game", "player", "words", "since", "until", "settled")
SETTLED = {"yes": True, "no": False}
_POSITION = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})_([0-9]{1,18})", re.ASCII)


@blueprint.get("/circles/<name>/tables")
def tables(name: str) -> str | tuple[str, int]:
    """Search a circle's tables by game, player, place or note, dates and settlement."""
    circle = access.get_circle_or_404(name).circle
    people = _people(circle)
    query = {field: value for field in FIELDS if (value := request.args.get(field, "").strip())}
    conditions, problems = _conditions(query, people)
    if conditions.game is not None and not _is_played(circle, conditions.game):
        problems.append(Problem("game", "no-such-game"))
    if problems:
        return _page(circle, people, query, problems=problems), 422
    before, after = _parse_position("before"), _parse_position("after")
    page = search.find(circle, conditions, before=before, after=after)
    events = search.events_with_words(circle, conditions) if before is None and after is None else []
    return _page(circle, people, query, page, events)


def _is_played(circle: Circle, key: str) -> bool:
    """Return whether tables of this game may be searched for, which need not be installed any more."""
    return slug_of(key) in games() or has_tables_of(circle, slug_of(key))


@blueprint.get("/circles/<name>/evenings/<day>")
def evening(name: str, day: str) -> str:
    """Show the tables of an evening with its recap."""
    circle, tables = _get_evening_or_404(name, day)
    return render_template(
        "people/search/evening.html",
        circle=circle,
        day=tables[0].day,
        tables=tables,
        recap=recap.of_evening(circle, tables),
    )


def _get_evening_or_404(name: str, day: str) -> tuple[Circle, list[Table]]:
    """Return a circle and its tables of an evening, of which there is at least one."""
    circle = access.get_circle_or_404(name).circle
    evening_day = parse_date(day)
    tables = search.read_tables_on(circle, evening_day) if evening_day is not None else []
    return (circle, tables) if tables else abort(404)


def _page(
    circle: Circle,
    people: list[Player],
    query: dict[str, str],
    page: TablePage | None = None,
    events: Sequence[Event] = (),
    problems: Sequence[Problem] = (),
) -> str:
    tables = page.tables if page is not None else []
    names = read_names(circle)
    return render_template(
        "people/search/tables.html",
        circle=circle,
        people=people,
        query=query,
        game_keys=sorted(
            {
                *(slug for slug, game in games().items() if not game.named_by),
                *names,
                *(table.game for table in tables if table.game not in games()),
                *([query["game"]] if page and "game" in query else []),
            }
        ),
        names=names,
        page=page,
        events=events,
        evenings=[(day, list(group)) for day, group in groupby(tables, lambda table: table.day)],
        problems=problems,
    )


def _people(circle: Circle) -> list[Player]:
    """Return everybody who has played in the circle, by name, merged players once."""
    people = {person.id: person for person in read_persons(circle).values()}
    return in_name_order(people.values())


# --- parsing -----------------------------------------------------------------------------------------------


def _conditions(query: dict[str, str], people: list[Player]) -> tuple[TableFilter, list[Problem]]:
    """Parse the conditions of a search; return them with what is wrong in the query."""
    since, until, problems = parse_range(query)
    conditions = TableFilter(
        game=query.get("game"),
        person=next((person.id for person in people if person.token == query.get("player")), None),
        since=since,
        until=until,
        is_settled=SETTLED.get(query.get("settled", "")),
        words=clean_name(query.get("words")) or None,
    )
    if "player" in query and conditions.person is None:
        problems.append(Problem("player", "no-such-player"))
    if "settled" in query and conditions.is_settled is None:
        problems.append(Problem("settled", "one-of-these"))
    return conditions, problems


def _parse_position(parameter: str) -> TablePosition | None:
    """Parse a position as `format_position` writes it; None for anything else."""
    match = _POSITION.fullmatch(request.args.get(parameter, ""))
    day = parse_date(match[1]) if match is not None else None
    return TablePosition(day, int(match[2])) if match is not None and day is not None else None


@blueprint.app_template_global()
def format_position(position: TablePosition) -> str:
    """Return a position for a URL, as in "2026-11-21_57"."""
    return f"{position.day}_{position.id}"


@blueprint.app_context_processor
def _template_functions() -> dict[str, Any]:
    """Return the functions by which templates describe a table in words."""
    return {
        "name_of_table": recap.get_name,
        "outcome": recap.outcome,
        "row_count": recap.row_count,
    }
