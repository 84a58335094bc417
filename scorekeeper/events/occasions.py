"""What events give notices of: where everybody sits in a new round."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..models import Circle
from ..site.language import t
from ..site.occasions import HOUR, Kind, Notice
from .reading import EventSeat, find_event, read_last_rounds
from .rounds import TABLE


def _find_seats(circle: Circle, token: str, number: int) -> Iterator[Notice]:
    """Yield where everybody sits in a round, as long as it is the current one."""
    event = find_event(token)
    state = read_last_rounds(event) if event is not None and event.circle_id == circle.id else None
    if state is not None and state.current_number == number:
        for entrant, seat in state.seats.items():
            yield Notice({"token": token}, state.player_of(entrant), words=partial(_name_seat, seat))


def _name_seat(seat: EventSeat) -> dict[str, object]:
    return {"table": seat.table, "seat": t(f"event-table.{seat.direction}")}


NEW_SEATS = Kind(TABLE, "events.show", _find_seats, HOUR)
