"""The finished events that a person has played at, and how each ended for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import select

from ...events.standings import StandingRow
from ...models import Circle, Entrant, Event, Player, db
from .games import find_event_key
from .reading import find_event, read

MAX_EVENTS = 50  # the latest ones
MAX_CACHED = 64  # standings of events kept in the process


class EventPlayed(NamedTuple):
    """How an event ended for one of its entrants: their row of the standings, and how many rows there are."""

    event: Event
    number: int
    row: StandingRow
    of: int


def list_events(
    circle: Circle, person_id: int, since: date | None = None, until: date | None = None
) -> list[EventPlayed]:
    """List the finished events of some days at which a person had a number, the latest first."""
    players = select(Player.id).where(
        Player.circle_id == circle.id, (Player.id == person_id) | (Player.person_id == person_id)
    )
    query = (
        select(Event, Entrant.number)
        .join(Entrant, Entrant.event_id == Event.id)
        .where(
            Event.circle_id == circle.id,
            Event.finished_at.is_not(None),
            Entrant.player_id.in_(players),
            *([Event.day >= since] if since is not None else ()),
            *([Event.day <= until] if until is not None else ()),
        )
        .order_by(Event.day.desc(), Event.id.desc())
        .limit(MAX_EVENTS)
    )
    played = ((event, number, _standings(event.token, event.edition)) for event, number in db.session.execute(query))
    return [
        EventPlayed(event, number, next(row for row in rows if number in row.numbers), len(rows))
        for event, number, rows in played
        if rows
    ]


def list_places(
    circle: Circle, since: date, until: date, keys: Collection[str]
) -> Iterator[tuple[Event, dict[int, int]]]:
    """Yield each finished event between two days and the places at it, by the id of the person.

    With `keys`, only events of these games.
    """
    query = select(Event).where(
        Event.circle_id == circle.id, Event.finished_at.is_not(None), Event.day.between(since, until)
    )
    for event in db.session.scalars(query.order_by(Event.day, Event.id)).all():
        if not keys or find_event_key(event) in keys:
            persons = {each.number: each.player.person.id for each in event.entrants}
            ranked = [row for row in _standings(event.token, event.edition) if row.is_ranked]
            yield event, {persons[number]: row.rank for row in ranked for number in row.numbers}


@lru_cache(maxsize=MAX_CACHED)
def _standings(token: str, _edition: str) -> tuple[StandingRow, ...]:
    event = find_event(token)
    return read(event).standings if event is not None else ()
