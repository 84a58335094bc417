"""Turns at a table: when one has ended, who comes in for whom, and the substitutions that record it.

What is proposed forces nobody. At a table at which nobody takes turns, nothing is read for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import select

from ...db.clock import now
from ...db.transactions import get_id, write_to_circle
from ...games import games
from ...limits import MAX_LABEL
from ...models import SCORE, SEATED, Browser, Circle, Player, Presence, Table, db
from ...scoring.common import SeatChange
from ...scoring.problems import Problem, refuse
from ...scoring.standing import SUBSTITUTION
from ...tables.revisions import RECORD, Change, RevisionRow, build_keys, find_marked
from ...tables.seating import next_label
from ...tables.sitting_out import Turn, is_between_turns, is_deal, next_swaps, split_turns
from ...tables.state import ScoredDeal, TableState
from ...time_zones import find_evening
from ..circles.players import read_persons
from ..outcome import Done, Stale
from . import replayed
from .replayed import read_revisions_of_all
from .substitutes import add_seat, find_label
from .table import NotWritten, PreparedWrite, Recorded, Refused, WriteRequest, WriteResult, append_locked, prepare


def write_together(
    table: TableState, changes: Sequence[Change], last_revision: int, key: str, browser: Browser
) -> WriteResult:
    """Add revisions as `table.write` adds one. A request sent again returns the first result.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """
    table_id, mark, browser_id = table.id, table.mark, get_id(browser)

    def work(circle: Circle) -> WriteResult:
        now = replayed.read_locked(circle, table_id)
        seen = last_revision if find_marked(now.revisions, mark) >= 0 else -1  # a backup was restored meanwhile
        return _write(now, changes, seen, key, browser_id)

    result = write_to_circle(table.circle_id, work, browser=browser, right=SCORE, table_id=table_id)
    if isinstance(result, Done):
        replayed.store(result.value.table)
    return result


def _write(table: TableState, changes: Sequence[Change], last_revision: int, key: str, browser_id: int) -> WriteResult:
    *keys, next_key = build_keys(key, len(changes) + 1)  # the page may have recorded one more under its key
    earlier = [revision for revision in table.revisions if revision.entry_key in (*keys, next_key)]
    if earlier:
        is_done = len(earlier) == len(changes) and all(map(Change.is_recorded_by, changes, earlier))
        return Done(Recorded(earlier[-1], table)) if is_done else Stale(earlier)
    if last_revision != table.version:
        return Stale(table.revisions[max(last_revision, 0) :])
    prepared = prepare_all(table, changes, keys, browser_id)
    return append_all(prepared) if isinstance(prepared, list) else prepared


def prepare_all(
    table: TableState, changes: Sequence[Change], keys: Sequence[str], browser_id: int
) -> list[PreparedWrite] | NotWritten | Done[Recorded]:
    """Build the revisions to add to the table, or return the result of the first that cannot be added."""
    writes: list[PreparedWrite] = []
    for change, key in zip(changes, keys, strict=True):
        prepared = prepare(table, WriteRequest(change, table.version, key), browser_id)
        if not isinstance(prepared, PreparedWrite):
            return prepared
        writes.append(prepared)
        table = prepared.after
    return writes


def append_all(writes: Sequence[PreparedWrite]) -> Done[Recorded]:
    """Insert the revisions; the caller holds the circle's lock."""
    for write in writes:
        append_locked(write)
    return Done(Recorded(writes[-1].revision, writes[-1].after))


class SeatTurn(NamedTuple):
    """A person who comes in on a chair."""

    chair: str
    person_id: int


@dataclass(frozen=True)
class Proposal:
    """The people who come in at a table, in the order of the labels `out` of those who leave."""

    seats: tuple[SeatTurn, ...] = ()
    out: tuple[str, ...] = ()
    coming: tuple[Player, ...] = ()


@dataclass(frozen=True)
class TurnRequest:
    """One tap on the button of a proposal, which had these seats; the rest is as in `WriteRequest`."""

    seats: tuple[SeatTurn, ...]
    last_revision: int
    key: str


def propose(table: TableState) -> Proposal:
    """Return who comes in for whom, now that a turn has ended; nobody if none has, or somebody took a seat since."""
    if table.stored.turns is None or table.is_closed or table.standing.is_finished:
        return Proposal()
    circle = table.stored.circle
    day = find_evening(now(), circle.time_zone)
    if table.stored.day != day or not is_between_turns(split_turns(table)):
        return Proposal()
    persons = read_persons(circle)
    arrivals = read_arrivals(circle, day, persons)
    spans = read_spans(circle, day, table)
    busy = _busy_elsewhere(table, spans)
    present = {person: at for person, at in arrivals.items() if person not in busy}
    people = {seated.seat: seated.person_id for seated in table.seated}
    labels = {people[label]: label for label in table.seated_now}
    swaps = next_swaps(list_turns(spans, arrivals), present, list(labels))
    out = tuple(labels[swap.out] for swap in swaps)
    chairs = [table.chairs[table.seated_now.index(label)] for label in out]
    seats = tuple(SeatTurn(chair, swap.in_) for chair, swap in zip(chairs, swaps, strict=True))
    return Proposal(seats, out, tuple(persons[swap.in_] for swap in swaps))


def _busy_elsewhere(table: TableState, spans: Iterable[Span]) -> set[int]:
    """Return who sits at another table that goes on, opened or played at since this one was opened."""
    others = (span for span in spans if span.table_id != table.id and span.goes_on)
    here = {seated.person_id for seated in table.seated if seated.seat in table.seated_now}
    return {person for span in others if span.end >= table.stored.opened_at for person in span.seated} - here


# --- recording it --------------------------------------------------------------------------------------------


def take(table: TableState, request: TurnRequest, browser: Browser) -> WriteResult:
    """Record a proposal as substitutions, if it is still what is proposed; once, however often it is sent.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """
    table_id, browser_id = table.id, get_id(browser)
    result = write_to_circle(
        table.circle_id, lambda circle: _take(circle, table_id, request, browser_id), browser=browser, right=SCORE
    )
    if isinstance(result, Done):
        replayed.store(result.value.table)
    return result


def _take(circle: Circle, table_id: int, request: TurnRequest, browser_id: int) -> WriteResult:
    table = replayed.read_locked(circle, table_id)
    keys = build_keys(request.key, len(request.seats))
    earlier = [revision for revision in table.revisions if revision.entry_key in keys]
    since = earlier or table.revisions[request.last_revision :]
    if earlier or request.last_revision != table.version:
        is_done = bool(since) and _recorded_seats(table, since) == [*request.seats]
        return Done(Recorded(since[-1], table)) if is_done else Stale(since)
    proposal = propose(table)
    if not request.seats or proposal.seats != request.seats:
        return _refused(Problem("turns", "turns-changed"))
    return _append(table, proposal, keys, browser_id)


def _recorded_seats(table: TableState, revisions: Collection[RevisionRow]) -> list[SeatTurn | None]:
    """Return who came in by each of these revisions; None for one that records something else."""
    people = {seated.seat: seated.person_id for seated in table.seated}
    changes = [(revision.body or {}).get(SUBSTITUTION) if revision.kind == RECORD else None for revision in revisions]
    return [SeatTurn(change["out"], people[change["in"]]) if change else None for change in changes]


def _append(table: TableState, proposal: Proposal, keys: Sequence[str], browser_id: int) -> WriteResult:
    """Prepare all substitutions, and append them if all are allowed."""
    newcomers: dict[str, Player] = {}
    changes: list[Change] = []
    for seat, player in zip(proposal.seats, proposal.coming, strict=True):
        label = find_label(table, player)
        if label is None:
            label = next_label([*(at.seat for at in table.stored.seats), *newcomers])
            if label is None:
                return _refused(Problem("turns", "too-many-people", {"most": MAX_LABEL}))
            newcomers[label] = player
        changes.append(Change(RECORD, body={SUBSTITUTION: {"out": seat.chair, "in": label}}))
    prepared = prepare_all(table, changes, keys, browser_id)
    if not isinstance(prepared, list):
        return prepared
    for label, player in newcomers.items():
        add_seat(table.stored, label, player)
    return append_all(prepared)


def _refused(problem: Problem) -> Refused:
    return Refused(refuse(None, [problem]), None, True)


# --- the turns that have been played on an evening of a circle, and who has been here since when


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
    of_day = (Table.circle_id == circle.id, Table.day == day, Table.game.in_(games()))
    query = select(Table).where(*of_day).options(SEATED)
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
    groups = groups or [table.seated_now]
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
    return [(group[0], group[2]), (group[1], group[3])] if table.game.in_sides else []


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
