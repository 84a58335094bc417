"""An event on a screen across the hall, and on paper.

The wall has standings, who sits where and the clock, to be read from ten metres; its pages turn by themselves. On paper
there are cards for tables with QR codes, score cards, result slips and sheets, blank ones as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple

from flask import Blueprint, Response, request

from ...i18n import in_name_order
from ...limits import MAX_ENTRANTS
from ...models import Event, now
from ...site.fields import parse_digits
from ...site.http import exclude_from_search_engines, render_if_new
from ...site.language import number, t
from ...site.qr_codes import qr_code
from .. import access as event_access
from ..drawing import Boards, Member, PlayedRound, PlayedTable
from ..phones import AT_TABLE, DIRECT
from ..reading import SETTING_UP, EventSeat, EventState, RoundTableRow, list_seats, read_state
from .joining import make_link
from .rendering import render_event
from .slip_form import find_slip_kind
from .words import EventPhrases

blueprint = Blueprint("event_displays", __name__, url_prefix="/events/<token>")
blueprint.after_request(exclude_from_search_engines)
blueprint.url_defaults(event_access.keep_shared_link)


# --- the wall ----------------------------------------------------------------------------------------------

TURN_SECONDS = 9  # that a page stays
MAX_STANDINGS_PAGES = 2

Grid = tuple[int, int]  # the lines of each column, and the columns

# The fewer there are, the larger the letters. Names of one person need less room than those of two or four.
_FOR_ONE = ((8, 1), (12, 2), (14, 3), (18, 4))
_FOR_TWO = ((8, 1), (12, 2), (16, 2), (18, 3))
_FOR_FOUR = ((8, 1), (12, 1), (14, 2))


class WallPage(NamedTuple):
    """One of the `pages` of a list of entrants, seats, or rows of the standings."""

    kind: str
    shown: Sequence[Any]
    lines: int
    columns: int
    number: int
    pages: int


@blueprint.get("/wall")
def wall(token: str) -> Response:
    event = event_access.get_event_or_404(token)
    return render_if_new(event.edition, partial(_render_wall, event))


def _render_wall(event: Event) -> str:
    """Without scripts the wall loads itself again, with its next page: `turn` counts them."""
    state = read_state(event)
    shows_calls = request.args.get("calls") == "yes"
    return render_event(
        "events/wall.html",
        state,
        seconds=TURN_SECONDS,
        calls="yes" if shows_calls else None,
        turn=request.args.get("turn", 0, int),
        etag=event.edition,  # from before the rest was read: what changes in between is fetched again
        clock=state.clock(now()) if not state.is_finished else None,
        waiting=_name_waiting(state) if shows_calls and not state.is_finished else "",
        pages=list(_list_pages(state)),
    )


def _name_waiting(state: EventState) -> str:
    """Say which tables of the current round wait for the director."""
    waiting = [number(row.number) for row in state.waiting if row.round == state.current_number]
    return t("event-wall.waiting", count=len(waiting), tables=", ".join(waiting)) if waiting else ""


def _list_pages(state: EventState) -> Iterator[WallPage]:
    if not state.is_finished:
        there = (member for member in state.entrants.values() if member.plays_in(max(state.current_number, 1)))
        seated = in_name_order(member._replace(name=state.name_of(member.number)) for member in there)
        yield from _fill_pages("entrants" if state.phase == SETTING_UP else "seats", seated, _FOR_ONE)
    if any(row.result is not None for row in state.tables.values()):
        grids = {1: _FOR_ONE, 2: _FOR_TWO}.get(state.format.team_size, _FOR_FOUR)
        yield from _fill_pages("standings", state.standings, grids)[:MAX_STANDINGS_PAGES]


def _fill_pages(kind: str, items: Sequence[Any], grids: Sequence[Grid]) -> list[WallPage]:
    """Fill one page, in the largest letters that fit it, or several, in the smallest."""
    lines, columns = next((grid for grid in grids if len(items) <= grid[0] * grid[1]), grids[-1])
    size = lines * columns
    parts = [items[start : start + size] for start in range(0, len(items), size)]
    page = partial(WallPage, kind, lines=lines, columns=columns, pages=len(parts))
    return [page(shown=part, number=nth) for nth, part in enumerate(parts, start=1)]


# --- on paper ----------------------------------------------------------------------------------------------

MAX_TABLES = MAX_ENTRANTS // 4
BLANK_SLIPS, BLANK_CARDS = 8, 4  # that fill a sheet


class PrintedRound(NamedTuple):
    """A round on a score card; `boards` stand before the results that are noted."""

    round: int
    seat: EventSeat | None  # None also if it is not known yet
    sits_out: bool
    boards: list[str]


class SeatPlan(NamedTuple):
    """Who sits where, in each round so far and in those ahead, as far as they are known.

    `seats` and `sits_out` are by round and number; `boards` are the sets of each table in each round, empty without.
    """

    seats: dict[tuple[int, int], EventSeat]
    sits_out: set[tuple[int, int]]
    boards: Boards


@blueprint.get("/paper")
def paper(token: str) -> str:
    state = event_access.get_state_or_404(token, DIRECT)
    return render_event("events/paper.html", state, count=_read_count(state), most=MAX_TABLES)


def _read_count(state: EventState) -> int:
    """Return for how many tables there are to be cards, or lines of a blank sheet."""
    tables = len(state.current_tables) or max(1, len(state.entrants) // 4)
    return min(parse_digits(request.args.get("count")) or tables, MAX_TABLES)


@blueprint.get("/paper/tables")
def tables(token: str) -> str:
    """Show a card for each table: the code of its link, and its sets of boards in the rounds that are known."""
    state = event_access.get_state_or_404(token, DIRECT)
    boards = _plan_seats(state).boards
    cards = [
        (
            table,
            qr_code(make_link(state.event, AT_TABLE, table)),
            [of_round[table - 1] if table <= len(of_round) else None for of_round in boards],
        )
        for table in range(1, _read_count(state) + 1)
    ]
    return render_event("events/printed_tables.html", state, cards=cards)


@blueprint.get("/paper/cards")
def cards(token: str) -> str:
    """Show a score card for everybody, of which partners share one; or blank ones."""
    state = event_access.get_state_or_404(token, DIRECT)
    plan = _plan_seats(state)
    owners: Sequence[Sequence[Member]] = [()] * BLANK_CARDS
    if "blank" not in request.args:
        owners = state.teams if state.format.team_size == 2 else [(member,) for member in state.entrants.values()]
    cards = [_fill_score_card(state, plan, each) for each in owners]
    return _render_for_results("events/printed_cards.html", state, cards=cards)


@blueprint.get("/paper/slips")
def slips(token: str) -> str:
    """Show a slip for each table of a round, or blank ones: None in place of their tables."""
    state = event_access.get_state_or_404(token, DIRECT)
    round_number = _read_round(state)
    rows: Sequence[RoundTableRow | None] = state.tables_of(round_number) or [None] * BLANK_SLIPS
    return _render_for_results("events/printed_slips.html", state, round_number=round_number, rows=rows)


@blueprint.get("/paper/sheet")
def sheet(token: str) -> str:
    """Show a sheet with all tables of a round, or a blank one: None in place of its tables."""
    state = event_access.get_state_or_404(token, DIRECT)
    round_number = _read_round(state)
    rows = {row.number: row for row in state.tables_of(round_number)}
    lines = [(table, rows.get(table)) for table in rows or range(1, _read_count(state) + 1)]
    return _render_for_results("events/printed_sheet.html", state, round_number=round_number, lines=lines)


def _read_round(state: EventState) -> int:
    """Return the round that the address names, the current one by default; 0 for what is blank."""
    if "blank" in request.args:
        return 0
    wanted = parse_digits(request.args.get("round")) or 0
    return wanted if 1 <= wanted <= state.current_number else state.current_number


def _render_for_results(template: str, state: EventState, **shown: Any) -> str:
    """Render paper for results: with a line for each board, if a set of several goes from table to table."""
    notes_each_board = state.moves_boards and len(EventPhrases(state).list_boards(None)) > 1
    has_slams = find_slip_kind(state).has_slams
    return render_event(template, state, has_slams=has_slams, notes_each_board=notes_each_board, **shown)


def _plan_seats(state: EventState) -> SeatPlan:
    draw = state.next_draw()
    ahead = (
        PlayedRound(nth, tuple(starmap(PlayedTable, enumerate(drawn.tables, start=1))), drawn.sits_out)
        for nth, drawn in enumerate(state.format.rounds_ahead(draw), start=draw.number)
    )
    rounds = (*state.rounds, *ahead)
    seats = {(each.number, who): seat for each in rounds for table in each.tables for who, seat in list_seats(table)}
    sits_out = {(each.number, who) for each in rounds for who in each.sits_out}
    boards = state.format.board_sets(rounds, state.options) if state.scoring.is_share else ()
    return SeatPlan(seats, sits_out, boards)


def _fill_score_card(
    state: EventState, plan: SeatPlan, owners: Sequence[Member]
) -> tuple[list[int], list[PrintedRound]]:
    """Return the numbers of those who note their scores on a card, none on a blank one, and its rounds."""
    numbers = [owner.number for owner in owners]
    lines: list[PrintedRound] = []
    phrases = EventPhrases(state)
    for round_number in range(1, max(state.event.rounds, state.current_number) + 1):
        who = (round_number, numbers[0] if numbers else 0)
        seat, sits_out = plan.seats.get(who), who in plan.sits_out
        boards = plan.boards[round_number - 1][seat.table - 1] if seat is not None and plan.boards else None
        notes = phrases.list_boards(boards) if state.moves_boards and not sits_out else [""]
        lines.append(PrintedRound(round_number, seat, sits_out, notes))
    return numbers, lines
