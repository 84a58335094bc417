"""The handicaps of a season: one form for everybody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField

from ...limits import HANDICAP_PLACES
from ...models import SCORE, Circle, Handicap, Player, Season
from ...scoring.problems import Problem, Refusal
from ...services import seasons
from ...services.circles.players import list_players, read_persons
from ...services.outcome import Done
from ...services.seasons import WantedHandicap
from ...stats.seasons import HANDICAPS, MONEY
from ..support import access
from ..support.amounts import format_for_input, parse_number
from ..support.forms import Form, SentField
from ..support.language import in_name_order
from .seasons import get_or_404

blueprint = Blueprint("handicaps", __name__, url_prefix="/circles/<name>/seasons/<season_token>/handicaps")


class HandicapsForm(Form):
    """The kind and the size of each person's handicap, by their token."""

    seen = HiddenField(default="")
    kinds = SentField("kind-")
    sizes = SentField("size-", keeps_empty=True)

    def read(self, person: Player) -> WantedHandicap:
        typed = self.sizes.data[person.token].strip()
        size = parse_number(typed, HANDICAP_PLACES)
        kind = self.kinds.data.get(person.token, "")
        return WantedHandicap(kind, (size if isinstance(size, Decimal) else typed) if typed else None)


@blueprint.get("")
def show(name: str, season_token: str) -> str:
    """Show the handicaps of a season."""
    season = get_or_404(access.get_circle_or_404(name, SCORE), season_token)
    if season.counts == MONEY:
        abort(404)
    return _page(season, HandicapsForm())


@blueprint.post("")
def save(name: str, season_token: str) -> Response | tuple[str, int]:
    """Save the handicaps of a season."""
    browser = access.get_circle_or_404(name, SCORE)
    season = get_or_404(browser, season_token)
    people = _list_people(browser.circle, seasons.read_handicaps(browser.circle, season))
    form = HandicapsForm()
    wanted = {person.id: form.read(person) for person in people if person.token in form.sizes.data}
    result = seasons.set_handicaps(season, wanted, form.seen.data or "", browser)
    if isinstance(result, Done):
        return redirect(url_for("seasons.show", name=name, season_token=season_token), 303)
    season = get_or_404(access.get_circle_or_404(name, SCORE), season_token)
    if isinstance(result, Refusal):
        return _page(season, form, result.problems, seen=form.seen.data), 422
    return _page(season, form, is_stale=True), 409


def _list_people(circle: Circle, given: Iterable[str]) -> list[Player]:
    """List those who can be chosen for a table, and those who have a handicap."""
    persons = {str(person.id): person for person in read_persons(circle).values()}
    people = {str(person.id): person for person in list_players(circle)} | {id_: persons[id_] for id_ in given}
    return in_name_order(people.values())


def _page(season: Season, form: HandicapsForm, problems: Sequence[Problem] = (), **more: Any) -> str:
    """Render the form with what was sent, or else what is stored. `more`: what it had shown; whether that is stale."""
    circle: Circle = g.browser.circle
    given = seasons.read_handicaps(circle, season)
    people = _list_people(circle, given)
    return render_template(
        "seasons/handicaps.html",
        circle=circle,
        season=season,
        fields=[(person, _shown(person, form, given), _stored(person, given)) for person in people],
        given=given,
        kinds=HANDICAPS,
        problems=problems,
        **{"seen": seasons.make_mark(given)} | more,
    )


def _shown(person: Player, form: HandicapsForm, given: Mapping[str, Handicap]) -> tuple[str, str]:
    """Return the kind and the size in a person's fields."""
    if person.token in form.sizes.data:
        return form.kinds.data.get(person.token, ""), form.sizes.data[person.token]
    return _stored(person, given)


def _stored(person: Player, given: Mapping[str, Handicap]) -> tuple[str, str]:
    row = given.get(str(person.id))
    return (row.kind, format_for_input(Decimal(row.size))) if row is not None else (HANDICAPS[0], "")
