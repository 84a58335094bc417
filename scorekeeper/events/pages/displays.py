"""An event on a screen across the hall, and on paper.

The wall has standings, who sits where and the clock, to be read from ten metres; its pages turn by themselves. On paper
there are cards for tables with QR codes, score cards, result slips and sheets, blank ones as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple

from flask import Blueprint, Response, request
from markupsafe import Markup

from ...i18n import in_name_order
from ...limits import MAX_PLAYERS
from ...models import Event
from ...site.forms import parse_digits
from ...site.http import exclude_from_search_engines, render_if_new
from ...site.language import number, t
from ...site.live import EVENT
from ...site.qr_codes import qr_code
from ...site.time_zones import now as current_moment
from .. import access as event_access
from ..drawing import DIRECTIONS, Boards, PlayedRound, PlayedTable
from ..phones import AT_TABLE, DIRECT, list_etags
from ..reading import (
    SETTING_UP,
    EventSeat,
    EventState,
    RoundClock,
    RoundTableRow,
    list_seats,
    read,
)
from .event import link_to
from .slips import SlipForm
from .words import EventPhrases, render_event

blueprint = Blueprint("event_displays", __name__, url_prefix="/events/<token>")
blueprint.after_request(exclude_from_search_engines)


# --- the wall ----------------------------------------------------------------------------------------------

TURN_SECONDS = 9  # that a page stays
NAMES, TABLES = "names", "tables"  # how the seats are listed
MAX_STANDINGS_PAGES = 2
MAX_CALLS = 8  # tables that the line of those who wait for the director names


class Grid(NamedTuple):
    """How many lines a page has in each column, and how many columns."""

    lines: int
    columns: int


# The fewer there are, the larger the letters. Names of one person need less room than those of two or four.
_FOR_ONE = (Grid(8, 1), Grid(12, 2), Grid(14, 3), Grid(18, 4))
_FOR_TWO = (Grid(8, 1), Grid(12, 2), Grid(16, 2), Grid(18, 3))
_FOR_FOUR = (Grid(8, 1), Grid(12, 1), Grid(14, 2))
_FOR_TABLES = (Grid(4, 1), Grid(6, 2), Grid(8, 2), Grid(9, 3))  # two lines each


class Seated(NamedTuple):
    """Somebody by name, and where they sit; without a seat they sit out."""

    number: int
    name: str
    seat: EventSeat | None


class WallPage(NamedTuple):
    """A page: what it lists, its items, its grid, and which of how many pages of the list it is."""

    kind: str
    shown: Sequence[Any]
    grid: Grid
    number: int
    pages: int


@dataclass(frozen=True)
class Wall:
    """What the wall shows, as its address says: the seats by name or by table, and the tables that wait, or not.

    Without scripts it loads itself again, with its next page: `turn` counts them.
    """

    by: str
    calls: str | None
    turn: int
    etag: str
    clock: RoundClock | None
    title: str
    waiting: str
    pages: list[WallPage]


def _title(state: EventState) -> str:
    if state.is_finished:
        return t("event-wall.finished")
    if state.current is None:
        return t("event-wall.before", count=len(state.entrants))
    return t("event-wall.round", round=state.current_number, planned=state.event.rounds)


def _waiting(state: EventState) -> str:
    """Say which tables of the current round wait for the director, to which nobody is on the way."""
    rows = (row for row in state.waiting if row.round == state.current_number)
    waiting = [number(row.number) for row in rows if row.coming_id is None]
    named = ", ".join([*waiting[:MAX_CALLS], *(["…"] if len(waiting) > MAX_CALLS else [])])
    return t("event-wall.waiting", count=len(waiting), tables=named) if waiting else ""


def _wall_pages(state: EventState, by: str) -> list[WallPage]:
    is_finished, pages = state.is_finished, list[WallPage]()
    if by == TABLES and not is_finished and state.phase != SETTING_UP:
        pages += _in_pages("tables", state.current_tables, _FOR_TABLES)
    elif not is_finished:
        round_number = max(state.current_number, 1)
        there = (member.number for member in state.members if member.plays_in(round_number))
        seated = in_name_order([Seated(who, state.name_of(who), state.seats.get(who)) for who in there])
        pages += _in_pages("entrants" if state.phase == SETTING_UP else "seats", seated, _FOR_ONE)
    if any(row.scores is not None for row in state.tables.values()):
        grids = {1: _FOR_ONE, 2: _FOR_TWO}.get(state.format.members, _FOR_FOUR)
        pages += list(_in_pages("standings", state.standings, grids))[:MAX_STANDINGS_PAGES]
    return pages


def _in_pages(kind: str, items: Sequence[Any], grids: Sequence[Grid]) -> Iterator[WallPage]:
    """Yield all items in the largest letters with which they fit one page, or in the smallest."""
    grid = next((grid for grid in grids if len(items) <= grid.lines * grid.columns), grids[-1])
    size = grid.lines * grid.columns
    count = -(-len(items) // size)
    for index in range(count):
        yield WallPage(kind, items[index * size : (index + 1) * size], grid, index + 1, count)


@blueprint.get("/wall")
def wall(token: str) -> Response:
    event = event_access.get_event_or_404(token)
    etag = list_etags(event)[EVENT]  # before reading: what changes in between is fetched again
    return render_if_new(etag, partial(_render_wall, event, etag))


def _render_wall(event: Event, etag: str) -> str:
    state = read(event)
    by = TABLES if request.args.get("by") == TABLES else NAMES
    is_on, shows_calls = not state.is_finished, request.args.get("calls") == "yes"
    shown = Wall(
        by,
        calls="yes" if shows_calls else None,
        turn=abs(request.args.get("turn", 0, int)) % 10_000,
        etag=etag,
        clock=state.clock(current_moment()) if is_on else None,
        title=_title(state),
        waiting=_waiting(state) if shows_calls and is_on else "",
        pages=_wall_pages(state, by),
    )
    return render_event("events/wall.html", state, wall=shown, seconds=TURN_SECONDS)


# --- on paper ----------------------------------------------------------------------------------------------

MAX_CARDS = 100  # on one page: drawing their codes takes most of a second; more would take a browser minutes to lay out
MAX_TABLES = MAX_PLAYERS // 4
BLANK_SLIPS, BLANK_CARDS = 8, 4  # that fill a sheet


class TableCard(NamedTuple):
    """A card that lies on a table; its code leads a phone there. `boards` are its sets in the rounds that are known."""

    number: int
    code: Markup
    boards: list[int | None]


class PrintedRound(NamedTuple):
    """A round on a score card; `boards` stand before the results that are noted. What is not known is empty."""

    round: int
    place: str
    others: str
    sits_out: bool
    boards: list[str]


class ScoreCard(NamedTuple):
    """The card of an entrant, or of partners, on which they note their scores; no numbers on a blank one."""

    numbers: tuple[int, ...]
    lines: list[PrintedRound]


class Slip(NamedTuple):
    """A slip for the result of a table in a round; 0 and None on a blank one. `boards` have a line each, if any."""

    round: int
    table: int
    row: RoundTableRow | None
    boards: list[str]

    @property
    def scores(self) -> list[int]:
        return self.row.scores["scores"] if self.row is not None and self.row.scores is not None else []


@dataclass(frozen=True)
class PrintedPage:
    """A part of the cards, slips or lines that are printed; `by_board`: each board has a line of its own."""

    kind: str
    round: int
    asks_for_blank: bool
    is_blank: bool
    has_slams: bool
    has_boards: bool
    by_board: bool
    part: int
    parts: int
    shown: list[Any]


class Schedule(NamedTuple):
    """Who sits where, in each round so far and in those ahead, as far as they are known.

    `seats` and `sits_out` are by round and number; `boards` are the sets of each table in each round, empty without.
    """

    seats: dict[tuple[int, int], EventSeat]
    sits_out: set[tuple[int, int]]
    boards: Boards


def _find_schedule(state: EventState) -> Schedule:
    draw = state.next_draw()
    ahead = (
        PlayedRound(nth, tuple(starmap(PlayedTable, enumerate(drawn.tables, start=1))), drawn.sits_out)
        for nth, drawn in enumerate(state.format.rounds_ahead(draw), start=draw.number)
    )
    rounds = (*state.rounds, *ahead)
    seats = {(each.number, who): seat for each in rounds for table in each.tables for who, seat in list_seats(table)}
    sits_out = {(each.number, who) for each in rounds for who in each.sits_out}
    boards = state.format.board_sets(rounds, state.options) if state.scoring.is_share else ()
    return Schedule(seats, sits_out, boards)


def _score_card(state: EventState, schedule: Schedule, numbers: tuple[int, ...], has_boards: bool) -> ScoreCard:
    lines = []
    for round_number in range(1, max(state.event.rounds, state.current_number) + 1):
        who = (round_number, numbers[0] if numbers else 0)
        seat, sits_out = schedule.seats.get(who), who in schedule.sits_out
        place, others, boards = "", t("event-wall.sits-out") if sits_out else "", None
        if seat is not None:
            place, others = _place(state, seat), _others(state, seat, round_number)
            boards = schedule.boards[round_number - 1][seat.table - 1] if schedule.boards else None
        notes = EventPhrases(state).list_boards(boards) if has_boards and not sits_out else [""]
        lines.append(PrintedRound(round_number, place, others, sits_out, notes))
    return ScoreCard(numbers, lines)


def _place(state: EventState, seat: EventSeat) -> str:
    side = f"pair-{DIRECTIONS.index(seat.direction) % 2}" if state.format.members == 2 else f"short-{seat.direction}"
    return f"{number(seat.table)} {t(f'event-wall.{side}')}"


def _others(state: EventState, seat: EventSeat, round_number: int) -> str:
    """Return whom somebody plays with: all others, the opponents of a pair, or the partner."""
    if state.plays_alone:
        return EventPhrases(state).name_players(seat.others, round_number)
    others = seat.opponents if state.format.members == 2 else (seat.partner,)
    return EventPhrases(state).name_partners(others, round_number)


def _table_card(state: EventState, schedule: Schedule, table: int) -> TableCard:
    sets = [of_round[table - 1] if table <= len(of_round) else None for of_round in schedule.boards]
    return TableCard(table, qr_code(link_to(state.event, AT_TABLE, table)), sets)


def _slip(state: EventState, row: RoundTableRow | int, by_board: bool) -> Slip:
    """Return the slip of a table, or a blank one of the table with this number."""
    if isinstance(row, int):
        return Slip(0, row, None, EventPhrases(state).list_boards(None) if by_board else [])
    boards = state.boards_at(row.round, row.number)
    return Slip(row.round, row.number, row, EventPhrases(state).list_boards(boards) if by_board else [])


def _read_count(state: EventState) -> int:
    tables = len(state.current_tables) or max(1, len(state.entrants) // 4)
    return min(parse_digits(request.args.get("count")) or tables, MAX_TABLES)


def _make_page(state: EventState, kind: str) -> PrintedPage:
    """Return the part that the address asks for, of the current round if it names none."""
    wanted, asks_for_blank = parse_digits(request.args.get("round")) or 0, "blank" in request.args
    round_number = wanted if 1 <= wanted <= state.current_number else state.current_number
    has_boards = state.scoring.is_share and state.format.build is not None
    by_board = has_boards and len(EventPhrases(state).list_boards(None)) > 1
    numbers: Sequence[int] = range(1, _read_count(state) + 1)
    items: Sequence[Any] = numbers
    if kind == "cards":  # partners share one
        owners = state.teams if state.format.members == 2 else [(member,) for member in state.members]
        items = [()] * BLANK_CARDS if asks_for_blank else [tuple(each.number for each in owner) for owner in owners]
    elif kind != "tables":
        rows: list[Any] = [] if asks_for_blank else [*state.tables_of(round_number)]
        items = rows or ([0] * BLANK_SLIPS if kind == "slips" else numbers)
    parts = max(1, -(-len(items) // MAX_CARDS))
    part = min(parse_digits(request.args.get("part")) or 1, parts)
    shown = list(items[(part - 1) * MAX_CARDS : part * MAX_CARDS])
    if kind == "tables":
        shown = [*map(partial(_table_card, state, _find_schedule(state)), shown)]
    elif kind == "cards":
        schedule = _find_schedule(state)
        shown = [_score_card(state, schedule, numbers, has_boards) for numbers in shown]
    else:
        shown = [_slip(state, row, by_board) for row in shown]
    return PrintedPage(
        kind,
        round_number,
        asks_for_blank,
        is_blank=asks_for_blank or not state.drawn,
        has_slams=SlipForm.of(state).has_slams,
        has_boards=has_boards,
        by_board=by_board,
        part=part,
        parts=parts,
        shown=shown,
    )


@blueprint.get("/paper")
def paper(token: str) -> str:
    state = read(event_access.get_event_or_404(token, DIRECT))
    count = _read_count(state)
    return render_event("events/paper.html", state, count=count, most=MAX_TABLES)


@blueprint.get("/paper/<any(tables, cards, slips, sheet):what>")
def printed(token: str, what: str) -> str:
    state = read(event_access.get_event_or_404(token, DIRECT))
    return render_event("events/printed.html", state, page=_make_page(state, what))
