"""The form that opens a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wtforms import BooleanField, Field, HiddenField, RadioField, StringField

from ... import time_zones
from ...limits import MAX_SEATS
from ...models import Browser
from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.values import clean_name
from ...services.tables.details import Details
from ...services.tables.opening import Opening
from ..support import access
from ..support.amounts import value_units
from ..support.forms import VALUE_PLACES, WriteForm, new_key, read_meanings
from ..support.numbers import ambiguity, parse_amount, parse_int
from ..support.option_fields import NUMBER, SWITCH, option_fields, option_value, shown_value, specify_name
from .forms import DetailsFields


class LeavingForm(WriteForm):
    """Whether to close the table with the token `like`, which the players leave to open another."""

    like = HiddenField()
    close = BooleanField(default=True)


class OpeningForm(DetailsFields):
    """The form that opens a table: seats, first dealer, value of a counter, house rules; see `opening_form`."""

    opening_key = HiddenField(default=new_key)
    circle = HiddenField(default=access.scoring_home)  # for which the page was shown; empty: another or a new one
    time_zone = HiddenField()  # the device's, filled in by a script
    dealer = RadioField(validate_choice=False, default="1")
    currency = StringField()
    unit = RadioField(validate_choice=False)
    amount = StringField()
    shown_day = HiddenField()  # what the page proposed

    def names(self) -> dict[str, str]:
        """Return the names by seat, without empty seats."""
        names = {str(n): clean_name(self[f"seat-{n}"].data) for n in range(1, MAX_SEATS + 1)}
        return {seat: name for seat, name in names.items() if name}

    def counter_value(self, game: AnyGame) -> dict[str, str] | None:
        """Return what a counter is worth, as `read_value` does."""
        return read_value(self.unit, self.amount, self.currency, game)

    def details(self) -> Details:
        """Return the details. An evening that the page proposed was entered by nobody."""
        entered = super().details()
        return replace(entered, day="") if entered.day == (self.shown_day.data or "") else entered

    def zone(self, home: Browser | None) -> str | None:
        """Return the time zone of the circle that the table will be opened in; of a new one, the device's."""
        return home.circle.time_zone if home is not None else time_zones.parse(self.time_zone.data or "")

    def opening(self, game: AnyGame) -> Opening:
        """Return what the form asks for, not yet checked."""
        names = self.names()
        first = next(iter(names.values()), "")
        return Opening(
            game=game,
            names=tuple(names.values()),
            dealer=names.get(self.dealer.data or "", first),
            house_rules=game.fill_options(self.house_rules(game), len(names)),
            value=self.counter_value(game),
            details=self.details(),
            meanings=read_meanings(),
        )

    def specify(self, problem: Problem, game: AnyGame) -> Problem:
        """Return the problem that explains how to type the number, if a problem of the domain is about one."""
        if problem.field == "value.amount":
            parsed = parse_amount(problem.field, self.amount.data, VALUE_PLACES)
            return parsed if isinstance(parsed, Problem) else problem
        field = next((field for field in option_fields(game) if field.problem_field == problem.field), None)
        typed = self[field.name].data if field is not None and field.kind == NUMBER else None
        return ambiguity(problem.field, typed, 0) or specify_name(problem, game)

    def house_rules(self, game: AnyGame) -> dict[str, Any]:
        """Return every house rule as submitted. What may be left out and was left empty is missing."""
        rules: dict[str, Any] = {}
        for field in option_fields(game):
            data = self[field.name].data
            if not field.part:
                value = option_value(field, data)
                rules |= {} if value is None else {field.option: value}
            elif (data or "").strip():
                rules.setdefault(field.option, {})[field.part] = parse_int(data)
        return rules


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


def opening_form(game: AnyGame) -> type[OpeningForm]:
    """Return a form class with fields for the seats and for the game's house rules."""
    form = type("GameOpeningForm", (OpeningForm,), {})
    for number in range(1, MAX_SEATS + 1):
        setattr(form, f"seat-{number}", StringField())
    for field in option_fields(game):
        kind = BooleanField if field.kind == SWITCH else StringField
        setattr(form, field.name, kind(default=shown_value(field, field.default)))
    return form
