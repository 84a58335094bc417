"""The result that the deals at an event's table make, in what the event's scoring counts.

If a round is several games, each is played at a card table of its own, until it ends; their results are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, select

from ...events.drawing import Result
from ...events.scoring import IN_POINTS, IN_TRICKS, Scores, add_boards, find_winner
from ...models import Event, Table, db
from ...scoring.game import AnyGame
from ...scoring.sides import SIDES, tricks_by_side
from ...scoring.standing import Row
from ...tables.state import TableState
from ..event_game import find_event_game, find_sides, order_by_turn, plays_alone
from ..tables import replayed
from .reading import DEALS, GAMES, PARTIE
from .results import results_in
from .rows import split_game_key


def key_of_game(first: str, game: int) -> str:
    """Return the entry key of the table of one of a round's games, given that of the first."""
    return first if game == 1 else f"{first}/game-{game}"


def next_game(event: Event, table: Table) -> int | None:
    """Return the number of the round's game that follows the one at a table; None if none does, or not yet."""
    _, game = split_game_key(table.entry_key)
    if event.round_unit != GAMES or event.length is None or game >= event.length:
        return None
    return game + 1 if _state(table).standing.is_finished else None


def is_unfinished(event: Event, table_id: int) -> bool:
    """Return whether a round is whole games, and the last one at this table has not ended."""
    table = db.session.get(Table, (table_id, event.circle_id))
    if table is None or _most_games(event) is None:
        return False
    state = _state(table)
    rows = _rows_of_round(event, state.game, state.standing.rows)
    last = next((row for row in reversed(rows) if row.closings or state.game.is_played(row.fact)), None)
    return last is None or not _ends_game(last, state.game)


def is_game_of_same_round(table: Table) -> ColumnElement[bool]:
    """Return the condition that a table is this one, or has another game of the same round."""
    first, _ = split_game_key(table.entry_key)
    return (Table.id == table.id) | Table.entry_key.startswith(key_of_game(first, 2)[:-1], autoescape=True)


def keys_of_earlier_games(table: Table) -> list[str]:
    """Return the entry keys of the tables of the round's games before the one at this table."""
    first, last = split_game_key(table.entry_key)
    return [key_of_game(first, game) for game in range(1, last)]


def _games_until(table: Table) -> list[TableState]:
    """Return the tables of the round's games so far, of which this is the last."""
    keys = keys_of_earlier_games(table)
    earlier = select(Table).where(Table.circle_id == table.circle_id, Table.entry_key.in_(keys)).order_by(Table.id)
    return [_state(each) for each in (*(db.session.scalars(earlier) if keys else ()), table)]


def _state(table: Table) -> TableState:
    return TableState(table, replayed.read_revisions(table))


def result_of_pad(event: Event, table_id: int) -> Result | None:
    """Return the result that the deals at a table make, and those of earlier games of the round.

    It says what was scored on each board if the round's deals were all played. None if they do not say it.
    """
    table = db.session.get(Table, (table_id, event.circle_id))
    if table is None:
        return None
    games = _games_until(table)
    is_alone = plays_alone(find_event_game(event))
    if not all(state.has_rules and plays_alone(state.game) == is_alone for state in games):
        return None
    game = games[-1].game
    rows = _rows_of_round(event, game, [row for state in games for row in state.standing.rows])
    tricks: list[Scores] = [taken for row in rows if (taken := tricks_by_side(row.fact, game.tricks)) is not None]
    counted_in = results_in(event)
    if counted_in == IN_TRICKS:
        counts = tricks
    elif counted_in == IN_POINTS:
        counts = [_scored(row, game) for row in rows]
    elif event.round_unit == DEALS:
        counts = [_won(_scored(row, game), game.lowest_wins) for row in rows if game.is_played(row.fact)]
    else:
        counts = [*_games_won(rows, game)]
    slams = [tuple(int(each == game.tricks) for each in taken) for taken in tricks] or [(0,) * len(find_sides(event))]
    if not counts:
        return None
    boards = _boards(event, game, rows) if counted_in == IN_POINTS else ()
    scores = add_boards(counts)
    return Result(scores, add_boards(slams), boards if boards and add_boards(boards) == scores else ())


def _most_games(event: Event) -> int | None:
    """Return how many whole games a round has; None if it is no number of them."""
    return 1 if event.round_unit == PARTIE else event.length if event.round_unit == GAMES else None


def _rows_of_round(event: Event, game: AnyGame, rows: Sequence[Row]) -> Sequence[Row]:
    """Leave out what was played after the last deal or game of a round: a table goes on with another one."""
    if event.round_unit == DEALS:
        # A deal lasts until the next one begins: what is agreed after it belongs to it.
        most, ends = event.length, [number for number, row in enumerate(rows) if _is_deal(row, game)][1:]
    else:
        most, ends = _most_games(event), [number for number, row in enumerate(rows, start=1) if _ends_game(row, game)]
    return rows if most is None or len(ends) < most else rows[: ends[most - 1]]


def _is_deal(row: Row, game: AnyGame) -> bool:
    return game.is_played(row.fact) or game.is_passed(row.fact)


def _ends_game(row: Row, game: AnyGame) -> bool:
    return any(closing.kind == game.contest for closing in row.closings)


def _boards(event: Event, game: AnyGame, rows: Sequence[Row]) -> tuple[Scores, ...]:
    """Return what was scored on each deal of the round, if a round is deals and so many were played."""
    deals = tuple(_scored(row, game) for row in rows if _is_deal(row, game))
    return deals if event.round_unit == DEALS and len(deals) == event.length else ()


def _list_labels(row: Row, game: AnyGame) -> Sequence[str]:
    """Return what the parties are called in a row: the sides; or who sat there, North, East, South and West."""
    return SIDES if game.in_sides else order_by_turn(row.players, game)


def _scored(row: Row, game: AnyGame) -> Scores:
    return tuple(row.scored[label] for label in _list_labels(row, game))


def _won(scores: Scores, lowest_wins: bool) -> Scores:
    winner = find_winner(tuple(-score for score in scores) if lowest_wins else scores)
    return tuple(int(side == winner) for side in range(len(scores)))


def _games_won(rows: Sequence[Row], game: AnyGame) -> Iterator[Scores]:
    """Yield each whole game that has ended, with who has won it."""
    for row in rows:
        for closing in row.closings:
            if closing.kind == game.contest:
                yield tuple(int(label in closing.winners) for label in _list_labels(row, game))
