"""The slips of an event: their fields, and the director's pages to enter one after the other, and to correct any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, abort, g, request, url_for
from wtforms import BooleanField, StringField
from wtforms.validators import InputRequired

from ...db.outcome import Done, Stale
from ...models import Event
from ...scoring.problems import Problem, abbreviate_value
from ...scoring.values import clean_name
from ...site.amounts import parse_int
from ...site.fields import DigitsField, parse_digits
from ...site.forms import SentField, WriteForm
from .. import results
from ..access import get_state_or_404
from ..drawing import NOT_PLAYED, Result
from ..event_game import DEALS, GAMES, results_in, tricks_of_round
from ..phones import DIRECT, Outcome
from ..reading import EventState, Place, RoundTableRow, read_result
from ..results import ResultRequest, find_least_score
from ..scorings import IN_TRICKS, IN_WINS, Scores, add_boards
from .director import list_hall_tables
from .rendering import Answer, render_event, respond

blueprint = Blueprint("event_slips", __name__, url_prefix="/events/<token>/rounds/<int:round_number>")

MOST_TAPPED = 13  # a strip with more cells than a hand has cards would be hard to hit
SPLIT, WINNER, COUNTS, NUMBERS = "split", "winner", "counts", "numbers"  # kinds of slips


class SlipForm(WriteForm):
    """What is sent with a slip, besides `SlipFields`: `seen` is what the page has shown of the result."""

    round = DigitsField(validators=[InputRequired()])
    table = StringField(filters=[clean_name])
    do = StringField()  # "not-played" or "withdraw"
    sure = BooleanField()  # an unlikely result is right
    sent = SentField()


class SlipFields:
    """The fields of a slip for a result, and their `values` as they were typed or tapped. They depend on its `kind`.

    SPLIT: both sides share `most` tricks, and one tap says how. WINNER: one tap says which side won. COUNTS: each party
    taps a number up to `most`. NUMBERS: a number is typed for each party, or two for each board.
    """

    def __init__(self, state: EventState, result: Result | None = None) -> None:
        self.kind, self.most = _find_kind(state)
        self.sides = state.sides
        self.least = find_least_score(state.event)
        self.is_slam_known = self.kind == SPLIT and state.event.length == 1  # all tricks of the round's only deal
        tricks = state.event_game.under_rules.limits.tricks
        self.has_slams = not (tricks is None or self.kind == WINNER or state.plays_alone or self.is_slam_known)
        boards = state.deals_of_round or 0
        has_board_fields = bool(state.board_sets) and self.kind == NUMBERS and boards > 1
        self.board_count = boards if has_board_fields else 0  # with fields of their own
        self._score_names = ["score-0"] if self.kind == SPLIT else [f"score-{side}" for side in self.sides]
        self._board_names = [f"board-{place}-{side}" for place in range(1, self.board_count + 1) for side in (0, 1)]
        self._slam_names = [f"slams-{side}" for side in self.sides] if self.has_slams else []
        self.values = _fill(result, self.board_count) if result is not None and result.is_played else {}

    @property
    def names(self) -> list[str]:
        return ["won"] if self.kind == WINNER else [*self._score_names, *self._board_names, *self._slam_names]

    @classmethod
    def sent(cls, state: EventState, form: SlipForm) -> SlipFields:
        fields, sent = cls(state), form.sent.data
        fields.values = {name: sent[name] for name in fields.names if name in sent}
        return fields

    def has_values_of(self, kind: str) -> bool:
        """Return whether something was typed or tapped in the fields of this kind, such as "slams"."""
        return any(value for name, value in self.values.items() if name.startswith(kind))

    def result(self) -> Result | Problem:
        if self.kind == WINNER:
            won = self.values.get("won")
            return Result((1, 0) if won == "0" else (0, 1)) if won in ("0", "1") else Problem("won", "slip-missing")
        has_boards = any(self.values.get(name, "").strip() for name in self._board_names)
        numbers = self._read_numbers(self._board_names if has_boards else self._score_names)
        slams = self._read_numbers(self._slam_names, empty="0")
        if isinstance(numbers, Problem):
            return numbers
        if isinstance(slams, Problem):
            return slams
        slams = slams or (0,) * len(self.sides)
        if has_boards:
            return self._add_boards(numbers, slams)
        return self._split_tricks(numbers[0], slams) if self.kind == SPLIT else Result(numbers, slams)

    def _read_numbers(self, names: Sequence[str], empty: str = "") -> tuple[int, ...] | Problem:
        """Return the numbers that were typed; `empty` is what an empty field means."""
        numbers = []
        for name in names:
            number = parse_int(self.values.get(name) or empty)
            if isinstance(number, str):
                params = {"found": abbreviate_value(number)}
                return Problem(name, "slip-number", params) if number else Problem(name, "slip-missing")
            numbers.append(number)
        return tuple(numbers)

    def _split_tricks(self, first: int, slams: Scores) -> Result | Problem:
        if not 0 <= first <= self.most:
            return Problem("score-0", "number-between", {"least": 0, "most": self.most})
        scores = (first, self.most - first)
        return Result(scores, tuple(int(score == self.most) for score in scores) if self.is_slam_known else slams)

    def _add_boards(self, numbers: Scores, slams: Scores) -> Result | Problem:
        boards = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        scores = add_boards(boards)
        for name, score in zip(self._score_names, scores, strict=True):
            typed = self.values.get(name, "").strip()
            if typed and parse_int(typed) != score:
                return Problem(name, "boards-add-up", {"must": score})
        return Result(scores, slams, boards)


def _find_kind(state: EventState) -> tuple[str, int]:
    """Return the kind of an event's slips, and the most that a strip has."""
    event = state.event
    counted_in = results_in(event)
    tricks = tricks_of_round(event)
    if counted_in == IN_TRICKS and tricks is not None and tricks <= MOST_TAPPED:
        return SPLIT, tricks
    is_one_game = event.round_unit == GAMES and event.length == 1
    if counted_in == IN_WINS and is_one_game and not state.plays_alone:  # several who play alone may win together
        return WINNER, 1
    most = event.length if event.round_unit in (DEALS, GAMES) else MOST_TAPPED
    if counted_in == IN_WINS and most <= MOST_TAPPED:
        return COUNTS, most
    return NUMBERS, 0


def _fill(result: Result, board_count: int) -> dict[str, str]:
    """Return the values of the fields for a result: of each board if it has a field, otherwise of the round."""
    scores, slams, boards = result
    values = {f"slams-{side}": str(slam) for side, slam in enumerate(slams) if slam}
    values["won"] = "0" if scores[0] > scores[1] else "1"
    by_place: Sequence[tuple[str, Scores]] = [(f"board-{place}", of) for place, of in enumerate(boards, 1)]
    fields = by_place if boards and len(boards) == board_count else [("score", scores)]
    return values | {f"{name}-{side}": str(score) for name, of in fields for side, score in enumerate(of)}


def record_result(
    event: Event, place: Place, seen: str, form: SlipForm, result: Result | Problem | None, *, is_slip: bool
) -> Outcome | Problem:
    """Record what was read from a slip, unless it is a problem; `seen` is what the page has shown of the result."""
    if isinstance(result, Problem):
        return result
    sent = ResultRequest(*place, seen, form.read_key(), result, is_slip=is_slip, is_sure=bool(form.sure.data))
    return results.record(event, sent, g.membership)


# --- one after the other -----------------------------------------------------------------------------------


def _render_round(
    state: EventState,
    number: int,
    fields: SlipFields | None = None,
    typed: str | None = None,
    problems: Sequence[Problem] = (),
    other: RoundTableRow | None = None,
) -> str:
    """Render a form to enter one slip after the other, and all results of the round.

    Without the number of a table that was `typed`, whose slip was not recorded, the next one without a result is
    proposed. `other` is a table that has a result already, or another one than was shown.
    """
    tables = list_hall_tables(state, number)
    missing = [row for row, _ in tables if row.result is None]
    done = _find_table(state, number, request.args.get("done", ""))
    if done is not None and done.result is None:
        done = None
    if typed is None:
        later = (row for row in missing if done is not None and row.number > done.number)
        row = next(later, missing[0] if missing else None)
        table = str(row.number) if row is not None else ""
    else:
        row, table = _find_table(state, number, typed), typed
    return render_event(
        "events/round.html",
        state,
        round_number=number,
        tables=tables,
        missing=missing,
        form=SlipForm(None, table=table),
        is_typed=typed is not None,
        done=done,
        other=other,
        row=row,
        fields=fields or SlipFields(state),
        problems=problems,
    )


def _find_table(state: EventState, round_number: int, typed: str) -> RoundTableRow | None:
    return state.tables.get((round_number, parse_digits(typed) or 0))


@blueprint.get("")
def show_round(token: str, round_number: int) -> str:
    return _render_round(_read(token, round_number), round_number)


@blueprint.post("")
def enter(token: str, round_number: int) -> Answer:
    """Record the slip of the table whose number was typed; it must not have had a result when the page was shown."""
    state, form = _read(token, round_number), SlipForm()
    typed = form.table.data or ""
    fields = SlipFields.sent(state, form)
    row = _find_table(state, round_number, typed)
    result = NOT_PLAYED if form.do.data == "not-played" else fields.result()

    def render(problems: Sequence[Problem] = (), *, is_stale: bool = False) -> str:
        state = _read(token, round_number)
        other = _find_table(state, round_number, typed) if is_stale else None
        return _render_round(state, round_number, fields, typed, problems, other)

    outcome: Outcome | Problem
    if row is None:
        params = {"found": typed, "most": len(state.tables_of(round_number))}
        outcome = Problem("table", "slip-table", params) if typed else Problem("table", "slip-table-missing")
    else:
        # A slip with the result that the table has sent confirms it, whether or not the page has shown it.
        known = row.seen if row.result in (None, result) else ""
        seen = form.sent.data.get(f"seen-{row.number}", known)
        outcome = record_result(state.event, row.place, seen, form, result, is_slip=True)
        if isinstance(outcome, Stale) and _read(token, round_number).tables[row.place].result == result:
            outcome = Done(None)  # somebody has entered the same slip
    done = row.number if row is not None else None
    address = url_for("event_slips.show_round", token=token, round_number=round_number, done=done)
    return respond(outcome, render, address)


def _read(token: str, round_number: int) -> EventState:
    state = get_state_or_404(token, DIRECT)
    return state if 1 <= round_number <= state.current_number else abort(404)


# --- one table ---------------------------------------------------------------------------------------------


def _render_table(
    state: EventState, row: RoundTableRow, fields: SlipFields, problems: Sequence[Problem] = (), is_stale: bool = False
) -> str:
    versions = results.list_versions(state.event, row.round, row.number)
    return render_event(
        "events/slip.html",
        state,
        form=SlipForm(None, seen=row.seen),
        versions=[(each, read_result(each.body)) for each in reversed(versions)],
        is_stale=is_stale,
        row=row,
        fields=fields,
        problems=problems,
    )


@blueprint.route("/tables/<int:number>", methods=["GET", "POST"])
def show_table(token: str, round_number: int, number: int) -> str | Answer:
    state = _read(token, round_number)
    row = state.tables.get((round_number, number)) or abort(404)
    if request.method != "POST":
        return _render_table(state, row, SlipFields(state, row.result))
    form = SlipForm()
    fields = SlipFields.sent(state, form)
    result: Result | Problem | None
    match form.do.data:
        case "withdraw":
            result = None
        case "not-played":
            result = NOT_PLAYED
        case _:
            result = fields.result()
    outcome = record_result(state.event, row.place, form.seen.data, form, result, is_slip=True)

    def render(**shown: Any) -> str:
        state = _read(token, round_number)
        return _render_table(state, state.tables[round_number, number], fields, **shown)

    done = "recorded" if result is not None else "withdrawn"
    address = url_for("event_slips.show_table", token=token, round_number=round_number, number=number, done=done)
    return respond(outcome, render, address)
