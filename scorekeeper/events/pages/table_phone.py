"""The phone at a table of an event: who sits where, the clock, the result and its confirmation, who moves, the pad."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from flask import Blueprint, Response, abort, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import StringField
from wtforms.validators import InputRequired

from ...db.outcome import Done, Stale
from ...models import Event, new_token, now
from ...scoring.problems import Problem, Refusal, refuse
from ...site.fields import DigitsField
from ...site.forms import WriteForm
from ...site.http import is_sent_by_script, render_if_new
from ...site.language import t
from ...tables.access import OpenedFor
from ...tables.state import TableState
from .. import access as event_access
from .. import calls, pad_tables, results
from ..phones import PLAY, Outcome
from ..reading import EventState, Place, RoundTableRow, is_current_round, read_last_rounds, read_table_etag
from .rendering import render_event
from .slip_form import SlipForm, build_slip_form, fill_in_slip

MAX_EVENT_TITLE = 50  # characters of an event's title in that of a table

blueprint = Blueprint("event_table", __name__, url_prefix="/events/<token>/tables/<int:number>")
blueprint.url_defaults(event_access.keep_shared_link)


class PhoneSlipForm(SlipForm):
    round = DigitsField(validators=[InputRequired()])
    do = StringField()  # "check" if the phone has kept the form, and shows it again


class ShownSlip(NamedTuple):
    form: PhoneSlipForm
    is_filled_in: bool  # with something that must not be replaced when the table changes
    is_unfinished: bool = False  # it has the scores of a pad on which the round is not over


def _render(
    event: Event,
    number: int,
    etag: str,
    form: PhoneSlipForm | None = None,
    *,
    problems: Sequence[Problem] = (),
    is_stale: bool = False,
) -> str:
    """Render a table as it is in the current round, and who moves where of those who sat there before.

    `etag` is from before the rest is read: the page fetches again what changes in between. `form` is shown again, and
    `problems` are those of a button.
    """
    state = read_last_rounds(event)
    row = state.tables.get((state.current_number, number))
    before = state.tables.get((state.current_number - 1, number))
    access = event_access.current_access()
    is_phone = access is not None and access.may(PLAY, number) and row is not None and not state.is_finished
    slip = _fill_slip(state, row, is_phone) if form is None else ShownSlip(form, is_filled_in=True)
    slip.form.form_errors.extend(problems)
    if row is not None:
        slip.form.round.data, slip.form.seen.data = row.round, row.seen
    return render_event(
        "events/table.html",
        state,
        table_number=number,
        etag=etag,
        row=row,
        is_stale=is_stale,
        clock=state.clock(now()),
        confirmed=results.list_confirmed_sides(event, row) if row is not None else frozenset(),
        moves=list(before.seats.values()) if before is not None and not state.is_finished else [],
        pad_label=_label_pad(event, row) if row is not None and is_phone and row.result is None else "",
        is_phone=is_phone,
        shows_form=is_phone and row is not None and (row.result is None or slip.is_filled_in),
        **slip._asdict(),
    )


def _fill_slip(state: EventState, row: RoundTableRow | None, is_phone: bool) -> ShownSlip:
    """Return the slip with the result of the pad, if the address asks for it, or else with the last one sent."""
    if row is not None and row.table_id is not None and is_phone and request.args.get("result") == "pad":
        of_pad = pad_tables.read_pad_result(state.event, row.table_id)
        if of_pad is not None:
            is_unfinished = pad_tables.is_unfinished(state.event, row.table_id)
            return ShownSlip(fill_in_slip(state, of_pad, PhoneSlipForm), is_filled_in=True, is_unfinished=is_unfinished)
    form = fill_in_slip(state, row.result if row is not None else None, PhoneSlipForm)
    return ShownSlip(form, is_filled_in="correct" in request.args)


def _label_pad(event: Event, row: RoundTableRow) -> str:
    if row.table_id is None:
        return t("event-table.pad")
    return t("event-table.pad.next-game" if pad_tables.has_next_game(event, row.table_id) else "event-table.pad.go-on")


@blueprint.get("")
def show(token: str, number: int) -> Response:
    event = event_access.get_event_or_404(token)
    etag = read_table_etag(event, number)
    return render_if_new(etag, partial(_render, event, number, etag))


@blueprint.post("/result")
def send(token: str, number: int) -> ResponseReturnValue:
    """Record a result; or, if `do` is "check", fill one into the form that the phone has kept and could not send."""
    event = event_access.get_event_or_404(token, PLAY, number)
    form = build_slip_form(read_last_rounds(event), PhoneSlipForm)()
    if not form.round.validate(form):
        abort(400)
    place = Place(form.round.data, number)
    if form.do.data == "check":
        if is_current_round(event, place.round):
            return _render(event, number, read_table_etag(event, number), form)
        return _respond(token, number, refuse([Problem("round", "round-is-over", {"round": place.round})]))
    is_stale = False
    if form.validate():
        outcome = results.record(event, form.ask_for(place, form.read()), g.membership)
        if isinstance(outcome, Done):
            address = url_for("event_table.show", token=token, number=number)
            return jsonify(recorded=True, at=address) if is_sent_by_script() else redirect(address, 303)
        is_stale = isinstance(outcome, Stale)
        if isinstance(outcome, Refusal):
            form.add_problems(outcome.problems)
    if is_sent_by_script():
        return jsonify(refused=render_template("events/_not_recorded.html", form=form, is_stale=is_stale)), 422
    form.key.data = new_token()
    event = event_access.get_event_or_404(token, PLAY, number)
    page = _render(event, number, read_table_etag(event, number), form, is_stale=is_stale)
    return page, 409 if is_stale else 422


class RoundForm(WriteForm):
    """A button of a round: `seen` is what the page has shown of the result, or of the call for the director."""

    round = DigitsField(validators=[InputRequired()])


class ConfirmForm(RoundForm):
    side = DigitsField(validators=[InputRequired()])


@blueprint.post("/confirm")
def confirm(token: str, number: int) -> ResponseReturnValue:
    event, form = event_access.get_event_or_404(token, PLAY, number), ConfirmForm()
    form.require_valid()
    place = Place(form.round.data, number)
    outcome = results.confirm(event, place, form.seen.data, form.side.data, g.membership)
    return _respond(token, number, outcome)


@blueprint.post("/call")
def call(token: str, number: int) -> ResponseReturnValue:
    event, form = event_access.get_event_or_404(token, PLAY, number), RoundForm()
    form.require_valid()
    outcome = calls.call(event, Place(form.round.data, number), form.seen.data, g.membership)
    return _respond(token, number, outcome, stale=Problem("call", "not-called"))


@blueprint.post("/call/end")
def end_call(token: str, number: int) -> ResponseReturnValue:
    event, form = event_access.get_event_or_404(token, PLAY, number), RoundForm()
    form.require_valid()
    outcome = calls.end_call(event, Place(form.round.data, number), form.seen.data, g.membership)
    return _respond(token, number, outcome)


def _respond(token: str, number: int, outcome: Outcome, stale: Problem | None = None) -> ResponseReturnValue:
    """Redirect to the table after a button's write, or show why nothing was written: `stale`, if others were first."""
    if isinstance(outcome, Done):
        return redirect(url_for("event_table.show", token=token, number=number), 303)
    problems, is_stale = [stale] if stale is not None else [], isinstance(outcome, Stale)
    if isinstance(outcome, Refusal):
        problems = [*outcome.problems]
    event = event_access.get_event_or_404(token, PLAY, number)
    etag = read_table_etag(event, number)
    page = _render(event, number, etag, problems=problems, is_stale=is_stale and not problems)
    return page, 409 if is_stale else 422


# --- the pad -----------------------------------------------------------------------------------------------


@blueprint.post("/pad")
def open_pad(token: str, number: int) -> ResponseReturnValue:
    event, form = event_access.get_event_or_404(token, PLAY, number), RoundForm()
    form.require_valid()
    round_number = form.round.data
    title = t("event-table.pad-title", event=event.title[:MAX_EVENT_TITLE], round=round_number, table=number)
    opened = pad_tables.open_pad(event, round_number, number, title, g.membership)
    if isinstance(opened, Refusal):
        return _respond(token, number, opened)
    return redirect(url_for("table.show", token=opened.value), 303)


def find_event_of_table(table: TableState) -> OpenedFor | None:
    place = pad_tables.find_place(table.stored)
    if place is None:
        return None
    at = partial(url_for, "event_table.show", token=place.event.token, number=place.number)
    is_over = place.is_current and pad_tables.is_over(place.event, table.stored)
    main = (at(result="pad"), t("event-table.send-result")) if is_over else None
    return OpenedFor(at(), t("event-table.to-event"), "events/_pad_line.html", place, main)
