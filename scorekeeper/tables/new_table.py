"""The form for a new table, empty or filled in from another one; its details; and a table entered from paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, Field, HiddenField, StringField, TextAreaField

from ..circles import access
from ..db.outcome import Done, Stale
from ..games import games
from ..limits import MAX_SEATS
from ..models import SCORE, Membership, may, new_token, now
from ..people.names import QUESTION
from ..people.reading import list_active_persons
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, Refusal
from ..scoring.values import JsonObject, Value, clean_lines, clean_name
from ..site import time_zones
from ..site.amounts import ambiguity, currency_choices, format_for_input, parse_amount, value_units
from ..site.forms import MEANING, VALUE_PLACES, Form, SentField, WriteForm
from ..site.language import isolate_rtl, t
from ..site.rate_limits import require_table
from ..site.time_zones import find_evening, local_time
from . import access as table_access
from .details import Details, change_details, list_places, read_details
from .named_games import find_last_table, list_named_games
from .opening import Opening, OpeningResult, find_opened
from .opening import open_table as open_in_circle
from .option_fields import (
    NUMBER,
    OptionField,
    list_known_games,
    option_fields,
    read_from_link,
    read_options,
    shown_value,
    specify_name,
    with_fields,
)
from .reading import read_states
from .record import submit
from .revisions import CLOSE, Change
from .state import TableState
from .table import name_turn_units, require_turn_unit


class DetailsFields(Form):
    """The fields of a table's `Details`; the form of a new table leaves its title out."""

    title = StringField()
    day = StringField()
    place = StringField()
    note = TextAreaField()
    turns = StringField()

    def details(self) -> Details:
        return Details(
            title=clean_name(self.title.data),
            day=(self.day.data or "").strip(),
            place=clean_name(self.place.data),
            note=clean_lines(self.note.data),
            turns=self.turns.data or "",
        )


class RulesFields(Form):
    """What a counter is worth. `with_fields` adds the house rules."""

    currency = StringField()
    unit = StringField()
    amount = StringField()

    def fill_in(self, fields: Iterable[OptionField], options: Any, value: Value | None) -> None:
        for field in fields:
            self[field.name].data = shown_value(field, field.value_in(options))
        if value is not None:
            self.currency.data, self.unit.data = value.currency, value.unit
            self.amount.data = format_for_input(value.amount)

    def read_rules(self, game: AnyGame, fields: Iterable[OptionField], players: int) -> JsonObject:
        return game.house_rules.fill(read_options(self, fields), players)

    def read_value(self, game: AnyGame) -> dict[str, str] | None:
        return read_value(self.unit, self.amount, self.currency, game)

    def specify(self, problem: Problem, game: AnyGame) -> Problem:
        """Return the problem that explains how to type the number, if a problem of the domain is about one."""
        if problem.field == "value.amount":
            parsed = parse_amount(problem.field, self.amount.data, VALUE_PLACES)
            return parsed if isinstance(parsed, Problem) else problem
        field = next((field for field in option_fields(game) if field.problem_field == problem.field), None)
        typed = self[field.name].data if field is not None and field.kind == NUMBER else None
        return ambiguity(problem.field, typed, 0) or specify_name(problem, game)


class OpeningForm(DetailsFields, RulesFields, WriteForm):
    """The form that opens a table, but for the fields that `build_opening_form` adds."""

    like = StringField()  # the table that it was filled in from
    close = BooleanField(default=True)  # whether to close that table, if it is still as `seen`
    circle = HiddenField(default=access.find_scoring_home)  # for which the page was shown; empty for a new one
    time_zone = HiddenField(render_kw={"data-time-zone": True})  # the device's, filled in by a script
    shown_day = HiddenField()  # what the page proposed
    dealer = StringField(default="1")
    meanings = SentField(MEANING)

    def names(self) -> dict[str, str]:
        names = {str(n): clean_name(self[f"seat-{n}"].data) for n in range(1, MAX_SEATS + 1)}
        return {seat: name for seat, name in names.items() if name}

    def details(self) -> Details:
        entered = super().details()
        return replace(entered, day="") if entered.day == (self.shown_day.data or "") else entered

    def zone(self, home: Membership | None) -> str | None:
        """Return the time zone of the circle that the table will be opened in; of a new one, the device's."""
        return home.circle.time_zone if home is not None else time_zones.parse(self.time_zone.data or "")

    def opening(self, game: AnyGame) -> Opening:
        names = self.names()
        first = next(iter(names.values()), "")
        return Opening(
            game=game,
            names=tuple(names.values()),
            dealer=names.get(self.dealer.data or "", first),
            house_rules=self.read_rules(game, option_fields(game), len(names)),
            value=self.read_value(game),
            details=self.details(),
            meanings=self.meanings.data,
        )


OpeningFormT = TypeVar("OpeningFormT", bound=OpeningForm)


def read_value(unit: Field, amount: Field, currency: Field, game: AnyGame) -> dict[str, str] | None:
    """Return what a counter is worth as a sheet stores it; None without an amount of money.

    The amount is empty, which the domain refuses, if the text is not an amount or has two readings.
    """
    if not (amount.data or "").strip():
        return None
    parsed = parse_amount("value.amount", amount.data, VALUE_PLACES)
    return {
        "currency": currency.data or "",
        "unit": unit.data or next(iter(value_units(game)), ""),
        "amount": "" if isinstance(parsed, Problem) else f"{parsed:f}",
    }


def build_opening_form(game: AnyGame, base: type[OpeningFormT]) -> type[OpeningFormT]:
    """Return the form with fields for the game's house rules and for all seats."""
    form = with_fields(base, option_fields(game))
    for number in range(1, MAX_SEATS + 1):
        setattr(form, f"seat-{number}", StringField())
    return form


blueprint = Blueprint("new_table", __name__, url_prefix="/tables")


@blueprint.get("/new")
def choose_game() -> str:
    home = access.load_home_membership()
    named = list_named_games(home.circle).values() if home is not None else ()
    names = [[isolate_rtl(seat.player.person.name) for seat in table.seats if seat.has_sat] for table in named]
    return render_template(
        "tables/choose_game.html",
        games={slug: game.player_counts for slug, game in games().items()},
        named=[*zip(named, map(", ".join, names), strict=True)],
    )


@blueprint.route("/new/<slug>", methods=["GET", "POST"])
def open_table(slug: str) -> ResponseReturnValue:
    """Show the form, filled in from the table `?like=<token>` if there is one; or open the table."""
    game = games().get(slug) or abort(404)
    form = build_opening_form(game, OpeningForm)()
    token = form.like.data or request.args.get("like")
    previous = table_access.get_table_or_404(token) if token else None
    if previous is not None and previous.stored.circle.is_sample:
        return redirect(url_for("new_table.open_table", slug=slug), 303)  # its players are not real
    if not form.is_submitted():
        if previous is not None:
            form.seen.data = previous.seen
            _fill_from_table(form, game, previous)
        else:
            _fill_in_last_value(form, game)
        _fill_from_query(form, game)
        return _new_table_page(game, form, previous)
    if form.circle.data:
        access.return_home(form.circle.data)
    require_turn_unit(game, form.turns.data)
    result = open_from_form(form, form.opening(game))
    if isinstance(result, Done) and previous is not None and form.close.data and _can_be_closed(previous):
        submit(previous, [Change(CLOSE)], form)  # unless something was recorded there meanwhile
    return respond_to_opening(result, lambda *shown: _new_table_page(game, form, previous, *shown))


def open_from_form(form: OpeningForm, opening: Opening, changes: Sequence[Change] = ()) -> OpeningResult:
    """Open the table in the home circle, or in a new one if the device has none; a stale form gets a new key."""
    key = form.read_key()
    checked = opening.checked(form.zone(access.find_home_membership()))
    if isinstance(checked, Refusal):  # before a circle is created for the table
        return checked
    membership = access.get_scoring_membership(form.time_zone.data or "")
    if find_opened(membership.circle, key) is None:  # sent again, it opens none
        require_table(membership.circle)
    result = open_in_circle(opening, key, membership, changes)
    if isinstance(result, Stale):
        form.key.data = new_token()
    return result


def respond_to_opening(
    result: OpeningResult, show: Callable[[tuple[Problem, ...], str | None], str]
) -> ResponseReturnValue:
    """Redirect to the table, or show the form again, with problems or the token of the table that it opened before."""
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    return (show(result.problems, None), 422) if isinstance(result, Refusal) else (show((), result.current), 409)


def _can_be_closed(previous: TableState) -> bool:
    return not previous.is_closed and may(g.membership.right, SCORE)


def _fill_from_table(form: OpeningForm, game: AnyGame, table: TableState) -> None:
    """Fill in the players, the next dealer, the house rules and so on of another table.

    Everybody stays where they sit at the real table: if the games' directions of play differ, the order is reversed.
    """
    seats = [(seat, table.names[seat]) for seat in table.standing.players]
    if table.game.direction != game.direction:
        seats = [*seats[:1], *reversed(seats[1:])]
    for number, (seat, name) in enumerate(seats[: max(game.player_counts)], start=1):
        form[f"seat-{number}"].data = name
        if seat == table.standing.dealer:
            form.dealer.data = str(number)
    if table.game.slug != game.slug:
        return
    form.turns.data = table.stored.turns
    form.fill_in(option_fields(game), table.standing.options, table.standing.value)


def _fill_in_last_value(form: OpeningForm, game: AnyGame) -> None:
    """Propose what a counter was worth at the circle's last table of the game, unless the circle names such games."""
    home = access.load_home_membership()
    last = find_last_table(home.circle, game.slug) if home is not None and not game.house_rules.named_by else None
    if last is not None:
        form.fill_in((), None, read_states(last.circle_id, [last])[last.id].standing.value)


KEPT_FIELDS = ("like", "day", "place", "note", "turns", "currency", "unit", "amount")


def kept_fields(game: AnyGame) -> list[str]:
    """Return the fields that a draw for seats and dealer keeps as they were entered."""
    return [*KEPT_FIELDS, *(field.name for field in option_fields(game))]


def _fill_from_query(form: OpeningForm, game: AnyGame) -> None:
    """Fill in the house rules of a link to a game, or everything that a draw has kept."""
    for name in request.args.keys() & set(KEPT_FIELDS):
        form[name].data = request.args[name]
    for field in option_fields(game):
        if field.name in request.args:
            form[field.name].data = read_from_link(field, request.args[field.name])
    seats = {str(number): f"seat-{number}" for number in range(1, max(game.player_counts) + 1)}
    if not request.args.keys() & set(seats.values()):
        return
    for name in seats.values():
        form[name].data = request.args.get(name, "")
    if request.args.get("dealer") in seats:
        form.dealer.data = request.args["dealer"]


def _new_table_page(
    game: AnyGame,
    form: OpeningForm,
    previous: TableState | None,
    problems: tuple[Problem, ...] = (),
    opened_token: str | None = None,
) -> str:
    fields = option_fields(game)
    asked, named_by = game.house_rules.asked, game.house_rules.named_by
    folded = [field for field in fields if field.option not in asked]
    has_details = bool(form.place.data or form.note.data or form.turns.data)
    chosen = []  # what is not as usual in the folded part
    if any((form[f.name].data or "") != (shown_value(f, f.default) or "") for f in folded):
        chosen.append(t("opening.house-rules"))
    if form.amount.data:
        chosen.append(f"{form.amount.data} {form.currency.data or ''}")
    if has_details:
        chosen.append(t("details.title"))
    return render_opening(
        "tables/new_table.html",
        form,
        game,
        problems,
        turn_units=name_turn_units(game),
        opened_token=opened_token,
        name=next((clean_name(form[field.name].data) for field in fields if field.option == named_by), ""),
        options=folded,
        described=[field for field in fields if field.option in asked and field.is_required],
        asked=[field for field in fields if field.option in asked and not field.is_required],
        has_details=has_details,
        chosen=chosen,
        games=games(),
        known=list_known_games(game),
        previous=previous,
        may_close=previous is not None and _can_be_closed(previous),
    )


def render_opening(
    template: str,
    form: OpeningForm,
    game: AnyGame,
    problems: Iterable[Problem],
    *,
    described: Sequence[OptionField] = (),
    asked: Sequence[OptionField] = (),
    **shown: Any,
) -> str:
    """Render a form that opens a table; `described` and `asked` are fields that do not stand among the house rules."""
    home = access.load_home_membership()
    zone = form.zone(home)
    parts = dict.fromkeys(("day", "place", "note"), "details")  # of the form, by a problem's field
    parts |= {field.problem_field: "described" for field in described}
    parts |= {field.problem_field: "asked" for field in asked}
    if not form.is_submitted():
        form.shown_day.data = find_evening(now(), zone).isoformat()
        form.day.data = form.day.data or form.shown_day.data
    problems = [form.specify(problem, game) for problem in problems]
    return render_template(
        template,
        form=form,
        game=game,
        problems=problems,
        wrong=[problem for problem in problems if problem.key != QUESTION],
        wrong_parts={parts.get(problem.field, problem.field.partition(".")[0]) for problem in problems},
        places=list_places(home.circle) if home is not None else [],
        today=local_time(now(), zone).date(),
        people=[person.name for person in list_active_persons(home.circle)] if home is not None else [],
        currencies=currency_choices(),
        described=described,
        asked=asked,
        **shown,
    )


# --- a table's title, date, place and note, and the other settings in `Details` ---------------------------------


class DetailsForm(DetailsFields):
    seen = HiddenField(default="")


@blueprint.route("/<token>/details", methods=["GET", "POST"])
def edit_details(token: str) -> ResponseReturnValue:
    table = table_access.get_table_or_404(token, SCORE)
    form = DetailsForm()
    if not form.is_submitted():
        current = read_details(table.stored)
        return _details_page(table, DetailsForm(data=vars(current) | {"seen": current.seen}))
    require_turn_unit(table.game, form.turns.data)
    result = change_details(table.stored, form.details(), form.seen.data, g.membership)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=token), 303)
    table = table_access.get_table_or_404(token, SCORE)
    if isinstance(result, Refusal):
        return _details_page(table, form, result.problems), 422
    form.seen.data = result.current.seen
    return _details_page(table, form, current=result.current), 409


def _details_page(table: TableState, form: DetailsForm, problems: Sequence[Problem] = (), **more: Any) -> str:
    circle = table.stored.circle
    places, today = list_places(circle), local_time(now(), circle.time_zone).date()
    more |= {"problems": problems, "places": places, "today": today, "turn_units": name_turn_units(table.game)}
    return render_template("tables/details.html", table=table, form=form, **more)
