"""The phone at a table of an event: who sits where, the clock, the result, its confirmation, and who moves where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flask import Blueprint, g, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.http import quote_etag
from werkzeug.wrappers import Response

from ...events.cards import board_numbers
from ...events.drawing import Result
from ...models import Event, Table, db
from ...scoring.problems import Problem, Refusal
from ...services.events import pad_tables, results, table_phones
from ...services.events.phones import PLAY, VIEW
from ...services.events.reading import FINISHED, EventSeat, EventState, RoundClock, RoundTableRow, read_last_rounds
from ...services.events.results import ResultRequest
from ...services.outcome import Stale
from ...time_zones import now as current_moment
from ..support import event_access, language
from ..support.forms import new_key, read_id, read_key
from ..support.language import isolate_rtl, join_names, t
from .slips import SlipForm, is_sure

PAD = "pad"  # the value of `?result=`: of the scores on the pad

blueprint = Blueprint("event_table", __name__, url_prefix="/events/<token>/tables/<int:number>")


class TableMove(NamedTuple):
    """Where somebody goes who sat at the table in the round before; without a seat they sit out, or have left."""

    number: int
    seat: EventSeat | None


@blueprint.get("")
def show(token: str, number: int) -> str:
    """Show the table as it is in the current round."""
    return _render(event_access.get_event_or_404(token, VIEW), number)


@blueprint.get("/now")
def now(token: str, number: int) -> Response:
    """Return what the page shows, or 304 if it is still the same."""
    event = event_access.get_event_or_404(token, VIEW)
    mark = table_phones.mark(event, number)
    response = Response(status=304)
    if mark not in request.if_none_match:
        response = make_response(_render(event, number, "events/_table.html"))
    response.headers["ETag"] = quote_etag(mark)
    return response


@blueprint.post("/result")
def send(token: str, number: int) -> ResponseReturnValue:
    """Record the result of the round that the page has shown, or a correction of it."""
    event = event_access.get_event_or_404(token, PLAY, number)
    form = SlipForm.sent(read_last_rounds(event))
    round_number, seen, key = read_id("round"), read_id("seen"), read_key()
    result = form.result()
    if isinstance(result, Problem):
        return _render(event, number, form=form, problems=(result,)), 422
    outcome = results.record(
        event, ResultRequest(round_number, number, seen, key, result, is_sure=is_sure()), g.browser
    )
    return _respond(token, number, outcome, form)


@blueprint.post("/confirm")
def confirm(token: str, number: int) -> ResponseReturnValue:
    """Confirm the result that the page has shown for one side."""
    event = event_access.get_event_or_404(token, PLAY, number)
    outcome = results.confirm(event, (read_id("round"), number), read_id("version"), read_id("side"), g.browser)
    return _respond(token, number, outcome, None)


@blueprint.post("/call")
def call(token: str, number: int) -> ResponseReturnValue:
    """Call the director to the table, unless the page is outdated."""
    event = event_access.get_event_or_404(token, PLAY, number)
    if isinstance(table_phones.call(event, (read_id("round"), number), read_id("calls"), g.browser), Stale):
        event = event_access.get_event_or_404(token, PLAY, number)
        return _render(event, number, problems=(Problem("call", "not-called"),)), 409
    return redirect(url_for("event_table.show", token=token, number=number), 303)


@blueprint.post("/call/end")
def end_call(token: str, number: int) -> Response:
    """End the call that the page has shown: the director is not needed any more."""
    event = event_access.get_event_or_404(token, PLAY, number)
    table_phones.end_call(event, (read_id("round"), number), read_id("calls"), g.browser)
    return redirect(url_for("event_table.show", token=token, number=number), 303)


def _respond(token: str, number: int, outcome: results.ResultOutcome, form: SlipForm | None) -> ResponseReturnValue:
    """Redirect to the table after a write; or show why nothing was written, with what was typed."""
    if isinstance(outcome, Refusal):
        event = event_access.get_event_or_404(token, PLAY, number)
        return _render(event, number, form=form, problems=outcome.problems), 422
    if isinstance(outcome, Stale):
        event = event_access.get_event_or_404(token, PLAY, number)
        return _render(event, number, form=form, is_stale=True), 409
    return redirect(url_for("event_table.show", token=token, number=number), 303)


# --- the page ----------------------------------------------------------------------------------------------


def _render(
    event: Event,
    number: int,
    template: str = "events/table.html",
    *,
    form: SlipForm | None = None,
    problems: Sequence[Problem] = (),
    is_stale: bool = False,
) -> str:
    mark = table_phones.mark(event, number)  # before reading: what changes in between is fetched again
    state = read_last_rounds(event)
    row = state.tables.get((state.current_number, number))
    is_phone = _may_send(state, row, number)
    wants_form = form is not None or "correct" in request.args
    from_pad = _result_of_pad(event, row) if form is None and is_phone else None
    result = from_pad or (state.played(row).result if row is not None else None)
    return render_template(
        template,
        state=state,
        table_number=number,
        row=row,
        mark=mark,
        clock=state.clock(current_moment()),
        moves=_moves(state, number),
        confirmed=results.confirmed_sides(event, row) if row is not None else frozenset(),
        is_phone=is_phone,
        is_finished=state.phase == FINISHED,
        has_next_game=is_phone and row is not None and _has_next_game(event, row),
        form=form or SlipForm.of(state, result),
        is_unfinished=from_pad is not None and _is_unfinished(event, row),
        shows_form=is_phone and row is not None and (row.scores is None or wants_form or from_pad is not None),
        key=new_key(),
        problems=problems,
        is_stale=is_stale,
        follows=not wants_form and from_pad is None,  # what is filled in must not be replaced
    )


def _result_of_pad(event: Event, row: RoundTableRow | None) -> Result | None:
    """Return the result that the scores on the pad make, if the address asks for it."""
    if request.args.get("result") != PAD or row is None or row.table_id is None:
        return None
    return pad_tables.result_of_pad(event, row.table_id)


def _is_unfinished(event: Event, row: RoundTableRow | None) -> bool:
    return row is not None and row.table_id is not None and pad_tables.is_unfinished(event, row.table_id)


def _has_next_game(event: Event, row: RoundTableRow) -> bool:
    """Return whether the game at the table's pad has ended, and the round has another one."""
    table = db.session.get(Table, row.table_id) if row.table_id is not None else None
    return table is not None and pad_tables.next_game(event, table) is not None


def show_refused(event: Event, number: int, refusal: Refusal) -> str:
    """Show the table with the reason why nothing was written."""
    return _render(event, number, problems=refusal.problems)


def _may_send(state: EventState, row: RoundTableRow | None, number: int) -> bool:
    """Return whether this browser may send the table's result now."""
    access = event_access.current_access()
    return access is not None and row is not None and state.phase != FINISHED and access.may(PLAY, number)


def _moves(state: EventState, number: int) -> list[TableMove]:
    """List where those go who sat at the table in the round before, in the order of their seats."""
    before = state.tables.get((state.current_number - 1, number))
    return [TableMove(who, state.seat_of(who)) for who in before.seats.values()] if before is not None else []


# --- in words ----------------------------------------------------------------------------------------------


@blueprint.app_template_global()
def who_is_coming(row: RoundTableRow) -> str:
    """Return who is on the way to a table that has called the director; empty if nobody is yet."""
    if row.coming_id is None:
        return ""
    access = event_access.current_access()
    if access is not None and access.browser.id == row.coming_id:
        return t("event-call.you")
    name = table_phones.name_director(row.coming_id)
    return t("event-call.coming", name=isolate_rtl(name)) if name else t("event-call.director")


@blueprint.app_template_global()
def player_at(state: EventState, number: int) -> str:
    """Return the name of who plays under a number in the current round."""
    return isolate_rtl(state.name_of(number))


@blueprint.app_template_global()
def seat_in_words(state: EventState, number: int, *, with_opponents: bool = False) -> str:
    """Return where an entrant sits in the current round and with whom: Table 7, South, with Bob."""
    seat = state.seat_of(number)
    if seat is None:
        return t("event-table.sits-out" if number in state.sits_out else "event-table.has-left")
    params = {
        "table": seat.table,
        "direction": t(f"event-table.{seat.direction}"),
        "partner": player_at(state, seat.partner),
    }
    if state.plays_alone:
        others = join_names(player_at(state, other) for other in seat.others)
        return t("event-table.seat-alone" if not with_opponents else "event-table.seat-among", **params, who=others)
    if not with_opponents:
        return t("event-table.seat", **params)
    first, second = (player_at(state, opponent) for opponent in seat.opponents)
    return t("event-table.seat-against", **params, first=first, second=second)


@blueprint.app_template_global()
def boards_at(state: EventState, round_number: int, table: int) -> str:
    """Return the boards of a table in a round: Boards 5–8; empty if boards do not go from table to table."""
    boards = state.boards_at(round_number, table)
    if boards is None:
        return ""
    numbers = state.board_numbers(boards)
    if numbers is None:
        return t("event-boards.set", number=boards + 1)
    if len(numbers) == 1:
        return t("event-boards.one", number=numbers[0])
    return t("event-boards.some", first=numbers[0], last=numbers[-1])


@blueprint.app_template_global()
def short_boards(state: EventState, boards: int | None) -> str:
    """Return the numbers of a set's boards, where a heading says what they are: 5–8. The number of the set if none."""
    if boards is None:
        return ""
    numbers = state.board_numbers(boards) or (boards + 1,)
    return "–".join(language.number(each) for each in sorted({numbers[0], numbers[-1]}))


@blueprint.app_template_global()
def numbered_boards(state: EventState, row: RoundTableRow, count: int) -> list[tuple[int, int]]:
    """Return the place in its set, and the number, of each of so many boards at a table."""
    return list(enumerate(board_numbers(state.boards_at(row.round, row.number) or 0, count), start=1))


@blueprint.app_template_global()
def boards_to_note(state: EventState, boards: int | None) -> list[str]:
    """Return what stands before each result that is noted on paper: the boards of a set, blank if it is not known."""
    numbers = state.board_numbers(boards or 0) or ()
    if len(numbers) < 2:
        return [short_boards(state, boards)]
    return ["" if boards is None else language.number(each) for each in numbers]


@blueprint.app_template_global()
def boards_heading(state: EventState) -> str:
    """Return the heading over short boards."""
    return t("event-boards.column" if state.board_numbers(0) is not None else "event-boards.column.set")


@blueprint.app_template_global()
def trump_of_round(trump: str) -> str:
    """Return the trumps of a round in words."""
    return t(f"event-table.trump.{trump}")


@blueprint.app_template_global()
def round_clock(clock: RoundClock) -> str:
    """Return what the clock shows without a script: the minutes that are left, or that have passed."""
    if clock.left is None:
        return t("event-table.minutes-played", count=clock.elapsed // 60)
    if clock.left <= 0:
        return t("event-table.time-is-over")
    return t("event-table.minutes-left", count=-(-clock.left // 60))
