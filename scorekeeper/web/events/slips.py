"""The director's slips: entering a round's results one after the other, and correcting any result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...db.clock import now
from ...events.drawing import Result
from ...events.scoring import Scores
from ...models import Event
from ...scoring.problems import Problem, Refusal
from ...services.events import results
from ...services.events.reading import EventState, RoundTableRow, read, read_result
from ...services.events.results import ResultRequest
from ...services.events.rows import NOT_PLAYED
from ...services.outcome import Done, Stale
from ..support.event_access import DIRECT, get_event_or_404
from ..support.forms import new_key, parse_id, read_choice, read_key
from ..support.language import t
from .director import STATUSES, hall_tables
from .slip_form import SlipForm, is_sure

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
