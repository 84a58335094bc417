"""The game's pad at a table of an event: opening it, and leading back from it to the event."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, g, redirect, url_for
from flask.typing import ResponseReturnValue

from ...scoring.problems import Refusal
from ...services.events import pad_tables
from ...services.events.pad_tables import EventPlace, next_game
from ...services.events.phones import PLAY
from ...services.events.reading import RoundClock
from ...tables.state import TableState
from ...time_zones import now
from ..support import event_access
from ..support.forms import read_id
from ..support.language import t
from .table_phone import PAD, show_refused

blueprint = Blueprint("event_pads", __name__, url_prefix="/events/<token>/tables/<int:number>/pad")

MAX_EVENT_TITLE = 50  # characters of an event's title in that of a table


class PadLine(NamedTuple):
    """What the page of a table says about the event that it belongs to.

    `next_game_url` opens the next game of the round, if this one has ended and there is one.
    """

    round: int
    number: int
    url: str
    result_url: str
    clock: RoundClock | None
    next_game_url: str | None


@blueprint.post("")
def open_pad(token: str, number: int) -> ResponseReturnValue:
    """Open the pad for the four who sit at the table now, or the one that is open already."""
    event = event_access.get_event_or_404(token, PLAY, number)
    round_number = read_id("round")
    title = t("event-table.pad-title", event=event.title[:MAX_EVENT_TITLE], round=round_number, table=number)
    opened = pad_tables.open_pad(event, round_number, number, title, g.browser)
    if isinstance(opened, Refusal):
        return show_refused(event, number, opened), 422
    return redirect(url_for("table.show", token=opened), 303)


@blueprint.app_template_global()
def event_round(table: TableState) -> PadLine | None:
    """Return where a table is at an event; None if it is at none."""
    place: EventPlace | None = pad_tables.find_place(table.stored)
    if place is None:
        return None
    token, number = place.event.token, place.number
    return PadLine(
        place.round,
        number,
        url_for("event_table.show", token=token, number=number),
        url_for("event_table.show", token=token, number=number, result=PAD),
        place.clock(now()),
        url_for("event_pads.open_pad", token=token, number=number) if next_game(place.event, table.stored) else None,
    )
