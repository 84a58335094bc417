"""The director's pages of slips: to enter one after the other, and to correct any."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import StringField
from wtforms.validators import InputRequired

from ...db.outcome import Done, Stale
from ...models import new_token
from ...scoring.problems import Problem
from ...site.fields import NumberField, parse_digits
from ...site.forms import SentField
from .. import results
from ..access import get_state_or_404
from ..drawing import NOT_PLAYED, Result
from ..phones import DIRECT
from ..reading import EventState, RoundTableRow, read_result
from .director import list_hall_tables
from .rendering import render_event, respond_to
from .slip_form import SlipForm, build_slip_form, fill_in_slip

blueprint = Blueprint("event_slips", __name__, url_prefix="/events/<token>/rounds/<int:round_number>")


def _read(token: str, round_number: int) -> EventState:
    state = get_state_or_404(token, DIRECT)
    return state if 1 <= round_number <= state.current_number else abort(404)


# --- one after the other -----------------------------------------------------------------------------------


class RoundSlipForm(SlipForm):
    """A slip of any table of a round."""

    table: NumberField
    do = StringField()  # "not-played", or the result is recorded
    shown = SentField("seen-")  # what the page has shown of the result of each table that had none


def _build_round_form(state: EventState, number: int) -> type[RoundSlipForm]:
    required = InputRequired(Problem("", "slip-table-missing"))
    table = NumberField(least=1, most=len(state.tables_of(number)), validators=[required])
    return build_slip_form(state, type(RoundSlipForm.__name__, (RoundSlipForm,), {"table": table}))


def _render_round(
    state: EventState, number: int, form: RoundSlipForm | None = None, other: RoundTableRow | None = None
) -> str:
    """Render a form to enter one slip after the other, and all results of the round.

    A form that was sent is shown again; otherwise the next table without a result is proposed. `other` is a table that
    has a result already, or another one than was shown.
    """
    tables = list_hall_tables(state, number)
    missing = [row for row, _ in tables if row.result is None]
    done = state.tables.get((number, parse_digits(request.args.get("done")) or 0))
    if done is not None and done.result is None:
        done = None
    is_typed = form is not None
    if form is None:
        form = _build_round_form(state, number)(None)
        later = (row for row in missing if done is not None and row.number > done.number)
        row = next(later, missing[0] if missing else None)
        form.table.data = row.number if row is not None else None
    else:
        row = state.tables.get((number, form.table.data))
        form.key.data = new_token()
    return render_event(
        "events/round.html",
        state,
        round_number=number,
        tables=tables,
        missing=missing,
        form=form,
        is_typed=is_typed,
        done=done,
        other=other,
        row=row,
    )


@blueprint.get("")
def show_round(token: str, round_number: int) -> str:
    return _render_round(_read(token, round_number), round_number)


@blueprint.post("")
def enter(token: str, round_number: int) -> ResponseReturnValue:
    """Record the slip of the table whose number was typed; it must not have had a result when the page was shown."""
    state = _read(token, round_number)
    form = _build_round_form(state, round_number)()
    is_played = form.do.data != "not-played"
    if not (form.validate() if is_played else form.table.validate(form)):
        return _render_round(state, round_number, form), 422
    row, result = state.tables[round_number, form.table.data], form.read() if is_played else NOT_PLAYED
    # A slip with the result that the table has sent confirms it, whether or not the page has shown it.
    known = row.seen if row.result in (None, result) else ""
    sent = form.ask_for(row.place, result, seen=form.shown.data.get(str(row.number), known), is_slip=True)
    outcome = results.record(state.event, sent, g.membership)
    state = _read(token, round_number)
    other = state.tables.get(row.place)
    is_same = other is not None and other.result == result  # somebody has entered the same slip
    if isinstance(outcome, Done) or (isinstance(outcome, Stale) and is_same):
        return redirect(url_for("event_slips.show_round", token=token, round_number=round_number, done=row.number), 303)
    if isinstance(outcome, Stale):
        return _render_round(state, round_number, form, other), 409
    form.add_problems(outcome.problems)
    return _render_round(state, round_number, form), 422


# --- one table ---------------------------------------------------------------------------------------------


class TableSlipForm(SlipForm):
    do = StringField()  # "withdraw", "not-played", or the result is recorded


def _render_table(state: EventState, row: RoundTableRow, form: TableSlipForm, *, is_stale: bool = False) -> str:
    versions = results.list_versions(state.event, row.round, row.number)
    form.seen.data, form.key.data = row.seen, new_token()
    return render_event(
        "events/slip.html",
        state,
        form=form,
        versions=[(version, read_result(version.body)) for version in reversed(versions)],
        is_stale=is_stale,
        row=row,
    )


@blueprint.route("/tables/<int:number>", methods=["GET", "POST"])
def show_table(token: str, round_number: int, number: int) -> ResponseReturnValue:
    state = _read(token, round_number)
    row = state.tables.get((round_number, number)) or abort(404)
    if request.method != "POST":
        return _render_table(state, row, fill_in_slip(state, row.result, TableSlipForm))
    form = build_slip_form(state, TableSlipForm)()
    result: Result | None
    match form.do.data:
        case "withdraw":
            result = None
        case "not-played":
            result = NOT_PLAYED
        case _ if form.validate():
            result = form.read()
        case _:
            return _render_table(state, row, form), 422
    outcome = results.record(state.event, form.ask_for(row.place, result, is_slip=True), g.membership)
    done = "recorded" if result is not None else "withdrawn"
    address = url_for("event_slips.show_table", token=token, round_number=round_number, number=number, done=done)

    def render(form: TableSlipForm, *, is_stale: bool = False) -> str:
        state = _read(token, round_number)
        return _render_table(state, state.tables[row.place], form, is_stale=is_stale)

    return respond_to(form, outcome, render, address)
