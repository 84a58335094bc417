"""Checks of events for `scorekeeper verify`, and their caches for `rebuild`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import func, select, update

from ...models import (
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    Part,
    Player,
    ResultConfirmation,
    RoundResult,
    RoundTable,
    Settlement,
    db,
)
from ...models.money import FEE, PRIZE

EventFault = tuple[str, dict[str, str]]  # its key, and the parameters of its message without the circle
Place = tuple[int, int, int]  # event, round and table
_PAIRS = 2  # at a table, and people in each


class CachedResult(NamedTuple):
    """What a table of a round keeps of its last result: the columns of `models.RoundTable`."""

    result: int = 0
    scores: dict[str, Any] | None = None
    is_confirmed: bool = False


def faults_of_events(circle_id: int) -> Iterator[EventFault]:
    """Yield the faults in a circle's events."""
    for place in _wrong_caches(circle_id):
        yield "event-cache", _where(place)
    for place in _wrong_versions(circle_id):
        yield "event-results", _where(place)
    persons = _persons(circle_id)
    yield from _faults_of_rounds(circle_id, persons)
    for settlement in _wrong_parts(circle_id):
        yield "event-parts", {"settlement": str(settlement)}


def _where(place: Place) -> dict[str, str]:
    return dict(zip(("event", "round", "table"), map(str, place), strict=True))


# --- results -----------------------------------------------------------------------------------------------


def rebuild_events(circle_id: int) -> None:
    """Compute what the tables of all rounds keep of their results; the caller holds the circle's lock."""
    fresh = _fresh_caches(circle_id)
    for event, number, table in _wrong_caches(circle_id):
        of_event = update(RoundTable).where(RoundTable.circle_id == circle_id, RoundTable.event_id == event)
        one = of_event.where(RoundTable.round == number, RoundTable.number == table)
        db.session.execute(one.values(**fresh.get((event, number, table), CachedResult())._asdict()))


def _wrong_caches(circle_id: int) -> list[Place]:
    """List the tables that keep another result than their last one."""
    columns = RoundTable.event_id, RoundTable.round, RoundTable.number
    kept = (getattr(RoundTable, name) for name in CachedResult._fields)
    query = select(*columns, *kept).where(RoundTable.circle_id == circle_id).order_by(*columns)
    fresh = _fresh_caches(circle_id)
    return [
        (event, number, table)
        for event, number, table, *found in db.session.execute(query)
        if CachedResult(*found) != fresh.get((event, number, table), CachedResult())
    ]


def _fresh_caches(circle_id: int) -> dict[Place, CachedResult]:
    said = (
        select(ResultConfirmation.result_id, func.count().label("sides"))
        .where(ResultConfirmation.circle_id == circle_id)
        .group_by(ResultConfirmation.result_id)
        .subquery()
    )
    query = (
        select(
            *(RoundResult.event_id, RoundResult.round, RoundResult.table_number, RoundResult.number),
            *(RoundResult.body, RoundResult.is_slip, func.coalesce(said.c.sides, 0)),
        )
        .outerjoin(said, said.c.result_id == RoundResult.id)
        .where(RoundResult.circle_id == circle_id)
        .order_by(RoundResult.number)
    )
    return {
        (event, number, table): CachedResult(
            version, body, body is not None and (is_slip or sides == len(body["scores"]))
        )
        for event, number, table, version, body, is_slip, sides in db.session.execute(query)
    }


def _wrong_versions(circle_id: int) -> list[Place]:
    """List the tables whose results are not numbered 1, 2, 3 …, or that are of no round."""
    place = RoundResult.event_id, RoundResult.round, RoundResult.table_number
    counted = select(*place, func.count(), func.max(RoundResult.number)).where(RoundResult.circle_id == circle_id)
    rows = db.session.execute(counted.group_by(*place).order_by(*place)).all()
    key = RoundTable.event_id, RoundTable.round, RoundTable.number
    tables = {tuple(row) for row in db.session.execute(select(*key).where(RoundTable.circle_id == circle_id))}
    return [
        (event, number, table)
        for event, number, table, count, last in rows
        if count != last or (event, number, table) not in tables
    ]


# --- who sits where ----------------------------------------------------------------------------------------


def _persons(circle_id: int) -> dict[int, int]:
    query = select(Player.id, func.coalesce(Player.person_id, Player.id)).where(Player.circle_id == circle_id)
    return {row[0]: row[1] for row in db.session.execute(query)}


def _faults_of_rounds(circle_id: int, persons: Mapping[int, int]) -> Iterator[EventFault]:
    entrants = _entrants(circle_id, persons)
    for event, people in entrants.items():
        if len(set(people.values())) < len(people):
            yield "event-person-twice", {"event": str(event)}
    changes = _substitutions(circle_id, persons)
    numbers: dict[int, int] = {}
    for event, number, sits_out, pairs in _seatings(circle_id):
        numbers[event] = numbers.get(event, 0) + 1
        if number != numbers[event]:
            yield "event-rounds", {"event": str(event)}
        people = dict(entrants.get(event, {}))
        people |= {who: person for first, who, person in changes.get(event, ()) if first <= number}
        seated = [*sits_out, *(who for table in pairs for pair in table for who in pair)]
        playing = Counter(people.get(who, -who) for who in seated)
        is_wrong = any(len(table) != _PAIRS or any(len(pair) != _PAIRS for pair in table) for table in pairs)
        if is_wrong or not people.keys() >= {*seated} or any(count > 1 for count in playing.values()):
            yield "event-seats", {"event": str(event), "round": str(number)}


def _entrants(circle_id: int, persons: Mapping[int, int]) -> dict[int, dict[int, int]]:
    """Return the person who has each number, by event."""
    query = select(Entrant.event_id, Entrant.number, Entrant.player_id).where(Entrant.circle_id == circle_id)
    found: dict[int, dict[int, int]] = {}
    for event, number, player in db.session.execute(query.order_by(Entrant.event_id, Entrant.number)):
        found.setdefault(event, {})[number] = persons.get(player, -player)
    return found


def _substitutions(circle_id: int, persons: Mapping[int, int]) -> dict[int, list[tuple[int, int, int]]]:
    """Return by event from which round on a number is played by which person, in order of the rounds."""
    row = EntrantSubstitution
    query = select(row.event_id, row.round, row.number, row.player_id).where(row.circle_id == circle_id)
    found: dict[int, list[tuple[int, int, int]]] = {}
    for event, first, number, player in db.session.execute(query.order_by(row.event_id, row.round)):
        found.setdefault(event, []).append((first, number, persons.get(player, -player)))
    return found


def _seatings(circle_id: int) -> Iterator[tuple[int, int, list[int], list[list[list[int]]]]]:
    """Yield event, number, who sits out and the pairs at the tables of each round, in order."""
    tables = select(RoundTable.event_id, RoundTable.round, RoundTable.pairs).where(RoundTable.circle_id == circle_id)
    pairs: dict[tuple[int, int], list[list[list[int]]]] = {}
    for event, number, at_table in db.session.execute(tables):
        pairs.setdefault((event, number), []).append(at_table)
    rounds = select(DrawnRound.event_id, DrawnRound.number, DrawnRound.sits_out)
    of_circle = rounds.where(DrawnRound.circle_id == circle_id).order_by(DrawnRound.event_id, DrawnRound.number)
    for event, number, sits_out in db.session.execute(of_circle):
        yield event, number, sits_out, pairs.get((event, number), [])


# --- fees and prizes ---------------------------------------------------------------------------------------


def _wrong_parts(circle_id: int) -> list[int]:
    """List the settlements with parts from events that are not theirs, or that do not add up to 0."""
    query = (
        select(Part.settlement_id, Part.event_id, Part.kind, Part.table_id, Part.earlier_id, Part.amount)
        .add_columns(Settlement.event_id)
        .join(Part.settlement)
        .where(Part.circle_id == circle_id, Part.event_id.is_not(None) | Part.kind.is_not(None))
        .order_by(Part.settlement_id)
    )
    wrong, sums = dict[int, None](), Counter[tuple[int, str]]()
    for settlement, event, kind, table, earlier, amount, own in db.session.execute(query):
        if event is None or event != own or kind not in (FEE, PRIZE) or table is not None or earlier is not None:
            wrong[settlement] = None
        sums[settlement, kind or ""] += int(amount)
    wrong |= {settlement: None for (settlement, _), total in sums.items() if total}
    return sorted(wrong)
