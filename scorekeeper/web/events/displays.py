"""An event on a screen across the hall, and on paper.

The wall has standings, who sits where and the clock, to be read from ten metres; its pages turn by themselves. On paper
there are cards for tables with QR codes, score cards, result slips and sheets, blank ones as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flask import Blueprint, Response, make_response, render_template, request
from markupsafe import Markup
from werkzeug.utils import cached_property

from ...events.cards import EMPTY, board_sets
from ...events.drawing import Boards, EventRound, PlayedRound, PlayedTable
from ...limits import MAX_PLAYERS
from ...live import EVENT
from ...models import Event
from ...services.events.phones import AT_TABLE, DIRECT, marks
from ...services.events.reading import (
    FINISHED,
    SETTING_UP,
    EventSeat,
    EventState,
    RoundClock,
    RoundTableRow,
    list_seats,
    read,
)
from ...time_zones import now as current_moment
from ..support import event_access
from ..support.forms import parse_id
from ..support.http import client_tags, exclude_from_search_engines, with_etag
from ..support.language import in_name_order, number, t
from ..support.qr_codes import qr_code
from .event import link_to, read_or_404
from .slips import SlipForm

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

    state: EventState
    by: str
    calls: str | None
    turn: int

    @classmethod
    def asked_for(cls, event: Event) -> Wall:
        by = TABLES if request.args.get("by") == TABLES else NAMES
        calls = "yes" if request.args.get("calls") == "yes" else None
        return cls(read(event), by, calls, abs(request.args.get("turn", 0, int)) % 10_000)

    @property
    def mark(self) -> str:
        return marks(self.state.event)[EVENT]

    @property
    def clock(self) -> RoundClock | None:
        return self.state.clock(current_moment()) if self.state.phase != FINISHED else None

    @property
    def title(self) -> str:
        state = self.state
        if state.phase == FINISHED:
            return t("event-wall.finished")
        if state.current is None:
            return t("event-wall.before", count=len(state.entrants))
        return t("event-wall.round", round=state.current_number, planned=state.event.rounds)

    @property
    def waiting(self) -> str:
        """Which tables of the current round wait for the director, to which nobody is on the way."""
        if self.calls is None or self.state.phase == FINISHED:
            return ""
        rows = (row for row in self.state.waiting if row.round == self.state.current_number)
        waiting = [number(row.number) for row in rows if row.coming_id is None]
        named = ", ".join([*waiting[:MAX_CALLS], *(["…"] if len(waiting) > MAX_CALLS else [])])
        return t("event-wall.waiting", count=len(waiting), tables=named) if waiting else ""

    @cached_property
    def pages(self) -> list[WallPage]:
        """The pages in the order in which they are shown."""
        state = self.state
        if state.phase == SETTING_UP:
            return list(_in_pages("entrants", self._seated, _FOR_ONE))
        pages: list[WallPage] = []
        if state.phase != FINISHED and self.by == TABLES:
            pages += _in_pages("tables", state.current_tables, _FOR_TABLES)
        elif state.phase != FINISHED:
            pages += _in_pages("seats", self._seated, _FOR_ONE)
        if any(row.scores is not None for row in state.tables.values()):
            grids = {1: _FOR_ONE, 2: _FOR_TWO}.get(state.format.members, _FOR_FOUR)
            pages += list(_in_pages("standings", state.standings, grids))[:MAX_STANDINGS_PAGES]
        return pages

    @property
    def _seated(self) -> list[Seated]:
        """Everybody who takes part in the current round, by name."""
        round_number = max(self.state.current_number, 1)
        there = [member.number for member in self.state.members if member.plays_in(round_number)]
        return in_name_order([Seated(who, self.state.name_of(who), self.state.seats.get(who)) for who in there])


def _in_pages(kind: str, items: Sequence[Any], grids: Sequence[Grid]) -> Iterator[WallPage]:
    """Yield all items in the largest letters with which they fit one page, or in the smallest."""
    grid = next((grid for grid in grids if len(items) <= grid.lines * grid.columns), grids[-1])
    size = grid.lines * grid.columns
    count = -(-len(items) // size)
    for index in range(count):
        yield WallPage(kind, items[index * size : (index + 1) * size], grid, index + 1, count)


@blueprint.get("/wall")
def wall(token: str) -> str:
    return _render_wall(event_access.get_event_or_404(token), "events/wall.html")


@blueprint.get("/wall/now")
def wall_now(token: str) -> Response:
    newest = marks(read_or_404(token))[EVENT]
    if newest in client_tags():
        return with_etag(Response(status=304), newest)
    event = event_access.get_event_or_404(token)
    return with_etag(make_response(_render_wall(event, "events/_wall.html")), marks(event)[EVENT])


def _render_wall(event: Event, template: str) -> str:
    shown = Wall.asked_for(event)
    return render_template(template, wall=shown, state=shown.state, event=event, seconds=TURN_SECONDS)


# --- on paper ----------------------------------------------------------------------------------------------

MAX_CARDS = 100  # on one page: drawing their codes takes most of a second; more would take a browser minutes to lay out
MAX_TABLES = MAX_PLAYERS // 4
BLANK_SLIPS, BLANK_CARDS = 8, 4  # that fill a sheet


TEMPLATES = {
    "tables": "events/paper_tables.html",
    "cards": "events/paper_cards.html",
    "slips": "events/paper_slips.html",
    "sheet": "events/paper_sheet.html",
}


class TableCard(NamedTuple):
    """A card that lies on a table; its code leads a phone there. `boards` are its sets in the rounds that are known."""

    number: int
    code: Markup
    boards: tuple[int | None, ...]


class PrintedRound(NamedTuple):
    """A round on a score card; `seat` is None if it is not known, or if the entrant sits out. `boards` is a set."""

    round: int
    seat: EventSeat | None
    sits_out: bool
    boards: int | None = None


class ScoreCard(NamedTuple):
    """The card of an entrant, or of partners, on which they note their scores; no numbers on a blank one."""

    numbers: tuple[int, ...]
    lines: tuple[PrintedRound, ...]


class Slip(NamedTuple):
    """A slip for the result of a table in a round; 0 and None on a blank one."""

    round: int
    table: int
    row: RoundTableRow | None


@dataclass(frozen=True)
class PrintedPage:
    """What is printed of an event: `kind` is "tables", "cards", "slips" or "sheet", in parts of `MAX_CARDS`."""

    state: EventState
    kind: str
    round: int
    asks_for_blank: bool
    count: int
    wanted_part: int

    @classmethod
    def asked_for(cls, state: EventState, kind: str = "") -> PrintedPage:
        """Return the page that the address asks for; by default of the current round, and of all tables."""
        wanted, count = parse_id(request.args.get("round")), parse_id(request.args.get("count"))
        number = wanted if wanted is not None and 1 <= wanted <= state.current_number else state.current_number
        tables = len(state.current_tables) or max(1, len(state.entrants) // 4)
        part = parse_id(request.args.get("part")) or 1
        return cls(state, kind, number, "blank" in request.args, min(count or tables, MAX_TABLES), part)

    @property
    def is_blank(self) -> bool:
        return self.asks_for_blank or not self.state.drawn

    @property
    def has_slams(self) -> bool:
        return SlipForm.of(self.state).has_slams

    @property
    def has_boards(self) -> bool:
        return self.state.scoring.is_share and self.state.format.build is not None

    @property
    def parts(self) -> int:
        return max(1, -(-len(self._all) // MAX_CARDS))

    @property
    def part(self) -> int:
        return min(self.wanted_part, self.parts)

    @property
    def shown(self) -> list[Any]:
        """The cards, slips or lines of this part."""
        return [self._make(each) for each in self._all[(self.part - 1) * MAX_CARDS : self.part * MAX_CARDS]]

    @cached_property
    def _all(self) -> Sequence[Any]:
        """What each card is about: a table, or who it belongs to; or all slips."""
        state, rows = self.state, [] if self.asks_for_blank else self.state.tables_of(self.round)
        slips = [Slip(self.round, row.number, row) for row in rows]
        if self.kind == "slips":
            return slips or [Slip(0, 0, None)] * BLANK_SLIPS
        if self.kind == "sheet":
            return slips or [Slip(0, table, None) for table in range(1, self.count + 1)]
        if self.kind == "tables":
            return range(1, self.count + 1)
        if self.asks_for_blank:
            return [()] * BLANK_CARDS
        together = 2 if state.format.members == 2 else 1
        cards: dict[int, tuple[int, ...]] = {}
        for who in state.entrants:
            cards[(who - 1) // together] = (*cards.get((who - 1) // together, ()), who)
        return list(cards.values())

    def _make(self, each: Any) -> Any:
        if self.kind == "tables":
            sets = (of_round[each - 1] if each <= len(of_round) else None for of_round in self._sets)
            return TableCard(each, qr_code(link_to(self.state.event, AT_TABLE, each)), tuple(sets))
        if self.kind == "cards":
            rounds = range(1, max(self.state.event.rounds, self.state.current_number) + 1)
            return ScoreCard(each, tuple(self._line(number, each[0] if each else 0) for number in rounds))
        return each

    def _line(self, round_number: int, who: int) -> PrintedRound:
        if not who:
            return PrintedRound(round_number, None, sits_out=False)
        seat = self._seats.get((round_number, who))
        boards = self._sets[round_number - 1][seat.table - 1] if seat is not None and self._sets else None
        return PrintedRound(round_number, seat, who in self._sitting_out.get(round_number, ()), boards)

    @cached_property
    def _ahead(self) -> Mapping[int, EventRound]:
        """The rounds that are still to come, as far as they are known, by number."""
        draw = self.state.next_draw()
        return dict(enumerate(self.state.format.rounds_ahead(draw), start=draw.number))

    @cached_property
    def _sitting_out(self) -> dict[int, frozenset[int]]:
        ahead = {number: frozenset(of_round.sits_out) for number, of_round in self._ahead.items()}
        return ahead | {drawn.number: frozenset(drawn.sits_out) for drawn in self.state.drawn}

    @cached_property
    def _sets(self) -> Boards:
        """The board sets of each table, in each round so far and in those ahead; empty if there are none."""
        if not self.state.scoring.is_share:
            return EMPTY
        to_come = []
        for round_number, of_round in self._ahead.items():
            tables = (PlayedTable(at, pairs) for at, pairs in enumerate(of_round.tables, start=1))
            to_come.append(PlayedRound(round_number, tuple(tables), of_round.sits_out))
        return board_sets(self.state.format, (*self.state.rounds, *to_come))

    @cached_property
    def _seats(self) -> dict[tuple[int, int], EventSeat]:
        """Where everybody sits, in each round so far and in those ahead, by round and number."""
        rows = [
            RoundTableRow(round_number, table, [list(pair) for pair in pairs], None, 0, None, is_confirmed=False)
            for round_number, of_round in self._ahead.items()
            for table, pairs in enumerate(of_round.tables, start=1)
        ]
        return {(row.round, who): seat for row in (*self.state.tables.values(), *rows) for who, seat in list_seats(row)}


@blueprint.get("/paper")
def paper(token: str) -> str:
    state = read(event_access.get_event_or_404(token, DIRECT))
    page = PrintedPage.asked_for(state)
    return render_template("events/paper.html", page=page, state=state, event=state.event, most=MAX_TABLES)


@blueprint.get("/paper/<any(tables, cards, slips, sheet):what>")
def printed(token: str, what: str) -> str:
    """Show cards for tables, score cards, or a round's slips or sheet; blank ones with `?blank`."""
    state = read(event_access.get_event_or_404(token, DIRECT))
    page = PrintedPage.asked_for(state, what)
    return render_template(TEMPLATES[what], page=page, state=state, event=state.event)
