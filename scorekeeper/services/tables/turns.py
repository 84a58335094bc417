"""Turns at a table: when one has ended, who comes in for whom, and the substitutions that record it.

What is proposed forces nobody. At a table at which nobody takes turns, nothing is read for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...db.clock import now
from ...db.transactions import get_id, write_to_circle
from ...limits import MAX_LABEL
from ...models import Browser, Circle, Player
from ...models.rights import SCORE
from ...scoring.problems import Problem, refuse
from ...scoring.standing import SUBSTITUTION
from ...tables.revisions import RECORD, Change, RevisionRow, build_keys
from ...tables.seating import next_label
from ...tables.sitting_out import next_swaps
from ...tables.state import TableState
from ...tables.turns import is_between_turns, split_turns
from ...time_zones import find_evening
from ..circles.players import read_persons
from ..outcome import Done, Stale
from . import replayed
from .evening_turns import Span, list_turns, read_arrivals, read_spans
from .substitutes import add_seat, find_label
from .table import Recorded, Refused, WriteResult
from .together import append_all, prepare_all


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
    if table.stored.turns is None or table.is_closed or not table.has_rules or table.standing.is_finished:
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
