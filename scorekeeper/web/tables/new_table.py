"""The form for a new table, empty or filled in from another one, and the page on which its details are changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, Field, HiddenField, StringField, TextAreaField

from ... import time_zones
from ...games import games
from ...limits import MAX_SEATS
from ...models import SCORE, Browser, may
from ...scoring.game import AnyGame
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_lines, clean_name
from ...services.outcome import Conflict, Done
from ...services.tables.details import Details, change, list_places, read_details
from ...services.tables.opening import Opening, list_named_games
from ...services.tables.opening import open_table as open_in_circle
from ...tables import revisions
from ...tables.revisions import Change
from ...tables.state import TableState
from ...time_zones import find_evening, local_time, now
from ..support import access
from ..support.amounts import ambiguity, format_for_input, parse_amount, value_units
from ..support.forms import MEANING, VALUE_PLACES, Form, SentField, WriteForm, new_key
from ..support.option_fields import (
    NUMBER,
    SWITCH,
    list_known_games,
    option_fields,
    read_from_link,
    read_options,
    shown_value,
    specify_name,
)
from ..support.rate_limits import require_table
from .table import check_unit
from .writes import submit


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


class OpeningForm(DetailsFields, WriteForm):
    """The form that opens a table; see `build_opening_form`. `close` says whether to close the table `like`, as `seen`.

    `circle` is for which the page was shown, empty for another or a new one; `time_zone` is the device's, filled in by
    a script; `shown_day` is what the page proposed.
    """

    like = StringField()
    close = BooleanField(default=True)
    circle = HiddenField(default=access.scoring_home)
    time_zone = HiddenField(render_kw={"data-time-zone": True})
    shown_day = HiddenField()
    dealer = StringField(default="1")
    currency = StringField()
    unit = StringField()
    amount = StringField()
    meanings = SentField(MEANING)

    def names(self) -> dict[str, str]:
        names = {str(n): clean_name(self[f"seat-{n}"].data) for n in range(1, MAX_SEATS + 1)}
        return {seat: name for seat, name in names.items() if name}

    def details(self) -> Details:
        entered = super().details()
        return replace(entered, day="") if entered.day == (self.shown_day.data or "") else entered

    def zone(self, home: Browser | None) -> str | None:
        """Return the time zone of the circle that the table will be opened in; of a new one, the device's."""
        return home.circle.time_zone if home is not None else time_zones.parse(self.time_zone.data or "")

    def opening(self, game: AnyGame) -> Opening:
        names = self.names()
        first = next(iter(names.values()), "")
        return Opening(
            game=game,
            names=tuple(names.values()),
            dealer=names.get(self.dealer.data or "", first),
            house_rules=game.fill_options(read_options(self, option_fields(game)), len(names)),
            value=read_value(self.unit, self.amount, self.currency, game),
            details=self.details(),
            meanings=self.meanings.data,
        )

    def specify(self, problem: Problem, game: AnyGame) -> Problem:
        """Return the problem that explains how to type the number, if a problem of the domain is about one."""
        if problem.field == "value.amount":
            parsed = parse_amount(problem.field, self.amount.data, VALUE_PLACES)
            return parsed if isinstance(parsed, Problem) else problem
        field = next((field for field in option_fields(game) if field.problem_field == problem.field), None)
        typed = self[field.name].data if field is not None and field.kind == NUMBER else None
        return ambiguity(problem.field, typed, 0) or specify_name(problem, game)


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


def build_opening_form(game: AnyGame) -> type[OpeningForm]:
    """Return a form class with fields for the seats and for the game's house rules."""
    form = type("GameOpeningForm", (OpeningForm,), {})
    for number in range(1, MAX_SEATS + 1):
        setattr(form, f"seat-{number}", StringField())
    for field in option_fields(game):
        kind = BooleanField if field.kind == SWITCH else StringField
        setattr(form, field.name, kind(default=shown_value(field, field.default)))
    return form


blueprint = Blueprint("new_table", __name__, url_prefix="/tables")


@blueprint.get("/new")
def choose_game() -> str:
    home = access.show_home_circle()
    return render_template(
        "tables/choose_game.html", named=[*list_named_games(home.circle).values()] if home is not None else []
    )


@blueprint.route("/new/<slug>", methods=["GET", "POST"])
def open_table(slug: str) -> ResponseReturnValue:
    """Show the form for a new table, filled from the table `?like=<token>`; or open the table."""
    game = games().get(slug)
    if game is None:
        abort(404)
    form = build_opening_form(game)()
    token = form.like.data or request.args.get("like")
    previous = access.get_table_or_404(token) if token else None
    if previous is not None and previous.stored.circle.is_sample:
        return redirect(url_for("new_table.open_table", slug=slug), 303)  # its players are not real
    if not form.is_submitted():
        if previous is not None:
            form.seen.data = previous.mark
            _fill_from_table(form, game, previous)
        _fill_from_query(form, game)
        return _new_table_page(game, form, previous)
    if form.circle.data:
        access.return_home(form.circle.data)
    check_unit(game, form.turns.data)
    result = open_from_form(form, form.opening(game))
    if isinstance(result, Refusal):
        problems = tuple(form.specify(problem, game) for problem in result.problems)
        return _new_table_page(game, form, previous, problems), 422
    if isinstance(result, Conflict):
        return _new_table_page(game, form, previous, opened_token=result.earlier), 409
    if previous is not None and form.close.data and _can_be_closed(previous):
        submit(previous, [Change(revisions.CLOSE)], form)  # unless something was recorded there meanwhile
    return redirect(url_for("table.show", token=result.value), 303)


def open_from_form(
    form: OpeningForm, opening: Opening, changes: Sequence[Change] = ()
) -> Done[str] | Refusal | Conflict[str]:
    """Open the table in the home circle, or in a new one if the device has none; after a conflict, with a new key."""
    key = form.read_key()
    checked = opening.checked(form.zone(access.home_browser()))
    if isinstance(checked, Refusal):  # before a circle is created for the table
        return checked
    browser = access.current_or_new_circle(form.time_zone.data or "")
    require_table(browser.circle, key)
    result = open_in_circle(browser.circle, opening, key, browser, changes)
    if isinstance(result, Conflict):
        form.key.data = new_key()
    return result


def _can_be_closed(previous: TableState) -> bool:
    return not previous.is_closed and may(g.browser.right, SCORE)


def _fill_from_table(form: OpeningForm, game: AnyGame, table: TableState) -> None:
    """Fill in the players, the next dealer, the house rules and so on of another table.

    Everybody stays where they sit at the real table: if the games' directions of play differ, the order is reversed.
    """
    seats = [(seat, table.names[seat]) for seat in table.seated_now]
    if table.game.direction != game.direction:
        seats = [*seats[:1], *reversed(seats[1:])]
    for number, (seat, name) in enumerate(seats[: max(game.player_counts)], start=1):
        form[f"seat-{number}"].data = name
        if seat == table.standing.dealer:
            form.dealer.data = str(number)
    if table.game.slug != game.slug:
        return
    form.turns.data = table.stored.turns
    for field in option_fields(game):
        option = getattr(table.standing.options, field.option)
        value = getattr(option, field.part, None) if field.part else option
        form[field.name].data = shown_value(field, value)
    if table.value is not None:
        form.currency.data = table.value.currency
        form.unit.data = table.value.unit
        form.amount.data = format_for_input(table.value.amount)


def _fill_from_query(form: OpeningForm, game: AnyGame) -> None:
    """Fill in the house rules from the query, as links to a game have them, and the seats, as those from a draw do."""
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
    previous: TableState | None = None,
    problems: tuple[Problem, ...] = (),
    opened_token: str | None = None,
) -> str:
    """Render the form; `opened_token` is that of a table that it has opened before, if it was sent again changed."""
    access.show_home_circle()
    home = access.home_browser()
    if not form.is_submitted():
        form.day.data = form.shown_day.data = find_evening(now(), form.zone(home)).isoformat()
    g.names = lambda: previous.names if previous is not None else {}
    fields = option_fields(game)
    folded = [field for field in fields if field.option not in game.asked]
    return render_template(
        "tables/new_table.html",
        game=game,
        form=form,
        name=next((clean_name(form[field.name].data) for field in fields if field.option == game.named_by), ""),
        options=folded,
        described=[field for field in fields if field.option in game.asked and field.is_required],
        asked=[field for field in fields if field.option in game.asked and not field.is_required],
        has_house_rules=any((form[each.name].data or "") != (shown_value(each, each.default) or "") for each in folded),
        problems=problems,
        people=access.player_names(),
        places=list_places(home.circle) if home is not None else [],
        today=local_time(now(), form.zone(home)).date(),
        known=list_known_games(game),
        previous=previous,
        may_close=previous is not None and _can_be_closed(previous),
        opened_token=opened_token,
    )


# --- a table's title, date, place and note, and the other settings in `Details` ---------------------------------


class DetailsForm(DetailsFields):
    seen = HiddenField()


@blueprint.route("/<token>/details", methods=["GET", "POST"])
def edit_details(token: str) -> ResponseReturnValue:
    table = access.get_table_or_404(token, SCORE)
    form = DetailsForm()
    if not form.is_submitted():
        current = read_details(table.stored)
        return _details_page(table, DetailsForm(data=vars(current) | {"seen": current.mark}))
    check_unit(table.game, form.turns.data)
    result = change(table.stored, form.details(), form.seen.data or "", g.browser)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=token), 303)
    table = access.get_table_or_404(token, SCORE)
    if isinstance(result, Refusal):
        return _details_page(table, form, result.problems), 422
    form.seen.data = result.current.mark
    return _details_page(table, form, current=result.current), 409


def _details_page(table: TableState, form: DetailsForm, problems: Sequence[Problem] = (), **more: Any) -> str:
    circle = table.stored.circle
    places, today = list_places(circle), local_time(now(), circle.time_zone).date()
    more |= {"problems": problems, "places": places, "today": today}
    return render_template("tables/details.html", table=table, form=form, **more)
