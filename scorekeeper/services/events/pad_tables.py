"""Tables of an event at which the phone keeps score with the game's pad, for the four who sit there in a round."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from ...db.transactions import CircleErasedError
from ...models import Browser, Device, DrawnRound, Event, EventPhone, RoundTable, Table, db
from ...scoring.problems import Problem, Refusal, refuse
from ..access.devices import hash_secret
from ..caches import table_state
from ..table_details import Details
from ..table_opening import Opened, Opening, open_locked
from .clock import RoundClock
from .pad_results import is_game_of_same_round, key_of_game, next_game
from .reading import DIRECTIONS, FINISHED, MINUTES, read
from .writing import end_access_to_pads, write_at_table

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

    It is opened once, whoever asks; if the round has several games, another one for each, once the last has ended.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser may no longer write at this table.
    """
    return write_at_table(event, number, lambda locked, _access: _open_pad(locked, round_number, number, title), by)


def _open_pad(event: Event, round_number: int, number: int, title: str) -> str | Refusal:
    state = read(event)
    row = state.tables.get((round_number, number))
    game: int | None = 1
    if row is not None and row.table_id is not None:
        last = table_state.get_locked(event.circle, row.table_id)
        game = next_game(event, last)
        if game is None:
            return last.token
    if row is None or round_number != state.current_number or state.phase == FINISHED or state.current is None:
        return refuse(None, [Problem("round", "round-is-over", {"round": round_number})])
    names = tuple(state.name_of(row.seats[direction]) for direction in DIRECTIONS)
    stakes = event.value, event.has_stakes
    opening = Opening(state.game, names, names[0], event.house_rules, *stakes, Details(title=title))
    key = f"{KEY_PREFIX}{event.id}-{number}-{state.current.entry_key}"
    if game > 1:
        end_access_to_pads(event, number)  # that of the last game
    opened = open_locked(event.circle, opening, key_of_game(key, game))
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


def has_pads(event: Event) -> bool:
    """Return whether a table of the event has been opened on a phone."""
    is_of_event = RoundTable.circle_id == event.circle_id, RoundTable.event_id == event.id
    opened = select(RoundTable.table_id).where(*is_of_event, RoundTable.table_id.is_not(None)).limit(1)
    return db.session.scalar(opened) is not None


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
    table = db.session.scalar(select(Table).where(Table.token == token))
    if table is None:
        return None
    query = (
        select(Event.token, EventPhone.table_number)
        .join(EventPhone, (EventPhone.circle_id == Event.circle_id) & (EventPhone.event_id == Event.id))
        .join(RoundTable, (RoundTable.circle_id == Event.circle_id) & (RoundTable.event_id == Event.id))
        .join(RoundTable.table)
        .join(EventPhone.browser)
        .join(Browser.device)
        .where(RoundTable.circle_id == table.circle_id, is_game_of_same_round(table))
        .where(RoundTable.number == EventPhone.table_number)
        .where(EventPhone.generation == Event.generation, Browser.revoked_at.is_(None))
        .where(Device.secret_hash == hash_secret(device_secret))
    )
    row = db.session.execute(query.limit(1)).one_or_none()
    return (row[0], row[1]) if row is not None and row[1] is not None else None
