"""Tables of an event at which the phone keeps score with the game's pad, for the four who sit there in a round."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from ...db.transactions import CircleErasedError
from ...events.drawing import Result
from ...events.scoring import IN_PARTIES, IN_POINTS, find_scoring
from ...models import Browser, Device, DrawnRound, Event, EventPhone, RoundTable, Table, db
from ...scoring.problems import Problem, Refusal, refuse
from ...scoring.sides import SIDES
from ...tables.state import TableState
from ..access.devices import hash_secret
from ..caches import table_state
from ..table_details import Details
from ..table_opening import Opened, Opening, open_locked
from .clock import RoundClock
from .reading import DIRECTIONS, FINISHED, MINUTES, read
from .writing import write_at_table

KEY_PREFIX = "event-"  # of the entry keys of these tables


class EventPlace(NamedTuple):
    """The table of an event, in a round, at which a card table is."""

    event: Event
    round: int
    number: int
    drawn: DrawnRound

    def clock(self, moment: datetime) -> RoundClock | None:
        """Return the round's clock at a moment; None until the round has started."""
        event, drawn = self.event, self.drawn
        if drawn.started_at is None:
            return None
        minutes = event.length if event.round_unit == MINUTES else None
        return RoundClock.at(moment, drawn.started_at, drawn.paused_at, drawn.paused_seconds, minutes)


def open_pad(event: Event, round_number: int, number: int, title: str, by: Browser) -> str | Refusal:
    """Open a table for the four who sit at this table in the current round; return its token.

    It is opened once, whoever asks.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser may no longer write at this table.
    """
    return write_at_table(event, number, lambda locked, _access: _open_pad(locked, round_number, number, title), by)


def _open_pad(event: Event, round_number: int, number: int, title: str) -> str | Refusal:
    state = read(event)
    row = state.tables.get((round_number, number))
    if row is not None and row.table_id is not None:
        return table_state.get_locked(event.circle, row.table_id).token
    if row is None or round_number != state.current_number or state.phase == FINISHED or state.current is None:
        return refuse(None, [Problem("round", "round-is-over", {"round": round_number})])
    names = tuple(state.name_of(row.seats[direction]) for direction in DIRECTIONS)
    opening = Opening(state.game, names, names[0], event.house_rules, details=Details(title=title))
    key = f"{KEY_PREFIX}{event.id}-{number}-{state.current.entry_key}"
    opened = open_locked(event.circle, opening, key)
    if not isinstance(opened, Opened):
        return opened if isinstance(opened, Refusal) else refuse(None, [Problem("table", "pad-not-opened")])
    table = db.session.scalars(select(Table).where(Table.token == opened.token)).one()
    _row(event, round_number, number).table_id = table.id
    return opened.token


def _row(event: Event, round_number: int, number: int) -> RoundTable:
    row = db.session.get(RoundTable, (event.id, round_number, number, event.circle_id))
    if row is None:
        raise CircleErasedError
    return row


# --- reading -----------------------------------------------------------------------------------------------


def place_of(table: Table) -> EventPlace | None:
    """Return where a table is at an event; None if it is at none, or if its round was undone."""
    if not (table.entry_key or "").startswith(KEY_PREFIX):
        return None
    query = (
        select(Event, RoundTable.round, RoundTable.number, DrawnRound)
        .join(RoundTable, (RoundTable.circle_id == Event.circle_id) & (RoundTable.event_id == Event.id))
        .join(DrawnRound, (DrawnRound.circle_id == Event.circle_id) & (DrawnRound.event_id == Event.id))
        .where(RoundTable.circle_id == table.circle_id, RoundTable.table_id == table.id)
        .where(DrawnRound.number == RoundTable.round)
    )
    row = db.session.execute(query).one_or_none()
    return EventPlace(*row) if row is not None else None


def place_after(device_secret: str, token: str) -> tuple[str, int] | None:
    """Return the event's token and the table of a guest who has played at the table with this token.

    None for anybody else. The guest's access to that table ended when its round did.
    """
    query = (
        select(Event.token, EventPhone.table_number)
        .join(EventPhone, (EventPhone.circle_id == Event.circle_id) & (EventPhone.event_id == Event.id))
        .join(RoundTable, (RoundTable.circle_id == Event.circle_id) & (RoundTable.event_id == Event.id))
        .join(RoundTable.table)
        .join(EventPhone.browser)
        .join(Browser.device)
        .where(Table.token == token, RoundTable.number == EventPhone.table_number)
        .where(EventPhone.generation == Event.generation, Browser.revoked_at.is_(None))
        .where(Device.secret_hash == hash_secret(device_secret))
    )
    row = db.session.execute(query.limit(1)).one_or_none()
    return (row[0], row[1]) if row is not None and row[1] is not None else None


def result_of_pad(event: Event, table_id: int) -> Result | None:
    """Return the result that the scores at a table make; None if the pad's scores do not say it."""
    table = db.session.get(Table, (table_id, event.circle_id))
    if table is None:
        return None
    state = TableState(table, table_state.read_revisions(table))
    if not state.has_rules or not state.game.in_sides:
        return None
    standing = state.standing
    first, second = SIDES
    results_in = find_scoring(event.scoring).results_in
    if results_in == IN_POINTS and standing.rows:
        points = {side: sum(row.scored.get(side, 0) for row in standing.rows) for side in SIDES}
        return Result((points[first], points[second]))
    if results_in == IN_PARTIES and standing.is_finished:
        return Result((int(standing.winner == first), int(standing.winner == second)))
    return None
