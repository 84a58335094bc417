"""The form with the settings of an event. Its fields and choices depend on the game and the format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from flask import request
from wtforms import BooleanField, Field, FieldList, FormField, HiddenField, StringField, ValidationError
from wtforms.validators import DataRequired, InputRequired

from ... import limits
from ...evenings import tonight
from ...games import slug_of
from ...models import Circle
from ...scoring import currency
from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.standing import MANCHE, ROBRE
from ...site.amounts import value_units
from ...site.currencies import currency_choices, local_currency
from ...site.fields import ChoiceField, DayField, MaxLength, NumberField, TapField, TextField
from ...site.forms import VALUE_PLACES, Form, WriteForm
from ...site.language import t
from ...site.numbers import ambiguity, format_for_input, parse_amount
from ...site.time_zones import find_today
from ...tables.option_fields import (
    NUMBER,
    OptionField,
    fields_of_options,
    option_fields,
    read_options,
    shown_value,
    specify_name,
    with_fields,
)
from ..drawing import GROUPS
from ..event_game import DEALS, SEATS, UNITS, EventGame, list_event_games
from ..formats import FORMATS, Format
from ..prizes import HIGHEST, RULES
from ..scorings import IN_POINTS, SCORINGS, SITTING_OUT
from ..setup import EventDetails, fits
from .words import name_game, prize_key

FIRST_FORMAT = "individual"
USUAL = "usual"  # a round that is sat out counts what the scoring says by itself
MORE_ROWS = 3  # empty ones below the prizes
_PRIZE = re.compile(r"prizes\[(\d+)\]\.?(\w*)")  # a problem with a prize, or with a part of it


class AmountField(TextField):
    """An amount of money above 0, with at most so many `decimals`."""

    decimals: int  # set by the form, since currencies have different ones

    def process_data(self, value: str | None) -> None:
        self.data = format_for_input(Decimal(value)) if value else ""

    def pre_validate(self, _form: object) -> None:
        if self.data and isinstance(parsed := self._parse(), Problem):
            raise ValidationError(parsed)

    def read(self) -> str | None:
        """Return the amount as an event stores it, such as "2.50"; None without a valid one."""
        parsed = self._parse() if self.data else None
        return f"{parsed:f}" if isinstance(parsed, Decimal) else None

    def _parse(self) -> Decimal | Problem:
        return parse_amount(self.name, self.data, self.decimals)


class PrizeForm(Form):
    """A row for a prize. Without a place, it is for the place below the last one of the same rule and group."""

    class Meta(Form.Meta):
        csrf = False  # it is a part of EventForm

    rule = ChoiceField(default=HIGHEST)
    group = ChoiceField(default="")
    place = NumberField(least=1, most=limits.MAX_PRIZE_PLACE)
    amount = AmountField()
    text = TextField(validators=[MaxLength(limits.MAX_PRIZE_TEXT_LENGTH)])
    again = BooleanField()

    @property
    def is_entered(self) -> bool:
        return bool(self.amount.data or self.text.data)

    def read(self, place: int) -> dict[str, Any]:
        """Return the prize as an event stores it, for this place: without the values that are usual."""
        prize = {name: self[name].data for name in ("rule", "group", "text", "again")}
        prize |= {"place": place, "amount": self.amount.read()}
        usual = {"place": 1, "group": "", "amount": None, "text": "", "again": False}
        return {name: value for name, value in prize.items() if usual.get(name) != value}


def _require_number(name: str, most: int) -> InputRequired:
    return InputRequired(Problem(name, "number-between", {"least": 1, "most": most}))


class EventForm(WriteForm):
    """The settings of an event; `build_event_form` adds the fields for the options of its game and its format.

    `seen` is the ETag of the settings that the page has shown; `key`: a form sent twice creates one event;
    `game` is the key of what is played; `shown_game` and `shown_format` are those whose options the page has.
    """

    do = StringField()  # "show": only other options, or "rows": only room for more prizes
    shown_game = HiddenField(default="")
    shown_format = HiddenField(default="")
    title = TextField(validators=[DataRequired(Problem("title", "title-missing")), MaxLength(limits.MAX_TEXT_LENGTH)])
    day = DayField(validators=[InputRequired(Problem("day", "event-day-missing"))])
    place = TextField(validators=[MaxLength(limits.MAX_PLACE_LENGTH)])
    game = ChoiceField()
    format = ChoiceField()
    scoring = TapField()
    sitting_out = TapField(default=USUAL)
    rounds = NumberField(least=1, most=limits.MAX_ROUNDS, validators=[_require_number("rounds", limits.MAX_ROUNDS)])
    round_unit = TapField(default=DEALS)
    length = NumberField(
        least=1, most=limits.MAX_ROUND_LENGTH, validators=[_require_number("length", limits.MAX_ROUND_LENGTH)]
    )
    fee = AmountField()
    currency = ChoiceField()
    prizes = FieldList(FormField(PrizeForm), max_entries=limits.MAX_PRIZES)
    has_stakes = BooleanField()
    unit = TapField()
    amount = AmountField()
    value_currency = ChoiceField()
    has_check_in = BooleanField()

    def __init__(
        self,
        event_game: EventGame,
        event_format: Format,
        current: EventDetails | None,
        games: Mapping[str, EventGame],
        data: Mapping[str, Any],
        **kwargs: Any,
    ) -> None:
        """Fill the form in with `data`, or with what was sent. `games` are those to choose from, by their keys."""
        super().__init__(data=data, **kwargs)
        self.event_game = event_game
        self.event_format = event_format
        self._follow_choice(current)
        self._add_rows()
        self._set_choices(games)
        self._set_decimals()

    # --- what it shows

    @property
    def scorings(self) -> tuple[str, ...]:
        return self.event_format.scorings_for(self.event_game.game.limits.tricks, plays_alone=self.plays_alone)

    @property
    def plays_alone(self) -> bool:
        """Whether everybody plays alone; a game that is not described yet has sides."""
        is_described = self.event_game.house_rules or not self.event_game.game.house_rules.examples
        return bool(is_described) and self.event_game.plays_alone

    @property
    def entered_prizes(self) -> list[PrizeForm]:
        return [row.form for row in self.prizes if row.form.is_entered]

    def _add_rows(self) -> None:
        """Add empty rows below the prizes: some if there are none, one, or as many as were asked for."""
        if self.do.data == "rows" or not self.prizes.entries:
            rows = MORE_ROWS
        else:
            rows = 1 if all(row.form.is_entered for row in self.prizes) else 0
        for _ in range(min(rows, limits.MAX_PRIZES - len(self.prizes))):
            self.prizes.append_entry()

    def _set_choices(self, games: Mapping[str, EventGame]) -> None:
        self.game.choices = [(key, name_game(game)) for key, game in games.items()]
        self.format.choices = [(slug, t(f"event-format.{slug}")) for slug in list_formats(self.event_game)]
        self.scoring.choices = [(slug, t(f"scoring.{slug}.name")) for slug in self.scorings]
        self.round_unit.choices = [(unit, t(f"event-setup.unit.{unit}")) for unit in UNITS]
        self.sitting_out.choices = [(each, t(f"event-setup.sitting-out.{each}")) for each in (USUAL, *SITTING_OUT)]
        self.currency.choices = self.value_currency.choices = [*currency_choices().items()]
        self.unit.choices = [*value_units(self.event_game.game).items()]
        if not self.unit.choices:
            del self.unit, self.amount, self.value_currency
        slug = self.scoring.data if self.scoring.data in self.scorings else self.scorings[0]
        scoring = SCORINGS[slug].under(self.event_game.under_rules.ending.lowest_wins)
        rules = [(rule, t(prize_key(rule, scoring))) for rule in RULES]
        groups = [("", t("event-setup.prize.group.all")), *((group, t(f"event-group.{group}")) for group in GROUPS)]
        for row in self.prizes:
            row.form.rule.choices, row.form.group.choices = rules, groups

    def _set_decimals(self) -> None:
        self.fee.decimals = currency.decimal_places(self.currency.data or "")
        for row in self.prizes:
            row.form.amount.decimals = self.fee.decimals
        if self.amount is not None:
            self.amount.decimals = VALUE_PLACES

    # --- another game or format was chosen

    def _follow_choice(self, current: EventDetails | None) -> None:
        """After another game or format was chosen, replace all options, and other values left at their defaults.

        They become the new defaults, or the event's own if it has this game and format.
        """
        event_game, format_ = self.event_game, self.event_format
        shown_format = FORMATS.get(self.shown_format.data, format_)
        has_game_changed = self.shown_game.data not in ("", self.game.data, event_game.key)
        self.shown_game.data, self.shown_format.data = event_game.key, format_.slug
        if has_game_changed:
            self._show_options(option_fields(event_game.game), event_game.house_rules)
            if self.unit.data not in (units := value_units(event_game.game)):
                self.unit.data, self.amount.data = next(iter(units), None), ""
        if not has_game_changed and shown_format == format_:
            return
        is_own = current is not None and (current.event_game.key, current.format) == (event_game.key, format_.slug)
        proposed = propose_options(event_game.game)
        options = current.options if current is not None and is_own else proposed
        fields = format_fields(format_)
        self._show_options([field for field in fields if shown_format != format_ or field.option in proposed], options)
        for name, usual in propose_length(shown_format).items():
            if self[name].data == usual:
                self[name].process_formdata([str(propose_length(format_)[name])])
        if self.do.data:
            self.format.data = format_.slug  # another one, if the game is not played in the one before
            self.scoring.data = propose_scoring(event_game, format_)

    def _show_options(self, fields: Iterable[OptionField], values: Mapping[str, Any]) -> None:
        for name, value in show_values(fields, values).items():
            self[name].data = value

    # --- what was sent

    def read(self) -> EventDetails:
        """Return the settings. The form must be valid."""
        game, prizes, value = self.event_game.game, self._read_prizes(), self._read_value()
        has_money = bool(self.fee.data) or any("amount" in prize for prize in prizes)
        return EventDetails(
            title=self.title.data or "",
            day=self.day.data,
            place=self.place.data or None,
            game=game.slug,
            house_rules=game.house_rules.fill(read_options(self, option_fields(game)), SEATS),
            format=self.event_format.slug,
            options=read_options(self, format_fields(self.event_format)),
            scoring=self.scoring.data,
            sitting_out="" if self.sitting_out.data == USUAL else self.sitting_out.data,
            rounds=self.rounds.data,
            round_unit=self.round_unit.data,
            length=self.length.data,
            fee=self.fee.read(),
            currency=self.currency.data if has_money else None,
            prizes=prizes,
            has_stakes=bool(self.has_stakes.data or value),
            value=value,
            has_check_in=self.has_check_in.data,
        )

    def _read_prizes(self) -> list[dict[str, Any]]:
        last: dict[tuple[str, str], int] = {}
        prizes = []
        for prize in self.entered_prizes:
            ladder = prize.rule.data, prize.group.data
            last[ladder] = prize.place.data or min(last.get(ladder, 0) + 1, limits.MAX_PRIZE_PLACE)
            prizes.append(prize.read(last[ladder]))
        return prizes

    def _read_value(self) -> dict[str, str] | None:
        """Return what a counter is worth as a sheet stores it; None without an amount of money."""
        amount = self.amount.read() if self.amount is not None else None
        if amount is None:
            return None
        return {"currency": self.value_currency.data, "unit": self.unit.data, "amount": amount}

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Show each problem beside its field: with how to type a number if it has two readings."""
        super().add_problems(self._specify(problem) for problem in problems)

    def _specify(self, problem: Problem) -> Problem:
        numbers = {field.name for field in self._option_fields if field.kind == NUMBER}
        field = self.find_field(problem.field)
        two_readings = None
        if field is not None and field.name in numbers:
            two_readings = ambiguity(problem.field, field.data, 0)
        return two_readings or specify_name(problem, self.event_game.game)

    def find_field(self, name: str) -> Field | None:
        if prize := _PRIZE.fullmatch(name):
            return self.entered_prizes[int(prize[1])].find_field(prize[2] or "amount")
        names = {"value": "amount", "value.amount": "amount", "value.unit": "unit", "value.currency": "value_currency"}
        for field in reversed(self._option_fields):
            names |= {f"{field.path}.{field.option}": field.name, field.problem_field: field.name}
        return super().find_field(names.get(name, name))

    @property
    def _option_fields(self) -> list[OptionField]:
        return [*option_fields(self.event_game.game), *format_fields(self.event_format)]


def build_event_form(circle: Circle, current: EventDetails | None = None, **kwargs: Any) -> EventForm:
    """Return the form for a new event, or for one with the `current` settings, as it was sent if it was."""
    games = list_event_games(circle, current.event_game if current is not None else None)
    event_game, format_ = _read_choice(circle, current, games)
    form_class = with_fields(EventForm, [*option_fields(event_game.game), *format_fields(format_)])
    values = _list_values(current, format_) if current is not None else _propose(circle, event_game, format_)
    values |= show_values(option_fields(event_game.game), event_game.house_rules)
    values |= {"game": event_game.key, "format": format_.slug}
    return form_class(event_game, format_, current, games, values, **kwargs)


def _list_values(current: EventDetails, format_: Format) -> dict[str, Any]:
    """Return what the fields show of an event that has these settings."""
    values = _propose_money(current.event_game) | vars(current)
    values |= {"seen": current.seen, "prizes": [{"place": 1, **prize} for prize in current.prizes]}
    values |= {"currency": current.currency or local_currency()}
    if current.sitting_out == current.usual_sitting_out:
        values["sitting_out"] = USUAL
    if current.value is not None:
        values |= {"unit": current.value["unit"], "amount": current.value["amount"]}
        values |= {"value_currency": current.value["currency"]}
    return values | show_values(format_fields(format_), current.options)


def _read_choice(
    circle: Circle, current: EventDetails | None, games: Mapping[str, EventGame]
) -> tuple[EventGame, Format]:
    """Return what the request asks for, else the event's, else the usual ones."""
    asked = request.values.get("game", "")
    usual = current.event_game.key if current is not None else tonight.find_last_game(circle) or ""
    key = next((key for key in (asked, slug_of(asked), usual) if key in games), next(iter(games)))
    slug = request.values.get("format", current.format if current is not None else "")
    is_own = current is not None and current.event_game.key == key
    event_game = current.event_game if is_own and current is not None else games[key]
    return event_game, FORMATS[slug if slug in list_formats(event_game) else FIRST_FORMAT]


def list_formats(event_game: EventGame) -> list[str]:
    """List the formats in which the game can be played: all, if the form describes it, since it may have sides."""
    return [slug for slug, each in FORMATS.items() if event_game.game.house_rules.examples or fits(event_game, each)]


def format_fields(format_: Format) -> list[OptionField]:
    return fields_of_options(format_.options, "options")


def show_values(fields: Iterable[OptionField], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return by their names what fields show if options have these values, and others their defaults."""
    shown = {}
    for field in fields:
        stored = values.get(field.option, {} if field.part else field.default)
        shown[field.name] = shown_value(field, (stored or {}).get(field.part) if field.part else stored)
    return shown


# --- what is usual -----------------------------------------------------------------------------------------


def _propose(circle: Circle, event_game: EventGame, format_: Format) -> dict[str, Any]:
    """Return what the fields of a new event show."""
    values: dict[str, Any] = {"day": find_today(circle.time_zone), "scoring": propose_scoring(event_game, format_)}
    values |= {**propose_length(format_), **_propose_money(event_game)}
    return values | show_values(format_fields(format_), propose_options(event_game.game))


def _propose_money(event_game: EventGame) -> dict[str, Any]:
    unit = next(iter(value_units(event_game.game)), None)
    return {"unit": unit, "currency": local_currency(), "value_currency": local_currency()}


def propose_options(game: AnyGame) -> dict[str, Any]:
    """Return the options of a format for which a game has a usual value.

    One with an auction settles its own trumps, and so does one that has to be described.
    """
    return {"trumps": "game" if game.announced or game.house_rules.named_by else "rotation"}


def propose_length(format_: Format) -> dict[str, int]:
    """Return how long an event is in a format: drives, which have groups, take 24 rounds of one deal each."""
    rounds, deals = (24, 1) if format_.has_groups else (8, 4)
    return {"rounds": rounds, "length": deals}


def propose_scoring(event_game: EventGame, format_: Format) -> str:
    """Return the scoring to propose: points where the game has no smaller goal than a total of them."""
    game = event_game.under_rules
    fitting = format_.scorings_for(game.limits.tricks, plays_alone=event_game.plays_alone)
    in_points = [slug for slug in fitting if SCORINGS[slug].results_in == IN_POINTS]
    return in_points[0] if in_points and not {MANCHE, ROBRE} & {*game.ending.kinds} else fitting[0]
