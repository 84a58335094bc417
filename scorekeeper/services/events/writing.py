"""Writing to an event: under its circle's lock, with the right checked again, and a message to its followers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import func, select

from ...db.transactions import CircleErasedError, get_id, write_to_circle
from ...live.messages import access_changed, announce
from ...models import Browser, Circle, DrawnRound, Event, RoundTable, Table, db
from ...models.rights import SCORE
from .access import PLAY, EventAccess, check_access

T = TypeVar("T")


def write_to_event(event: Event, work: Callable[[Event], T], by: Browser) -> T:
    """Run `work` on the event as it is now, with the circle's lock; `by` needs the right to score in the circle.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    id_ = get_id(event)
    return write_to_circle(event.circle_id, lambda circle: work(_locked(circle, id_)), browser=by, right=SCORE)


def write_at_table(event: Event, table_number: int, work: Callable[[Event, EventAccess], T], by: Browser) -> T:
    """Run `work` as `write_to_event` does, with the browser's access; the phone of this table may write too.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser may no longer write at this table.
    """
    id_, browser_id = get_id(event), get_id(by)

    def check_and_work(circle: Circle) -> T:
        locked = _locked(circle, id_)
        return work(locked, check_access(circle.id, id_, browser_id, PLAY, table_number))

    return write_to_circle(event.circle_id, check_and_work)


def end_access_to_pads(event: Event, table_number: int | None = None) -> None:
    """Have those who follow the pads of the current round, or of one of its tables, asked again whether they may.

    In the transaction that takes the access away from guests, before it does.
    """
    current = select(func.max(DrawnRound.number)).where(
        DrawnRound.circle_id == event.circle_id, DrawnRound.event_id == event.id
    )
    pads = (
        select(Table.token)
        .join(RoundTable, (RoundTable.circle_id == Table.circle_id) & (RoundTable.table_id == Table.id))
        .where(RoundTable.circle_id == event.circle_id, RoundTable.event_id == event.id)
        .where(RoundTable.round == current.scalar_subquery())
    )
    if table_number is not None:
        pads = pads.where(RoundTable.number == table_number)
    for token in db.session.scalars(pads):
        announce(access_changed(token))


def _locked(circle: Circle, event_id: int) -> Event:
    query = select(Event).where(Event.circle_id == circle.id, Event.id == event_id)
    event = db.session.scalar(query.execution_options(populate_existing=True))
    if event is None:
        raise CircleErasedError
    return event
