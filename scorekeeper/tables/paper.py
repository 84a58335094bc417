"""A paper sheet: a table with all its deals, sent as one form, with a field in each row for every group of the pad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from flask import abort, redirect, url_for
from flask.typing import ResponseReturnValue
from wtforms import StringField

from ..db.outcome import Done, Stale
from ..games import games
from ..scoring.game import AnyGame, fold
from ..scoring.pad import PLACE, STRIP, ChoiceGroup, Pad
from ..scoring.problems import Problem, refuse
from ..scoring.sheet import Sheet
from ..scoring.standing import AnyStanding, Row
from ..scoring.taps import build_pad
from ..scoring.values import JsonObject
from ..site.fields import MAX_DIGITS, DigitsField
from ..site.forms import SentField
from ..site.language import party_name, set_party_names, t
from .game_layouts import get_stem, group_label
from .new_table import OpeningForm, blueprint, build_opening_form, open_from_form, render_opening
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
    standing = opening.copy()
    is_certain = True
    scored_rows = []
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
    row = PaperRow(number, typed, pad)
    is_misdeal = MISDEAL in typed
    if not is_misdeal and all(typed.get(group.name, "") in ("", group.default) for group in pad.groups):
        return row  # it is blank
    if is_misdeal:
        deal: JsonObject = {"misdeal": True}
        found = []
    else:
        deal = pad.facts
        wrong = {problem.field for problem in found}
        found += [Problem(group.name, "field-missing") for group in pad.unanswered if group.name not in wrong]
    refusal = refuse(found) if found else fold(game, standing, [deal])
    if refusal is not None:
        standing.dealer = standing.next_player(standing.dealer)
        return replace(row, problems=refusal.problems)
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
    """`do` is the button that sent the form; `sent` has the fields of rows as "row.group"."""

    rows = DigitsField(default=FIRST_ROWS)
    do = StringField()
    sent = SentField()


@blueprint.route("/new/<slug>/paper", methods=["GET", "POST"])
def enter_paper(slug: str) -> ResponseReturnValue:
    """Do what the form's button asks: check, add rows, or record the table with its deals."""
    form = build_opening_form(games().get(slug) or abort(404), PaperForm)()
    form.load_circle()
    is_valid = form.is_submitted() and form.validate()
    if form.rows.errors:
        abort(400)
    page = _read_page(form)
    if form.do.data != "record":
        return page.render()
    if not is_valid or page.wrong_rows or page.is_empty:
        return page.render(), 422
    changes = [Change(RECORD, body=row.deal) for row in page.rows if row.deal is not None]
    changes += [Change(CLOSE)] if form.close.data else []
    result = open_from_form(form, changes)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    opened_token = result.current if isinstance(result, Stale) else None
    return page.render(opened_token), 409 if opened_token else 422


def _read_page(form: PaperForm) -> _PaperPage:
    opening, game = form.read(), form.game
    checked = opening.checked()
    options = checked.options if isinstance(checked, Sheet) else game.usual_options
    names = _name_seats(opening.names, game.player_counts)
    set_party_names(names)
    dealer = next((seat for seat, name in names.items() if name == opening.dealer), "1")
    played = game.under(options, len(opening.names))
    rows = score_rows(played, played.open(tuple(names), dealer, options), _read_rows(form))
    return _PaperPage(form, opening, played, rows)


def _name_seats(names: tuple[str, ...], player_counts: Sequence[int]) -> dict[str, str]:
    """Return the names by seat. As long as that many cannot play the game, all its seats are there, with numbers."""
    most = max(player_counts)
    if len(names) not in player_counts:
        names = (*names, *(t("opening.seat", number=number) for number in range(len(names) + 1, most + 1)))
    return {str(number): name for number, name in enumerate(names[:most], start=1)}


def _read_rows(form: PaperForm) -> list[dict[str, str]]:
    """Return what was typed in each row, by name of the group; with further rows if the button asks for them."""
    count = (form.rows.data or FIRST_ROWS) + MORE_ROWS * (form.do.data == "more")
    typed: dict[str, dict[str, str]] = {str(number): {} for number in range(1, min(count, MAX_ROWS) + 1)}
    for name, text in form.sent.data.items():
        number, _, group = name.partition(".")
        if group and number in typed:
            typed[number][group] = text
    return [*typed.values()]


@dataclass(frozen=True)
class _PaperPage:
    """The form as it was sent, and its rows with their scores."""

    form: PaperForm
    opening: Opening
    game: AnyGame  # under the house rules that were entered
    rows: Sequence[PaperRow]

    @property
    def wrong_rows(self) -> list[PaperRow]:
        return [row for row in self.rows if row.problems]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was entered that could be recorded, though the button asks for it."""
        return self.form.do.data == "record" and all(row.deal is None and not row.problems for row in self.rows)

    def find_labels(self, row: PaperRow) -> dict[str, str]:
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
        labels = self.find_labels(row)
        groups = [(row.pad.find_group(problem), problem) for problem in row.problems]
        return [(labels[group.name] if group is not None else "", problem) for group, problem in groups]

    def render(self, opened_token: str | None = None) -> str:
        self.form.rows.data = len(self.rows)
        return render_opening(
            "tables/paper.html",
            self.form,
            game_name=self.game.find_name(self.opening.house_rules),  # "" unless they describe the game
            opened_token=opened_token,
            options=option_fields(self.game),
            page=self,
            max_rows=MAX_ROWS,
        )
