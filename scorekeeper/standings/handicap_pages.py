"""The handicaps of a season: one form for everybody."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField

from ..db.outcome import Done
from ..i18n import in_name_order
from ..limits import HANDICAP_PLACES
from ..models import Circle, Player, Season
from ..people.reading import list_active_persons, read_persons
from ..scoring.problems import Problem, Refusal
from ..site.forms import Form, SentField
from ..site.numbers import format_for_input, parse_number
from . import handicaps
from .handicaps import WantedHandicap
from .season_pages import get_season_or_404
from .season_ranking import HANDICAPS, MONEY
from .season_texts import SeasonPhrases

blueprint = Blueprint("handicaps", __name__, url_prefix="/circles/<circle_token>/seasons/<season_token>/handicaps")


class HandicapsForm(Form):
    """The kind and the size of each person's handicap, by their token."""

    seen = HiddenField(default="")
    kinds = SentField("kind-")
    sizes = SentField("size-", keeps_empty=True)

    def read(self, person: Player) -> WantedHandicap:
        kind = self.kinds.data.get(person.token, "")
        typed = self.sizes.data[person.token].strip()
        if not typed:
            return WantedHandicap(kind, None)
        size = parse_number(typed, HANDICAP_PLACES)
        return WantedHandicap(kind, size if isinstance(size, Decimal) else typed)


@blueprint.route("", methods=["GET", "POST"])
def show(circle_token: str, season_token: str) -> str | Response | tuple[str, int]:
    season = get_season_or_404(circle_token, season_token)
    form = HandicapsForm()
    if request.method != "POST":
        return _render(season, form) if season.counts != MONEY else abort(404)
    circle: Circle = g.membership.circle
    people = _list_people(circle, handicaps.read_handicaps(circle, season))
    wanted = {person.id: form.read(person) for person in people if person.token in form.sizes.data}
    result = handicaps.set_handicaps(season, wanted, form.seen.data, g.membership)
    if isinstance(result, Done):
        return redirect(url_for("seasons.show", circle_token=circle_token, season_token=season_token), 303)
    season = get_season_or_404(circle_token, season_token)
    if isinstance(result, Refusal):
        return _render(season, form, result.problems), 422
    return _render(season, form, is_stale=True), 409


def _list_people(circle: Circle, given: Collection[int]) -> list[Player]:
    """List the people who can be chosen for a table, and those who have a handicap."""
    persons = read_persons(circle)
    people = {person.id: person for person in list_active_persons(circle)} | {id_: persons[id_] for id_ in given}
    return in_name_order(people.values())


def _render(season: Season, form: HandicapsForm, problems: Sequence[Problem] = (), *, is_stale: bool = False) -> str:
    """Render the form with what was sent, or else what is stored."""
    circle: Circle = g.membership.circle
    given = handicaps.read_handicaps(circle, season)
    rows = []
    for person in _list_people(circle, given):
        row = given.get(person.id)
        stored = (row.kind, format_for_input(Decimal(row.size))) if row is not None else (HANDICAPS[0], "")
        size = form.sizes.data.get(person.token)
        shown = stored if size is None else (form.kinds.data.get(person.token, ""), size)
        rows.append((person, shown, stored))
    return render_template(
        "standings/seasons/handicaps.html",
        circle=circle,
        season=season,
        fields=rows,
        given=given,
        phrases=SeasonPhrases(season),
        kinds=HANDICAPS,
        problems=problems,
        seen=form.seen.data if problems else handicaps.build_seen(given),
        is_stale=is_stale,
    )
