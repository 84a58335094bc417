"""The slips of an event: their fields, and the director's pages to enter one after the other, and to correct any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flask import Blueprint, abort, g, redirect, request, url_for
from wtforms import BooleanField, StringField

from ...db.outcome import Done
from ...models import RoundResult
from ...scoring.problems import Problem, Refusal, abbreviate_value
from ...scoring.values import clean_name
from ...site.amounts import parse_int
from ...site.forms import DigitsField, SentField, WriteForm, parse_digits
from ...site.language import t
from ...site.time_zones import now
from .. import results
from ..access import get_event_or_404
from ..drawing import Result
from ..games import DEALS, GAMES, PARTIE, results_in, tricks_of_round
from ..phones import DIRECT
from ..reading import NOT_PLAYED, EventState, RoundTableRow, read, read_result
from ..results import ResultRequest, least_score
from ..scoring import IN_PARTIES, IN_TRICKS, Scores, add_boards
from .director import Answer, hall_tables, respond
from .words import EventPhrases, render_event

blueprint = Blueprint("event_slips", __name__, url_prefix="/events/<token>/rounds/<int:round_number>")

MOST_TAPPED = 13  # a strip with more cells than a hand has cards would be hard to hit
SPLIT, WINNER, COUNTS, NUMBERS = "split", "winner", "counts", "numbers"  # kinds of slips


class SlipEntry(WriteForm):
    """What is sent with a slip: `seen` is what the page has shown of the result."""

    round = DigitsField()
    table = StringField(filters=[clean_name])
    do = StringField()  # "not-played" or "withdraw"
    sure = BooleanField()  # an unlikely result is right
    sent = SentField()


@dataclass(frozen=True)
class SlipForm:
    """A slip. `values` are its fields as they were typed or tapped.

    Attributes:
        kind: SPLIT: one tap gives both sides, who share `most` tricks. WINNER: one tap, on which side won. COUNTS: a
            strip for each party, up to `most`. NUMBERS: a number to type for each party.
        sides: the numbers of the parties.
        has_slams: slams are asked for; where everybody plays alone, there are none.
        is_slam_known: a round is one deal, so that all its tricks are a slam.
        least: the lowest score.
        boards: how many boards a round has, where each may have a result of its own; else 0.
    """

    kind: str
    most: int
    sides: range
    has_slams: bool
    is_slam_known: bool
    least: int
    boards: int = 0
    values: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, state: EventState, result: Result | None = None) -> SlipForm:
        kind, most = _kind(state)
        is_slam_known = kind == SPLIT and state.event.length == 1
        has_slams = state.game.limits.tricks is not None and kind != WINNER and not (is_slam_known or state.plays_alone)
        numbers = state.board_numbers(0) if state.board_sets and kind == NUMBERS else None
        boards = len(numbers) if numbers is not None and len(numbers) > 1 else 0
        values = _values(result, boards) if result not in (None, NOT_PLAYED) else {}
        return cls(kind, most, state.sides, has_slams, is_slam_known, least_score(state.event), boards, values)

    @classmethod
    def sent(cls, state: EventState, entry: SlipEntry) -> SlipForm:
        form, sent = cls.of(state), entry.sent.data
        names = (*form._names_of("score"), *form._names_of("slams"), "won", *form.board_names)
        return replace(form, values={name: sent[name] for name in names if name in sent})

    def result(self) -> Result | Problem:
        """Return the result; or what is wrong with the slip, if a number is missing or is none."""
        if self.kind == WINNER:
            won = self.values.get("won")
            return Result((1, 0) if won == "0" else (0, 1)) if won in ("0", "1") else Problem("won", "slip-missing")
        by_board = any((self.values.get(name) or "").strip() for name in self.board_names)
        counts: dict[str, int] = {}
        for name in (*self.board_names, *self._slam_names) if by_board else self._names_of_round:
            number = parse_int(self.values.get(name) or ("0" if name.startswith("slams") else ""))
            if isinstance(number, str):
                params = {"found": abbreviate_value(number)}
                return Problem(name, "slip-number", params) if number else Problem(name, "slip-missing")
            counts[name] = number
        slams = tuple(counts.get(name, 0) for name in self._names_of("slams"))
        if by_board:
            return self._result_by_board(counts, slams)
        if self.kind != SPLIT:
            return Result(tuple(counts[name] for name in self._names_of("score")), slams)
        first = counts["score-0"]
        if not 0 <= first <= self.most:
            return Problem("score-0", "number-between", {"least": 0, "most": self.most})
        scores = (first, self.most - first)
        if self.is_slam_known:
            slams = tuple(int(score == self.most) for score in scores)  # of the round's only deal
        return Result(scores, slams)

    @property
    def names(self) -> tuple[str, ...]:
        return ("won",) if self.kind == WINNER else (*self._names_of_round, *self.board_names)

    @property
    def board_names(self) -> tuple[str, ...]:
        return tuple(f"board-{place}-{side}" for place in range(1, self.boards + 1) for side in (0, 1))

    def has_values_of(self, kind: str) -> bool:
        """Return whether something was typed or tapped in the fields of this kind, such as "slams"."""
        return any(self.values.get(name) for name in self._names_of(kind))

    @property
    def _names_of_round(self) -> tuple[str, ...]:
        return (("score-0",) if self.kind == SPLIT else self._names_of("score")) + self._slam_names

    @property
    def _slam_names(self) -> tuple[str, ...]:
        return self._names_of("slams") if self.has_slams else ()

    def _names_of(self, kind: str) -> tuple[str, ...]:
        return tuple(f"{kind}-{side}" for side in self.sides)

    def _result_by_board(self, counts: dict[str, int], slams: tuple[int, ...]) -> Result | Problem:
        numbers = [counts[name] for name in self.board_names]
        boards = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        scores = add_boards(boards)
        for name, score in zip(self._names_of("score"), scores, strict=True):
            typed = (self.values.get(name) or "").strip()
            if typed and parse_int(typed) != score:
                return Problem(name, "boards-add-up", {"must": score})
        return Result(scores, slams, boards)


def _kind(state: EventState) -> tuple[str, int]:
    """Return the kind of an event's slips, and the most that a strip has."""
    event, counted_in = state.event, results_in(state.event)
    tricks = tricks_of_round(event)
    if counted_in == IN_TRICKS and tricks is not None and tricks <= MOST_TAPPED:
        return SPLIT, tricks
    if counted_in == IN_PARTIES and event.round_unit == PARTIE:
        return (COUNTS if state.plays_alone else WINNER), 1  # several who play alone may win together
    most = event.length if event.round_unit in (DEALS, GAMES) and event.length is not None else MOST_TAPPED
    if counted_in == IN_PARTIES and most <= MOST_TAPPED:
        return COUNTS, most
    return NUMBERS, 0


def _values(result: Result, count: int) -> dict[str, str]:
    """Return what the fields show: each board if there are not too many, otherwise the round."""
    scores, slams, boards = result
    values = {f"slams-{side}": str(slam) for side, slam in enumerate(slams) if slam}
    values["won"] = "0" if scores[0] > scores[1] else "1"
    by_place: Sequence[tuple[str, Scores]] = [(f"board-{place}", of) for place, of in enumerate(boards, 1)]
    fields = by_place if boards and len(boards) == count else [("score", scores)]
    return values | {f"{name}-{side}": str(score) for name, of in fields for side, score in enumerate(of)}


# --- one after the other -----------------------------------------------------------------------------------


def _render_round(
    state: EventState,
    number: int,
    form: SlipForm | None = None,
    typed: str | None = None,
    problems: Sequence[Problem] = (),
    other: RoundTableRow | None = None,
) -> str:
    """Render a form to enter one slip after the other, and all results of the round.

    Without the number of a table that was `typed`, whose slip was not recorded, the next one without a result is
    proposed. `other` is a table that has a result already, or another one than was shown.
    """
    done = state.tables.get((number, parse_digits(request.args.get("done")) or 0))
    done = done if done is not None and done.scores is not None else None
    tables = hall_tables(state, number, now())
    missing = [row for row, _ in tables if row.scores is None]
    after = [row for row in missing if done is None or row.number > done.number]
    row = next(iter([*after, *missing]), None)
    if typed is not None:
        row = state.tables.get((number, parse_digits(typed) or 0))
    table = typed if typed is not None else str(row.number) if row is not None else ""
    return render_event(
        "events/round.html",
        state,
        round_number=number,
        tables=tables,
        missing=missing,
        entry=SlipEntry(None, table=table),
        is_typed=typed is not None,
        done=done,
        other=other,
        by_round=[_say_by_round(state, rows) for rows in state.tables_without_boards(number)],
        row=row,
        form=form or SlipForm.of(state),
        problems=problems,
    )


def _say_by_round(state: EventState, rows: Sequence[RoundTableRow]) -> str:
    """Return which boards are compared by the round, as some tables sent no results of each, and where."""
    boards = EventPhrases(state).describe_boards(rows[0].round, rows[0].number)
    places = "; ".join(t("event-boards.place", round=row.round, table=row.number) for row in rows)
    return t("event-boards.by-round", boards=boards, places=places)


@blueprint.get("")
def show_round(token: str, round_number: int) -> str:
    return _render_round(_read(token, round_number), round_number)


@blueprint.post("")
def enter(token: str, round_number: int) -> Answer:
    """Record the slip of the table whose number was typed; it must not have had a result when the page was shown."""
    state, entry = _read(token, round_number), SlipEntry()
    key, typed, form = entry.read_key(), entry.table.data or "", SlipForm.sent(state, entry)
    row = state.tables.get((round_number, parse_digits(typed) or 0))
    if row is None:
        params = {"found": typed, "most": len(state.tables_of(round_number))}
        problem = Problem("table", "slip-table", params) if typed else Problem("table", "slip-table-missing")
        return _render_round(state, round_number, form, typed=typed, problems=[problem]), 422
    result = NOT_PLAYED if entry.do.data == "not-played" else form.result()
    if isinstance(result, Problem):
        return _render_round(state, round_number, form, typed=typed, problems=[result]), 422
    seen = entry.sent.data.get(f"seen-{row.number}")
    if seen is None and row.scores is not None and read_result(row.scores) != result:
        return _render_round(state, round_number, form, typed=typed, other=row), 409
    seen = row.seen if seen is None else seen
    wanted = ResultRequest(round_number, row.number, seen, key, result, is_slip=True, is_sure=bool(entry.sure.data))
    recorded = results.record(state.event, wanted, g.membership)
    if not isinstance(recorded, Done):
        state = _read(token, round_number)
        if isinstance(recorded, Refusal):
            return _render_round(state, round_number, form, typed=typed, problems=recorded.problems), 422
        row = state.tables[round_number, wanted.table]
        if read_result(row.scores) != result:  # else somebody has entered the same slip
            return _render_round(state, round_number, form, typed=typed, other=row), 409
    done = url_for("event_slips.show_round", token=token, round_number=round_number, done=wanted.table)
    return redirect(done, 303)


def _read(token: str, round_number: int) -> EventState:
    state = read(get_event_or_404(token, DIRECT))
    return state if 1 <= round_number <= state.current_number else abort(404)


# --- one table ---------------------------------------------------------------------------------------------


def _say_confirmed(state: EventState, row: RoundTableRow, version: RoundResult) -> str:
    if version.is_slip:
        return t("slips.by-director")
    sides = (EventPhrases(state).name_party(row, each.side) for each in version.confirmations)
    return ", ".join(t("slips.confirmed-by", side=side) for side in sides) or t("slips.not-confirmed")


def _render_table(
    state: EventState, row: RoundTableRow, form: SlipForm, problems: Sequence[Problem] = (), *, is_stale: bool = False
) -> str:
    versions = results.list_versions(state.event, row.round, row.number)
    return render_event(
        "events/slip.html",
        state,
        entry=SlipEntry(None, seen=row.seen),
        versions=[(each, _say_confirmed(state, row, each)) for each in reversed(versions)],
        is_stale=is_stale,
        row=row,
        form=form,
        problems=problems,
    )


@blueprint.route("/tables/<int:number>", methods=["GET", "POST"])
def show_table(token: str, round_number: int, number: int) -> str | Answer:
    state = _read(token, round_number)
    row = state.tables.get((round_number, number)) or abort(404)
    if request.method == "GET":
        return _render_table(state, row, SlipForm.of(state, read_result(row.scores)))
    entry = SlipEntry()
    form, key, do = SlipForm.sent(state, entry), entry.read_key(), entry.do.data
    result = None if do == "withdraw" else NOT_PLAYED if do == "not-played" else form.result()
    if isinstance(result, Problem):
        return _render_table(state, row, form, [result]), 422
    seen = entry.seen.data
    wanted = ResultRequest(round_number, number, seen, key, result, is_slip=True, is_sure=bool(entry.sure.data))
    recorded = results.record(state.event, wanted, g.membership)
    done = "recorded" if result is not None else "withdrawn"
    address = url_for("event_slips.show_table", token=token, round_number=round_number, number=number, done=done)

    def render(**shown: Any) -> str:
        state = _read(token, round_number)
        return _render_table(state, state.tables[round_number, number], form, **shown)

    return respond(recorded, render, address)
