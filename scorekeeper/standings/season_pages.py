"""Seasons: the list, one of them with its table and its trophies, and the forms to change it and its handicaps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import BooleanField, HiddenField, SelectMultipleField, StringField

from .. import i18n
from ..circles import access
from ..db.outcome import Done, Stale
from ..i18n import in_name_order
from ..limits import HANDICAP_PLACES
from ..models import SCORE, Circle, Handicap, Player, Season, new_token
from ..people.reading import list_active_persons, read_persons
from ..scoring.problems import Problem, Refusal
from ..scoring.values import clean_name
from ..site.amounts import currency_choices, format_for_input, format_signed_amount, parse_int, parse_number
from ..site.forms import Form, SentField, WriteForm
from ..site.language import isolate_rtl, join_names, name_of_key, number, signed, t
from ..site.navigation import find_event_url
from ..site.time_zones import find_today
from ..tables.named_games import list_game_keys, read_game_names
from ..tables.recap import Line, Recap
from . import seasons
from .period_form import SINCE, UNTIL, Period
from .reading import count_open_tables
from .season_ranking import (
    BEST,
    COUNTS,
    EVENINGS,
    FACTOR,
    HANDICAPS,
    MONEY,
    MOST_EVENINGS,
    POINTS,
    RATING,
    SIGNED,
    TIES,
    SeasonRow,
    award,
)
from .seasons import SeasonPlan, WantedHandicap

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
        ranking=seasons.read_table(circle, season),
        find_event_url=find_event_url,
        is_over=is_over,
        open_tables=count_open_tables(circle.id, season.first, season.last, season.games) if is_over else 0,
        period=Period("", season.first, season.last, {SINCE: season.first, UNTIL: season.last}),
        people_by_id=read_persons(circle),
    )


def _get_or_404(circle_token: str, token: str) -> Season:
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
    if request.method == "GET":
        today = find_today(membership.circle.time_zone)
        return _render_form(None, SeasonForm.show(SeasonPlan(first=today.isoformat())))
    form = SeasonForm()
    result = seasons.create(membership.circle, form.read(), form.read_key(), membership)
    if isinstance(result, Done):
        return redirect(url_for("seasons.show", circle_token=circle_token, season_token=result.value), 303)
    access.reload_membership_or_404(circle_token, SCORE)
    if isinstance(result, Stale):
        form.key.data = new_token()
        return _render_form(None, form, earlier=result.current), 409
    return _render_form(None, form, result.problems), 422


@blueprint.route("/<season_token>/change", methods=["GET", "POST"])
def change(circle_token: str, season_token: str) -> str | Response | tuple[str, int]:
    season = _get_or_404(circle_token, season_token)
    if request.method == "GET":
        return _render_form(season, SeasonForm.show(seasons.read_plan(season)))
    form = SeasonForm()
    result = seasons.change(season, form.read(), form.seen.data, g.membership)
    if isinstance(result, Done):
        return redirect(url_for("seasons.show", circle_token=circle_token, season_token=season_token), 303)
    season = _get_or_404(circle_token, season_token)
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
            season = _get_or_404(circle_token, season_token)
            return _render_form(season, SeasonForm.show(result.current), is_stale=True), 409
    return redirect(url_for("seasons.index", circle_token=circle_token), 303)


def _render_form(season: Season | None, form: SeasonForm, problems: Sequence[Problem] = (), **more: Any) -> str:
    """Render the form. `more`: `is_stale` if others changed the season, `earlier` if the form made one before."""
    circle: Circle = g.membership.circle
    names, may_rate = read_game_names(circle), circle.shows_ratings or form.counts.data == RATING
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
        without_points=[name_of_key(key, names) for key in games if not seasons.can_count(POINTS, key)],
        names=names,
        **more,
    )


# --- handicaps: one form for everybody ---------------------------------------------------------------------


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


@blueprint.route("/<season_token>/handicaps", methods=["GET", "POST"])
def handicaps(circle_token: str, season_token: str) -> str | Response | tuple[str, int]:
    season, form = _get_or_404(circle_token, season_token), HandicapsForm()
    if request.method == "GET":
        return _render_handicaps(season, form) if season.counts != MONEY else abort(404)
    circle = g.membership.circle
    people = _list_people(circle, seasons.read_handicaps(circle, season))
    wanted = {person.id: form.read(person) for person in people if person.token in form.sizes.data}
    result = seasons.set_handicaps(season, wanted, form.seen.data, g.membership)
    if isinstance(result, Done):
        return redirect(url_for("seasons.show", circle_token=circle_token, season_token=season_token), 303)
    season = _get_or_404(circle_token, season_token)
    if isinstance(result, Refusal):
        return _render_handicaps(season, form, result.problems, seen=form.seen.data), 422
    return _render_handicaps(season, form, is_stale=True), 409


def _list_people(circle: Circle, given: dict[int, Handicap]) -> list[Player]:
    """List the people who can be chosen for a table, and those who have a handicap."""
    persons = read_persons(circle)
    people = {person.id: person for person in list_active_persons(circle)} | {id_: persons[id_] for id_ in given}
    return in_name_order(people.values())


def _render_handicaps(season: Season, form: HandicapsForm, problems: Sequence[Problem] = (), **more: Any) -> str:
    """Render the form with what was sent, or else what is stored. `more`: `seen` as it was sent, `is_stale`."""
    circle: Circle = g.membership.circle
    given = seasons.read_handicaps(circle, season)
    rows = []
    for person in _list_people(circle, given):
        row = given.get(person.id)
        stored = (row.kind, format_for_input(Decimal(row.size))) if row is not None else (HANDICAPS[0], "")
        sent = form.kinds.data.get(person.token, ""), form.sizes.data.get(person.token)
        rows.append((person, stored if sent[1] is None else sent, stored))
    return render_template(
        "standings/seasons/handicaps.html",
        circle=circle,
        season=season,
        fields=rows,
        given=given,
        phrases=SeasonPhrases(season),
        kinds=HANDICAPS,
        problems=problems,
        **{"seen": seasons.find_seen(given)} | more,
    )


# --- trophies ----------------------------------------------------------------------------------------------


@blueprint.get("/<season_token>/trophies")
def trophies(circle_token: str, season_token: str) -> str | Response:
    """Show the trophies of a season that is over, to read and to share, made like the recap of an evening."""
    circle = access.get_membership_or_404(circle_token).circle
    season = seasons.find(circle, season_token)
    rows = seasons.read_table(circle, season).rows if season is not None and seasons.is_over(circle, season) else []
    if season is None or not rows:
        return redirect(url_for("seasons.show", circle_token=circle_token, season_token=season_token), 303)
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


# --- seasons in words --------------------------------------------------------------------------------------


def to_decimal(amount: Fraction | int) -> Decimal:
    """Write a number that has at most two decimal places."""
    return Decimal(amount.numerator) / amount.denominator


@dataclass(frozen=True)
class SeasonPhrases:
    season: Season

    @property
    def days(self) -> str:
        since, until = (i18n.long_day(day, g.locale) for day in (self.season.first, self.season.last))
        return t("players.between", since=since, until=until)

    def describe_rules(self, names: Mapping[str, str]) -> str:
        """Return how its evenings count, in a line; `names` are those that the circle has given to games."""
        season = self.season
        said = [t(f"seasons.counts.{season.counts}")]
        said += [name_of_key(key, names) for key in season.games] or [t("seasons.all-games")]
        if season.lowest_wins:
            said.append(t("seasons.lowest-wins"))
        counts = {"best": season.best, "least": season.least, "bonus": season.bonus}
        said += [t(f"seasons.rule.{key}", count=count) for key, count in counts.items() if count]
        if season.places:
            said.append(f"{t('seasons.rule.places')}{t('colon')} {' '.join(map(str, season.places))}")
        return " · ".join([*said, t(f"seasons.rule.ties.{season.ties}")])

    def format_amount(self, amount: Fraction | int) -> str:
        if self.season.counts == MONEY:
            return format_signed_amount(self.season.currency or "", int(amount))
        value = to_decimal(amount)
        return signed(value) if self.season.counts in SIGNED else number(value)

    def format_points(self, amount: Fraction | int) -> str:
        return signed(to_decimal(amount))

    def describe_handicap(self, handicap: Handicap) -> str:
        """Return what a handicap does: +2 for each evening, or × 1.5."""
        amount = Decimal(handicap.size)
        if handicap.kind == FACTOR:
            return t("seasons.handicap.times", amount=number(amount))
        return t("seasons.handicap.each", amount=signed(amount))

    def list_reasons(self, row: SeasonRow, handicap: Handicap | None) -> Iterator[str]:
        season, evenings = self.season, len(row.evenings)
        if handicap is not None:
            yield f"{t('seasons.handicap')}{t('colon')} {self.describe_handicap(handicap)}"
        if season.best:
            yield t("seasons.of", counted=row.counted, count=evenings)
        if row.bonus:
            yield t("seasons.bonus-of", amount=self.format_points(row.bonus), count=evenings)
        if row.has_equals and season.ties == BEST:
            best = row.find_best(lowest_wins=season.lowest_wins)
            yield t("seasons.tie.best", amount=self.format_amount(best))
        elif row.has_equals and season.ties == EVENINGS:
            yield t("seasons.tie.evenings", count=evenings)
        if row.shares_rank:
            yield t("seasons.tie.shared")
