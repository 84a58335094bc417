"""The form with an event's settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from wtforms import BooleanField, HiddenField, RadioField, SelectField, StringField

from ... import currency
from ...events.formats import Format
from ...events.prizes import HIGHEST, LOWEST, Prize, read_prizes
from ...events.scoring import Scoring
from ...limits import MAX_PRIZE_PLACE, MAX_PRIZES
from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.values import clean_name
from ...services.event_game import SEATS
from ...services.events.games import EventGame
from ...services.events.reading import DEALS, PARTIE
from ...services.events.setup import EventDetails
from ...stats.summary import slug_of
from ..support.amounts import value_units
from ..support.forms import VALUE_PLACES, ProblemForm, new_key
from ..support.numbers import ambiguity, format_for_input, parse_amount, parse_int
from ..support.option_fields import (
    SWITCH,
    OptionField,
    fields_of_options,
    option_fields,
    option_value,
    shown_value,
    specify_name,
)
from ..tables.new_table import read_value

USUAL = "usual"  # chosen for what the scoring says by itself


class EventForm(ProblemForm):
    """The settings of an event; `event_form` adds the fields of its game and its format.

    `seen` is the mark of the settings that the page has shown; `key`: a form sent twice creates one event;
    `game` is the key of what is played; `shown_game` and `shown_format` are those whose options it has.
    """

    key = HiddenField(default=new_key)
    seen = HiddenField()
    shown_game = HiddenField()
    shown_format = HiddenField()
    title = StringField(filters=[clean_name])
    day = StringField(filters=[clean_name])
    place = StringField(filters=[clean_name])
    game = SelectField(validate_choice=False)
    format = SelectField(validate_choice=False)
    scoring = RadioField(validate_choice=False)
    sitting_out = RadioField(validate_choice=False)
    rounds = StringField()
    round_unit = RadioField(validate_choice=False)
    length = StringField()
    fee = StringField()
    currency = StringField()
    cashier = SelectField(validate_choice=False)
    has_stakes = BooleanField()
    unit = RadioField(validate_choice=False)
    amount = StringField()
    value_currency = StringField()
    has_check_in = BooleanField()

    def details(
        self, game: AnyGame, chosen: Format, prizes: PrizeFields, ids_by_token: Mapping[str, int]
    ) -> EventDetails:
        """Return the settings that were entered, not yet checked; a cashier who is not in the circle has the id 0."""
        value = read_value(self.unit, self.amount, self.value_currency, game)
        has_money = bool((self.fee.data or "").strip()) or prizes.has_money
        return EventDetails(
            title=self.title.data or "",
            day=self.day.data or "",
            place=self.place.data or "",
            game=game.slug,
            house_rules=game.fill_options(dict(_values(self, option_fields(game))), SEATS),
            format=chosen.slug,
            options=dict(_values(self, format_fields(chosen))),
            scoring=self.scoring.data or chosen.scorings[0],
            sitting_out="" if self.sitting_out.data in (None, USUAL) else self.sitting_out.data,
            rounds=_integer(self.rounds.data),
            round_unit=self.round_unit.data or DEALS,
            length=None if self.round_unit.data == PARTIE else _integer(self.length.data),
            fee=self._fee(),
            currency=(self.currency.data or "") if has_money else "",
            prizes=prizes.stored(),
            cashier_id=ids_by_token.get(self.cashier.data, 0) if self.cashier.data else None,
            has_stakes=bool(self.has_stakes.data or value),
            value=value,
            has_check_in=bool(self.has_check_in.data),
        )

    @property
    def places(self) -> int:
        """How many decimal places a fee may have."""
        return currency.places(self.currency.data or "")

    def _fee(self) -> str:
        if not (self.fee.data or "").strip():
            return ""
        parsed = parse_amount("fee", self.fee.data, self.places)
        return (self.fee.data or "").strip() if isinstance(parsed, Problem) else f"{parsed:f}"

    def specify(self, problem: Problem, game: AnyGame, chosen: Format) -> Problem:
        """Return the problem that explains how to type the number, if a problem of the domain is about one."""
        amounts = {"fee": (self.fee, self.places), "value.amount": (self.amount, VALUE_PLACES)}
        if problem.field in amounts:
            field, places = amounts[problem.field]
            parsed = parse_amount(problem.field, field.data, places)
            return parsed if isinstance(parsed, Problem) else problem
        numbers = {field.problem_field: field.name for field in [*option_fields(game), *format_fields(chosen)]}
        name = numbers.get(problem.field, problem.field)
        typed = self[name].data if name in ("rounds", "length", *numbers.values()) else None
        return ambiguity(problem.field, typed, 0) or specify_name(problem, game)

    def fill(self, details: EventDetails, game: AnyGame, chosen: Format, ids_by_token: Mapping[str, int]) -> None:
        """Show these settings."""
        self.game.data = details.played.key
        plain = ("title", "day", "place", "format", "scoring", "sitting_out", "round_unit")
        for name in (*plain, "has_check_in", "has_stakes"):
            self[name].data = getattr(details, name)
        self.rounds.data, self.length.data = str(details.rounds or ""), str(details.length or "")
        self.fee.data = format_for_input(Decimal(details.fee)) if details.fee else ""
        self.currency.data = details.currency or self.currency.data
        self.cashier.data = next((token for token, id_ in ids_by_token.items() if id_ == details.cashier_id), "")
        if details.value is not None:
            self.unit.data, self.value_currency.data = details.value["unit"], details.value["currency"]
            self.amount.data = format_for_input(Decimal(details.value["amount"]))
        self.seen.data = details.mark
        self._fill_options(option_fields(game), details.house_rules)
        self._fill_options(format_fields(chosen), details.options)

    def forget_other_options(self, wanted: EventGame, chosen: Format, current: EventDetails | None) -> None:
        """Replace options of another game or format, which the page has shown, whatever their names.

        They become what is usual; or the event's own if it has this game and format.
        """
        game = wanted.game
        shown = self.shown_game.data or wanted.key
        # What was typed stays if the circle has renamed its game since the page was shown.
        is_kept = shown == self.game.data and slug_of(shown) == game.slug
        has_game_changed = shown != wanted.key and not is_kept
        has_format_changed = self.shown_format.data not in (None, "", chosen.slug)
        own = current if current is not None and current.played.key == wanted.key else None
        if has_game_changed:
            self.fill_house_rules(own.played if own is not None else wanted)
            if self.unit.data not in value_units(game):
                self.unit.data, self.amount.data = None, ""
        options = own.options if own is not None and own.format == chosen.slug else usual_options(game)
        fields = format_fields(chosen)
        if has_format_changed:
            self._fill_options(fields, options)
        elif has_game_changed:
            self._fill_options([field for field in fields if field.option in usual_options(game)], options)

    def propose_options(self, game: AnyGame, chosen: Format) -> None:
        """Show the options of a format that are usual with a game."""
        self._fill_options(format_fields(chosen), usual_options(game))

    def fill_house_rules(self, wanted: EventGame) -> None:
        """Show the house rules of a game to begin with."""
        self._fill_options(option_fields(wanted.game), wanted.house_rules)

    def _fill_options(self, fields: list[OptionField], values: Mapping[str, Any]) -> None:
        """Show these values, and the defaults of options that have none."""
        for field in fields:
            stored = values.get(field.option, {} if field.part else field.default)
            value = (stored or {}).get(field.part) if field.part else stored
            self[field.name].data = shown_value(field, value)


def usual_options(game: AnyGame) -> dict[str, Any]:
    """Return the options of a format for which a game has a usual value.

    One with an auction settles its own trumps, and so does one that has to be described.
    """
    return {"trumps": "game" if game.announced or game.named_by else "rotation"}


def format_fields(chosen: Format) -> list[OptionField]:
    """Return the fields of a format's options."""
    return fields_of_options(chosen.options, "options")


def _values(form: EventForm, fields: list[OptionField]) -> Iterator[tuple[str, Any]]:
    """Yield each option as it was entered. What may be left out and was left empty is missing."""
    parts: dict[str, dict[str, Any]] = {}
    for field in fields:
        data = form[field.name].data
        if not field.part:
            value = option_value(field, data)
            if value is not None:
                yield field.option, value
        elif (data or "").strip():
            parts.setdefault(field.option, {})[field.part] = parse_int(data)
    yield from parts.items()


def _integer(typed: str | None) -> int | None:
    number = parse_int(typed)
    return number if isinstance(number, int) else None


def event_form(game: AnyGame, chosen: Format) -> type[EventForm]:
    """Return a form class with fields for the house rules of the game and the options of the format."""
    form = type("ChosenEventForm", (EventForm,), {})
    for field in [*option_fields(game), *format_fields(chosen)]:
        kind = BooleanField if field.kind == SWITCH else StringField
        setattr(form, field.name, kind(default=shown_value(field, field.default)))
    return form


MORE_ROWS = 3  # empty ones below the prizes
_ENTRY = re.compile(r"prizes\[(\d+)\](?:\.(\w+))?")
_FIELDS = ("rule", "place", "group", "amount", "text")


class PrizeRow(NamedTuple):
    """What a row of the form has, as it was typed; `number` counts rows from 1."""

    number: int
    rule: str = HIGHEST
    place: str = ""
    group: str = ""
    amount: str = ""
    text: str = ""
    again: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be won."""
        return not self.amount and not self.text

    def stored(self, place: int, decimals: int) -> dict[str, Any]:
        """Return the prize as the event stores it, not yet checked; `place` is the one if none was typed."""
        typed = parse_int(self.place) if self.place else place
        amount = parse_amount("amount", self.amount, decimals) if self.amount else None
        prize: dict[str, Any] = {"rule": self.rule, "place": typed, "group": self.group}
        if amount is not None:
            prize["amount"] = self.amount if isinstance(amount, Problem) else f"{amount:f}"
        if self.text:
            prize["text"] = self.text
        return prize | ({"again": True} if self.again else {})


@dataclass(frozen=True)
class PrizeFields:
    """All rows of the form. `decimals`: how many decimal places an amount may have."""

    rows: Sequence[PrizeRow]
    decimals: int = 2

    @property
    def entered(self) -> list[PrizeRow]:
        """The rows that have a prize."""
        return [row for row in self.rows if not row.is_empty]

    @property
    def has_money(self) -> bool:
        """Whether an amount can be won."""
        return any(row.amount for row in self.rows)

    def stored(self) -> list[dict[str, Any]]:
        """Return the prizes as the event stores them, without the values that are usual."""
        usual = {"group": "", "place": 1}
        return [
            {key: value for key, value in prize.items() if usual.get(key) != value} for prize in self._with_places()
        ]

    def _with_places(self) -> Iterator[dict[str, Any]]:
        """Yield the prizes; one without a place is for the place below the last of the same rule and group."""
        last: dict[tuple[str, str], int] = {}
        for row in self.entered:
            prize = row.stored(min(last.get((row.rule, row.group), 0) + 1, MAX_PRIZE_PLACE), self.decimals)
            if isinstance(prize["place"], int):
                last[row.rule, row.group] = prize["place"]
            yield prize

    def specify(self, problem: Problem) -> Problem:
        """Return a problem with `prizes[2].amount` as one with the row that was typed into, from 1: `prizes.3`."""
        found = _ENTRY.match(problem.field)
        if found is None or int(found[1]) >= len(self.entered):
            return problem
        row = self.entered[int(found[1])]
        field = f"prizes.{row.number}"
        parsed = parse_amount(field, row.amount, self.decimals) if found[2] == "amount" and row.amount else None
        return parsed if isinstance(parsed, Problem) else problem._replace(field=field)

    def with_room(self, has_more: bool) -> PrizeFields:
        """Return the rows with empty ones below, to type further prizes into."""
        rows = [
            row._replace(number=number) for number, row in enumerate(self.rows if has_more else self.entered, start=1)
        ]
        more = MORE_ROWS if has_more or not rows else 1
        fresh = [PrizeRow(number) for number in range(len(rows) + 1, min(len(rows) + more, MAX_PRIZES) + 1)]
        return PrizeFields([*rows, *fresh], self.decimals)


def prize_key(rule: str, scoring: Scoring) -> str:
    """Return the key of the words for what a prize is for."""
    is_turned = scoring.fewest_win and rule in (HIGHEST, LOWEST)
    return f"event-results.prize.{rule}.lowest-wins" if is_turned else f"event-results.prize.{rule}"


def typed_prizes(form: Mapping[str, str]) -> PrizeFields:
    """Return the rows that a form sends."""
    rows = []
    for number in range(1, MAX_PRIZES + 1):
        if f"prize-{number}-rule" not in form:
            break
        rule, place, group, amount, text = (clean_name(form.get(f"prize-{number}-{name}", "")) for name in _FIELDS)
        rows.append(PrizeRow(number, rule, place, group, amount, text, form.get(f"prize-{number}-again") == "yes"))
    return PrizeFields(rows, currency.places(form.get("currency", "")))


def stored_prizes(prizes: Sequence[Mapping[str, Any]]) -> PrizeFields:
    """Return the rows that show the prizes of an event."""
    read = read_prizes([dict(prize) for prize in prizes], [])
    return PrizeFields([_row(number, prize) for number, prize in enumerate(read, start=1)])


def _row(number: int, prize: Prize) -> PrizeRow:
    return PrizeRow(
        number, prize.rule, str(prize.place), prize.group, _shown(prize.amount), prize.text or "", prize.again
    )


def _shown(amount: str | None) -> str:
    try:
        return format_for_input(Decimal(amount)) if amount else ""
    except InvalidOperation:
        return amount or ""
