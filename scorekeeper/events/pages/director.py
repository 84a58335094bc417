"""The director's page: all tables of the current round, the calls, and what comes next."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import NamedTuple

from flask import Blueprint, Response, g, url_for
from flask.typing import ResponseReturnValue

from ...models import Event, now
from ...site.forms import WriteForm
from ...site.http import render_if_new
from ...site.language import t
from .. import calls, rounds
from ..access import get_event_or_404
from ..event_game import MINUTES
from ..phones import DIRECT, Outcome
from ..reading import DRAWN, FINISHED, PAUSED, PLAYING, SETTING_UP, EventState, Place, RoundTableRow, read_state
from .rendering import render_event, respond_to

blueprint = Blueprint("event_director", __name__, url_prefix="/events/<token>")

# What a table is doing; a sign in the templates belongs to each.
SEATED, AT_PLAY, MISSING, UNCONFIRMED, DONE = ("seated", "playing", "missing", "unconfirmed", "in")
MAX_NAMED = 12  # tables that are shown with their players' names; more are cells side by side


def list_hall_tables(state: EventState, round_number: int) -> list[tuple[RoundTableRow, str]]:
    """Return the tables of a round, each with its status."""
    clock = state.clock(now())
    if round_number < state.current_number or state.is_finished or (clock is not None and clock.is_over):
        without_result = MISSING
    else:
        without_result = AT_PLAY if clock is not None else SEATED
    with_result = {True: DONE, False: UNCONFIRMED}
    tables = state.tables_of(round_number)
    return [(row, without_result if row.result is None else with_result[row.is_confirmed]) for row in tables]


def _render(event: Event, form: WriteForm | None = None, *, is_stale: bool = False) -> str:
    """Render the page; `form` is a button's whose step was not taken."""
    state = read_state(event)
    tables = list_hall_tables(state, state.current_number)
    counts = Counter(status for _, status in tables)
    is_missing = bool(state.missing or state.late)
    is_last = state.current_number >= event.rounds
    may_undo = state.current is not None and rounds.find_undo_problem(state) is None
    may_end_early = state.phase in (PLAYING, PAUSED) and not is_missing and not is_last
    return render_event(
        "events/director.html",
        state,
        form=form or WriteForm(None),
        etag=event.edition,
        is_stale=is_stale,
        clock=state.clock(now()) if not state.is_finished else None,
        tables=tables,
        is_named=len(tables) <= MAX_NAMED,
        unconfirmed_count=counts[UNCONFIRMED],
        played_count=counts[DONE] + counts[UNCONFIRMED],
        undo=_make_step(state, "undo") if may_undo else None,
        finish=_make_step(state, "finish") if may_end_early else None,
        steps=[_make_step(state, what) for what in _list_next_steps(state, is_last)],
    )


class Step(NamedTuple):
    """What the director may do: a link, or a button, which sends a key."""

    label: str
    url: str
    is_link: bool = False


def _make_step(state: EventState, what: str) -> Step:
    token, number = state.event.token, state.current_number
    if what == "people":
        return Step(t("director.add-people"), url_for("event_entrants.show", token=token), is_link=True)
    if what == "slips":
        url = url_for("event_slips.show_round", token=token, round_number=number)
        return Step(t("director.enter-slips"), url, is_link=True)
    number += what == "draw"
    key = "start-clock" if what == "start" and state.event.round_unit == MINUTES else what
    url = url_for("event_director.take_step", token=token, round_number=number, step=what)
    return Step(t(f"director.{key}", number=number), url)


def _list_next_steps(state: EventState, is_last: bool) -> list[str]:
    """Return the names of steps, the main one first."""
    phase = state.phase
    if phase in (SETTING_UP, DRAWN, FINISHED):
        return [{SETTING_UP: "draw" if state.has_enough else "people", DRAWN: "start", FINISHED: "reopen"}[phase]]
    if state.missing:
        steps = ["resume", "slips"] if phase == PAUSED else ["slips", "pause"]
        needs_results = state.format.build is None
        return [*steps, *([] if is_last or needs_results else ["draw"])]
    return ["resume" if phase == PAUSED else "finish" if is_last else "draw"]


@blueprint.get("/director")
def show(token: str) -> Response:
    event = get_event_or_404(token, DIRECT)
    return render_if_new(event.edition, partial(_render, event))


def _respond(token: str, form: WriteForm, outcome: Outcome, done: str | None = None) -> ResponseReturnValue:
    def render(form: WriteForm, *, is_stale: bool = False) -> str:
        return _render(get_event_or_404(token, DIRECT), form, is_stale=is_stale)

    return respond_to(form, outcome, render, url_for("event_director.show", token=token, done=done))


# The steps that a button takes, each with the end of the message that it is done.
CLOCK_STEPS = {"start": "started", "pause": "paused", "resume": "resumed"}
STEPS = {"draw": "drawn", "undo": "undone", "finish": "finished", "reopen": "reopened"} | CLOCK_STEPS


@blueprint.post(f"/rounds/<int:round_number>/<any({', '.join(STEPS)}):step>")
def take_step(token: str, round_number: int, step: str) -> ResponseReturnValue:
    """Take a step with a round, of the number that the page has shown for it."""
    event, form = get_event_or_404(token, DIRECT), WriteForm()
    by = g.membership
    match step:
        case "draw":
            outcome = rounds.draw(event, round_number, form.read_key(), by)
        case "undo":
            outcome = rounds.undo(event, round_number, by)
        case "finish":
            outcome = rounds.finish(event, by)
        case "reopen":
            outcome = rounds.reopen(event, by)
        case "start" | "pause" | "resume":
            outcome = rounds.set_clock(event, round_number, step, by)
    return _respond(token, form, outcome, STEPS[step])


@blueprint.post("/rounds/<int:round_number>/tables/<int:number>/done")
def end_call(token: str, round_number: int, number: int) -> ResponseReturnValue:
    event, form = get_event_or_404(token, DIRECT), WriteForm()
    outcome = calls.end_call(event, Place(round_number, number), form.seen.data, g.membership)
    return _respond(token, form, outcome)
