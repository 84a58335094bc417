"""The director's page: all tables of the current round, and what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from flask import Blueprint, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...events.drawing import EventRound
from ...events.even_draws import count_repeats
from ...events.formats import MIN_PLAYERS
from ...models import Event
from ...scoring.problems import Problem
from ...services.events import rounds, table_phones
from ...services.events.reading import FINISHED, GAMES, MINUTES, EventState, RoundClock, RoundTableRow, read
from ...services.events.rounds import Outcome
from ...services.outcome import Stale
from ...time_zones import now
from ..support.event_access import DIRECT, get_event_or_404
from ..support.forms import new_key, read_id, read_key
from ..support.language import isolate_rtl, t

blueprint = Blueprint("event_director", __name__, url_prefix="/events/<token>")

# What a table is doing; a sign in the templates belongs to each.
SEATED, AT_PLAY, MISSING, UNCONFIRMED, DONE = STATUSES = ("seated", "playing", "missing", "unconfirmed", "in")
MAX_EARLIER = 250  # tables of earlier rounds in a list, as many as a round may have; once these are in, the next ones
MAX_NAMED = 12  # tables that are shown with their players' names; more are cells side by side
_SAID = ("drawn", "started", "paused", "resumed", "undone", "finished", "reopened", "settings", "rescored")


class HallTable(NamedTuple):
    """A table of a round, and what it is doing."""

    row: RoundTableRow
    status: str


def hall_tables(state: EventState, round_number: int, moment: datetime) -> list[HallTable]:
    """Return the tables of a round, each with what it is doing."""
    return [HallTable(row, _status(state, row, moment)) for row in state.tables_of(round_number)]


def _status(state: EventState, row: RoundTableRow, moment: datetime) -> str:
    if row.scores is not None:
        return DONE if row.is_confirmed else UNCONFIRMED
    if row.round < state.current_number or state.phase == FINISHED:
        return MISSING
    clock = state.clock(moment)
    if clock is None:
        return SEATED
    return MISSING if clock.left is not None and clock.left <= 0 else AT_PLAY


@blueprint.get("/director")
def show(token: str) -> str:
    """Show the tables of the current round; `?show=missing` only those without a confirmed result."""
    return _page(get_event_or_404(token, DIRECT))


@blueprint.post("/rounds")
def draw(token: str) -> Response | tuple[str, int]:
    """Draw the round that the page has announced as the next."""
    event = get_event_or_404(token, DIRECT)
    number, key = read_id("number"), read_key()
    return _respond(token, rounds.draw(event, number, key, g.browser), "drawn")


@blueprint.post("/rounds/<int:round_number>/start")
def start(token: str, round_number: int) -> Response | tuple[str, int]:
    """Start the round's clock."""
    event = get_event_or_404(token, DIRECT)
    return _respond(token, rounds.set_clock(event, round_number, "start", g.browser), "started")


@blueprint.post("/rounds/<int:round_number>/pause")
def pause(token: str, round_number: int) -> Response | tuple[str, int]:
    """Pause the round's clock."""
    event = get_event_or_404(token, DIRECT)
    return _respond(token, rounds.set_clock(event, round_number, "pause", g.browser), "paused")


@blueprint.post("/rounds/<int:round_number>/resume")
def resume(token: str, round_number: int) -> Response | tuple[str, int]:
    """Let the round's clock run again."""
    event = get_event_or_404(token, DIRECT)
    return _respond(token, rounds.set_clock(event, round_number, "resume", g.browser), "resumed")


@blueprint.post("/rounds/<int:round_number>/undo")
def undo(token: str, round_number: int) -> Response | tuple[str, int]:
    """Undo the drawing of the round."""
    event = get_event_or_404(token, DIRECT)
    return _respond(token, rounds.undo(event, round_number, g.browser), "undone")


@blueprint.post("/finish")
def finish(token: str) -> Response | tuple[str, int]:
    """Finish the event."""
    problem = rounds.finish(get_event_or_404(token, DIRECT), g.browser)
    if problem is not None:
        return _page(get_event_or_404(token, DIRECT), [problem]), 422
    return _redirect(token, "finished")


@blueprint.post("/reopen")
def reopen(token: str) -> Response:
    """Let a finished event go on."""
    rounds.reopen(get_event_or_404(token, DIRECT), g.browser)
    return _redirect(token, "reopened")


@blueprint.post("/rounds/<int:round_number>/tables/<int:number>/coming")
def take_call(token: str, round_number: int, number: int) -> Response | tuple[str, int]:
    """Say that this director is on the way to the table."""
    event = get_event_or_404(token, DIRECT)
    if isinstance(table_phones.take_call(event, (round_number, number), read_id("number"), g.browser), Stale):
        return _page(get_event_or_404(token, DIRECT), [Problem("call", "call-taken", {"table": number})]), 409
    return redirect(url_for("event_director.show", token=token), 303)


@blueprint.post("/rounds/<int:round_number>/tables/<int:number>/done")
def end_call(token: str, round_number: int, number: int) -> Response:
    """End the call of the table: the director was there."""
    table_phones.end_call(get_event_or_404(token, DIRECT), (round_number, number), read_id("number"), g.browser)
    return redirect(url_for("event_director.show", token=token), 303)


def _respond(token: str, outcome: Outcome, done: str) -> Response | tuple[str, int]:
    """Redirect to the page after a write, or show it with what stood in the way."""
    if isinstance(outcome, Problem):
        return _page(get_event_or_404(token, DIRECT), [outcome]), 422
    if isinstance(outcome, Stale):
        return _page(get_event_or_404(token, DIRECT), is_stale=True), 409
    return _redirect(token, done)


def _redirect(token: str, done: str) -> Response:
    return redirect(url_for("event_director.show", token=token, done=done), 303)


# --- the page ----------------------------------------------------------------------------------------------


def _page(event: Event, problems: list[Problem] | None = None, *, is_stale: bool = False) -> str:
    state, moment = read(event), now()
    tables = hall_tables(state, state.current_number, moment)
    counts = Counter(table.status for table in tables)
    only_missing = request.args.get("show") == "missing"
    return render_template(
        "events/director.html",
        state=state,
        event=event,
        phase=state.phase,
        clock=state.clock(moment),
        calls=state.waiting,
        tables=[table for table in tables if not only_missing or table.status != DONE],
        counts=counts,
        open_count=len(tables) - counts[DONE],
        statuses=STATUSES,
        only_missing=only_missing,
        most_earlier=MAX_EARLIER,
        most_named=MAX_NAMED,
        unconfirmed_earlier=[row for row in state.unconfirmed if row.round < state.current_number],
        is_last=state.current_number >= event.rounds,
        has_enough=len(state.next_draw().present) >= MIN_PLAYERS,
        waits_for_results=state.format.build is None,
        may_undo=state.current is not None and rounds.problem_of_undoing(state) is None,
        uneven=list(unevenness(state)),
        ways=_ways(state),
        problems=problems or [],
        is_stale=is_stale,
        done=request.args.get("done") if request.args.get("done") in _SAID else None,
        key=new_key(),
    )


def _ways(state: EventState) -> list[tuple[str, str, str]]:
    """Return icon, label and address of the event's other pages."""
    token = state.event.token
    return [
        ("people", t("entrants.title"), url_for("event_entrants.show", token=token)),
        ("settings", t("event-setup.settings"), url_for("event_setup.settings", token=token)),
        ("settle", t("event-money.title"), url_for("event_money.show", token=token)),
        ("share", t("event-join.links"), url_for("event_join.links", token=token)),
        ("display", t("event-wall.title"), url_for("event_wall.show", token=token)),
        ("export", t("event-paper.title"), url_for("event_paper.show", token=token)),
        ("standings", t("event-results.title"), url_for("event_results.show", token=token)),
    ]


def unevenness(state: EventState) -> Iterator[str]:
    """Yield in words what the current round repeats, where the format avoids that."""
    if state.current is None or (state.format.build is None and state.format.members == 1):
        return
    *earlier, current = state.rounds
    drawn = EventRound(tuple(table.pairs for table in current.tables), current.sits_out)
    repeats = count_repeats(drawn, earlier, state.format.members)
    opponents = "opponents" if state.format.members == 1 else "pairs"
    of_sides = () if state.plays_alone else (("partners", repeats.partners), (opponents, repeats.opponents))
    counts = (*of_sides, ("sits-out", repeats.sits_out))
    yield from (t(f"event-repeats.{what}", count=count) for what, count in counts if count)


blueprint.app_template_global("count_calls")(table_phones.count_calls)


@blueprint.app_template_global()
def name_in(state: EventState, number: int, round_number: int) -> str:
    """Return the name of who plays under a number in a round."""
    return isolate_rtl(state.name_of(number, round_number))


@blueprint.app_template_global()
def clock_text(clock: RoundClock) -> str:
    """Return what the clock shows: the time left, or how long the round has run."""
    seconds = clock.elapsed if clock.left is None else abs(clock.left)
    minutes, rest = divmod(seconds, 60)
    text = f"{minutes}:{rest:02}"
    if clock.left is None:
        return t("director.clock.elapsed", time=text)
    return t("director.clock.left" if clock.left > 0 else "director.clock.over", time=text)


@blueprint.app_template_global()
def round_words(event: Event) -> str:
    """Return what a round of the event is: 4 deals, a game, 20 minutes."""
    if event.round_unit == MINUTES:
        return t("director.unit.minutes", count=event.length or 0)
    if event.length is None:
        return t("director.unit.partie")
    return t("director.unit.games" if event.round_unit == GAMES else "director.unit.deals", count=event.length)
