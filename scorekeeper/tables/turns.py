"""Who sits down at a table: substitutions, and the turns that people take.

Everybody who takes a chair for the first time gets a label at the table, in the transaction that records it. Where
people take turns, a table proposes who comes in for whom when a turn has ended; nobody has to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import select

from ..db.outcome import Done, Stale
from ..db.transactions import get_id
from ..games import games
from ..limits import MAX_LABEL
from ..models import SEATED, Circle, Membership, Player, Presence, Table, db, now
from ..people.names import Meanings, find_or_build_person
from ..people.reading import list_active_persons, read_persons
from ..scoring.common_facts import Misdeal, SeatChange
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.standing import DEAL, PARTIE, SUBSTITUTION
from ..site.time_zones import find_evening
from .reading import read_states
from .revisions import RECORD, Change
from .rota import Turn, next_swaps
from .state import ScoredDeal, TableState
from .writing import Recorded, WriteResult, refuse_change, write_locked, writing_to_table

# --- substitutions -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Newcomer:
    """A person who sits down: by id, or by a cleaned name, which may be new; `meanings` say whom it means."""

    person_id: int | None = None
    name: str = ""
    meanings: Meanings = field(default_factory=dict)


def list_candidates(table: TableState, players: Sequence[str]) -> list[Player]:
    """List who may come when these labels are seated: the circle's other people, and who has left the table."""
    seated = {table.persons[label].id for label in players}
    known = {player.id: player for player in [*list_active_persons(table.stored.circle), *table.persons.values()]}
    return [player for id_, player in known.items() if id_ not in seated and player.erased_at is None]


def substitute(
    table: TableState, change: Change, chair: str, newcomer: Newcomer, seen: str, key: str, membership: Membership
) -> WriteResult:
    """Record that somebody takes a chair, or amend it. A new name becomes a player only with it.

    `change` says where in the list of deals, and has no body yet; `seen` is what the page showed of the table, and a
    form sent again with the same `key` returns the first result.
    """
    author = get_id(membership)
    with writing_to_table(table, membership) as (circle, current):
        player = _find_newcomer(circle, newcomer)
        if isinstance(player, Problem):
            return refuse_change(player)
        newcomers: dict[str, Player] = {}
        label = _find_or_add_label(current, player, newcomers)
        if label is None:
            return refuse_change(Problem(f"{SUBSTITUTION}.in", "too-many-people", {"most": MAX_LABEL}))
        changed = replace(change, body={SUBSTITUTION: {"out": chair, "in": label}})
        return write_locked(current, [changed], seen, key, author, newcomers)


def _find_newcomer(circle: Circle, newcomer: Newcomer) -> Player | Problem:
    field = f"{SUBSTITUTION}.in"
    name = newcomer.name
    if newcomer.person_id is None and not name:
        return Problem(field, "nobody-chosen")
    if newcomer.person_id is not None and name:
        return Problem(field, "two-newcomers")
    return find_or_build_person(circle, field, newcomer.person_id, name, newcomer.meanings)


def _find_or_add_label(table: TableState, person: Player, newcomers: dict[str, Player]) -> str | None:
    """Return a person's label at the table, or a new one, added to `newcomers`; None if there are too many."""
    label = next((label for label, known in table.persons.items() if known.id == person.id), None)
    if label is None and (number := 1 + max(map(int, [*table.persons, *newcomers]))) <= MAX_LABEL:
        label = str(number)
        newcomers[label] = person
    return label


# --- taking turns --------------------------------------------------------------------------------------------


def list_turn_units(game: AnyGame) -> tuple[str, ...]:
    return (DEAL, *(kind for kind in game.ending.kinds if kind != PARTIE))


def split_turns(table: TableState) -> list[list[ScoredDeal]]:
    """Return a table's valid items by turn; the last turn has not ended, and may have no items."""
    unit = table.stored.turns
    turns: list[list[ScoredDeal]] = [[]]
    for item in table.scored_deals:
        if item.row is not None:
            turns[-1].append(item)
            if is_deal(item) if unit == DEAL else any(closing.kind == unit for closing in item.row.closings):
                turns.append([])
    return turns


def is_deal(item: ScoredDeal) -> bool:
    return item.row is not None and item.row.kind == DEAL and not isinstance(item.row.fact, Misdeal)


def is_between_turns(turns: Sequence[Sequence[ScoredDeal]]) -> bool:
    """Return whether a turn has ended, and since then nothing was played and nobody has taken a seat."""
    since = turns[-1]
    has_changed = any(item.row is not None and isinstance(item.row.fact, SeatChange) for item in since)
    return len(turns) > 1 and not has_changed and not any(map(is_deal, since))


class SeatTurn(NamedTuple):
    """A person who comes in on a chair; `out` is the label of who leaves it."""

    chair: str
    out: str
    coming: Player


def propose_turns(table: TableState) -> list[SeatTurn]:
    """Return who comes in for whom, now that a turn has ended; nobody if none has, or somebody took a seat since."""
    if table.stored.turns is None or not table.takes_deals:
        return []
    circle = table.stored.circle
    day = find_evening(now(), circle.time_zone)
    if table.stored.day != day or not is_between_turns(split_turns(table)):
        return []
    persons = read_persons(circle)
    arrivals = read_arrivals(circle, day, persons)
    spans = read_spans(circle, day)
    labels = {table.persons[label].id: label for label in table.standing.players}
    # Who sits at another table that goes on, opened or played at since this one was opened, is busy there.
    others = [span for span in spans if span.table_id != table.id and span.goes_on]
    busy = {person for span in others if span.end >= table.stored.opened_at for person in span.seated} - labels.keys()
    present = {person: at for person, at in arrivals.items() if person not in busy}
    chairs = dict(zip(table.standing.players, table.chairs, strict=True))
    return [
        SeatTurn(chairs[labels[out]], labels[out], persons[coming])
        for out, coming in next_swaps(list_turns(spans, arrivals), present, list(labels))
    ]


def take_turns(
    table: TableState, seats: Sequence[tuple[str, int]], seen: str, key: str, membership: Membership
) -> WriteResult:
    """Record a proposal as substitutions, if it is still what is proposed; else as `write`.

    `seats` are its chairs, with the ids of the people who come in.
    """
    author = get_id(membership)
    with writing_to_table(table, membership) as (circle, current):
        proposed = [(turn.chair, turn.coming.id) for turn in propose_turns(current)]
        if not seats or (seen == current.seen and proposed != [*seats]):
            return refuse_change(Problem("turns", "turns-changed"))
        persons = read_persons(circle)
        newcomers: dict[str, Player] = {}
        changes = []
        for chair, person_id in seats:
            label = _find_or_add_label(current, persons[person_id], newcomers) if person_id in persons else None
            if label is None:
                return refuse_change(Problem("turns", "too-many-people", {"most": MAX_LABEL}))
            changes.append(Change(RECORD, body={SUBSTITUTION: {"out": chair, "in": label}}))
        result = write_locked(current, changes, seen, key, author, newcomers)
        if not isinstance(result, Stale) or len(result.current) != len(changes):
            return result
        is_done = all(map(Change.is_recorded_by, changes, result.current))  # by somebody else
        return Done(Recorded(result.current[-1], current)) if is_done else result


# --- the turns of an evening, and who has been here since when


class Span(NamedTuple):
    """A turn without those who waited, and from when to when it was played."""

    turn: Turn
    table_id: int
    seated: tuple[int, ...]  # those who sit at its table now
    start: datetime
    end: datetime
    goes_on: bool  # whether the table is neither closed nor finished


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


def read_spans(circle: Circle, day: date) -> list[Span]:
    """Return the turns of an evening in which something was recorded, and that of the newest table if it is open."""
    of_day = (Table.circle_id == circle.id, Table.day == day, Table.game.in_(games()))
    query = select(Table).where(*of_day).options(SEATED)
    tables = db.session.scalars(query.order_by(Table.opened_at, Table.id)).all()
    states = read_states(circle.id, tables)
    spans: list[Span] = []
    for table in tables:
        spans += _spans(states[table.id], is_newest=table is tables[-1])
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
    """Return a turn of a table, which has these items and begins when the one before it has ended."""
    persons = {label: person.id for label, person in table.persons.items()}
    rows = [item.row for item in items if item.row is not None]
    groups = [row.players for row in rows if not isinstance(row.fact, SeatChange)] or [table.standing.players]
    players = frozenset(persons[label] for group in groups for label in group)
    sides = ((0, 2), (1, 3)) if table.game.in_sides else ()
    pairs = frozenset(frozenset((persons[group[a]], persons[group[b]])) for group in groups for a, b in sides)
    recorded = [revision.at for item in items for revision in item.deal.revisions if revision.kind == RECORD]
    seated = tuple(persons[label] for label in table.standing.players)
    end = max([start, *recorded])
    return Span(Turn(players, partners=pairs), table.id, seated, start, end, goes_on=table.takes_deals)


def list_turns(spans: Iterable[Span], arrivals: Mapping[int, datetime]) -> list[Turn]:
    """Return the turns in order of time, with those who were here then and did not play, at another table either."""
    in_order = sorted(spans, key=lambda span: span.start)
    turns: list[Turn] = []
    for span in in_order:
        together = [other.turn for other in in_order if other.start < span.end and span.start < other.end]
        played = span.turn.players.union(*(turn.players for turn in together))
        waiting = frozenset(person for person, at in arrivals.items() if at <= span.start and person not in played)
        turns.append(span.turn._replace(waiting=waiting))
    return turns
