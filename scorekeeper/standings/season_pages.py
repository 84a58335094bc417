"""Seasons: the list, one of them with its table and its trophies, and the form to make and change one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import BooleanField, SelectMultipleField, StringField

from ..circles import access
from ..db.outcome import Done, Stale
from ..models import SCORE, Circle, Season, new_token
from ..people.reading import read_persons
from ..scoring.problems import Problem, Refusal
from ..scoring.values import clean_name
from ..site.amounts import currency_choices, parse_int
from ..site.forms import WriteForm
from ..site.language import isolate_rtl, join_names, name_of_key, t
from ..site.time_zones import find_today
from ..tables.named_games import list_game_keys, read_game_names
from ..tables.recap import Line, Recap
from . import season_table, seasons
from .period import SINCE, UNTIL, Period
from .reading import count_open_tables
from .season_ranking import COUNTS, MONEY, MOST_EVENINGS, POINTS, RATING, TIES, SeasonRow, award
from .season_texts import SeasonPhrases
from .seasons import SeasonPlan, can_count, read_plan

blueprint = Blueprint("seasons", __name__, url_prefix="/circles/<circle_token>/seasons")


@blueprint.get("")
def index(circle_token: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    return render_template(
        "standings/seasons/list.html",
        circle=circle,
        seasons=[(season, SeasonPhrases(season).days) for season in seasons.list_seasons(circle)],
        today=find_today(circle.time_zone),
        period=Period(),
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
        period=Period(season.first, season.last, {SINCE: season.first, UNTIL: season.last}),
        people_by_id=read_persons(circle),
    )


def get_season_or_404(circle_token: str, token: str) -> Season:
    return seasons.find(access.get_membership_or_404(circle_token, SCORE).circle, token) or abort(404)


# --- the form for a season ---------------------------------------------------------------------------------


class SeasonForm(WriteForm):
    """A field for each field of `SeasonPlan`. The service checks the games."""

    name = StringField(filters=[clean_name])
    first = StringField(filters=[clean_name])
    last = StringField(filters=[clean_name])
    counts = StringField(filters=[clean_name])
    games = SelectMultipleField(validate_choice=False, filters=[lambda keys: tuple(map(clean_name, keys or ()))])
    currency = StringField(filters=[clean_name])
    lowest_wins = BooleanField()
    best = StringField(filters=[parse_int])
    least = StringField(filters=[parse_int])
    bonus = StringField(filters=[parse_int])
    ties = StringField(filters=[clean_name])
    places = StringField(filters=[lambda text: tuple(map(parse_int, re.findall(r"[^\s,;]+", text or "")))])

    @classmethod
    def show(cls, plan: SeasonPlan) -> SeasonForm:
        texts = {key: str(getattr(plan, key)) for key in ("best", "least", "bonus")}
        texts["places"] = " ".join(map(str, plan.places))
        return cls(formdata=None, seen=plan.seen, **(vars(plan) | texts))

    @property
    def has_options(self) -> bool:
        """Whether any of the fields that are folded at first is filled in."""
        return any(field.data for field in (self.best, self.least, self.bonus, self.places, self.lowest_wins))

    def read(self) -> SeasonPlan:
        return SeasonPlan(**{each.name: self[each.name].data for each in fields(SeasonPlan)})


@blueprint.route("/new", methods=["GET", "POST"])
def new(circle_token: str) -> str | Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    if request.method != "POST":
        today = find_today(membership.circle.time_zone)
        return _render_form(None, SeasonForm.show(SeasonPlan(first=today.isoformat())))
    form = SeasonForm()
    result = seasons.create(membership.circle, form.read(), form.read_key(), membership)
    if isinstance(result, Done):
        return redirect(url_for("seasons.show", circle_token=circle_token, season_token=result.value), 303)
    access.get_membership_or_404(circle_token, SCORE)  # the write has expired what was loaded
    if isinstance(result, Stale):
        form.key.data = new_token()
        return _render_form(None, form, earlier=result.current), 409
    return _render_form(None, form, result.problems), 422


@blueprint.route("/<season_token>/change", methods=["GET", "POST"])
def change(circle_token: str, season_token: str) -> str | Response | tuple[str, int]:
    season = get_season_or_404(circle_token, season_token)
    if request.method != "POST":
        return _render_form(season, SeasonForm.show(read_plan(season)))
    form = SeasonForm()
    result = seasons.change(season, form.read(), form.seen.data, g.membership)
    if isinstance(result, Done):
        return redirect(url_for("seasons.show", circle_token=circle_token, season_token=season_token), 303)
    season = get_season_or_404(circle_token, season_token)
    if isinstance(result, Refusal):
        return _render_form(season, form, result.problems), 422
    form.seen.data = result.current.seen
    return _render_form(season, form, is_stale=True), 409


@blueprint.post("/<season_token>/remove")
def remove(circle_token: str, season_token: str) -> Response | tuple[str, int]:
    """Remove a season. If it was removed meanwhile, redirect to the list as well."""
    membership = access.get_membership_or_404(circle_token, SCORE)
    season = seasons.find(membership.circle, season_token)
    if season is not None:
        result = seasons.remove(season, WriteForm().seen.data, membership)
        if not isinstance(result, Done):
            season = get_season_or_404(circle_token, season_token)
            return _render_form(season, SeasonForm.show(result.current), is_stale=True), 409
    return redirect(url_for("seasons.index", circle_token=circle_token), 303)


def _render_form(
    season: Season | None,
    form: SeasonForm,
    problems: Sequence[Problem] = (),
    *,
    is_stale: bool = False,
    earlier: str | None = None,
) -> str:
    """Render the form. `is_stale`: others changed the season; `earlier` is the token of one that this form has made."""
    circle: Circle = g.membership.circle
    names = read_game_names(circle)
    may_rate = circle.shows_ratings or form.counts.data == RATING
    games = dict.fromkeys([*list_game_keys(circle), *(season.games if season is not None else ())])
    return render_template(
        "standings/seasons/form.html",
        circle=circle,
        season=season,
        phrases=SeasonPhrases(season) if season is not None else None,
        form=form,
        problems=problems,
        counts=[(each, t(f"seasons.counts.{each}")) for each in COUNTS if each != RATING or may_rate],
        ties=[(each, t(f"seasons.ties.{each}")) for each in TIES],
        currencies=currency_choices(),
        games={key: name_of_key(key, names) for key in games},
        without_points=[name_of_key(key, names) for key in games if not can_count(POINTS, key)],
        names=names,
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
