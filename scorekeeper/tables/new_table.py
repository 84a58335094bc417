"""The form for a new table, empty or filled in from another one; its details; and a table entered from paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from flask import Blueprint, abort, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, Field, HiddenField, StringField, TextAreaField

from ..circles import access
from ..db.outcome import Conflict, Done
from ..games import games
from ..limits import MAX_SEATS
from ..models import SCORE, Membership, Table, may, new_token
from ..people.players import QUESTION
from ..scoring.game import AnyGame
from ..scoring.pad import ChoiceGroup
from ..scoring.pad_state import MAX_ROWS, PaperRow, ScoredPaperRow, find_lowest, is_number_field, score_rows
from ..scoring.problems import Problem, Refusal
from ..scoring.sheet import Sheet
from ..scoring.values import clean_lines, clean_name
from ..site import time_zones
from ..site.amounts import ambiguity, currency_choices, format_for_input, parse_amount, value_units
from ..site.forms import MEANING, VALUE_PLACES, Form, SentField, WriteForm, parse_digits
from ..site.language import isolate_rtl, party_name, t
from ..site.rate_limits import require_table
from ..site.time_zones import find_evening, local_time, now
from . import access as table_access
from .details import Details, change, list_places, read_details
from .game_layouts import get_stem, group_label
from .opening import Opening, OpeningResult, is_opened, list_named_games
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
from .record import submit
from .revisions import CLOSE, RECORD, Change
from .state import TableState
from .table import check_unit, turn_units


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
            house_rules=game.house_rules.fill(read_options(self, option_fields(game)), len(names)),
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
    form = with_fields(OpeningForm, option_fields(game))
    for number in range(1, MAX_SEATS + 1):
        setattr(form, f"seat-{number}", StringField())
    return form


blueprint = Blueprint("new_table", __name__, url_prefix="/tables")


@blueprint.get("/new")
def choose_game() -> str:
    home = access.show_home_circle()
    return render_template(
        "tables/choose_game.html",
        games={slug: game.player_counts for slug, game in games().items()},
        named=[(table, _list_names(table)) for table in list_named_games(home.circle).values()]
        if home is not None
        else [],
    )


def _list_names(table: Table) -> str:
    return ", ".join(isolate_rtl(seat.player.person.name) for seat in table.seats if seat.has_sat)


@blueprint.route("/new/<slug>", methods=["GET", "POST"])
def open_table(slug: str) -> ResponseReturnValue:
    """Show the form for a new table, filled from the table `?like=<token>`; or open the table."""
    game = games().get(slug) or abort(404)
    form = build_opening_form(game)()
    token = form.like.data or request.args.get("like")
    previous = table_access.get_table_or_404(token) if token else None
    if previous is not None and previous.stored.circle.is_sample:
        return redirect(url_for("new_table.open_table", slug=slug), 303)  # its players are not real
    if not form.is_submitted():
        if previous is not None:
            form.seen.data = previous.seen
            _fill_from_table(form, game, previous)
        _fill_from_query(form, game)
        return _new_table_page(game, form, previous)
    if form.circle.data:
        access.return_home(form.circle.data)
    check_unit(game, form.turns.data)
    result = open_from_form(form, form.opening(game))
    if isinstance(result, Done) and previous is not None and form.close.data and _can_be_closed(previous):
        submit(previous, [Change(CLOSE)], form)  # unless something was recorded there meanwhile
    return _respond(result, lambda *shown: _new_table_page(game, form, previous, *shown))


def open_from_form(form: OpeningForm, opening: Opening, changes: Sequence[Change] = ()) -> OpeningResult:
    """Open the table in the home circle, or in a new one if the device has none; after a conflict, with a new key."""
    key = form.read_key()
    checked = opening.checked(form.zone(access.home_membership()))
    if isinstance(checked, Refusal):  # before a circle is created for the table
        return checked
    membership = access.current_or_new_circle(form.time_zone.data or "")
    if not is_opened(membership.circle, key):  # sent again, it opens none
        require_table(membership.circle)
    result = open_in_circle(membership.circle, opening, key, membership, changes)
    if isinstance(result, Conflict):
        form.key.data = new_token()
    return result


def _respond(result: OpeningResult, show: Callable[[tuple[Problem, ...], str | None], str]) -> ResponseReturnValue:
    """Redirect to the table, or show the form again, with problems or the token of the table that it opened before."""
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    return (show(result.problems, None), 422) if isinstance(result, Refusal) else (show((), result.earlier), 409)


def _can_be_closed(previous: TableState) -> bool:
    return not previous.is_closed and may(g.membership.right, SCORE)


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
        form[field.name].data = shown_value(field, field.value_in(table.standing.options))
    if table.value is not None:
        form.currency.data = table.value.currency
        form.unit.data = table.value.unit
        form.amount.data = format_for_input(table.value.amount)


DETAILS = ("like", "day", "place", "note", "turns", "currency", "unit", "amount")


def kept_fields(game: AnyGame) -> list[str]:
    """Return the fields, other than the seats and the dealer, that a draw for seats keeps as they were entered."""
    return [*DETAILS, *(field.name for field in option_fields(game))]


def _fill_from_query(form: OpeningForm, game: AnyGame) -> None:
    """Fill in the house rules from the query, as links to a game have them, and everything that a draw has kept."""
    for name in request.args.keys() & set(DETAILS):
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
    previous: TableState | None = None,
    problems: tuple[Problem, ...] = (),
    opened_token: str | None = None,
) -> str:
    g.names = previous.names if previous is not None else {}
    fields = option_fields(game)
    asked, named_by = game.house_rules.asked, game.house_rules.named_by
    folded = [field for field in fields if field.option not in asked]
    has_house_rules = any((form[each.name].data or "") != (shown_value(each, each.default) or "") for each in folded)
    has_details = bool(form.place.data or form.note.data or form.turns.data)
    chosen = {
        "opening.house-rules": has_house_rules,
        "opening.money": form.amount.data,
        "details.title": has_details,
    }
    return _render_opening(
        "tables/new_table.html",
        form,
        game=game,
        turn_units=turn_units(game),
        problems=tuple(form.specify(problem, game) for problem in problems),
        opened_token=opened_token,
        name=next((clean_name(form[field.name].data) for field in fields if field.option == named_by), ""),
        options=folded,
        described=[field for field in fields if field.option in asked and field.is_required],
        asked=[field for field in fields if field.option in asked and not field.is_required],
        has_details=has_details,
        chosen=[t(key) for key, is_chosen in chosen.items() if is_chosen],
        games=games(),
        known=list_known_games(game),
        previous=previous,
        may_close=previous is not None and _can_be_closed(previous),
    )


def _render_opening(template: str, form: OpeningForm, **variables: Any) -> str:
    home = access.show_home_circle()
    zone = form.zone(home)
    if not form.is_submitted():
        form.shown_day.data = find_evening(now(), zone).isoformat()
        form.day.data = form.day.data or form.shown_day.data
    places = list_places(home.circle) if home is not None else []
    today, people = local_time(now(), zone).date(), table_access.player_names()
    return render_template(
        template,
        form=form,
        wrong=[problem for problem in variables["problems"] if problem.key != QUESTION],
        wrong_fields=_group_problems(variables["problems"], variables.get("described", []), variables.get("asked", [])),
        places=places,
        today=today,
        people=people,
        currencies=currency_choices(),
        **variables,
    )


def _group_problems(
    problems: Iterable[Problem], described: Iterable[OptionField], asked: Iterable[OptionField]
) -> dict[str, list[Problem]]:
    """Return problems by the part of the form: "described", "asked", other "rules", "value", "details", or a field."""
    parts = {HOUSE_RULES: "rules", **dict.fromkeys(("day", "place", "note"), "details")}
    of_fields = {field.problem_field: "described" for field in described}
    of_fields |= {field.problem_field: "asked" for field in asked}
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        head = problem.field.partition(".")[0]
        groups.setdefault(of_fields.get(problem.field) or parts.get(head, head), []).append(problem)
    return groups


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
    check_unit(table.game, form.turns.data)
    result = change(table.stored, form.details(), form.seen.data, g.membership)
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
    more |= {"problems": problems, "places": places, "today": today, "turn_units": turn_units(table.game)}
    return render_template("tables/details.html", table=table, form=form, **more)


# --- a paper sheet: a table with all its deals, sent as one form ------------------------------------------------

FIRST_ROWS, MORE_ROWS = 12, 10
MISDEAL = "misdeal"  # the name of a row's field


class PaperForm(OpeningForm):
    """`do` is the button that sent the form; `sent` has the fields of rows as "row.group", and "shape.row"."""

    rows = HiddenField(default=str(FIRST_ROWS))
    do = StringField()
    sent = SentField()


@blueprint.route("/new/<slug>/paper", methods=["GET", "POST"])
def enter_paper(slug: str) -> ResponseReturnValue:
    """Show the form, or do what its button asks: preview, check, add rows, or record the table with its deals."""
    page = _PaperPage(games().get(slug) or abort(404))
    if page.form.do.data == "preview":
        return jsonify(rows=page.row_parts())
    if page.form.do.data != "record":
        return page.render()
    deals = [row.scored.deal for row in page.rows if row.scored.deal is not None]
    if isinstance(page.checked, Refusal) or page.wrong_rows or not deals:
        page.is_empty = not deals and not page.wrong_rows
        return page.render(), 422
    changes = [Change(RECORD, body=deal) for deal in deals]
    changes += [Change(CLOSE)] if page.form.close.data else []
    return _respond(open_from_form(page.form, page.opening, changes), page.render)


class ShownRow(NamedTuple):
    """A row as the page shows it."""

    scored: ScoredPaperRow
    labels: dict[str, str]  # of its fields, by name of the group
    problems: list[tuple[str, Problem]]  # after the labels of their fields, or ""
    shape: str  # a text that changes when its fields have other labels or choices


def _show_paper_row(game: AnyGame, row: ScoredPaperRow) -> ShownRow:
    labels = {group.name: _find_paper_label(game, group) for group in row.groups}
    pad, problems = replace(row.pad, groups=row.groups), []
    for problem in row.problems:
        group = next((group for group in row.groups if problem in pad.problems_of(group, (problem,))), None)
        problems.append((labels[group.name] if group is not None else "", problem))
    fields = [(labels[group.name], [(c.key, c.row, str(c.params)) for c in group.choices]) for group in row.groups]
    described = repr((fields, sorted(g.names.items())))
    return ShownRow(row, labels, problems, sha256(described.encode()).hexdigest()[:12])


def _find_paper_label(game: AnyGame, group: ChoiceGroup) -> str:
    """Return the label of a group's field: the game's words for paper, else those on its pad, with the player."""
    row = next(iter(group.rows)) if len(group.rows) == 1 else ""
    name = get_stem(group, row)
    label = group.title or group_label(game, name, "paper", "group")
    if not label:
        of_choice = group.choices[0].label if len(group.choices) == 1 else None
        label = t(of_choice) if isinstance(of_choice, str) else name
    return f"{label} · {party_name(row)}" if row else label


class _PaperPage:
    """The form as it was sent, and its rows with their scores."""

    def __init__(self, game: AnyGame) -> None:
        self.form: Any = type("GamePaperForm", (PaperForm, build_opening_form(game)), {})()
        self.is_sent = bool(self.form.is_submitted())
        if self.form.circle.data and self.is_sent:
            access.return_home(self.form.circle.data)
        self.opening: Opening = self.form.opening(game)
        self.checked: Sheet | Refusal = self.opening.checked(self.form.zone(access.home_membership()))
        options = self.checked.options if isinstance(self.checked, Sheet) else game.usual_options
        self.game: AnyGame = game.under(options, len(self.opening.names))
        self.game_name = self.game.find_name(self.opening.house_rules)  # by the house rules, "" without one
        rows = parse_digits(self.form.rows.data) or FIRST_ROWS
        self.row_count = min(rows + MORE_ROWS * (self.form.do.data == "more"), MAX_ROWS)
        self.is_empty = False
        # As long as the players cannot play the game, the numbers of its seats are shown.
        names, counts = self.opening.names, game.player_counts
        if len(names) not in counts:
            names = (*names, *(t("opening.seat", number=n) for n in range(len(names) + 1, max(counts) + 1)))
        seats = {str(number): name for number, name in enumerate(names[: max(counts)], start=1)}
        g.names = seats
        dealer = next((seat for seat, name in seats.items() if name == self.opening.dealer), "1")
        standing = self.game.open(tuple(seats), dealer, options)
        self.rows = [_show_paper_row(self.game, row) for row in score_rows(self.game, standing, self._typed_rows())]
        self.wrong_rows = [row for row in self.rows if row.problems]

    def _typed_rows(self) -> list[PaperRow]:
        typed: dict[str, dict[str, str]] = {}
        for name, text in self.form.sent.data.items():
            number, dot, group = name.partition(".")
            if dot:
                typed.setdefault(number, {})[group] = text
        rows = [(number, typed.get(str(number), {})) for number in range(1, self.row_count + 1)]
        return [PaperRow(number, row, row.pop(MISDEAL, None) is not None) for number, row in rows]

    def row_parts(self) -> dict[str, dict[str, str]]:
        """Return what is said about each row, as HTML; and its fields, if the page shows others."""
        parts = {}
        for row in self.rows:
            number = str(row.scored.paper.number)
            parts[number] = {"status": render_template("tables/_paper_status.html", game=self.game, row=row)}
            if self.form.sent.data.get(f"shape.{number}") != row.shape:
                fields = render_template("tables/_paper_fields.html", game=self.game, row=row)
                parts[number] |= {"shape": row.shape, "fields": fields}
        return parts

    def render(self, problems: tuple[Problem, ...] | None = None, opened_token: str | None = None) -> str:
        """Render the page; `problems` of the table's head, by default those found so far once it was sent."""
        self.form.rows.data = str(self.row_count)
        if problems is None:
            problems = self.checked.problems if isinstance(self.checked, Refusal) and self.is_sent else ()
        return _render_opening(
            "tables/paper.html",
            self.form,
            game=self.game,
            problems=tuple(self.form.specify(problem, self.game) for problem in problems),
            opened_token=opened_token,
            options=option_fields(self.game),
            page=self,
            max_rows=MAX_ROWS,
        )


blueprint.add_app_template_test(is_number_field, "number_field")
blueprint.add_app_template_filter(find_lowest, "lowest")
