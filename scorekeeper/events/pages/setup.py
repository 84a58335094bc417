"""A circle's events, and the form with the settings of an event: before it and while it goes on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from flask import Blueprint, g, redirect, render_template, request, url_for
from wtforms import BooleanField, FieldList, FormField, HiddenField, RadioField, SelectField, StringField

from ...circles import access
from ...db.outcome import Done, Stale
from ...evenings import tonight
from ...games import slug_of
from ...limits import MAX_PRIZE_PLACE, MAX_PRIZES
from ...models import SCORE, Circle, Event, new_token
from ...scoring import currency
from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.standing import MANCHE, ROBRE
from ...scoring.values import clean_name
from ...site.amounts import ambiguity, currency_choices, format_for_input, parse_amount, parse_int, value_units
from ...site.forms import VALUE_PLACES, Form, WriteForm
from ...site.language import t
from ...site.time_zones import find_today
from ...tables.details import list_places
from ...tables.new_table import read_value
from ...tables.option_fields import (
    OptionField,
    fields_of_options,
    option_fields,
    read_options,
    shown_value,
    specify_name,
    with_fields,
)
from .. import setup
from ..access import get_event_or_404
from ..drawing import GROUPS
from ..event_game import DEALS, SEATS, EventGame, find_event_game, list_event_games
from ..formats import FORMATS, Format
from ..phones import DIRECT
from ..prizes import HIGHEST, RULES
from ..reading import list_events, read_state
from ..scorings import IN_POINTS, SCORINGS, SITTING_OUT
from ..setup import EventDetails
from .rendering import Answer, respond
from .words import name_game, prize_key, say_of_parties

blueprint = Blueprint("event_setup", __name__)

FIRST_FORMAT = "individual"
USUAL = "usual"  # a round that is sat out counts what the scoring says by itself
MORE_ROWS = 3  # empty ones below the prizes
_PRIZE = re.compile(r"prizes\[(\d+)\]")


class PrizeForm(Form):
    """A row for a prize. Without a place, it is for the place below the last one of the same rule and group.

    The service checks its rule and its group.
    """

    class Meta(Form.Meta):
        csrf = False  # it is a part of EventForm

    rule = SelectField(validate_choice=False, default=HIGHEST)
    group = SelectField(validate_choice=False, default="")
    place = StringField(filters=[clean_name])
    amount = StringField(filters=[clean_name])
    text = StringField(filters=[clean_name])
    again = BooleanField()


class EventForm(WriteForm):
    """The settings of an event; the fields of its game and its format are added to them.

    `seen` is the ETag of the settings that the page has shown; `key`: a form sent twice creates one event;
    `game` is the key of what is played; `shown_game` and `shown_format` are those whose options it has. The choices
    depend on these and on the circle's games: the service checks what was chosen.
    """

    do = StringField()  # "show": only other options, or "rows": only room for more prizes
    shown_game = HiddenField()
    shown_format = HiddenField()
    title = StringField(filters=[clean_name])
    day = StringField(filters=[clean_name])
    place = StringField(filters=[clean_name])
    game = SelectField(validate_choice=False)
    format = SelectField(validate_choice=False)
    scoring = RadioField(validate_choice=False)
    sitting_out = RadioField(validate_choice=False, default=USUAL)
    rounds = StringField()
    round_unit = RadioField(validate_choice=False, default=DEALS)
    length = StringField()
    fee = StringField(filters=[clean_name])
    currency = StringField()
    prizes = FieldList(FormField(PrizeForm), max_entries=MAX_PRIZES)
    has_stakes = BooleanField()
    unit = RadioField(validate_choice=False)
    amount = StringField()
    value_currency = StringField()
    has_check_in = BooleanField()

    @property
    def decimals(self) -> int:
        """How many decimal places a fee or a prize may have."""
        return currency.decimal_places(self.currency.data or "")

    @property
    def entered_prizes(self) -> list[dict[str, Any]]:
        return [row for row in self.prizes.data if row["amount"] or row["text"]]

    def make_room(self, has_more: bool = False) -> None:
        """Leave out empty rows above others, and add some below, to type further prizes into."""
        entered = self.entered_prizes
        rows = len(self.prizes) + MORE_ROWS if has_more else len(entered) + (1 if entered else MORE_ROWS)
        self.prizes.process(None, [*entered, *[{}] * (min(rows, MAX_PRIZES) - len(entered))])

    def show_options(self, fields: Iterable[OptionField], values: Mapping[str, Any]) -> None:
        for name, value in show_values(fields, values).items():
            self[name].data = value

    def read_prizes(self) -> Iterator[dict[str, Any]]:
        """Yield the prizes as the event stores them: without the values that are usual."""
        last: dict[tuple[str, str], int] = {}
        for row in self.entered_prizes:
            ladder = row["rule"], row["group"]
            place = parse_int(row["place"] or str(min(last.get(ladder, 0) + 1, MAX_PRIZE_PLACE)))
            if isinstance(place, int):
                last[ladder] = place
            amount = _read_amount(row["amount"], self.decimals) if row["amount"] else ""
            prize = {**row, "place": place, "amount": amount}
            usual = {"place": 1, "group": "", "amount": "", "text": "", "again": False}
            yield {name: value for name, value in prize.items() if usual.get(name) != value}

    def specify(self, problem: Problem, game: AnyGame, chosen: Format) -> Problem:
        """Return the problem with the name of its field, and how to type a number if it is about one."""
        prize = _PRIZE.match(problem.field)
        field = self.prizes[int(prize[1])].name if prize else problem.field
        typed, places = self._list_amounts().get(problem.field, ("", 0))
        if typed:
            parsed = parse_amount(field, typed, places)
            return parsed if isinstance(parsed, Problem) else problem._replace(field=field)
        numbers = {each.problem_field: each.name for each in [*option_fields(game), *format_fields(chosen)]}
        numbers |= {"rounds": "rounds", "length": "length"}
        number = self[numbers[field]].data if field in numbers else None
        return ambiguity(field, number, 0) or specify_name(problem._replace(field=field), game)

    def _list_amounts(self) -> dict[str, tuple[str, int]]:
        """Return what was typed as an amount of money, and its decimal places, by the field that a problem names."""
        amounts = {"fee": (self.fee.data, self.decimals), "value.amount": (self.amount.data, VALUE_PLACES)}
        prizes = {f"prizes[{n}].amount": (row.amount.data, self.decimals) for n, row in enumerate(self.prizes)}
        return amounts | prizes


def _read_amount(typed: str, places: int) -> str:
    """Return an amount as it is stored; what was typed if it is none."""
    parsed = parse_amount("", typed, places)
    return typed if isinstance(parsed, Problem) else f"{parsed:f}"


def format_fields(chosen: Format) -> list[OptionField]:
    return fields_of_options(chosen.options, "options")


def show_values(fields: Iterable[OptionField], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return by their names what fields show if options have these values, and others their defaults."""
    shown = {}
    for field in fields:
        stored = values.get(field.option, {} if field.part else field.default)
        shown[field.name] = shown_value(field, (stored or {}).get(field.part) if field.part else stored)
    return shown


def _integer(typed: str | None) -> int | None:
    number = parse_int(typed)
    return number if isinstance(number, int) else None


# --- what is usual -----------------------------------------------------------------------------------------


def propose_options(game: AnyGame) -> dict[str, Any]:
    """Return the options of a format for which a game has a usual value.

    One with an auction settles its own trumps, and so does one that has to be described.
    """
    return {"trumps": "game" if game.announced or game.house_rules.named_by else "rotation"}


def propose_length(chosen: Format) -> dict[str, str]:
    """Return how long an event is in a format: drives, which have groups, take 24 rounds of one deal each."""
    rounds, deals = (24, 1) if chosen.has_groups else (8, 4)
    return {"rounds": str(rounds), "length": str(deals)}


def propose_scoring(wanted: EventGame, chosen: Format) -> str:
    """Return the scoring to propose: points where the game has no smaller goal than a total of them."""
    game = wanted.under_rules
    fitting = chosen.scorings_for(game.limits.tricks, plays_alone=wanted.plays_alone)
    in_points = [slug for slug in fitting if SCORINGS[slug].results_in == IN_POINTS]
    return in_points[0] if in_points and not {MANCHE, ROBRE} & {*game.ending.kinds} else fitting[0]


def _fill_in(form_class: type[EventForm], details: EventDetails, chosen: Format) -> EventForm:
    shown: dict[str, Any] = {}
    if details.value is not None:
        shown |= {"unit": details.value["unit"], "value_currency": details.value["currency"]}
        shown["amount"] = _show_amount(details.value["amount"])
    shown |= show_values(option_fields(details.event_game.game), details.house_rules)
    prizes = [
        {**prize, "place": str(prize.get("place", 1)), "amount": _show_amount(prize.get("amount", ""))}
        for prize in details.prizes
    ]
    typed = replace(details, fee=_show_amount(details.fee), prizes=prizes)
    form = form_class(None, obj=typed, data=shown | show_values(format_fields(chosen), details.options))
    form.seen.data = details.seen  # not that of `typed`
    return form


def _show_amount(stored: str | None) -> str:
    return format_for_input(Decimal(stored)) if stored else ""


# --- the page ----------------------------------------------------------------------------------------------


class SetupPage(NamedTuple):
    """The form for a new event, or for the settings of one, with the options of a game and a format."""

    circle: Circle
    event: Event | None
    wanted: EventGame
    format: Format
    form: EventForm

    @property
    def game(self) -> AnyGame:
        return self.wanted.game

    @property
    def plays_alone(self) -> bool:
        """Whether everybody plays alone; a game that is not described yet has sides."""
        is_described = self.wanted.house_rules or not self.game.house_rules.examples
        return bool(is_described) and self.wanted.plays_alone

    @property
    def scorings(self) -> tuple[str, ...]:
        return self.format.scorings_for(self.game.limits.tricks, plays_alone=self.plays_alone)

    def read_details(self) -> EventDetails:
        form, game, prizes = self.form, self.game, list(self.form.read_prizes())
        value = read_value(form.unit, form.amount, form.value_currency, game)
        has_money = bool(form.fee.data) or any("amount" in prize for prize in prizes)
        return EventDetails(
            title=form.title.data or "",
            day=form.day.data or "",
            place=form.place.data or None,
            game=game.slug,
            house_rules=game.house_rules.fill(read_options(form, option_fields(game)), SEATS),
            format=self.format.slug,
            options=read_options(form, format_fields(self.format)),
            scoring=form.scoring.data or self.format.scorings[0],
            sitting_out="" if form.sitting_out.data == USUAL else form.sitting_out.data,
            rounds=_integer(form.rounds.data),
            round_unit=form.round_unit.data or DEALS,
            length=_integer(form.length.data),
            fee=_read_amount(form.fee.data, form.decimals) if form.fee.data else None,
            currency=(form.currency.data or None) if has_money else None,
            prizes=prizes,
            has_stakes=bool(form.has_stakes.data or value),
            value=value,
            has_check_in=bool(form.has_check_in.data),
        )

    def render_again(self, problems: Sequence[Problem] = (), *, is_stale: bool = False, created: str = "") -> str:
        """Show what is wrong beside what was typed; all else is read anew, as after any refused write.

        `created` is the token of the event that the page has created before.
        """
        event = get_event_or_404(self.event.token, DIRECT) if self.event is not None else None
        circle = event.circle if event is not None else access.get_membership_or_404(self.circle.token, SCORE).circle
        specified = [self.form.specify(problem, self.game, self.format) for problem in problems]
        return self._replace(circle=circle, event=event).render(specified, is_stale=is_stale, created=created)

    def render(self, problems: Sequence[Problem] = (), **shown: Any) -> str:
        self._fill_choices()
        fields: dict[str, list[OptionField]] = {"described": [], "asked": [], "folded": []}
        for field in option_fields(self.game):
            is_asked = field.option in self.game.house_rules.asked
            fields["folded" if not is_asked else "described" if field.is_required else "asked"].append(field)
        stakes = [field.name for field in option_fields(self.game) if field.option == "stake"]
        tables = read_state(self.event).tables.values() if self.event is not None else ()
        return render_template(
            "events/setup.html",
            page=self,
            event=self.event,
            form=self.form,
            problems=problems,
            drawn=len(self.event.drawn) if self.event is not None else 0,
            has_results=any(row.result is not None for row in tables),
            say=partial(say_of_parties, self.plays_alone),
            fields=fields,
            format_fields=format_fields(self.format),
            lacks_stake=any(self.form[name].data in ("", "0") for name in stakes),
            places=list_places(self.circle),
            currencies=currency_choices(),
            **shown,
        )

    def _fill_choices(self) -> None:
        form = self.form
        form.shown_game.data = form.game.data = self.wanted.key
        form.shown_format.data = form.format.data = self.format.slug
        games = list_event_games(self.circle, self.wanted if self.event is not None else None)
        form.game.choices = [(key, name_game(each)) for key, each in games.items()]
        form.format.choices = [(slug, t(f"event-format.{slug}")) for slug in FORMATS]
        form.scoring.choices = [(slug, t(f"scoring.{slug}.name")) for slug in self.scorings]
        form.round_unit.choices = [(unit, t(f"event-setup.unit.{unit}")) for unit in setup.UNITS]
        sitting_out = (USUAL, *SITTING_OUT) if self.event is None else SITTING_OUT
        form.sitting_out.choices = [(choice, t(f"event-setup.sitting-out.{choice}")) for choice in sitting_out]
        chosen = form.scoring.data if form.scoring.data in self.scorings else self.scorings[0]
        scoring = SCORINGS[chosen].under(self.wanted.under_rules.ending.lowest_wins)
        for prize in form.prizes:
            prize.rule.choices = [(rule, t(prize_key(rule, scoring))) for rule in RULES]
            prize.group.choices = [("", t("event-setup.prize.group.all"))]
            prize.group.choices += [(group, t(f"event-group.{group}")) for group in GROUPS]


def _read_page(circle: Circle, event: Event | None = None, *, is_sent: bool) -> SetupPage:
    current = setup.read_details(event) if event is not None else None
    wanted, chosen = _read_choice(circle, current)
    form_class = with_fields(EventForm, [*option_fields(wanted.game), *format_fields(chosen)])
    if is_sent:
        form = form_class()
        _follow_choice(form, wanted, chosen, current)
    elif current is not None:
        form = _fill_in(form_class, current, chosen)
    else:
        own = {"day": find_today(circle.time_zone).isoformat(), "scoring": propose_scoring(wanted, chosen)}
        options = show_values(format_fields(chosen), propose_options(wanted.game))
        options |= show_values(option_fields(wanted.game), wanted.house_rules)
        form = form_class(None, data=own | propose_length(chosen) | options)
    form.make_room(form.do.data == "rows")
    return SetupPage(circle, event, wanted, chosen, form)


def _read_choice(circle: Circle, current: EventDetails | None) -> tuple[EventGame, Format]:
    """Return what the request asks for, else the event's, else the usual ones."""
    offered = list_event_games(circle, current.event_game if current is not None else None)
    asked = request.values.get("game", "")
    usual = current.event_game.key if current is not None else tonight.find_last_game(circle) or ""
    key = next((each for each in (asked, slug_of(asked), usual) if each in offered), next(iter(offered)))
    slug = request.values.get("format", current.format if current is not None else "")
    is_own = current is not None and current.event_game.key == key
    wanted = current.event_game if is_own and current is not None else offered[key]
    return wanted, FORMATS.get(slug, FORMATS[FIRST_FORMAT])


def _follow_choice(form: EventForm, wanted: EventGame, chosen: Format, current: EventDetails | None) -> None:
    """After another game or format was chosen, replace all options, and other values left at their defaults.

    They become the new defaults, or the event's own if it has this game and format.
    """
    shown = FORMATS.get(form.shown_format.data, chosen)
    has_game_changed = form.game.data != form.shown_game.data and form.shown_game.data != wanted.key
    if has_game_changed:
        form.show_options(option_fields(wanted.game), wanted.house_rules)
        if form.unit.data not in value_units(wanted.game):
            form.unit.data, form.amount.data = None, ""
    if not has_game_changed and shown == chosen:
        return
    is_own = current is not None and (current.event_game.key, current.format) == (wanted.key, chosen.slug)
    options = current.options if current is not None and is_own else propose_options(wanted.game)
    changed = [each for each in format_fields(chosen) if shown != chosen or each.option in propose_options(wanted.game)]
    form.show_options(changed, options)
    for name, usual in propose_length(shown).items():
        if form[name].data == usual:
            form[name].data = propose_length(chosen)[name]
    if form.do.data:
        form.scoring.data = propose_scoring(wanted, chosen)


@blueprint.get("/circles/<circle_token>/events")
def index(circle_token: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    words = ((each, name_game(find_event_game(each)), t(f"event-format.{each.format}")) for each in list_events(circle))
    events = [(event, f"{game} · {format_}") for event, game, format_ in words]
    return render_template("events/list.html", circle=circle, events=events)


@blueprint.route("/circles/<circle_token>/events/new", methods=["GET", "POST"])
def new(circle_token: str) -> str | Answer:
    """Show the form for a new event, of `?game=` and `?format=`; or create it. `do=show` only shows other options."""
    circle = access.get_membership_or_404(circle_token, SCORE).circle
    page = _read_page(circle, is_sent=request.method == "POST")
    if request.method != "POST" or page.form.do.data:
        return page.render()
    result = setup.create(circle, page.read_details(), page.form.read_key(), g.membership)
    if isinstance(result, Done):
        return redirect(url_for("event_entrants.show", token=result.value), 303)
    if isinstance(result, Stale):
        page.form.key.data = new_token()
        return page.render_again(created=result.current), 409
    return page.render_again(result.problems), 422


@blueprint.route("/events/<token>/settings", methods=["GET", "POST"])
def settings(token: str) -> str | Answer:
    event = get_event_or_404(token, DIRECT)
    page = _read_page(event.circle, event, is_sent=request.method == "POST")
    if request.method != "POST" or page.form.do.data:
        return page.render()
    result = setup.change(event, page.read_details(), page.form.seen.data, g.membership)
    if isinstance(result, Stale):
        page.form.seen.data = result.current.seen
    return respond(result, page.render_again, url_for("event_director.show", token=token, done="settings"))


@blueprint.post("/events/<token>/delete")
def delete(token: str) -> Answer:
    event = get_event_or_404(token, DIRECT)
    circle_token = event.circle.token

    def render(**shown: Any) -> str:
        event = get_event_or_404(token, DIRECT)
        return _read_page(event.circle, event, is_sent=False).render_again(**shown)

    return respond(
        setup.delete_event(event, g.membership), render, url_for("event_setup.index", circle_token=circle_token)
    )
