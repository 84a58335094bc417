"""Entering a paper sheet: a table with all its deals, sent as one form."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from flask import Blueprint, abort, g, jsonify, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from ...games import games
from ...scoring.game import AnyGame
from ...scoring.pad import ChoiceGroup
from ...scoring.pad_state import MAX_ROWS, PaperRow, ScoredPaperRow, find_lowest, is_number_field, score_rows
from ...scoring.problems import Problem, Refusal
from ...scoring.sheet import Sheet
from ...services.outcome import Done
from ...services.tables.details import list_places
from ...services.tables.opening import Opening
from ...tables.revisions import CLOSE, RECORD, Change
from ...time_zones import find_evening, local_time, now
from ..support import access
from ..support.forms import SentField, parse_id
from ..support.game_layouts import get_stem, group_label
from ..support.language import party_name, t
from ..support.option_fields import option_fields
from .new_table import OpeningForm, build_opening_form, open_from_form

blueprint = Blueprint("paper", __name__, url_prefix="/tables/new")

FIRST_ROWS, MORE_ROWS = 12, 10
MISDEAL = "misdeal"  # the name of a row's field


class PaperForm(OpeningForm):
    """`do` is the button that sent the form; `deals` are its fields by "row.group", and "shape.row"."""

    rows = HiddenField(default=str(FIRST_ROWS))
    do = StringField()
    sent = SentField()


@blueprint.route("/<slug>/paper", methods=["GET", "POST"])
def enter(slug: str) -> ResponseReturnValue:
    """Show the form, or do what its button asks: preview, check, add rows, or record the table with its deals."""
    game = games().get(slug)
    if game is None:
        abort(404)
    page = _PaperPage(game)
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
    result = open_from_form(page.form, page.opening, changes)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    if isinstance(result, Refusal):
        return page.render(result.problems), 422
    return page.render(opened_token=result.earlier), 409


class ShownRow(NamedTuple):
    """A row with the labels of its fields, by name of the group, and its problems after the labels of theirs, or "".

    `shape` is a mark that changes when its fields have other labels or choices.
    """

    scored: ScoredPaperRow
    labels: dict[str, str]
    problems: list[tuple[str, Problem]]
    shape: str


def _show_row(game: AnyGame, row: ScoredPaperRow) -> ShownRow:
    labels = {group.name: _find_label(game, group) for group in row.groups}
    pad, problems = replace(row.pad, groups=row.groups), []
    for problem in row.problems:
        group = next((group for group in row.groups if problem in pad.problems_of(group, (problem,))), None)
        problems.append((labels[group.name] if group is not None else "", problem))
    fields = [(labels[group.name], [(c.key, c.row, str(c.params)) for c in group.choices]) for group in row.groups]
    described = repr((fields, sorted(g.names().items())))
    return ShownRow(row, labels, problems, sha256(described.encode()).hexdigest()[:12])


def _find_label(game: AnyGame, group: ChoiceGroup) -> str:
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
        self.home = access.home_browser()
        self.zone = self.form.zone(self.home)
        if not self.is_sent:
            self.form.day.data = self.form.shown_day.data = find_evening(now(), self.zone).isoformat()
        self.opening: Opening = self.form.opening(game)
        self.checked: Sheet | Refusal = self.opening.checked(self.zone)
        options = self.checked.options if isinstance(self.checked, Sheet) else game.usual_options
        self.game: AnyGame = game.under(options, len(self.opening.names))
        self.game_name = self.game.find_name(self.opening.house_rules)  # by the house rules, "" without one
        rows = parse_id(self.form.rows.data) or FIRST_ROWS
        self.row_count = min(rows + MORE_ROWS * (self.form.do.data == "more"), MAX_ROWS)
        self.is_empty = False
        # As long as the players cannot play the game, the numbers of its seats are shown.
        names, counts = self.opening.names, game.player_counts
        if len(names) not in counts:
            names = (*names, *(t("opening.seat", number=n) for n in range(len(names) + 1, max(counts) + 1)))
        seats = {str(number): name for number, name in enumerate(names[: max(counts)], start=1)}
        g.names = lambda: seats
        dealer = next((seat for seat, name in seats.items() if name == self.opening.dealer), "1")
        standing = self.game.open(tuple(seats), dealer, options)
        self.rows = [_show_row(self.game, row) for row in score_rows(self.game, standing, self._typed_rows())]
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
        access.show_home_circle()
        self.form.rows.data = str(self.row_count)
        if problems is None:
            found = self.checked.problems if isinstance(self.checked, Refusal) and self.is_sent else ()
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


blueprint.add_app_template_test(is_number_field, "number_field")
blueprint.add_app_template_filter(find_lowest, "lowest")
