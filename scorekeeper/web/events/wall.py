"""The wall of an event: standings, who sits where, the clock, read from ten metres. Its pages turn by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from flask import Blueprint, Response, make_response, render_template, request

from ...events.standings import StandingRow
from ...live import EVENT
from ...services.events.reading import FINISHED, SETTING_UP, EventState, RoundClock, read
from ...services.events.table_phones import marks
from ...time_zones import now as current_moment
from ..support import event_access
from ..support.http import client_tags, with_etag
from ..support.language import in_name_order, isolate_rtl, number, t
from . import live

blueprint = Blueprint("event_wall", __name__, url_prefix="/events/<token>/wall")

TURN_SECONDS = 9  # that a page stays
NAMES, TABLES = "names", "tables"  # how the seats are listed
MAX_STANDINGS_PAGES = 2
MAX_CALLS = 8  # tables that the line of those who wait for the director names


class Grid(NamedTuple):
    """How many lines a page has in each column, and how many columns."""

    lines: int
    columns: int

    @property
    def size(self) -> int:
        """How many items a page has."""
        return self.lines * self.columns


# The fewer there are, the larger the letters. Names of one person need less room than those of two or four.
_FOR_ONE = (Grid(8, 1), Grid(12, 2), Grid(14, 3), Grid(18, 4))
_FOR_TWO = (Grid(8, 1), Grid(12, 2), Grid(16, 2), Grid(18, 3))
_FOR_FOUR = (Grid(8, 1), Grid(12, 1), Grid(14, 2))
_FOR_TABLES = (Grid(4, 1), Grid(6, 2), Grid(8, 2), Grid(9, 3))  # two lines each


class Seated(NamedTuple):
    """Somebody by name, and where they sit; without a table they sit out."""

    number: int
    name: str
    table: int | None
    direction: str


class WallPage(NamedTuple):
    """A page: what it lists, its items, its grid, and which of how many pages of the list it is."""

    kind: str
    items: Sequence[Any]
    grid: Grid
    number: int
    pages: int


@blueprint.get("")
def show(token: str) -> Response:
    """Show the wall; without scripts it loads itself again, with its next page.

    `?calls=yes`: with a line of the tables that wait for the director.
    """
    event = event_access.get_event_or_404(token)
    turn = request.args.get("turn", 0, int)
    return make_response(
        render_template("events/wall.html", **_parts(read(event)), **_options(), turn=abs(turn) % 10_000)
    )


@blueprint.get("/now")
def now(token: str) -> Response:
    """Return what the wall shows, or 304."""
    newest = marks(live.read_or_404(token))[EVENT]
    if newest in client_tags():
        return with_etag(Response(status=304), newest)
    event = event_access.get_event_or_404(token)
    html = render_template("events/_wall.html", **_parts(read(event)), turn=0)
    return with_etag(make_response(html), marks(event)[EVENT])


def _by() -> str:
    return TABLES if request.args.get("by") == TABLES else NAMES


def _options() -> dict[str, str | None]:
    """Return what this wall shows, as its address says."""
    return {"by": _by(), "calls": "yes" if request.args.get("calls") == "yes" else None}


def _parts(state: EventState) -> dict[str, Any]:
    clock = state.clock(current_moment()) if state.phase != FINISHED else None
    shown = {"clock": clock, "pages": list(_pages(state)), "waiting": _waiting(state), "seconds": TURN_SECONDS}
    return {"state": state, "event": state.event} | shown


def _waiting(state: EventState) -> list[int]:
    """List the tables of the current round to which no director is on the way yet; none unless this wall shows it."""
    if _options()["calls"] is None or state.phase == FINISHED:
        return []
    return [row.number for row in state.waiting if row.round == state.current_number and row.coming_id is None]


# --- pages -------------------------------------------------------------------------------------------------


def _pages(state: EventState) -> Iterator[WallPage]:
    """Yield the pages in the order in which they are shown."""
    if state.phase == SETTING_UP:
        yield from _in_pages("entrants", _seated(state), _FOR_ONE)
        return
    has_results = any(row.scores is not None for row in state.tables.values())
    if state.phase != FINISHED:
        yield from _seats(state)
    if has_results:
        grids = {1: _FOR_ONE, 2: _FOR_TWO}.get(state.format.members, _FOR_FOUR)
        yield from list(_in_pages("standings", state.standings, grids))[:MAX_STANDINGS_PAGES]


def _seats(state: EventState) -> Iterator[WallPage]:
    if _by() == TABLES:
        return _in_pages("tables", state.current_tables, _FOR_TABLES)
    return _in_pages("seats", _seated(state), _FOR_ONE)


def _seated(state: EventState) -> list[Seated]:
    """List everybody who takes part in the current round, by name."""
    round_number = max(state.current_number, 1)
    there = [member.number for member in state.members if member.plays_in(round_number)]
    return in_name_order([_seat(state, who) for who in there])


def _seat(state: EventState, who: int) -> Seated:
    seat = state.seat_of(who)
    return Seated(who, state.name_of(who), *((seat.table, seat.direction) if seat is not None else (None, "")))


def _in_pages(kind: str, items: Sequence[Any], grids: Sequence[Grid]) -> Iterator[WallPage]:
    """Yield all items in the largest letters with which they fit one page, or in the smallest."""
    grid = next((grid for grid in grids if len(items) <= grid.size), grids[-1])
    count = -(-len(items) // grid.size)
    for index in range(count):
        shown = items[index * grid.size : (index + 1) * grid.size]
        yield WallPage(kind, shown, grid, index + 1, count)


# --- in words ----------------------------------------------------------------------------------------------


@blueprint.app_template_global()
def wall_calls(tables: Sequence[int]) -> str:
    """Return that these tables wait for the director, in words."""
    named = ", ".join(number(table) for table in tables[:MAX_CALLS])
    rest = ", …" if len(tables) > MAX_CALLS else ""
    return t("event-wall.waiting", count=len(tables), tables=f"{named}{rest}")


@blueprint.app_template_global()
def wall_names(state: EventState, row: StandingRow) -> str:
    """Return the names of who has a place in the standings."""
    return t("names.and").join(isolate_rtl(state.name_of(who)) for who in row.numbers)


@blueprint.app_template_global()
def wall_clock(clock: RoundClock) -> str:
    """Return the minutes and seconds that a clock shows."""
    minutes, seconds = divmod(clock.elapsed if clock.left is None else max(clock.left, 0), 60)
    return f"{minutes}:{seconds:02}"
