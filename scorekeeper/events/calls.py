"""Calls of tables for the director.

A table calls, a director takes the call, and either of them ends it. A call belongs to a table of a round, and stays
until somebody ends it, also when the next round is drawn. A circle's file has no calls.
"""

from __future__ import annotations

from ..db.outcome import Done, Stale
from ..models import Event, Membership, RoundTable, db
from ..people.reading import read_owner
from ..site.live import touch_event_table
from ..site.time_zones import now
from .phones import PLAY, Outcome, writing_to_event
from .reading import Place, find_row, is_current_round, read_row


def call(event: Event, place: Place, seen: str, by: Membership) -> Outcome:
    """Call the director to a table of the current round; nothing changes if a call is open already.

    `seen` is what the page has shown of the table's last call.
    """
    with writing_to_event(event, by, PLAY, place.table):
        row = find_row(event, place)
        if row is not None and row.called_at is not None:
            return Done(None)
        if row is None or not is_current_round(event, row.round) or read_row(row).seen_call != seen:
            return Stale(None)
        row.calls, row.called_at = row.calls + 1, now()
        touch_event_table(event, row.number)
        return Done(None)


def take_call(event: Event, place: Place, seen: str, by: Membership) -> Outcome:
    """Say that this director is on the way to a table because of the call on the page, unless another one is."""
    with writing_to_event(event, by):
        row = _find_called(event, place, seen)
        if row is None or row.coming_id not in (None, by.id):
            return Stale(None)
        if row.coming_id is None:
            row.coming_id = by.id
            touch_event_table(event, row.number)
        return Done(None)


def end_call(event: Event, place: Place, seen: str, by: Membership) -> Outcome:
    with writing_to_event(event, by, PLAY, place.table):
        row = _find_called(event, place, seen)
        if row is not None:
            row.called_at = row.coming_id = None
            touch_event_table(event, row.number)
        return Done(None)


def _find_called(event: Event, place: Place, seen: str) -> RoundTable | None:
    row = find_row(event, place)
    return row if row is not None and row.called_at is not None and read_row(row).seen_call == seen else None


def name_director(membership_id: int) -> str | None:
    membership = db.session.get_one(Membership, membership_id)
    owner = read_owner(membership)
    return owner.name if owner is not None else membership.name
