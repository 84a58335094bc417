"""An event on paper: cards for tables with QR codes, score cards, result slips and sheets, blank ones as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from flask import Blueprint, render_template, request, url_for
from markupsafe import Markup

from ...events.cards import EMPTY, board_sets
from ...events.drawing import Boards, EventRound, PlayedRound, PlayedTable
from ...limits import MAX_PLAYERS
from ...models import Event
from ...services.events.phones import AT_TABLE, DIRECT
from ...services.events.reading import EventSeat, EventState, RoundTableRow, list_seats, read, read_last_rounds
from ..support import event_access
from ..support.forms import parse_id
from ..support.http import exclude_from_search_engines
from ..support.qr_codes import qr_code
from .join import link_to
from .slips import SlipForm

blueprint = Blueprint("event_paper", __name__, url_prefix="/events/<token>/paper")
blueprint.after_request(exclude_from_search_engines)

MAX_CARDS = 100  # on one page: drawing their codes takes most of a second; more would take a browser minutes to lay out
MAX_TABLES = MAX_PLAYERS // 4
BLANK_SLIPS, BLANK_CARDS = 8, 4  # that fill a sheet


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


@blueprint.get("")
def show(token: str) -> str:
    """Show what can be printed."""
    state = read_last_rounds(event_access.get_event_or_404(token, DIRECT))
    return render_template("events/paper.html", state=state, tables=_table_count(state), most=MAX_TABLES)


@blueprint.get("/tables")
def tables(token: str) -> str:
    """Show a card for each table, or for as many as are asked for."""
    event = event_access.get_event_or_404(token, DIRECT)
    state = read(event)
    sets = _sets_with_ahead(state, _ahead(state)) if state.scoring.is_share else EMPTY
    count = min(parse_id(request.args.get("count")) or _table_count(state), MAX_TABLES)

    def build(number: int) -> TableCard:
        boards = tuple(of_round[number - 1] if number <= len(of_round) else None for of_round in sets)
        return TableCard(number, qr_code(link_to(event, AT_TABLE, number)), boards)

    return _render("events/paper_tables.html", state, range(1, count + 1), build)


@blueprint.get("/cards")
def cards(token: str) -> str:
    """Show the score cards of all entrants, with where they sit as far as it is known; or blank ones."""
    state = read(event_access.get_event_or_404(token, DIRECT))
    if _is_blank():
        blank = ScoreCard((), tuple(PrintedRound(number, None, sits_out=False) for number in _all_rounds(state)))
        return _render("events/paper_cards.html", state, [blank] * BLANK_CARDS)
    return _render("events/paper_cards.html", state, _members_by_card(state), _score_cards(state))


@blueprint.get("/slips")
def slips(token: str) -> str:
    """Show a slip for each table of a round, by default the current one; or blank ones."""
    state = read(event_access.get_event_or_404(token, DIRECT))
    number = _round(state)
    rows = [] if _is_blank() else state.tables_of(number)
    return _render(
        "events/paper_slips.html",
        state,
        [Slip(number, row.number, row) for row in rows] or [Slip(0, 0, None)] * BLANK_SLIPS,
    )


@blueprint.get("/sheet")
def sheet(token: str) -> str:
    """Show a round on one sheet, for the director: its tables, and room for their results."""
    state = read(event_access.get_event_or_404(token, DIRECT))
    number = _round(state)
    rows = [Slip(number, row.number, row) for row in state.tables_of(number)]
    blank = [Slip(0, table, None) for table in range(1, _table_count(state) + 1)]
    return _render("events/paper_sheet.html", state, blank if _is_blank() or not rows else rows)


def _render(
    template: str, state: EventState, items: Sequence[Any], build: Callable[[Any], Any] = lambda item: item
) -> str:
    """Render a part of the items; `build` makes of an item what the template shows."""
    part = parse_id(request.args.get("part")) or 1
    parts = max(1, -(-len(items) // MAX_CARDS))
    part = min(part, parts)
    return render_template(
        template,
        kind=template.removeprefix("events/paper_").removesuffix(".html"),
        state=state,
        event=state.event,
        items=[build(item) for item in items[(part - 1) * MAX_CARDS : part * MAX_CARDS]],
        part=part,
        parts=parts,
        round_number=_round(state),
        is_blank=_is_blank() or not state.drawn,
        has_slams=SlipForm.of(state).has_slams,
        has_boards=state.scoring.is_share and state.format.build is not None,
    )


def _is_blank() -> bool:
    return "blank" in request.args


def _round(state: EventState) -> int:
    """Return the number of the round that is asked for, by default of the current one."""
    number = parse_id(request.args.get("round"))
    return number if number is not None and 1 <= number <= state.current_number else state.current_number


def _table_count(state: EventState) -> int:
    """Return the number of tables that the event has, or will have."""
    return len(state.current_tables) or max(1, len(state.entrants) // 4)


def _all_rounds(state: EventState) -> range:
    return range(1, max(state.event.rounds, state.current_number) + 1)


# --- score cards -------------------------------------------------------------------------------------------


def _members_by_card(state: EventState) -> list[tuple[int, ...]]:
    """Return whose card each is: an entrant's, or a pair's in an event where pairs stay together."""
    together = 2 if state.format.members == 2 else 1
    cards: dict[int, tuple[int, ...]] = {}
    for number in state.entrants:
        card = (number - 1) // together
        cards[card] = (*cards.get(card, ()), number)
    return list(cards.values())


def _score_cards(state: EventState) -> Callable[[tuple[int, ...]], ScoreCard]:
    """Return what builds the card of an entrant or a pair."""
    ahead = _ahead(state)
    seats, sets = _seats_by_round(state, ahead), _sets_with_ahead(state, ahead)
    sitting_out = {number: frozenset(of_round.sits_out) for number, of_round in ahead.items()}
    sitting_out |= {drawn.number: frozenset(drawn.sits_out) for drawn in state.drawn}

    def build(members: tuple[int, ...]) -> ScoreCard:
        first = members[0]
        return ScoreCard(members, tuple(build_line(number, first) for number in _all_rounds(state)))

    def build_line(number: int, member: int) -> PrintedRound:
        seat = seats.get((number, member))
        boards = sets[number - 1][seat.table - 1] if seat is not None and sets else None
        return PrintedRound(number, seat, member in sitting_out.get(number, ()), boards)

    return build


def _ahead(state: EventState) -> dict[int, EventRound]:
    """Return the rounds that are still to come, as far as they are known, by number."""
    draw = state.next_draw()
    return dict(enumerate(state.format.rounds_ahead(draw), start=draw.number))


def _sets_with_ahead(state: EventState, ahead: Mapping[int, EventRound]) -> Boards:
    """Return the board sets of each table, in each round so far and in those ahead; empty if there are none."""
    if not state.scoring.is_share:
        return EMPTY
    to_come = []
    for number, of_round in ahead.items():
        tables = (PlayedTable(at, pairs) for at, pairs in enumerate(of_round.tables, start=1))
        to_come.append(PlayedRound(number, tuple(tables), of_round.sits_out))
    return board_sets(state.format, (*state.rounds, *to_come))


def _seats_by_round(state: EventState, ahead: Mapping[int, EventRound]) -> dict[tuple[int, int], EventSeat]:
    """Return where everybody sits, in each round so far and in those ahead, by round and number."""
    rows = [
        RoundTableRow(number, table, [list(pair) for pair in pairs], None, 0, None, is_confirmed=False)
        for number, of_round in ahead.items()
        for table, pairs in enumerate(of_round.tables, start=1)
    ]
    return {(row.round, who): seat for row in (*state.tables.values(), *rows) for who, seat in list_seats(row)}


@blueprint.app_template_global()
def paper_url(event: Event, kind: str, **query: Any) -> str:
    """Return the address of something to print."""
    return url_for(f"event_paper.{kind}", token=event.token, **query)
