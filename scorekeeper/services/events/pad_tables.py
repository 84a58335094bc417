"""Tables of an event at which the phone keeps score with the game's pad, for the four who sit there in a round."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, insert, select, update

from ...db.clock import now
from ...db.transactions import CircleErasedError, get_id, is_playing_at
from ...live.messages import REVISION, Message, announce
from ...models import (
    SEATED,
    Browser,
    Device,
    DrawnRound,
    Event,
    EventPhone,
    Revision,
    RoundTable,
    Summary,
    Table,
    db,
)
from ...models.base import new_token
from ...scoring.problems import Problem, Refusal, refuse
from ...tables.revisions import CLOSE, Change
from ...tables.state import TableState
from ..access.devices import hash_secret
from ..event_game import find_event_game, order_by_turn
from ..outcome import Done
from ..tables import replayed, summaries
from ..tables.details import Details
from ..tables.opening import Opening, open_locked
from ..tables.table import KEY_AT_EVENTS, LAST_NUMBER
from .clock import RoundClock
from .pad_results import is_game_of_same_round, key_of_game, keys_of_earlier_games, next_game
from .reading import DIRECTIONS, FINISHED, MINUTES, read
from .table_phones import message
from .writing import end_access_to_pads, write_at_table

_IS_PAD = (RoundTable.circle_id == Table.circle_id) & (RoundTable.table_id == Table.id)


def _of(event: Event) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return RoundTable.circle_id == event.circle_id, RoundTable.event_id == event.id


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
    browser_id = get_id(by)
    return write_at_table(
        event, number, lambda locked, _access: _open_pad(locked, round_number, number, title, browser_id), by
    )


def _open_pad(event: Event, round_number: int, number: int, title: str, browser_id: int) -> str | Refusal:
    state = read(event)
    row = state.tables.get((round_number, number))
    game = 1
    if row is not None and row.table_id is not None:
        last = replayed.get_locked(event.circle, row.table_id)
        following = next_game(event, last)
        if following is None:
            return last.token
        game = following
    if row is None or round_number != state.current_number or state.phase == FINISHED or state.current is None:
        return refuse(None, [Problem("round", "round-is-over", {"round": round_number})])
    names = order_by_turn([state.name_of(row.seats[direction]) for direction in DIRECTIONS], state.game)
    stakes = event.value, event.has_stakes
    opening = Opening(state.game, names, names[0], event.house_rules, *stakes, Details(title=title))
    key = f"{KEY_AT_EVENTS}{event.id}-{number}-{state.current.entry_key}"
    if game > 1 and row.table_id is not None:  # the last game is over
        end_access_to_pads(event, number)
        _close(event, browser_id, Table.id == row.table_id)
    opened = open_locked(event.circle, opening, key_of_game(key, game))
    if not isinstance(opened, Done):
        return opened if isinstance(opened, Refusal) else refuse(None, [Problem("table", "pad-not-opened")])
    table = db.session.scalars(select(Table).where(Table.token == opened.value)).one()
    _row(event, round_number, number).table_id = table.id
    announce(message(event, number))
    return opened.value


def _row(event: Event, round_number: int, number: int) -> RoundTable:
    row = db.session.get(RoundTable, (event.id, round_number, number, event.circle_id))
    if row is None:
        raise CircleErasedError
    return row


# --- closing ----------------------------------------------------------------------------------------------


def close_pads(event: Event, browser_id: int) -> None:
    """Close the event's open tables, thousands perhaps, since it has ended; the caller holds the circle's lock."""
    _close(event, browser_id, *_of(event))


def _close(event: Event, browser_id: int, *which: ColumnElement[bool]) -> None:
    pads = select(Table.id, Table.token, func.coalesce(LAST_NUMBER, 0)).join(RoundTable, _IS_PAD)
    open_pads = pads.where(Table.circle_id == event.circle_id, *which, Table.closed_at.is_(None))
    closed = {id_: (token, number + 1) for id_, token, number in db.session.execute(open_pads)}
    if not closed:
        return
    moment, key, close = now(), new_token(), Change(CLOSE)
    rows = [
        close.to_row(number, browser_id, moment, key)._asdict() | {"circle_id": event.circle_id, "table_id": id_}
        for id_, (_token, number) in closed.items()
    ]
    db.session.execute(insert(Revision), rows)
    tables = update(Table).where(Table.circle_id == event.circle_id, Table.id.in_(closed))
    written = update(Summary).where(Summary.circle_id == event.circle_id, Summary.table_id.in_(closed))
    for statement in (tables.values(closed_at=moment), written.values(version=Summary.version + 1)):
        db.session.execute(statement, execution_options={"synchronize_session": False})
    _store_payments(event, list(closed))
    for token, number in closed.values():
        announce(Message(REVISION, token, number))


def _store_payments(event: Event, table_ids: Sequence[int]) -> None:
    """Write the summaries of tables at which closing them has paid something; for the others, nothing has changed."""
    if find_event_game(event).stop is None:
        return
    for start in range(0, len(table_ids), summaries.BATCH_SIZE):
        ids = table_ids[start : start + summaries.BATCH_SIZE]
        query = select(Table).where(Table.circle_id == event.circle_id, Table.id.in_(ids)).options(SEATED)
        revisions = replayed.read_revisions_of_all(event.circle_id, ids)
        for table in db.session.scalars(query.execution_options(populate_existing=True)).all():
            closed = TableState(table, revisions[table.id])
            if closed.standing is not closed.replay.played:
                summaries.store(closed)


def find_pads(event: Event, round_number: int) -> list[int]:
    """List the ids of the tables that were opened in a round, for each of its games."""
    of_round = select(Table).join(RoundTable, _IS_PAD).where(*_of(event), RoundTable.round == round_number)
    tables = db.session.scalars(of_round).all()
    keys = [key for table in tables for key in keys_of_earlier_games(table)]
    earlier = select(Table.id).where(Table.circle_id == event.circle_id, Table.entry_key.in_(keys))
    return [*(table.id for table in tables), *(db.session.scalars(earlier) if keys else ())]


# --- reading -----------------------------------------------------------------------------------------------


def has_pads(event: Event) -> bool:
    """Return whether a table of the event has been opened on a phone."""
    opened = select(RoundTable.table_id).where(*_of(event), RoundTable.table_id.is_not(None)).limit(1)
    return db.session.scalar(opened) is not None


def find_place(table: Table) -> EventPlace | None:
    """Return where a table is at an event; None if it is at none, or if its round was undone."""
    if not (table.entry_key or "").startswith(KEY_AT_EVENTS):
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


def plays_at_pad(table: Table, browser: Browser) -> bool:
    """Return whether a browser is the phone of the event's table at which this table is, in its current round."""
    is_pad = (table.entry_key or "").startswith(KEY_AT_EVENTS)
    return is_pad and is_playing_at(table.circle_id, browser.id, table.id)


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
