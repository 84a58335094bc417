"""Search of a circle's tables, and the tables of an evening."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import groupby
from typing import Any

from flask import Blueprint, abort, render_template, request, url_for

from ..circles import access
from ..games import games, slug_of
from ..limits import parse_day
from ..models import Circle, Player, Table
from ..money.reading import read_ledger
from ..people.reading import list_persons, read_persons
from ..scoring.problems import Problem
from ..scoring.values import clean_name
from ..site.features import features
from ..site.fields import parse_digits
from ..site.language import isolate_rtl, join_names, name_of_key, t
from ..standings.period import parse_range
from ..tables import recap
from ..tables.named_games import list_game_keys, read_game_names
from ..tables.reading import has_tables_of
from ..tables.recap import Line
from . import search
from .search import TableFilter

blueprint = Blueprint("search", __name__)

FIELDS = ("game", "player", "words", "since", "until", "settled")
SETTLED = {"yes": True, "no": False}


@blueprint.get("/circles/<circle_token>/tables")
def tables(circle_token: str) -> str | tuple[str, int]:
    """Search a circle's tables by game, player, place or note, dates and settlement; `?page=` counts from 0."""
    circle = access.get_membership_or_404(circle_token).circle
    people = list_persons(circle)
    query = {field: value for field in FIELDS if (value := request.args.get(field, "").strip())}
    conditions, problems = _conditions(circle, query, people)
    page = parse_digits(request.args.get("page")) or 0
    unsettled = read_ledger(circle).find_unsettled_tables()
    found, has_older = search.find(circle, conditions, unsettled, page) if not problems else ([], False)
    askers = features() if page == 0 and not problems else []
    html = render_template(
        "evenings/search/tables.html",
        circle=circle,
        query=query,
        choices={
            "game": _list_games(circle, found, conditions.game if not problems else None),
            "player": [("", t("tables.anybody")), *((person.token, person.name) for person in people)],
            "settled": [(each, t(f"tables.settled.{each or 'any'}")) for each in ("", *SETTLED)],
        },
        newer_url=_find_page_url(circle_token, page - 1, query) if page else None,
        older_url=_find_page_url(circle_token, page + 1, query) if has_older else None,
        events=[event for feature in askers for event in feature.find_events(circle, conditions)],
        unsettled=unsettled,
        evenings=[(day, list(group)) for day, group in groupby(found, lambda table: table.day)],
        problems=problems,
    )
    return (html, 422) if problems else html


def _list_games(circle: Circle, found: list[Table], asked: str | None) -> list[tuple[str, str]]:
    """List the games to choose from: those that the circle can play, the one asked for, and those not installed."""
    keys = {*list_game_keys(circle), *(table.game for table in found if table.game not in games())}
    keys |= {asked} if asked else set()
    names = read_game_names(circle)
    return [("", t("tables.all-games")), *((key, name_of_key(key, names)) for key in sorted(keys))]


def _find_page_url(circle_token: str, page: int, query: Mapping[str, Any]) -> str:
    return url_for("search.tables", circle_token=circle_token, page=page, **query)


def _conditions(circle: Circle, query: dict[str, str], people: list[Player]) -> tuple[TableFilter, list[Problem]]:
    since, until, problems = parse_range(query)
    conditions = TableFilter(
        game=query.get("game"),
        person=next((person.id for person in people if person.token == query.get("player")), None),
        since=since,
        until=until,
        is_settled=SETTLED.get(query.get("settled", "")),
        words=clean_name(query.get("words")) or None,
    )
    slug = slug_of(query.get("game", ""))
    if slug and slug not in games() and not has_tables_of(circle, slug):  # one need not be installed any more
        problems.append(Problem("game", "no-such-game"))
    if "player" in query and conditions.person is None:
        problems.append(Problem("player", "no-such-player"))
    if "settled" in query and conditions.is_settled is None:
        problems.append(Problem("settled", "one-of-these"))
    return conditions, problems


@blueprint.get("/circles/<circle_token>/evenings/<day>")
def evening(circle_token: str, day: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    evening_day = parse_day(day) or abort(404)
    found = search.read_tables_on(circle, evening_day) or abort(404)
    shared = recap.of_evening(circle, found)
    shared.paragraphs.extend(_list_event_winners(circle, evening_day))
    return render_template(
        "evenings/search/evening.html",
        circle=circle,
        day=evening_day,
        tables=found,
        unsettled=read_ledger(circle).find_unsettled_tables(),
        recap=shared,
        games=games(),
    )


def _list_event_winners(circle: Circle, day: date) -> Iterator[list[Line]]:
    persons = read_persons(circle)
    for feature in features():
        for event in feature.list_places(circle, day, day, ()):
            names = [isolate_rtl(persons[id_].name) for id_, place in event.places.items() if place == 1]
            if names:
                winner = Line("winner", t("outcome.won", who=join_names(names)))
                yield [Line("name", isolate_rtl(event.title)), winner]
