"""The form for a new table, empty or filled in from another one; its details; and a table entered from paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, ClassVar, TypeVar

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, Field, HiddenField, StringField, ValidationError
from wtforms.validators import InputRequired

from .. import limits
from ..circles import access
from ..db.outcome import Done, Stale
from ..games import games
from ..limits import MAX_SEATS
from ..models import SCORE, Membership, may, new_token, now
from ..people.names import QUESTION
from ..people.reading import list_active_persons
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, Refusal
from ..scoring.sheet import Sheet
from ..scoring.values import JsonObject, Value, clean_name
from ..site import time_zones
from ..site.amounts import value_units
from ..site.currencies import currency_choices
from ..site.fields import ChoiceField, DayField, LinesField, MaxLength, TapField, TextField
from ..site.forms import MEANING, VALUE_PLACES, Form, SentField, WriteForm
from ..site.language import isolate_rtl, t
from ..site.numbers import ambiguity, format_for_input, parse_amount
from ..site.rate_limits import require_table
from ..site.time_zones import find_evening, local_time
from . import access as table_access
from .details import Details, change_details, list_places, read_details
from .named_games import find_last_table, list_named_games
from .opening import Opening, OpeningResult, find_opened
from .opening import open_table as open_in_circle
from .option_fields import (
    HOUSE_RULES,
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
from .table import name_turn_units


class DetailsFields(Form):
    """The fields of a table's `Details`; the form of a new table leaves its title out."""

    title = TextField(validators=[MaxLength(limits.MAX_TEXT_LENGTH)])
    day = DayField()
    place = TextField(validators=[MaxLength(limits.MAX_PLACE_LENGTH)])
    note = LinesField(validators=[MaxLength(limits.MAX_NOTE_LENGTH)])
    turns = ChoiceField(default="")
    today: date  # in the circle's time zone

    def prepare(self, game: AnyGame, zone: str | None) -> None:
        """Set what depends on the game, and on the time zone of the table's circle."""
        self.turns.choices = [*name_turn_units(game).items()]
        self.today = local_time(now(), zone).date()

    def validate_day(self, field: DayField) -> None:
        if field.data is None or field.data == field.object_data:
            return
        key = "future-day" if field.data > self.today else limits.find_day_problem(field.data, self.today)
        if key is not None:
            raise ValidationError(Problem("day", key))

    def read_details(self) -> Details:
        return Details(
            title=self.title.data or "",
            day=self.day.data,
            place=self.place.data or "",
            note=self.note.data or "",
            turns=self.turns.data,
        )


class RulesFields(Form):
    """What a counter is worth. `with_fields` adds the house rules. The game checks both, as it does in a sheet."""

    currency = ChoiceField(validate_choice=False)  # the sheet refuses what is no currency
    unit = TapField(validate_choice=False)  # and what is no counter of the game
    amount = StringField()

    def validate_amount(self, field: StringField) -> None:
        """Say how to type an amount; the sheet would only say that there is none."""
        parsed = parse_amount("amount", field.data, VALUE_PLACES) if (field.data or "").strip() else None
        if isinstance(parsed, Problem):
            raise ValidationError(parsed)

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

    def add_problems_of_sheet(self, problems: Iterable[Problem], game: AnyGame) -> None:
        """Show what a sheet refuses beside the field that it is about, unless the form has refused that already."""
        names = {"value": "amount", "value.amount": "amount", "value.unit": "unit", "value.currency": "currency"}
        for field in option_fields(game):
            names |= {f"{field.path}.{field.option}": field.name, field.problem_field: field.name}
        numbers = {field.name for field in option_fields(game) if field.kind == NUMBER}
        refused = {*self.errors}
        for problem in problems:
            name = names.get(problem.field, problem.field)
            if name not in refused:
                two_readings = ambiguity(name, self[name].data, 0) if name in numbers and name in self else None
                self.add_problems([two_readings or specify_name(problem, game)._replace(field=name)])


class OpeningForm(DetailsFields, RulesFields, WriteForm):
    """The form that opens a table, but for the fields that `build_opening_form` adds."""

    like = HiddenField(default="")  # the table that it was filled in from
    close = BooleanField(default=True)  # whether to close that table, if it is still as `seen`
    circle = HiddenField(default=access.find_scoring_home)  # for which the page was shown; empty for a new one
    time_zone = HiddenField(render_kw={"data-time-zone": True})  # the device's, filled in by a script
    shown_day = HiddenField()  # what the page proposed
    dealer = TapField(default="1")
    meanings = SentField(MEANING)
    game: ClassVar[AnyGame]

    def load_circle(self) -> None:
        """Set what depends on the circle: on that for which the page was shown, if the form was sent."""
        if self.is_submitted() and self.circle.data:
            access.return_home(self.circle.data)
        self.prepare(self.game, self.zone(access.find_home_membership()))
        self.dealer.choices = [(f"{seat}", t("opening.deals-first")) for seat in self.seats]

    @property
    def seats(self) -> range:
        return range(1, max(self.game.player_counts) + 1)

    def validate_day(self, field: DayField) -> None:
        if self.read_details().day is not None:
            super().validate_day(field)

    def validate(self, extra_validators: Mapping[str, Sequence[Any]] | None = None) -> bool:
        """Validate the fields, and the table as a sheet without deals: a game says who can play it, and how."""
        is_valid = super().validate(extra_validators)
        checked = self.read().checked()
        if isinstance(checked, Refusal):
            self.add_problems_of_sheet(checked.problems, self.game)
        return is_valid and isinstance(checked, Sheet)

    def names(self) -> dict[str, str]:
        names = {f"{seat}": self[f"seat-{seat}"].data for seat in range(1, MAX_SEATS + 1)}
        return {seat: name for seat, name in names.items() if name}

    def read_details(self) -> Details:
        """Return the details, without the day if it is the one that the page has proposed."""
        entered = super().read_details()
        is_proposed = entered.day is not None and entered.day.isoformat() == self.shown_day.data
        return replace(entered, day=None) if is_proposed else entered

    def zone(self, home: Membership | None) -> str | None:
        """Return the time zone of the circle that the table will be opened in; of a new one, the device's."""
        return home.circle.time_zone if home is not None else time_zones.parse(self.time_zone.data or "")

    def read(self) -> Opening:
        names = self.names()
        first = next(iter(names.values()), "")
        return Opening(
            game=self.game,
            names=tuple(names.values()),
            dealer=names.get(self.dealer.data, first),
            house_rules=self.read_rules(self.game, option_fields(self.game), len(names)),
            value=self.read_value(self.game),
            details=self.read_details(),
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
    form.game = game
    for seat in range(1, MAX_SEATS + 1):
        setattr(form, f"seat-{seat}", TextField(validators=[MaxLength(limits.MAX_NAME_LENGTH, "long-name")]))
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
    form.load_circle()
    if not form.is_submitted():
        if previous is not None:
            form.like.data, form.seen.data = previous.token, previous.seen
            _fill_from_table(form, game, previous)
        else:
            _fill_in_last_value(form, game)
        _fill_from_query(form, game)
        return _render_new_table(form, previous)
    result = open_from_form(form) if form.validate() else None
    if isinstance(result, Done):
        if previous is not None and form.close.data and _can_be_closed(previous):
            submit(previous, [Change(CLOSE)], form)  # unless something was recorded there meanwhile
        return redirect(url_for("table.show", token=result.value), 303)
    opened_token = result.current if isinstance(result, Stale) else None
    return _render_new_table(form, previous, opened_token), 409 if opened_token else 422


def open_from_form(form: OpeningForm, changes: Sequence[Change] = ()) -> OpeningResult:
    """Open the table in the home circle, or in a new one if the device has none; a stale form gets a new key."""
    key = form.read_key()
    membership = access.get_scoring_membership(form.time_zone.data or "")
    if find_opened(membership.circle, key) is None:  # sent again, it opens none
        require_table(membership.circle)
    result = open_in_circle(form.read(), key, membership, changes)
    if isinstance(result, Stale):
        form.key.data = new_token()
    elif isinstance(result, Refusal):
        form.add_problems(result.problems)
    return result


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
    form.turns.data = table.stored.turns or ""
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
        form[name].process(request.args)
    for field in option_fields(game):
        if field.name in request.args:
            form[field.name].data = read_from_link(field, request.args[field.name])
    seats = {f"{seat}": f"seat-{seat}" for seat in form.seats}
    if not request.args.keys() & set(seats.values()):
        return
    for name in seats.values():
        form[name].data = request.args.get(name, "")
    if request.args.get("dealer") in seats:
        form.dealer.data = request.args["dealer"]


def _render_new_table(form: OpeningForm, previous: TableState | None, opened_token: str | None = None) -> str:
    game = form.game
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
    *,
    described: Sequence[OptionField] = (),
    asked: Sequence[OptionField] = (),
    **shown: Any,
) -> str:
    """Render a form that opens a table; `described` and `asked` are fields that do not stand among the house rules."""
    home = access.load_home_membership()
    parts = dict.fromkeys(("day", "place", "note", "turns"), "details")  # of the form, by field
    parts |= dict.fromkeys(("amount", "unit", "currency"), "value")
    parts |= {field.name: HOUSE_RULES for field in option_fields(form.game)}
    parts |= {field.name: "described" for field in described}
    parts |= {field.name: "asked" for field in asked}
    if not form.is_submitted():
        form.shown_day.data = find_evening(now(), form.zone(home)).isoformat()
        form.day.data = form.day.data or find_evening(now(), form.zone(home))
    problems = [problem for errors in form.errors.values() for problem in errors]
    wrong_fields = [*form.errors, *(problem.field.partition(".")[0] for problem in problems)]
    return render_template(
        template,
        form=form,
        game=form.game,
        wrong=[problem for problem in problems if problem.key != QUESTION],
        wrong_parts={parts.get(name, name) for name in wrong_fields},
        places=list_places(home.circle) if home is not None else [],
        people=[person.name for person in list_active_persons(home.circle)] if home is not None else [],
        currencies=currency_choices(),
        described=described,
        asked=asked,
        **shown,
    )


# --- a table's title, date, place and note, and the other settings in `Details` ---------------------------------


class DetailsForm(DetailsFields):
    day = DayField(validators=[InputRequired(Problem("day", "date-missing"))])
    seen = HiddenField(default="")


@blueprint.route("/<token>/details", methods=["GET", "POST"])
def edit_details(token: str) -> ResponseReturnValue:
    table = table_access.get_table_or_404(token, SCORE)
    stored = read_details(table.stored)
    form = DetailsForm(data=vars(stored) | {"seen": stored.seen})
    form.prepare(table.game, table.stored.circle.time_zone)
    if not form.is_submitted():
        return _render_details(table, form)
    if not form.validate():
        return _render_details(table, form), 422
    result = change_details(table.stored, form.read_details(), form.seen.data, g.membership)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=token), 303)
    form.seen.data = result.current.seen
    return _render_details(table_access.get_table_or_404(token, SCORE), form, result.current), 409


def _render_details(table: TableState, form: DetailsForm, current: Details | None = None) -> str:
    """Render the form; `current` are the details that others have saved since the page was shown."""
    places = list_places(table.stored.circle)
    return render_template("tables/details.html", table=table, form=form, places=places, current=current)
