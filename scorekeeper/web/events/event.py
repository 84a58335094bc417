"""The page of an event for everybody: one's own seat, who sits where, and how it goes on."""

from __future__ import annotations

from decimal import Decimal

from flask import Blueprint, g, render_template, request

from ...live import PLAN
from ...models import Event
from ...services.circles.players import read_owner
from ...services.events.phones import DIRECT, VIEW
from ...services.events.reading import DIRECTIONS, FINISHED, EventState, RoundTableRow, read, read_last_rounds
from ...services.events.table_phones import marks
from ...time_zones import now
from ..support import event_access
from ..support.forms import parse_id
from ..support.language import has_message, in_name_order, isolate_rtl, money, t, value_text

blueprint = Blueprint("events", __name__, url_prefix="/events/<token>")


@blueprint.get("")
def show(token: str) -> str:
    """Show who sits where in the current round, the reader's own seat first."""
    return render_page(event_access.get_event_or_404(token, VIEW))


def render_page(event: Event) -> str:
    """Render the page of an event for its reader."""
    state = read(event) if event.finished_at is not None else read_last_rounds(event)
    access = event_access.current_access()
    own = own_number(state)
    return render_template(
        "events/event.html",
        state=state,
        own=own,
        seat=state.seat_of(own) if own is not None else None,
        is_joined=access is not None,
        own_table=access.table if access is not None else None,
        may_direct=access is not None and access.may(DIRECT),
        entrants=in_name_order(list(state.entrants.values())),
        clock=state.clock(now()),
        mark=marks(state.event)[PLAN],
        back_from=parse_id(request.args.get("back")),
        shared=request.args.get(event_access.SHARED, ""),
        winners=list_winners(state) if state.phase == FINISHED else (),
    )


def list_winners(state: EventState) -> list[str]:
    """Return the names of those who are first in an event that has ended."""
    first = [row for row in state.standings if row.is_ranked and row.rank == 1]
    return [isolate_rtl(state.name_of(number)) for row in first for number in row.numbers]


@blueprint.app_template_global()
def side_name(state: EventState, side: int) -> str:
    """Return the name of a party at a table: of two partners, or of a seat where everybody plays alone."""
    return t(f"event-table.{DIRECTIONS[side]}" if state.plays_alone else f"event-table.side.{side}")


@blueprint.app_template_global()
def name_of_party(state: EventState, row: RoundTableRow, side: int) -> str:
    """Return what a party at this table is called: the name of a side, or of the player where everybody plays alone."""
    if not state.plays_alone:
        return side_name(state, side)
    (number,) = state.parties_of(row)[side]
    return isolate_rtl(state.name_of(number, row.round))


@blueprint.app_template_global()
def short_side_name(state: EventState, side: int) -> str:
    """Return the short name of a party at a table."""
    return t(f"event-wall.short-{DIRECTIONS[side]}" if state.plays_alone else f"event-wall.pair-{side}")


@blueprint.app_template_global()
def say_of_parties(plays_alone: bool, key: str) -> str:
    """Return a text that speaks of sides, or what stands in its place where everybody plays alone."""
    return t(f"{key}.alone" if plays_alone and has_message(f"{key}.alone") else key)


@blueprint.app_template_global()
def describe_stakes(state: EventState) -> str:
    """Return what the tables of an event that has stakes are played for, and where that is settled."""
    value = state.event.value
    owed = t("event-stakes.owed")
    if value is None:
        return owed
    price = money(Decimal(value["amount"]), value["currency"])
    return f"{owed} {value_text(state.game, 'settlement.value', value['unit'], money=price)}"


def own_number(state: EventState) -> int | None:
    """Return the number of the entrant whose phone this is; None if that is not known."""
    access = event_access.current_access()
    if access is None:
        return None
    if access.is_guest:
        number = access.phone.number if access.phone is not None else None
        return number if number in state.entrants else None
    owner = read_owner(g.browser)
    if owner is None:
        return None
    return next((number for number in state.entrants if state.player_of(number) == owner.id), None)
