"""Calls of tables for the director.

A table calls, and it or a director ends the call. A call belongs to a table of a round, and stays until somebody ends
it, also when the next round is drawn. A circle's file has no calls.
"""

from __future__ import annotations

from ..db.outcome import Done, Stale
from ..models import Event, Membership, now
from .live import touch_event_table
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


def end_call(event: Event, place: Place, seen: str, by: Membership) -> Outcome:
    with writing_to_event(event, by, PLAY, place.table):
        row = find_row(event, place)
        if row is not None and row.called_at is not None and read_row(row).seen_call == seen:
            row.called_at = None
            touch_event_table(event, row.number)
        return Done(None)
