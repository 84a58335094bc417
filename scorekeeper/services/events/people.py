"""Who takes part in an event, as it is read from the database."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic_ns

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from ...models import Entrant, EntrantSubstitution, Event, Player, db
from .writing import EntrantRow, SubstituteRow

People = tuple[dict[int, EntrantRow], tuple[SubstituteRow, ...]]


SHARED_FOR = 2_000_000_000  # nanoseconds
MAX_SHARED = 16  # events
_shared_people: dict[tuple[str, str], tuple[int, People]] = {}  # with when they were read


def read_people(event: Event) -> People:
    """Return the entrants by number, and the substitutes."""
    return {row.number: row for row in _entrants(event)}, tuple(_substitutes(event))


def read_shared_people(event: Event) -> People:
    """Return what `read_people` does, shared by those who ask at the same moment. `plan_edition` changes with it."""
    key = event.token, event.plan_edition
    read_at, people = _shared_people.get(key, (0, None))
    if people is None or monotonic_ns() > read_at + SHARED_FOR:
        if len(_shared_people) >= MAX_SHARED:
            _shared_people.clear()
        people = read_people(event)
        _shared_people[key] = monotonic_ns(), people
    return people


def _entrants(event: Event) -> Iterator[EntrantRow]:
    person = aliased(Player)
    query = (
        select(
            Entrant.number,
            func.coalesce(Player.person_id, Player.id),
            func.coalesce(person.name, Player.name),
            *(Entrant.group, Entrant.first_round, Entrant.last_round, Entrant.is_stationary),
        )
        .join(Player, Player.id == Entrant.player_id)
        .outerjoin(person, person.id == Player.person_id)
        .where(Entrant.event_id == event.id)
        .order_by(Entrant.number)
    )
    return map(EntrantRow._make, db.session.execute(query))


def _substitutes(event: Event) -> Iterator[SubstituteRow]:
    person, row = aliased(Player), EntrantSubstitution
    query = (
        select(
            row.number,
            row.round,
            func.coalesce(Player.person_id, Player.id),
            func.coalesce(person.name, Player.name),
        )
        .join(Player, Player.id == row.player_id)
        .outerjoin(person, person.id == Player.person_id)
        .where(row.event_id == event.id)
        .order_by(row.number, row.round)
    )
    return map(SubstituteRow._make, db.session.execute(query))
