"""Entering a paper sheet: a table with all its deals, sent as one form."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

from flask import Blueprint, abort, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, HiddenField

from ...games import games
from ...scoring.game import AnyGame
from ...scoring.pad import ChoiceGroup
from ...scoring.pad_state import MAX_ROWS, PaperRow, ScoredPaperRow, find_lowest, is_number_field, score_rows
from ...scoring.problems import Problem, Refusal
from ...scoring.sheet import Sheet
from ...scoring.standing import AnyStanding
from ...services.outcome import Done
from ...services.tables.details import list_places
from ...services.tables.opening import Opening, open_table
from ...tables.revisions import CLOSE, RECORD, Change
from ...time_zones import find_evening, local_time, now
from ..support import access
from ..support.forms import new_key, parse_id, read_key
from ..support.language import has_message, party_name, t
from ..support.option_fields import option_fields
from ..support.rate_limits import require_table
from .new_table import opening_form

blueprint = Blueprint("paper", __name__, url_prefix="/tables/new")

FIRST_ROWS, MORE_ROWS = 12, 10
MISDEAL = "misdeal"  # the name of a row's field


class PaperFields:
    rows = HiddenField(default=str(FIRST_ROWS))
    close = BooleanField(default=True)


@blueprint.route("/<slug>/paper", methods=["GET", "POST"])
def enter(slug: str) -> ResponseReturnValue:
    """Show the form, or do what its button asks: preview, check, add rows, or record the table with its deals."""
    game = games().get(slug)
    if game is None:
        abort(404)
    page = _PaperPage(game)
    action = request.form.get("do", "check")
    if page.form.is_submitted() and action == "preview":
        return jsonify(rows=page.row_parts())
    if not page.form.is_submitted() or action != "record":
        return page.render()
    key = read_key("opening_key")
    deals = [row.deal for row in page.rows if row.deal is not None]
    if isinstance(page.checked, Refusal) or page.wrong_rows or not deals:
        page.is_empty = not deals and not page.wrong_rows
        return page.render(), 422
    changes = [Change(RECORD, body=deal) for deal in deals]
    changes += [Change(CLOSE)] if page.form.close.data else []
    browser = access.current_or_new_circle(page.form.time_zone.data or "")
    require_table(browser.circle, key)
    result = open_table(browser.circle, page.opening, key, browser, changes)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    if isinstance(result, Refusal):
        return page.render(result.problems), 422
    page.form.opening_key.data = new_key()
    return page.render(opened_token=result.earlier), 409


class _PaperPage:
    """The form as it was sent, and its rows with their scores."""

    def __init__(self, game: AnyGame) -> None:
        kind = type("PaperForm", (opening_form(game),), dict(vars(PaperFields)))
        self.form: Any = kind()
        if self.form.is_submitted() and self.form.circle.data:
            access.return_home(self.form.circle.data)
        self.home = access.home_browser()
        self.zone = self.form.zone(self.home)
        if not self.form.is_submitted():
            self.form.day.data = self.form.shown_day.data = find_evening(now(), self.zone).isoformat()
        self.opening: Opening = self.form.opening(game)
        self.checked: Sheet | Refusal = self.opening.checked(self.zone)
        self.options = self.checked.options if isinstance(self.checked, Sheet) else game.usual_options
        self.game: AnyGame = game.under(self.options, len(self.opening.names))
        rows = parse_id(self.form.rows.data) or FIRST_ROWS
        self.row_count = min(rows + MORE_ROWS * (request.form.get("do") == "more"), MAX_ROWS)
        self.is_empty = False
        g.names = lambda: self.names
        self.rows = score_rows(self.game, self.standing, self._typed_rows())

    @property
    def names(self) -> dict[str, str]:
        """The players by seat; as long as they cannot play the game, the numbers of its seats."""
        names, counts = self.opening.names, self.game.player_counts
        if len(names) not in counts:
            names = (*names, *(t("opening.seat", number=n) for n in range(len(names) + 1, max(counts) + 1)))
        return {str(number): name for number, name in enumerate(names[: max(counts)], start=1)}

    @property
    def game_name(self) -> str:
        """The name that the house rules give the game; "" without one."""
        return self.game.find_name(self.opening.house_rules)

    @property
    def standing(self) -> AnyStanding:
        """The standing before the first deal; with the usual rules, if those of the form are wrong."""
        players = tuple(self.names)
        names = self.opening.names
        dealer = str(names.index(self.opening.dealer) + 1) if self.opening.dealer in names else players[0]
        return self.game.open(players, dealer if dealer in players else players[0], self.options)

    @property
    def wrong_rows(self) -> list[ScoredPaperRow]:
        return [row for row in self.rows if row.problems]

    def _typed_rows(self) -> list[PaperRow]:
        fields = request.form if self.form.is_submitted() else {}
        typed: dict[int, dict[str, str]] = {}
        for name, text in fields.items():
            number, dot, group = name.partition(".")
            if dot and (row := parse_id(number)) is not None:
                typed.setdefault(row, {})[group] = text
        rows = [(number, typed.get(number, {})) for number in range(1, self.row_count + 1)]
        return [PaperRow(number, row, row.pop(MISDEAL, None) is not None) for number, row in rows]

    def row_parts(self) -> dict[str, dict[str, str]]:
        """Return what is said about each row, as HTML; and its fields, if the page sends another `hash_shape`."""
        parts = {}
        for row in self.rows:
            number, shape = str(row.paper.number), hash_shape(self.game, row)
            parts[number] = {"status": render_template("tables/_paper_status.html", game=self.game, row=row)}
            if request.form.get(f"shape.{number}") != shape:
                fields = render_template("tables/_paper_fields.html", game=self.game, row=row)
                parts[number] |= {"shape": shape, "fields": fields}
        return parts

    def render(self, problems: tuple[Problem, ...] | None = None, opened_token: str | None = None) -> str:
        """Render the page; `problems` of the table's head, by default those found so far once it was sent."""
        access.show_home_circle()
        self.form.rows.data = str(self.row_count)
        if problems is None:
            found = self.checked.problems if isinstance(self.checked, Refusal) and self.form.is_submitted() else ()
            problems = tuple(self.form.specify(problem, self.game) for problem in found)
        return render_template(
            "tables/paper.html",
            game=self.game,
            form=self.form,
            options=option_fields(self.game),
            problems=problems,
            people=access.player_names(),
            places=list_places(self.home.circle) if self.home is not None else [],
            today=local_time(now(), self.zone).date(),
            page=self,
            max_rows=MAX_ROWS,
            opened_token=opened_token,
        )


@blueprint.app_template_global()
def paper_label(game: AnyGame, group: ChoiceGroup) -> str:
    """Return the label of a group's field: the game's words for paper, else those on its pad, with the player."""
    row = next(iter(group.rows)) if len(group.rows) == 1 else ""
    name = group.name.removesuffix(f"-{row}") if row else group.name
    keys = (f"{game.slug}.paper.{name}", f"{game.slug}.group.{name}")
    label = group.title or next((t(key) for key in keys if has_message(key)), "")
    if not label:
        of_choice = group.choices[0].label if len(group.choices) == 1 else None
        label = t(of_choice) if isinstance(of_choice, str) else name
    return f"{label} · {party_name(row)}" if row else label


@blueprint.app_template_global()
def hash_shape(game: AnyGame, row: ScoredPaperRow) -> str:
    """Return a mark that changes when a row's fields have other labels or choices."""
    described = [
        (paper_label(game, group), [(c.key, c.row, str(c.params)) for c in group.choices]) for group in row.groups
    ]
    return sha256(repr((described, sorted(g.names().items()))).encode()).hexdigest()[:12]


blueprint.add_app_template_test(is_number_field, "number_field")
blueprint.add_app_template_filter(find_lowest, "lowest")


@blueprint.app_template_global()
def paper_problems(row: ScoredPaperRow, game: AnyGame) -> list[tuple[str, Problem]]:
    """Return a row's problems, each after the label of its field; "" if it has none."""
    shown = {group.name for group in row.groups}
    found = []
    for problem in row.problems:
        pad = replace(row.pad, groups=row.groups)
        group = next((group for group in row.groups if problem in pad.problems_of(group, (problem,))), None)
        found.append((paper_label(game, group) if group is not None and group.name in shown else "", problem))
    return found
