"""The versions of an event: its caches and those who follow it are as new as these."""

from __future__ import annotations

from ...live.messages import EVENT, PLAN, Message, announce
from ...models import Event
from ...models.base import new_token
from . import period_totals


def touch(event: Event) -> None:
    """Count a change of the event and tell those who follow it, in the caller's transaction."""
    event.plan_version += 1
    event.plan_edition = new_token()
    announce(Message(PLAN, event.token, event.plan_version))
    touch_results(event)


def touch_results(event: Event) -> None:
    """Count a change of results only, and tell those who follow results, in the caller's transaction.

    Ratings include a finished event.
    """
    if event.finished_at is not None:
        period_totals.invalidate_day(event.circle_id, event.day)
    event.version += 1
    event.edition = new_token()
    announce(Message(EVENT, event.token, event.version))
