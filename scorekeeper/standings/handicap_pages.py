"""The handicaps of a season: one form for everybody."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField
from wtforms.validators import ValidationError

from ..db.outcome import Done
from ..i18n import in_name_order
from ..limits import HANDICAP_PLACES
from ..models import Circle, Handicap, Player, Season
from ..people.reading import list_active_persons, read_persons
from ..site.fields import ChoiceField
from ..site.forms import Form
from ..site.language import t
from ..site.numbers import ambiguity, format_for_input, parse_number
from . import handicaps
from .handicaps import WantedHandicap, find_size_problem, is_as_wanted
from .season_pages import get_season_or_404
from .season_ranking import HANDICAPS, MONEY, POINTS
from .season_texts import SeasonPhrases

blueprint = Blueprint("handicaps", __name__, url_prefix="/circles/<circle_token>/seasons/<season_token>/handicaps")


class HandicapForm(Form):
    """The handicap of a person, in fields that begin with their token; without a size, none."""

    class Meta(Form.Meta):
        csrf = False  # the form of all of them has the token

    kind = ChoiceField(default=POINTS)
    size = StringField()
    wanted: WantedHandicap  # what was sent; set by `validate`

    def __init__(self, person: Player, handicap: Handicap | None, **kwargs: Any) -> None:
        stored = {"kind": handicap.kind, "size": format_for_input(Decimal(handicap.size))} if handicap else {}
        super().__init__(prefix=f"{person.token}-", **stored, **kwargs)
        self.kind.choices = [(kind, t(f"seasons.handicap.{kind}")) for kind in HANDICAPS]

    def validate_size(self, field: StringField) -> None:
        typed = (field.data or "").strip()
        number = parse_number(typed, HANDICAP_PLACES) if typed else None
        size = number if isinstance(number, Decimal) else None
        if typed and self.kind.data in HANDICAPS and (problem := find_size_problem(self.kind.data, size)):
            raise ValidationError(ambiguity(field.name, typed, HANDICAP_PLACES) or problem)
        self.wanted = WantedHandicap(self.kind.data, size)


class HandicapsForm(Form):
    """The handicaps of a season: with what its page showed, a form for each person."""

    seen = HiddenField(default="")

    def __init__(self, circle: Circle, season: Season, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.handicaps = handicaps.read_handicaps(circle, season)
        people = _list_people(circle, self.handicaps)
        self.people = [(person, HandicapForm(person, self.handicaps.get(person.id))) for person in people]

    def validate(self, extra_validators: Any = None) -> bool:
        of_people = [form.validate() for _, form in self.people]
        return bool(super().validate(extra_validators)) and all(of_people)

    def read(self) -> dict[int, WantedHandicap]:
        """Return what was sent by the person's id."""
        return {person.id: form.wanted for person, form in self.people}


@blueprint.route("", methods=["GET", "POST"])
def show(circle_token: str, season_token: str) -> ResponseReturnValue:
    season = get_season_or_404(circle_token, season_token)
    circle: Circle = g.membership.circle
    form = HandicapsForm(circle, season)
    if not form.is_submitted():
        form.seen.data = handicaps.build_seen(form.handicaps)
        return _render(season, form) if season.counts != MONEY else abort(404)
    if not form.validate():
        return _render(season, form), 422
    result = handicaps.set_handicaps(season, form.read(), form.seen.data or "", g.membership)
    if isinstance(result, Done):
        return redirect(url_for("seasons.show", circle_token=circle_token, season_token=season_token), 303)
    season = get_season_or_404(circle_token, season_token)
    form = HandicapsForm(circle, season)
    form.validate()
    form.seen.data = handicaps.build_seen(form.handicaps)
    return _render(season, form, is_stale=True), 409


def _list_people(circle: Circle, given: Collection[int]) -> list[Player]:
    """List the people who can be chosen for a table, and those who have a handicap."""
    persons = read_persons(circle)
    people = {person.id: person for person in list_active_persons(circle)} | {id_: persons[id_] for id_ in given}
    return in_name_order(people.values())


def _render(season: Season, form: HandicapsForm, *, is_stale: bool = False) -> str:
    return render_template(
        "standings/seasons/handicaps.html",
        circle=g.membership.circle,
        season=season,
        form=form,
        phrases=SeasonPhrases(season),
        is_stale=is_stale,
        is_as_wanted=is_as_wanted,
    )
