"""What finished events count in ratings: the contests that were won at their tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date

from sqlalchemy import select

from ..models import Event, db
from ..standings.ratings import Contest
from ..standings.reading import Contests
from .reading import find_event_key, read_result
from .reading import read as read_event
from .scoring import find_winner


def read_contests(circle_id: int, games: Collection[str], until: date) -> Iterator[Contests]:
    """Yield the day, the game's key and the contests of each finished event of these games, in order of play."""
    query = select(Event).where(
        Event.circle_id == circle_id, Event.finished_at.is_not(None), Event.game.in_(games), Event.day <= until
    )
    for event in db.session.scalars(query.order_by(Event.day, Event.id)).all():
        yield event.day, find_event_key(event), list(_contests_of_event(event))


def _contests_of_event(event: Event) -> Iterator[Contest]:
    """Yield a contest of the parties, the winner first, for each table of each round that one of them has won.

    A table on which the phone kept score counts as such, not here.
    """
    state = read_event(event)
    for row in state.tables.values():
        result = read_result(row.scores)
        if row.table_id is None and result is not None and not row.is_unplayed:
            winner = find_winner(state.scoring.orient(result).scores)
            if winner is not None:
                parties = state.parties_of(row)
                contest = [[str(state.player_of(number, row.round)) for number in party] for party in parties]
                yield [contest.pop(winner), *contest]
