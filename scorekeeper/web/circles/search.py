"""Search of a circle's tables, and the tables of an evening."""

from __future__ import annotations

import re
from datetime import date
from itertools import groupby
from typing import Any

from flask import Blueprint, abort, render_template, request

from ...games import games
from ...models import Circle, Player, Table
from ...scoring.problems import Problem
from ...services import search
from ...services.people import persons_by_player_id
from ...services.search import TableFilter, TablePosition
from ..support import access
from ..tables import recap

blueprint = Blueprint("search", __name__)

FIELDS = ("game", "player", "since", "until", "settled")
SETTLED = {"yes": True, "no": False}
_PLACE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})_([0-9]{1,18})", re.ASCII)


@blueprint.get("/circles/<name>/tables")
def tables(name: str) -> str | tuple[str, int]:
    """Search a circle's tables by game, player, dates and settlement."""
    circle = access.get_circle_or_404(name).circle
    people = _people(circle)
    typed = {field: told for field in FIELDS if (told := request.args.get(field, "").strip())}
    wanted, problems = _wanted(typed, people)
    if problems:
        return _page(circle, people, typed, problems=problems), 422
    found = search.find(circle, wanted, before=_place("before"), after=_place("after"))
    return _page(circle, people, typed, found=found, evenings=by_evening(found.tables))


@blueprint.get("/circles/<name>/evenings/<day>")
def evening(name: str, day: str) -> str:
    """Show the tables of an evening with its recap."""
    circle = access.get_circle_or_404(name).circle
    evening_ = _date(day)
    tables = search.tables_on(circle, evening_) if evening_ is not None else []
    if not tables:
        abort(404)
    text = recap.of_evening(circle, tables)
    return render_template("circles/search/evening.html", circle=circle, day=evening_, tables=tables, text=text)


def by_evening(tables: list[Table]) -> list[tuple[date, list[Table]]]:
    """Group tables, which are sorted by date, by evening."""
    return [(day, list(group)) for day, group in groupby(tables, lambda table: table.day)]


def _page(circle: Circle, people: list[Player], typed: dict[str, str], **more: Any) -> str:
    return render_template("circles/search/tables.html", circle=circle, people=people, typed=typed, **more)


def _people(circle: Circle) -> list[Player]:
    """Return everybody who has played in the circle, by name, merged players once."""
    people = {person.id: person for person in persons_by_player_id(circle).values()}
    return sorted(people.values(), key=lambda person: person.name.casefold())


# --- what is asked for -------------------------------------------------------------------------------------


def _wanted(typed: dict[str, str], people: list[Player]) -> tuple[TableFilter, list[Problem]]:
    """What was asked for, and what of it cannot be."""
    problems = [
        Problem(at, "date", {"found": typed[at]}) for at in ("since", "until") if at in typed and not _told(typed, at)
    ]
    wanted = TableFilter(
        game=typed.get("game"),
        person=next((person.id for person in people if str(person.id) == typed.get("player")), None),
        since=_told(typed, "since"),
        until=_told(typed, "until"),
        is_settled=SETTLED.get(typed.get("settled", "")),
    )
    if wanted.game is not None and wanted.game not in games():
        problems.append(Problem("game", "no-such-game"))
    if "player" in typed and wanted.person is None:
        problems.append(Problem("player", "no-such-player"))
    if "settled" in typed and wanted.is_settled is None:
        problems.append(Problem("settled", "one-of-these"))
    if wanted.since is not None and wanted.until is not None and wanted.since > wanted.until:
        problems.append(Problem("until", "until-before-since"))
    return wanted, problems


def _told(typed: dict[str, str], field: str) -> date | None:
    return _date(typed[field]) if field in typed else None


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _place(field: str) -> TablePosition | None:
    """Where in the list to look on from, as a link of ours told it; nowhere for anything else."""
    told = _PLACE.fullmatch(request.args.get(field, ""))
    day = _date(told[1]) if told is not None else None
    return TablePosition(day, int(told[2])) if told is not None and day is not None else None


@blueprint.app_template_global()
def place_in_list(place: TablePosition) -> str:
    return f"{place.day}_{place.id}"


@blueprint.app_context_processor
def _told_in_words() -> dict[str, Any]:
    return {
        "name_of_table": recap.name_of,
        "who_plays": recap.who_plays,
        "outcome": recap.outcome,
        "rows_of": recap.rows_of,
    }
