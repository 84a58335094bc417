"""Through whom the fees and prizes of events are paid while they are open in the circle: the event's cashier."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlalchemy import select

from ...models import Circle, Event, Part, Settlement, db


class EventDebts(NamedTuple):
    """The settlement in which fees and prizes of an event are open, its cashier and its guests by player id."""

    settlement_id: int
    cashier: int
    guests: frozenset[int]


def open_events(circle: Circle, uncleared: Collection[int]) -> Iterator[EventDebts]:
    """Yield the events of which anything is open in these settlements, also if these have taken it over."""
    if not uncleared:
        return
    of_events = (
        select(Settlement.id, Event.cashier_id)
        .join(Settlement.event)
        .where(Settlement.circle_id == circle.id, Event.cashier_id.is_not(None))
        .order_by(Settlement.id)
    )
    cashiers = {id_: cashier for id_, cashier in db.session.execute(of_events) if cashier is not None}
    for id_, last in last_successors(circle, cashiers).items():
        if last in uncleared:
            guests = select(Part.player_id).where(Part.circle_id == circle.id, Part.settlement_id == id_)
            yield EventDebts(last, cashiers[id_], frozenset(db.session.scalars(guests)))


def last_successors(circle: Circle, ids: Collection[int]) -> dict[int, int]:
    """Return the settlement in which what was unpaid of each of these settlements is now."""
    last = {id_: id_ for id_ in ids}
    waiting = set(ids)
    while waiting:
        query = select(Settlement.id, Settlement.successor_id).where(
            Settlement.circle_id == circle.id, Settlement.id.in_(waiting), Settlement.successor_id.is_not(None)
        )
        found = {id_: successor for id_, successor in db.session.execute(query) if successor is not None}
        last = {id_: found.get(now, now) for id_, now in last.items()}
        waiting = set(found.values())
    return last
