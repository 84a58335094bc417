"""Tables of an event at which the phone keeps score with the game's pad, for the four who sit there in a round.

Of a round's games, each has a table of its own; they share a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, select

from ..db.outcome import Done
from ..models import SEATED, Event, Membership, RoundTable, Table, db, new_token, now
from ..scoring.game import CLOCKWISE, AnyGame
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.standing import SIDES, Row, tricks_by_side
from ..tables import reading
from ..tables.details import Details
from ..tables.opening import Opening, open_locked
from ..tables.revisions import CLOSE, Change
from ..tables.state import TableState
from ..tables.writing import write_locked
from .drawing import Result
from .event_game import DEALS, GAMES, find_event_game, plays_alone, results_in
from .live import touch_event_table
from .phones import PLAY, read_access, writing_to_event
from .reading import Place, RoundClock, find_row, is_current_round, read_clock, read_state
from .scorings import IN_POINTS, IN_TRICKS, Scores, add_boards, find_winner

_IS_PAD = RoundTable.table_id == Table.id


class EventPlace(NamedTuple):
    """Where a table is at an event; `has_next`: its game has ended, and the round has another one."""

    event: Event
    round: int
    number: int
    clock: RoundClock | None
    has_next: bool
    is_current: bool  # whether the round still takes results from the table


def _is_game_of(table: Table) -> ColumnElement[bool]:
    return and_(Table.circle_id == table.circle_id, Table.games_token == table.games_token)


def open_pad(event: Event, round_number: int, number: int, title: str, by: Membership) -> Done[str] | Refusal:
    """Open a table for the four who sit at this table in the current round; its token is the value.

    It is opened once, for all phones; if the round has several games, one for each, after the last has ended.
    """
    with writing_to_event(event, by, PLAY, number):
        state = read_state(event)
        row = find_row(event, Place(round_number, number))
        table_id = row.table_id if row is not None else None
        last = reading.get_locked_table(event.circle, table_id) if table_id is not None else None
        if last is not None and not has_next_game(event, last.id):
            return Done(last.token)
        if row is None or round_number != state.current_number or state.is_finished:
            return refuse([Problem("round", "round-is-over", {"round": round_number})])
        seats = state.tables[round_number, number].seats
        game = state.event_game.under_rules
        names = _order_by_turn([*map(state.name_of, seats.values())], game)
        opening = Opening(game, names, names[0], event.house_rules, event.value, event.has_stakes, Details(title=title))
        if last is not None:
            close_pads(event, by.id, Table.id == last.id)
        opened = open_locked(event.circle, opening, None)
        if isinstance(opened, Refusal):
            return opened
        token = opened.value if isinstance(opened, Done) else opened.current
        table = db.session.scalars(select(Table).where(Table.token == token)).one()
        row.table_id, table.games_token = table.id, last.games_token if last is not None else new_token()
        touch_event_table(event, number)
        return Done(token)


def close_pads(event: Event, membership_id: int, *which: ColumnElement[bool]) -> None:
    """Close the event's open tables, or only these; the caller holds the circle's lock."""
    pads = select(Table).join(RoundTable, _IS_PAD).where(RoundTable.event_id == event.id, Table.closed_at.is_(None))
    for state in map(_read_state, db.session.scalars(pads.where(*which).options(SEATED)).all()):
        write_locked(state, [Change(CLOSE)], state.seen, new_token(), membership_id)


def find_pads(event: Event, round_number: int) -> list[int]:
    """List the ids of the tables that were opened in a round, for each of its games."""
    of_round = (RoundTable.event_id == event.id, RoundTable.round == round_number)
    tokens = select(Table.games_token).join(RoundTable, _IS_PAD).where(*of_round).correlate(None)
    pads = select(Table.id).where(Table.circle_id == event.circle_id, Table.games_token.in_(tokens))
    return list(db.session.scalars(pads))


def find_place(table: Table) -> EventPlace | None:
    """Return where a table is at an event; None if it is at none, or if its round has begun another game."""
    if not table.is_at_event:
        return None
    at_event = select(Event, RoundTable.round, RoundTable.number).join(Event, Event.id == RoundTable.event_id)
    row = db.session.execute(at_event.where(RoundTable.table_id == table.id)).one_or_none()
    if row is None:
        return None
    event, round_number, number = row
    clock = read_clock(event, event.drawn[round_number - 1], now())
    has_next, is_current = has_next_game(event, table.id), is_current_round(event, round_number)
    return EventPlace(event, round_number, number, clock, has_next, is_current)


def find_place_after(device_secret: str, token: str) -> tuple[str, int] | None:
    """Return the event's token and the table of a guest who has played at the table with this token.

    None for anybody else. The guest's access to that table ended when its round did.
    """
    table = db.session.scalar(select(Table).where(Table.token == token))
    if table is None or not table.is_at_event:
        return None
    at_event = select(Event.token, RoundTable.number).join(Event, Event.id == RoundTable.event_id)
    row = db.session.execute(at_event.join(RoundTable.table).where(_is_game_of(table)).limit(1)).one_or_none()
    access = read_access(device_secret, row.token) if row is not None else None
    return (row.token, row.number) if row is not None and access is not None and access.table == row.number else None


def has_next_game(event: Event, table_id: int) -> bool:
    if event.round_unit != GAMES:
        return False
    table = db.session.get_one(Table, table_id)
    begun = db.session.scalar(select(func.count()).where(_is_game_of(table))) or 0
    return begun < event.length and _read_state(table).standing.is_finished


def is_unfinished(event: Event, table_id: int) -> bool:
    """Return whether a round is whole games, and the last one at this table has not ended."""
    if event.round_unit != GAMES:
        return False
    state = _read_state(db.session.get_one(Table, table_id))
    rows = _list_rows_of_round(event, state.game, state.standing.rows)
    played = [row for row in rows if row.closings or state.game.is_played(row.fact)]
    return not played or not _is_end(played[-1], state.game, event.round_unit)


def is_over(event: Event, table: Table) -> bool:
    """Return whether all deals or games of a round have been recorded; there is no number of them within a time."""
    games, most = _read_games(table), _find_most(event)
    game, rows = games[-1].game, [row for state in games for row in state.standing.rows]
    return most is not None and sum(_is_end(row, game, event.round_unit) for row in rows) >= most


def _read_games(table: Table) -> list[TableState]:
    """Return the games of a round, until that of this table."""
    played = select(Table).where(_is_game_of(table), Table.id <= table.id).order_by(Table.id)
    return [*map(_read_state, db.session.scalars(played))]


def _read_state(table: Table) -> TableState:
    return TableState(table, reading.read_revisions(table))


# --- the result of the deals at a table --------------------------------------------------------------------


def read_pad_result(event: Event, table_id: int) -> Result | None:
    """Return the result that the deals at a table make, and those of earlier games of the round.

    It says what was scored on each board if the round's deals were all played. None if they do not say it.
    """
    games = _read_games(db.session.get_one(Table, table_id))
    is_alone = find_event_game(event).plays_alone
    if not all(plays_alone(state.game) == is_alone for state in games):
        return None
    game = games[-1].game
    rows = _list_rows_of_round(event, game, [row for state in games for row in state.standing.rows])
    counts = _list_counts(event, game, rows)
    if not counts:
        return None
    scores, tricks = add_boards(counts), _list_tricks(game, rows)
    slams = [tuple(int(each == game.limits.tricks) for each in taken) for taken in tricks] or [(0,) * len(scores)]
    boards = tuple(_scored(row, game) for row in rows if game.is_played(row.fact) or game.is_passed(row.fact))
    in_points_of_deals = results_in(event) == IN_POINTS and event.round_unit == DEALS
    is_whole = in_points_of_deals and len(boards) == event.length and add_boards(boards) == scores
    return Result(scores, add_boards(slams), boards if is_whole else ())


def _list_tricks(game: AnyGame, rows: Sequence[Row]) -> list[Scores]:
    return [*filter(None, (tricks_by_side(row.fact, game.limits.tricks) for row in rows))]


def _list_counts(event: Event, game: AnyGame, rows: Sequence[Row]) -> list[Scores]:
    """Return what adds up to the result: tricks or points of each deal, or who has won each deal or game."""
    counted_in = results_in(event)
    if counted_in == IN_TRICKS:
        return _list_tricks(game, rows)
    if counted_in == IN_POINTS:
        return [_scored(row, game) for row in rows]
    if event.round_unit == DEALS:
        scored = [_scored(row, game, -1 if game.ending.lowest_wins else 1) for row in rows if game.is_played(row.fact)]
        return [tuple(int(side == find_winner(each)) for side in range(len(each))) for each in scored]
    ended = [(row, each.winners) for row in rows for each in row.closings if each.kind == game.contest]
    return [tuple(int(label in winners) for label in _list_labels(row, game)) for row, winners in ended]


def _list_rows_of_round(event: Event, game: AnyGame, rows: Sequence[Row]) -> Sequence[Row]:
    """Leave out what was played after the last deal or game of a round: a table goes on with another one."""
    most = _find_most(event)
    ends = [number for number, row in enumerate(rows, start=1) if _is_end(row, game, event.round_unit)]
    if event.round_unit == DEALS:  # a deal lasts until the next one begins: what is agreed after it belongs to it
        ends = [end - 1 for end in ends[1:]]
    return rows if most is None or len(ends) < most else rows[: ends[most - 1]]


def _find_most(event: Event) -> int | None:
    """Return how many deals or games a round has; None if it lasts a time."""
    return event.length if event.round_unit in (DEALS, GAMES) else None


def _is_end(row: Row, game: AnyGame, unit: str) -> bool:
    """Return whether a deal ends with a row; where rounds are whole games, whether a game does."""
    if unit == DEALS:
        return game.is_played(row.fact) or game.is_passed(row.fact)
    return any(closing.kind == game.contest for closing in row.closings)


def _list_labels(row: Row, game: AnyGame) -> Sequence[str]:
    """Return what the parties are called in a row: the sides; or who sat there, North, East, South and West."""
    return SIDES if game.in_sides else _order_by_turn(row.players, game)


def _order_by_turn(of_seats: Sequence[str], game: AnyGame) -> tuple[str, ...]:
    """Return what belongs to North, East, South and West in the order of play: N, W, S, E if that is anticlockwise.

    It also turns the order of play back into N, E, S, W.
    """
    first, *others = of_seats
    return (first, *(others if game.direction == CLOCKWISE else reversed(others)))


def _scored(row: Row, game: AnyGame, sign: int = 1) -> Scores:
    return tuple(sign * row.scored[label] for label in _list_labels(row, game))
