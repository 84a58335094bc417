"""The turns that have been played on an evening of a circle, and who has been here since when."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import select

from ...models import SEATED, Circle, Player, Presence, Table, db
from ...scoring.substitutions import SeatChange
from ...tables.revisions import RECORD
from ...tables.sitting_out import Turn
from ...tables.state import ScoredDeal, TableState
from ...tables.turns import is_deal, split_turns
from .replayed import read_revisions_of_all


class Span(NamedTuple):
    """A turn without those who waited, and from when to when it was played.

    `seated` are those who sit at its table now. `goes_on`: the table is neither closed nor finished.
    """

    turn: Turn
    table_id: int
    seated: tuple[int, ...]
    start: datetime
    end: datetime
    goes_on: bool


def read_arrivals(circle: Circle, day: date, persons: Mapping[int, Player]) -> dict[int, datetime]:
    """Return since when each person has been here, in this order; without those whose name is erased.

    `persons` are those of all players, by the player's id.
    """
    query = select(Presence.player_id, Presence.arrived_at).where(Presence.circle_id == circle.id, Presence.day == day)
    arrivals: dict[int, datetime] = {}
    for player_id, arrived_at in db.session.execute(query.order_by(Presence.arrived_at, Presence.player_id)):
        if persons[player_id].erased_at is None:
            arrivals.setdefault(persons[player_id].id, arrived_at)
    return arrivals


def read_spans(circle: Circle, day: date, current: TableState | None = None) -> list[Span]:
    """Return the turns of an evening, table by table. `current` is one of them, which need not be read again.

    They are those in which something was recorded, and that of the newest table if it is open.
    """
    query = select(Table).where(Table.circle_id == circle.id, Table.day == day).options(SEATED)
    tables = db.session.scalars(query.order_by(Table.opened_at, Table.id)).all()
    others = [table.id for table in tables if current is None or table.id != current.id]
    revisions = read_revisions_of_all(circle.id, others) if others else {}
    spans: list[Span] = []
    for table in tables:
        state = TableState(table, revisions[table.id]) if table.id in revisions else current
        if state is not None:
            spans += _spans(state, is_newest=table is tables[-1])
    return spans


def _spans(table: TableState, *, is_newest: bool) -> Iterator[Span]:
    """Yield the turns of a table. One that has not ended counts if it was begun, or is the newest table's first."""
    turns = split_turns(table)
    start = table.stored.opened_at
    for items in turns[:-1]:
        yield (span := _span(table, items, start))
        start = span.end
    is_first = len(turns) == 1 and (bool(turns[0]) or (is_newest and not table.is_closed))
    if is_first or any(map(is_deal, turns[-1])):
        yield _span(table, turns[-1], start)


def _span(table: TableState, items: Sequence[ScoredDeal], start: datetime) -> Span:
    """Return a turn of a table, which has these items and begins when the one before it ended."""
    persons = {seated.seat: seated.person_id for seated in table.seated}
    rows = [item.row for item in items if item.row is not None]
    groups = [row.players for row in rows if not isinstance(row.fact, SeatChange)]
    groups = groups or [table.seated_now if table.has_rules else table.everybody]
    players = frozenset(persons[label] for group in groups for label in group)
    pairs = {frozenset((persons[a], persons[b])) for group in groups for a, b in _partners(table, group)}
    recorded = [revision.at for item in items for revision in item.deal.revisions if revision.kind == RECORD]
    return Span(
        Turn(players, partners=frozenset(pairs)),
        table.id,
        tuple(persons[label] for label in table.seated_now),
        start,
        max([start, *recorded]),
        goes_on=table.takes_deals,
    )


def _partners(table: TableState, group: Sequence[str]) -> list[tuple[str, str]]:
    return [(group[0], group[2]), (group[1], group[3])] if table.has_rules and table.game.in_sides else []


def list_turns(spans: Sequence[Span], arrivals: Mapping[int, datetime]) -> list[Turn]:
    """Return the turns in order of time, with those who were here without a seat when a turn began.

    Somebody who played at another table meanwhile did not wait.
    """
    in_order = sorted(spans, key=lambda span: span.start)
    played: dict[int, _Played] = {}
    for span in in_order:
        for person in span.turn.players:
            played.setdefault(person, _Played()).add(span)
    return [
        span.turn._replace(
            waiting=frozenset(
                person
                for person, at in arrivals.items()
                if at <= span.start
                and person not in span.turn.players
                and not (person in played and played[person].is_during(span))
            )
        )
        for span in in_order
    ]


class _Played:
    """When somebody played: the starts of their turns, and by each of these the latest end so far."""

    def __init__(self) -> None:
        self.starts: list[datetime] = []
        self.ends: list[datetime] = []

    def add(self, span: Span) -> None:
        self.starts.append(span.start)
        self.ends.append(max(span.end, self.ends[-1]) if self.ends else span.end)

    def is_during(self, span: Span) -> bool:
        """Return whether one of the turns overlaps with this one."""
        begun = bisect_left(self.starts, span.end)
        return begun > 0 and self.ends[begun - 1] > span.start
