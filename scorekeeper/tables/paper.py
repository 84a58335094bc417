"""A paper sheet: a table with all its deals, sent as one form, with a field in each row for every group of the pad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from flask import abort, g, jsonify, render_template
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from ..circles import access
from ..games import games
from ..scoring.game import AnyGame, fold
from ..scoring.pad import PLACE, STRIP, ChoiceGroup, Pad, build_pad
from ..scoring.problems import Problem, Refusal
from ..scoring.sheet import Sheet
from ..scoring.standing import AnyStanding, Row
from ..scoring.values import JsonObject
from ..site.forms import MAX_DIGITS, SentField, parse_digits
from ..site.language import party_name, t
from .game_layouts import get_stem, group_label
from .new_table import OpeningForm, blueprint, build_opening_form, open_from_form, render_opening, respond_to_opening
from .opening import Opening
from .option_fields import option_fields
from .revisions import CLOSE, RECORD, Change

FIRST_ROWS, MORE_ROWS, MAX_ROWS = 12, 10, 200
MAX_STEPS = 20  # choices that depend on each other
MISDEAL = "misdeal"  # the name of a row's field


# --- rows ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PaperRow:
    """A row as it was filled in, with the pad of its deal."""

    number: int  # from 1
    typed: Mapping[str, str]  # or chosen, by name of the group, and MISDEAL
    pad: Pad  # its groups in the order of the paper, without those that enter the same in another way
    problems: tuple[Problem, ...] = ()  # a field of them is the name of a group or a key of the deal
    deal: JsonObject | None = None  # for a blank row, or one with problems
    row: Row | None = None  # None too if an earlier row has problems, since the score depends on it

    @property
    def kept(self) -> dict[str, str]:
        """What was typed in fields that the row does not have now."""
        shown = {MISDEAL, *self.pad.by_name}
        return {name: text for name, text in self.typed.items() if text and name not in shown}


@blueprint.app_template_test("number_field")
def is_number_field(group: ChoiceGroup) -> bool:
    """Return whether a number can be typed: any, or one of the group's choices."""
    if group.amount is not None:
        return True
    labels = {choice.label for choice in group.choices}
    are_numbers = len(labels) == len(group.choices) and all(type(label) is int for label in labels)
    return are_numbers and group.kind in (STRIP, PLACE)


@blueprint.app_template_filter("lowest")
def find_lowest(group: ChoiceGroup) -> int:
    return group.amount.low if group.amount is not None else min(int(choice.label) for choice in group.choices)


def score_rows(game: AnyGame, opening: AnyStanding, rows: Iterable[Mapping[str, str]]) -> list[PaperRow]:
    """Score what was typed in the rows; blank ones are no deals. After a row with problems, others are only checked."""
    names = _order_of_seats(game, opening, {})
    standing, is_certain, scored_rows = opening.copy(), True, []
    for number, typed in enumerate(rows, start=1):
        scored = _score_row(game, standing, number, typed, names)
        is_certain = is_certain and not scored.problems
        scored_rows.append(scored if is_certain else replace(scored, row=None))
    return scored_rows


def _order_of_seats(game: AnyGame, standing: AnyStanding, taps: Mapping[str, str]) -> Sequence[str]:
    """Return the names of the pad's groups in the order that they have when the last player deals: that of the seats.

    So a column of the paper keeps its place in every deal. Groups that enter the same in another way are left out.
    """
    pad = build_pad(game, replace(standing, dealer=standing.players[-1]), taps)
    return [group.name for group in pad.groups if not group.is_alternative]


def _score_row(
    game: AnyGame, standing: AnyStanding, number: int, typed: Mapping[str, str], names: Sequence[str]
) -> PaperRow:
    """Score a row on the standing, which moves on. After one with problems, only the dealer is the next."""
    pad, found = _fill_pad(game, standing, typed, names)
    row, is_misdeal = PaperRow(number, typed, pad), MISDEAL in typed
    if not is_misdeal and all(typed.get(group.name, "") in ("", group.default) for group in pad.groups):
        return row  # it is blank
    wrong = {problem.field for problem in found}
    found += [Problem(group.name, "field-missing") for group in pad.unanswered if group.name not in wrong]
    deal, problems = ({"misdeal": True}, ()) if is_misdeal else (pad.facts, tuple(found))
    dealer = standing.dealer
    if not problems and (refusal := fold(game, standing, [deal])) is not None:
        problems = refusal.problems
    if problems:
        standing.dealer = standing.next_player(dealer)
        return replace(row, problems=problems)
    return replace(row, deal=deal, row=standing.rows[-1])


def _fill_pad(
    game: AnyGame, standing: AnyStanding, typed: Mapping[str, str], names: Sequence[str]
) -> tuple[Pad, list[Problem]]:
    """Return the pad of what was typed, and the problems of what was typed.

    A choice may add groups, and what is typed in these may add others. `names` is the order of most groups.
    """
    groups = tuple(game.pad(standing, {}))
    for _ in range(MAX_STEPS):
        by_name = {group.name: group for group in groups}
        of_this_deal = (group.name for group in groups if not group.is_alternative)  # such as one for the dealer
        ordered = tuple(by_name[name] for name in dict.fromkeys([*names, *of_this_deal]) if name in by_name)
        taps, problems = _read_taps(ordered, typed)
        pad = build_pad(game, standing, taps)
        if pad.by_name.keys() == by_name.keys():
            break
        names, groups = _order_of_seats(game, standing, taps), pad.groups
    return replace(pad, groups=ordered), problems


def _read_taps(groups: Iterable[ChoiceGroup], typed: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    taps, problems = {}, []
    for group in groups:
        text = typed.get(group.name, "").strip()
        if not text:
            continue
        choice = group.choice(text)
        if group.amount is None and is_number_field(group):
            number = int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None
            choice = next((each for each in group.choices if each.label == number), None)
        if choice is not None:
            taps[group.name] = choice.key
        elif group.amount is not None:
            problems.append(group.amount.problem(group.name, text))
        elif is_number_field(group):
            numbers = [int(choice.label) for choice in group.choices]
            params = {"found": text[:40], "low": min(numbers), "high": max(numbers)}
            problems.append(Problem(group.name, "whole-number", params))
        else:
            problems.append(Problem(group.name, "one-of-these"))
    return taps, problems


# --- the page ------------------------------------------------------------------------------------------------


class PaperForm(OpeningForm):
    """`do` is the button that sent the form; `sent` has the fields of rows as "row.group", and "shape.row"."""

    rows = HiddenField(default=str(FIRST_ROWS))
    do = StringField()
    sent = SentField()


@blueprint.route("/new/<slug>/paper", methods=["GET", "POST"])
def enter_paper(slug: str) -> ResponseReturnValue:
    """Do what the form's button asks: preview, check, add rows, or record the table with its deals."""
    page = _PaperPage(games().get(slug) or abort(404))
    if page.form.do.data == "preview":
        return jsonify(rows=page.row_parts())
    if page.form.do.data != "record":
        return page.render()
    deals = [row.deal for row in page.rows if row.deal is not None]
    if isinstance(page.checked, Refusal) or page.wrong_rows or not deals:
        page.is_empty = not deals and not page.wrong_rows
        return page.render(), 422
    changes = [Change(RECORD, body=deal) for deal in deals]
    changes += [Change(CLOSE)] if page.form.close.data else []
    return respond_to_opening(open_from_form(page.form, page.opening, changes), page.render)


class _PaperPage:
    """The form as it was sent, and its rows with their scores."""

    def __init__(self, game: AnyGame) -> None:
        self.form: Any = type("GamePaperForm", (PaperForm, build_opening_form(game)), {})()
        self.is_sent = bool(self.form.is_submitted())
        if self.form.circle.data and self.is_sent:
            access.return_home(self.form.circle.data)
        self.opening: Opening = self.form.opening(game)
        self.checked: Sheet | Refusal = self.opening.checked(self.form.zone(access.find_home_membership()))
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
        typed: dict[str, dict[str, str]] = {str(number): {} for number in range(1, self.row_count + 1)}
        for name, text in self.form.sent.data.items():
            number, _, group = name.partition(".")
            if group and number in typed:
                typed[number][group] = text
        self.rows = score_rows(self.game, self.game.open(tuple(seats), dealer, options), typed.values())
        self.wrong_rows = [row for row in self.rows if row.problems]
        self.labels = {row.number: self._find_labels(row) for row in self.rows}

    def _find_labels(self, row: PaperRow) -> dict[str, str]:
        """Return the labels of a row's fields by group: the words for paper, else those of the pad, with the player."""
        labels = {}
        for group in row.pad.groups:
            party = next(iter(group.rows)) if len(group.rows) == 1 else ""
            name = get_stem(group, party)
            label = group.title or group_label(self.game, name, "paper", "group")
            if not label:
                of_choice = group.choices[0].label if len(group.choices) == 1 else None
                label = t(of_choice) if isinstance(of_choice, str) else name
            labels[group.name] = f"{label} · {party_name(party)}" if party else label
        return labels

    def list_problems(self, row: PaperRow) -> list[tuple[str, Problem]]:
        """Return a row's problems after the labels of their fields, or ""."""
        labels = self.labels[row.number]
        groups = [(row.pad.find_group(problem), problem) for problem in row.problems]
        return [(labels[group.name] if group is not None else "", problem) for group, problem in groups]

    def find_shape(self, row: PaperRow) -> str:
        """Return a text that changes when a row's fields have other labels or choices."""
        labels = self.labels[row.number]
        fields = [
            (labels[group.name], [(choice.key, choice.row, str(choice.params)) for choice in group.choices])
            for group in row.pad.groups
        ]
        return sha256(repr((fields, sorted(g.names.items()))).encode()).hexdigest()[:12]

    def row_parts(self) -> dict[str, dict[str, str]]:
        """Return what is said about each row, as HTML; and its fields, if the page shows others."""
        parts = {}
        for row in self.rows:
            number, shape, shown = str(row.number), self.find_shape(row), {"page": self, "game": self.game, "row": row}
            parts[number] = {"status": render_template("tables/_paper_status.html", **shown)}
            if self.form.sent.data.get(f"shape.{number}") != shape:
                parts[number] |= {"shape": shape, "fields": render_template("tables/_paper_fields.html", **shown)}
        return parts

    def render(self, problems: tuple[Problem, ...] | None = None, opened_token: str | None = None) -> str:
        """Render the page; `problems` of the table's head, by default those found so far once it was sent."""
        self.form.rows.data = str(self.row_count)
        if problems is None:
            problems = self.checked.problems if isinstance(self.checked, Refusal) and self.is_sent else ()
        return render_opening(
            "tables/paper.html",
            self.form,
            game=self.game,
            problems=tuple(self.form.specify(problem, self.game) for problem in problems),
            opened_token=opened_token,
            options=option_fields(self.game),
            page=self,
            max_rows=MAX_ROWS,
        )
