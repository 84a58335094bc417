"""Search of a circle's tables, and the tables of an evening."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import groupby
from typing import Any

from flask import Blueprint, abort, render_template, request, url_for

from ..circles import access
from ..games import games
from ..limits import parse_day
from ..models import Circle
from ..money.reading import read_ledger
from ..people.reading import list_persons, read_persons
from ..site.features import features
from ..site.fields import ChoiceField, TextField, parse_digits
from ..site.language import isolate_rtl, join_names, name_of_key, t
from ..standings.period import PeriodForm
from ..tables import recap
from ..tables.named_games import list_game_keys, read_game_names
from ..tables.reading import count_tables_without_game
from ..tables.recap import Line
from . import search
from .search import TableFilter

blueprint = Blueprint("search", __name__)

SETTLED = {"yes": True, "no": False}


class SearchForm(PeriodForm):
    game = ChoiceField(default="")
    player = ChoiceField(default="")
    words = TextField()
    settled = ChoiceField(default="")

    def __init__(self, circle: Circle) -> None:
        super().__init__()
        names = read_game_names(circle)
        keys = {*list_game_keys(circle), *count_tables_without_game(circle)}
        self.people = {person.token: person for person in list_persons(circle)}
        self.game.choices = [("", t("tables.all-games")), *((key, name_of_key(key, names)) for key in sorted(keys))]
        self.player.choices = [("", t("tables.anybody")), *((token, who.name) for token, who in self.people.items())]
        self.settled.choices = [(answer, t(f"tables.settled.{answer or 'any'}")) for answer in ("", *SETTLED)]

    def read(self) -> TableFilter:
        return TableFilter(
            game=self.game.data or None,
            person=self.people[self.player.data].id if self.player.data else None,
            since=self.since.data,
            until=self.until.data,
            is_settled=SETTLED.get(self.settled.data),
            words=self.words.data or None,
        )


@blueprint.get("/circles/<circle_token>/tables")
def tables(circle_token: str) -> str | tuple[str, int]:
    """Search a circle's tables by game, player, place or note, dates and settlement; `?page=` counts from 0."""
    circle = access.get_membership_or_404(circle_token).circle
    form = SearchForm(circle)
    if not form.validate():
        return _render(circle, form), 422
    conditions, page = form.read(), parse_digits(request.args.get("page")) or 0
    unsettled = read_ledger(circle).find_unsettled_tables()
    matches, has_older = search.find(circle, conditions, unsettled, page)
    askers = features() if page == 0 else []
    return _render(
        circle,
        form,
        newer_url=_find_page_url(circle_token, page - 1, form) if page else None,
        older_url=_find_page_url(circle_token, page + 1, form) if has_older else None,
        events=[event for feature in askers for event in feature.find_events(circle, conditions)],
        unsettled=unsettled,
        evenings=[(day, list(group)) for day, group in groupby(matches, lambda table: table.day)],
    )


def _render(circle: Circle, form: SearchForm, **results: Any) -> str:
    """Render the page; without results if the form was refused."""
    return render_template("evenings/search/tables.html", circle=circle, form=form, **results)


def _find_page_url(circle_token: str, page: int, form: SearchForm) -> str:
    return url_for("search.tables", circle_token=circle_token, page=page, **form.query)


@blueprint.get("/circles/<circle_token>/evenings/<day>")
def evening(circle_token: str, day: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    evening_day = parse_day(day) or abort(404)
    tables_of_day = search.read_tables_on(circle, evening_day) or abort(404)
    recap_of_day = recap.of_evening(circle, tables_of_day)
    recap_of_day.paragraphs.extend(_list_event_winners(circle, evening_day))
    return render_template(
        "evenings/search/evening.html",
        circle=circle,
        day=evening_day,
        tables=tables_of_day,
        unsettled=read_ledger(circle).find_unsettled_tables(),
        recap=recap_of_day,
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
