"""Seasons: the list, one of them with its table and its trophies, and the form to make and change one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response
from wtforms import BooleanField
from wtforms.validators import DataRequired, InputRequired, ValidationError

from .. import limits
from ..circles import access
from ..db.outcome import Done, Stale
from ..models import SCORE, Circle, Season, new_token
from ..people.reading import read_persons
from ..scoring.problems import Problem
from ..scoring.values import clean_name
from ..site.currencies import currency_choices
from ..site.fields import ChoiceField, ChoicesField, DayField, MaxLength, NumberField, TapField, TextField
from ..site.forms import WriteForm
from ..site.language import isolate_rtl, join_names, name_of_key, t
from ..site.numbers import parse_int
from ..site.time_zones import find_today
from ..tables.named_games import list_game_keys, read_game_names
from ..tables.recap import Line, Recap
from . import season_table, seasons
from .period import SINCE, UNTIL, EveningPeriod
from .reading import count_open_tables
from .season_ranking import BEST, COUNTS, MONEY, MOST_EVENINGS, POINTS, RATING, TIES, WON, SeasonRow, award
from .season_texts import SeasonPhrases
from .seasons import SeasonSettings, can_count

blueprint = Blueprint("seasons", __name__, url_prefix="/circles/<circle_token>/seasons")


@blueprint.get("")
def index(circle_token: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    return render_template(
        "standings/seasons/list.html",
        circle=circle,
        seasons=[(season, SeasonPhrases(season).days) for season in seasons.list_seasons(circle)],
        today=find_today(circle.time_zone),
        period=EveningPeriod(),
    )


@blueprint.get("/<season_token>")
def show(circle_token: str, season_token: str) -> str | Response:
    """Show the table of a season, and why each is where they are. An old link leads to the list."""
    circle = access.get_membership_or_404(circle_token).circle
    season = seasons.find(circle, season_token)
    if season is None:
        return redirect(url_for("seasons.index", circle_token=circle_token), 303)
    is_over = seasons.is_over(circle, season)
    return render_template(
        "standings/seasons/season.html",
        circle=circle,
        season=season,
        phrases=SeasonPhrases(season),
        names=read_game_names(circle),
        ranking=season_table.read_table(circle, season),
        is_over=is_over,
        open_tables=count_open_tables(circle.id, season.first, season.last, season.games) if is_over else 0,
        period=EveningPeriod(season.first, season.last, {SINCE: season.first, UNTIL: season.last}),
        people_by_id=read_persons(circle),
    )


def get_season_or_404(circle_token: str, token: str) -> Season:
    return seasons.find(access.get_membership_or_404(circle_token, SCORE).circle, token) or abort(404)


# --- the form for a season ---------------------------------------------------------------------------------


_BETWEEN = re.compile(r"[\s;]+|,(?!\d{3}\b)")  # numbers; 1,000 is one, which may mean another


class PointsField(TextField):
    """The points for the first places of events: whole numbers with spaces between them."""

    data: Any

    def process_formdata(self, valuelist: list[str]) -> None:
        words = _BETWEEN.split(next(iter(valuelist), ""))
        numbers = [parse_int(word) for word in words if word]
        is_right = [isinstance(number, int) and 0 <= number <= limits.MAX_PLACE_POINTS for number in numbers]
        self.data = numbers
        if not all(is_right):
            wrong = str(numbers[is_right.index(False)])[:20]
            raise ValueError(Problem(self.name, "season-places", {"found": wrong, "most": limits.MAX_PLACE_POINTS}))

    def _value(self) -> str:
        return str(self.raw_data[0]) if self.raw_data else " ".join(map(str, self.data or ()))


def blank_for_zero(number: int | None) -> int | None:
    return number or None


class SeasonForm(WriteForm):
    """A field for each of `SeasonSettings`, filled in from a season."""

    name = TextField(
        validators=[
            DataRequired(Problem("name", "season-name-missing")),
            MaxLength(limits.MAX_CIRCLE_TEXT_LENGTH),
        ]
    )
    first = DayField(validators=[InputRequired(Problem("first", "season-day-missing"))])
    last = DayField(validators=[InputRequired(Problem("last", "season-day-missing"))])
    counts = TapField(default=WON)
    games = ChoicesField()
    currency = ChoiceField()
    lowest_wins = BooleanField()
    best = NumberField(least=1, most=limits.MAX_COUNTED_EVENINGS)
    least = NumberField(least=0, most=limits.MAX_COUNTED_EVENINGS, filters=[blank_for_zero])
    bonus = NumberField(least=0, most=limits.MAX_BONUS, filters=[blank_for_zero])
    ties = ChoiceField(default=BEST)
    places = PointsField()

    def __init__(self, circle: Circle, season: Season | None = None, **kwargs: Any) -> None:
        """Offer what the circle can choose, and what the season has already."""
        super().__init__(obj=season, **kwargs)
        names = read_game_names(circle)
        game_keys = dict.fromkeys([*list_game_keys(circle), *(season.games if season is not None else ())])
        own_currency = {season.currency: season.currency} if season is not None and season.currency else {}
        has_ratings = circle.shows_ratings or (season is not None and season.counts == RATING)
        self.counts.choices = [(key, t(f"seasons.counts.{key}")) for key in COUNTS if key != RATING or has_ratings]
        self.games.choices = [(key, name_of_key(key, names)) for key in game_keys]
        self.currency.choices = [*(own_currency | currency_choices()).items()]
        self.ties.choices = [(key, t(f"seasons.ties.{key}")) for key in TIES]

    def validate_games(self, field: ChoicesField) -> None:
        if len(field.data) > limits.MAX_SEASON_GAMES:
            raise ValidationError(Problem("games", "season-too-many-games", {"most": limits.MAX_SEASON_GAMES}))

    def validate_places(self, field: PointsField) -> None:
        if len(field.data) > limits.MAX_COUNTED_PLACES:
            raise ValidationError(Problem("places", "season-too-many-places", {"most": limits.MAX_COUNTED_PLACES}))

    @property
    def has_options(self) -> bool:
        """Whether any of the fields that are folded at first is filled in."""
        return any(field.data for field in (self.best, self.least, self.bonus, self.places, self.lowest_wins))

    @property
    def without_points(self) -> list[str]:
        """The games whose final scores are no points."""
        return [words for key, words in self.games.choices if not can_count(POINTS, key)]

    def read(self) -> SeasonSettings:
        """Return what was sent; without a currency unless money counts."""
        sent: dict[str, Any] = {field.name: self[field.name].data for field in fields(SeasonSettings)}
        return SeasonSettings(
            **sent
            | {
                "games": tuple(sorted({*self.games.data})),
                "currency": self.currency.data if self.counts.data == MONEY else None,
                "least": self.least.data or 0,
                "bonus": self.bonus.data or 0,
                "places": tuple(self.places.data),
            }
        )


@blueprint.route("/new", methods=["GET", "POST"])
def new(circle_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    form = SeasonForm(membership.circle, first=find_today(membership.circle.time_zone))
    if not form.is_submitted():
        return _render_form(form)
    if form.validate():
        outcome = seasons.create(membership.circle, form.read(), form.read_key(), membership)
        if isinstance(outcome, Done):
            return redirect(url_for("seasons.show", circle_token=circle_token, season_token=outcome.value), 303)
        access.reload_membership_or_404(circle_token, SCORE)
        if isinstance(outcome, Stale):
            form.key.data = new_token()
            return _render_form(form, earlier=outcome.current), 409
        form.add_problems(outcome.problems)
    return _render_form(form), 422


@blueprint.route("/<season_token>/change", methods=["GET", "POST"])
def change(circle_token: str, season_token: str) -> ResponseReturnValue:
    season = get_season_or_404(circle_token, season_token)
    form = SeasonForm(g.membership.circle, season)
    if not form.is_submitted():
        form.seen.data = SeasonSettings.of(season).seen
        return _render_form(form, season)
    if form.validate():
        outcome = seasons.change(season, form.read(), form.seen.data or "", g.membership)
        if isinstance(outcome, Done):
            return redirect(url_for("seasons.show", circle_token=circle_token, season_token=season_token), 303)
        season = get_season_or_404(circle_token, season_token)
        if isinstance(outcome, Stale):
            form.seen.data = SeasonSettings.of(season).seen
            return _render_form(form, season, is_stale=True), 409
        form.add_problems(outcome.problems)
    return _render_form(form, season), 422


@blueprint.post("/<season_token>/remove")
def remove(circle_token: str, season_token: str) -> ResponseReturnValue:
    """Remove a season. If it was removed meanwhile, redirect to the list as well."""
    membership = access.get_membership_or_404(circle_token, SCORE)
    season = seasons.find(membership.circle, season_token)
    if season is not None and isinstance(seasons.remove(season, WriteForm().seen.data or "", membership), Stale):
        season = get_season_or_404(circle_token, season_token)
        form = SeasonForm(g.membership.circle, season, formdata=None, seen=SeasonSettings.of(season).seen)
        return _render_form(form, season, is_stale=True), 409
    return redirect(url_for("seasons.index", circle_token=circle_token), 303)


def _render_form(
    form: SeasonForm, season: Season | None = None, *, is_stale: bool = False, earlier: str | None = None
) -> str:
    """Render the form. `is_stale`: others changed the season; `earlier` is the token of one that this form has made."""
    circle: Circle = g.membership.circle
    return render_template(
        "standings/seasons/form.html",
        circle=circle,
        season=season,
        phrases=SeasonPhrases(season) if season is not None else None,
        form=form,
        names=read_game_names(circle),
        is_stale=is_stale,
        earlier=earlier,
    )


# --- trophies ----------------------------------------------------------------------------------------------


@blueprint.get("/<season_token>/trophies")
def trophies(circle_token: str, season_token: str) -> str | Response:
    """Show the trophies of a season that is over, to read and to share, made like the recap of an evening."""
    circle = access.get_membership_or_404(circle_token).circle
    season = seasons.find(circle, season_token)
    not_yet = redirect(url_for("seasons.show", circle_token=circle_token, season_token=season_token), 303)
    if season is None or not seasons.is_over(circle, season):
        return not_yet
    rows = season_table.read_table(circle, season).rows
    if not rows:
        return not_yet
    head = [Line("title", isolate_rtl(season.name), SeasonPhrases(season).days, " · ")]
    if of_circle := isolate_rtl(clean_name(circle.title)):
        head.append(Line("subtitle", of_circle))
    recap = Recap([head, *_list_trophies(circle, season, rows)])
    return render_template("standings/seasons/trophies.html", circle=circle, season=season, recap=recap)


def _list_trophies(circle: Circle, season: Season, rows: list[SeasonRow]) -> Iterator[list[Line]]:
    persons = read_persons(circle)
    for trophy in award(rows, lowest_wins=season.lowest_wins):
        names = join_names(isolate_rtl(persons[player].name) for player in trophy.players)
        lines = [Line("heading", t(f"seasons.trophy.{trophy.kind}")), Line("winner", names)]
        result = SeasonPhrases(season).format_amount(trophy.amount)
        if trophy.kind == MOST_EVENINGS:
            result = t("seasons.evenings", count=int(trophy.amount))
        elif season.counts != MONEY:
            result = f"{t(f'seasons.counts.{season.counts}')}{t('colon')} {result}"
        yield [*lines, Line("result", result)]
