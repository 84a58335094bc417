"""The director's slips: entering a round's results one after the other, and correcting any result."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...events.drawing import Result
from ...events.scoring import IN_PARTIES, IN_TRICKS, Scores, add_boards
from ...models import Event
from ...scoring.problems import Problem, Refusal, abbreviate_value
from ...services.events import results
from ...services.events.reading import DEALS, GAMES, NOT_PLAYED, PARTIE, EventState, RoundTableRow, read, read_result
from ...services.events.results import ResultRequest, least_score, results_in, tricks_of_round
from ...services.outcome import Done, Stale
from ...time_zones import now
from ..support.amounts import parse_int
from ..support.event_access import DIRECT, get_event_or_404
from ..support.forms import new_key, parse_id, read_choice, read_key
from ..support.language import t
from .director import STATUSES, hall_tables

blueprint = Blueprint("event_slips", __name__, url_prefix="/events/<token>/rounds/<int:round_number>")

# What else than a result can be sent; None withdraws it.
_WITHOUT_NUMBERS: dict[str, Result | None] = {"withdraw": None, "not-played": NOT_PLAYED}


@dataclass(frozen=True)
class SlipOutcome:
    """What a slip was answered with, if it was not recorded.

    `table` is what was typed as its number, `form` the rest. `other` is the table's row, which has a result already, or
    another one than the page has shown.
    """

    table: str
    form: SlipForm
    problems: tuple[Problem, ...] = ()
    other: RoundTableRow | None = None


@blueprint.get("")
def show_round(token: str, round_number: int) -> str:
    """Show the form to enter one slip after the other, and all results of the round."""
    return _round_page(_state_or_404(token, round_number), round_number)


@blueprint.post("")
def enter(token: str, round_number: int) -> Response | tuple[str, int]:
    """Record the slip of the table whose number was typed; it must not have had a result when the page was shown."""
    state = _state_or_404(token, round_number)
    key, typed = read_key(), request.form.get("table", "").strip()
    number = parse_id(typed)
    row = state.tables.get((round_number, number or 0))
    outcome = SlipOutcome(typed, SlipForm.sent(state))
    if row is None:
        params = {"found": typed, "most": len(state.tables_of(round_number))}
        problem = Problem("table", "slip-table", params) if typed else Problem("table", "slip-table-missing")
        return _round_page(state, round_number, _wrong(outcome, problem)), 422
    result = NOT_PLAYED if request.form.get("do") == "not-played" else outcome.form.result()
    if isinstance(result, Problem):
        return _round_page(state, round_number, _wrong(outcome, result)), 422
    seen = parse_id(request.form.get(f"seen-{row.number}"))
    if seen is None and row.scores is not None and read_result(row.scores) != result:
        return _round_page(state, round_number, replace(outcome, other=row)), 409
    wanted = ResultRequest(
        round_number, row.number, row.result if seen is None else seen, key, result, is_slip=True, is_sure=is_sure()
    )
    return _after_entry(state.event, wanted, outcome)


def _after_entry(event: Event, wanted: ResultRequest, outcome: SlipOutcome) -> Response | tuple[str, int]:
    token = event.token
    recorded = results.record(event, wanted, g.browser)
    done = redirect(url_for("event_slips.show_round", token=token, round_number=wanted.round, done=wanted.table), 303)
    if isinstance(recorded, Done):
        return done
    state = _state_or_404(token, wanted.round)
    if isinstance(recorded, Refusal):
        return _round_page(state, wanted.round, _wrong(outcome, *recorded.problems)), 422
    row = state.tables[wanted.round, wanted.table]
    if read_result(row.scores) == wanted.result:  # somebody else entered the same slip
        return done
    return _round_page(state, wanted.round, replace(outcome, other=row)), 409


def _wrong(outcome: SlipOutcome, *problems: Problem) -> SlipOutcome:
    return replace(outcome, problems=problems)


@blueprint.route("/tables/<int:number>", methods=["GET", "POST"])
def show_table(token: str, round_number: int, number: int) -> str | Response | tuple[str, int]:
    """Show a table of a round, the versions of its result, and the form to correct it; or record, or withdraw it."""
    state = _state_or_404(token, round_number)
    row = state.tables.get((round_number, number))
    if row is None:
        abort(404)
    if request.method == "GET":
        return _table_page(state, row, SlipForm.of(state, read_result(row.scores)))
    form, key, do = SlipForm.sent(state), read_key(), read_choice("do", "record", *_WITHOUT_NUMBERS)
    result = _WITHOUT_NUMBERS[do] if do in _WITHOUT_NUMBERS else form.result()
    if isinstance(result, Problem):
        return _table_page(state, row, form, (result,)), 422
    seen = parse_id(request.form.get("seen"))
    return _after_correction(
        state.event,
        ResultRequest(round_number, number, -1 if seen is None else seen, key, result, is_slip=True, is_sure=is_sure()),
        form,
    )


def _after_correction(event: Event, wanted: ResultRequest, form: SlipForm) -> Response | tuple[str, int]:
    token = event.token
    recorded = results.record(event, wanted, g.browser)
    if isinstance(recorded, Done):
        done = "recorded" if wanted.result is not None else "withdrawn"
        address = url_for(
            "event_slips.show_table", token=token, round_number=wanted.round, number=wanted.table, done=done
        )
        return redirect(address, 303)
    state = _state_or_404(token, wanted.round)
    row = state.tables[wanted.round, wanted.table]
    if isinstance(recorded, Stale):
        return _table_page(state, row, form, is_stale=True), 409
    return _table_page(state, row, form, recorded.problems), 422


def _state_or_404(token: str, round_number: int) -> EventState:
    state = read(get_event_or_404(token, DIRECT))
    if not 1 <= round_number <= state.current_number:
        abort(404)
    return state


# --- the pages ---------------------------------------------------------------------------------------------


def _round_page(state: EventState, round_number: int, outcome: SlipOutcome | None = None) -> str:
    tables = hall_tables(state, round_number, now())
    missing = [table.row for table in tables if table.row.scores is None]
    done = state.tables.get((round_number, parse_id(request.args.get("done")) or 0))
    typed = state.tables.get((round_number, parse_id(outcome.table) or 0)) if outcome is not None else None
    next_table = _next_table(missing, done)
    return render_template(
        "events/round.html",
        shown_table=typed if outcome is not None else next_table,
        state=state,
        event=state.event,
        round_number=round_number,
        tables=tables,
        missing=missing,
        done=done if done is not None and done.scores is not None else None,
        next_table=next_table,
        outcome=outcome,
        slip=outcome.form if outcome is not None else SlipForm.of(state),
        statuses=STATUSES,
        key=new_key(),
    )


def _next_table(missing: list[RoundTableRow], done: RoundTableRow | None) -> RoundTableRow | None:
    """Return the table to propose: the next one without a result after that which was just entered."""
    after = [row for row in missing if done is None or row.number > done.number]
    return next(iter([*after, *missing]), None)


def _table_page(
    state: EventState,
    row: RoundTableRow,
    slip: SlipForm,
    problems: tuple[Problem, ...] = (),
    *,
    is_stale: bool = False,
) -> str:
    return render_template(
        "events/slip.html",
        state=state,
        event=state.event,
        row=row,
        round_number=row.round,
        versions=results.list_versions(state.event, row.round, row.number),
        slip=slip,
        problems=problems,
        is_stale=is_stale,
        done=request.args.get("done") if request.args.get("done") in ("recorded", "withdrawn") else None,
        key=new_key(),
    )


@blueprint.app_template_global()
def result_text(scores: dict[str, list[int]] | None) -> str:
    """Return a stored result as numbers; a dash if there is none."""
    result: Result | None = read_result(scores)
    if result == NOT_PLAYED:
        return t("event-results.card.not-played")
    return "–" if result is None else _numbers(result.scores)


@blueprint.app_template_global()
def boards_text(scores: dict[str, Any]) -> str:
    """Return what a stored result says of each board."""
    result = read_result(scores)
    return "" if result is None else " · ".join(map(_numbers, result.boards))


def _numbers(scores: Scores) -> str:
    return " : ".join(map(str, scores)).replace("-", "−")


MOST_TAPPED = 13  # a strip with more cells than a hand has cards would be hard to hit
SPLIT, WINNER, COUNTS, NUMBERS = "split", "winner", "counts", "numbers"  # kinds of slips


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
        """Return the slip of an event's tables, filled in with a result."""
        kind, most = _kind(state)
        is_slam_known = kind == SPLIT and state.event.length == 1
        has_slams = state.game.tricks is not None and kind != WINNER and not (is_slam_known or state.plays_alone)
        least = least_score(state.event)
        boards = _board_count(state) if kind == NUMBERS else 0
        values = _values(result, boards) if result not in (None, NOT_PLAYED) else {}
        return cls(kind, most, state.sides, has_slams, is_slam_known, least, boards, values)

    @classmethod
    def sent(cls, state: EventState) -> SlipForm:
        """Return the slip that the request sends."""
        form = cls.of(state)
        names = (*form._names_of("score"), *form._names_of("slams"), "won", *form.board_names)
        return replace(form, values={name: request.form[name] for name in names if name in request.form})

    def result(self) -> Result | Problem:
        """Return the result; or what is wrong with the slip, if a number is missing or is none."""
        if self.kind == WINNER:
            won = self.values.get("won")
            return Result((1, 0) if won == "0" else (0, 1)) if won in ("0", "1") else Problem("won", "slip-missing")
        by_board = any((self.values.get(name) or "").strip() for name in self.board_names)
        names = (*self.board_names, *self._slam_names) if by_board else self._names_of_round
        numbers = {name: parse_int(self.values.get(name) or _default(name)) for name in names}
        wrong = next((name for name, number in numbers.items() if isinstance(number, str)), None)
        if wrong is not None:
            return _problem(wrong, str(numbers[wrong]))
        counts = {name: number for name, number in numbers.items() if isinstance(number, int)}
        if by_board:
            return self._result_by_board(counts)
        first = counts["score-0"]
        if self.kind == SPLIT and not 0 <= first <= self.most:
            return Problem("score-0", "number-between", {"least": 0, "most": self.most})
        scores = (first, self.most - first) if self.kind == SPLIT else self._numbers_of("score", counts)
        is_split = self.kind == SPLIT and not self.has_slams
        return Result(scores, self._slams(scores) if is_split else self._numbers_of("slams", counts))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return ("won",) if self.kind == WINNER else (*self._names_of_round, *self.board_names)

    @property
    def board_names(self) -> tuple[str, ...]:
        """The names of the fields for single boards."""
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

    def _numbers_of(self, kind: str, counts: dict[str, int]) -> tuple[int, ...]:
        return tuple(counts.get(name, 0) for name in self._names_of(kind))

    def _result_by_board(self, counts: dict[str, int]) -> Result | Problem:
        boards = tuple(
            (counts[first], counts[second])
            for first, second in zip(self.board_names[::2], self.board_names[1::2], strict=True)
        )
        scores = add_boards(boards)
        for side in self.sides:
            typed = (self.values.get(f"score-{side}") or "").strip()
            if typed and parse_int(typed) != scores[side]:
                return Problem(f"score-{side}", "boards-add-up", {"must": scores[side]})
        return Result(scores, self._numbers_of("slams", counts), boards)

    def _slams(self, scores: Scores) -> Scores:
        """Return who took all the tricks of the round's only deal."""
        return tuple(int(self.is_slam_known and score == self.most) for score in scores)


def is_sure() -> bool:
    """Return whether the request says that an unlikely result is right."""
    return request.form.get("sure") == "yes"


def _default(name: str) -> str:
    return "0" if name.startswith("slams") else ""


def _problem(name: str, text: str) -> Problem:
    return Problem(name, "slip-number", {"found": abbreviate_value(text)}) if text else Problem(name, "slip-missing")


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


def _board_count(state: EventState) -> int:
    """Return how many boards a round has; 0 if it has one, or they have no numbers."""
    numbers = state.board_numbers(0) if state.board_sets else None
    return len(numbers) if numbers is not None and len(numbers) > 1 else 0


def _values(result: Result, count: int) -> dict[str, str]:
    """Return what the fields show: each board if there are so many, otherwise the round."""
    scores, slams, boards = result
    boards = boards if len(boards) == count else ()
    values = {f"score-{side}": str(score) for side, score in enumerate(scores) if not boards}
    values |= {
        f"board-{place}-{side}": str(score) for place, of in enumerate(boards, 1) for side, score in enumerate(of)
    }
    values |= {f"slams-{side}": str(slam) for side, slam in enumerate(slams) if slam}
    return values | {"won": "0" if scores[0] > scores[1] else "1"}
