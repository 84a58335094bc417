"""Writing to an event: under its circle's lock, with the right checked again, and a message to its followers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import bindparam, select
from sqlalchemy.orm import contains_eager, undefer

from ...db.transactions import (
    IS_PHONE,
    AccessRevokedError,
    CircleErasedError,
    RightRevokedError,
    get_id,
    write_to_circle,
)
from ...events.drawing import Member, PlayedTable, Result, Table
from ...models import SCORE, WATCH, Browser, Circle, Device, Event, EventPhone, db, may
from ..access import hash_secret

NOT_PLAYED = Result((), ())  # a table's result that is none: nothing for either side
_LATER_GAME = re.compile(r"(.+)/game-([0-9]{1,3})", re.DOTALL)
DIRECTIONS = ("north", "east", "south", "west")


class EntrantRow(NamedTuple):
    """An entrant, with the person who has the number."""

    number: int
    player_id: int
    name: str
    group: str
    first_round: int
    last_round: int | None
    is_stationary: bool

    @property
    def member(self) -> Member:
        """The entrant as formats and standings know them."""
        return Member(self.number, self.group, self.is_stationary, self.first_round, self.last_round)

    def has_left(self, current_round: int) -> bool:
        """Return whether the entrant does not play again after the current round."""
        return self.last_round is not None and self.last_round <= current_round


class SubstituteRow(NamedTuple):
    """Who plays under a number from a round on."""

    number: int
    round: int
    player_id: int
    name: str


class RoundTableRow(NamedTuple):
    """A table of a round, with its last result and call: the columns of `models.RoundTable`."""

    round: int
    number: int
    pairs: list[list[int]]
    table_id: int | None
    result: int
    scores: dict[str, Any] | None
    is_confirmed: bool
    calls: int = 0
    called_at: datetime | None = None
    coming_id: int | None = None

    @property
    def seats(self) -> dict[str, int]:
        """The number of the entrant in each direction."""
        (north, south), (east, west) = self.pairs
        return dict(zip(DIRECTIONS, (north, east, south, west), strict=True))

    @property
    def seated(self) -> Table:
        """The two pairs, as schedules know them."""
        (north, south), (east, west) = self.pairs
        return (north, south), (east, west)

    def played(self, *, plays_alone: bool) -> PlayedTable:
        """Return the table as formats and standings know it."""
        result = None if self.is_unplayed else read_result(self.scores)
        return PlayedTable(self.number, self.seated, result, plays_alone, self.is_unplayed)

    @property
    def is_unplayed(self) -> bool:
        """Whether the director has said that the table was not played."""
        return read_result(self.scores) == NOT_PLAYED


class EventSeat(NamedTuple):
    """Where an entrant sits in a round; who plays alone has no partner, but `others`."""

    table: int
    direction: str
    partner: int
    opponents: tuple[int, int]

    @property
    def others(self) -> tuple[int, int, int]:
        """All others at the table, the one opposite in the middle."""
        return self.opponents[0], self.partner, self.opponents[1]


def read_result(scores: Mapping[str, Any] | None) -> Result | None:
    """Return a stored result."""
    if scores is None:
        return None
    made = tuple(scores["scores"])
    slams = tuple(scores.get("slams", [0] * len(made)))
    return Result(made, slams, tuple(tuple(of_board) for of_board in scores.get("boards", ())))


def as_json(result: Result) -> dict[str, Any]:
    """Return a result as it is stored."""
    stored: dict[str, Any] = {"scores": list(result.scores)}
    if any(result.slams):
        stored["slams"] = list(result.slams)
    if result.boards:
        stored["boards"] = [list(scores) for scores in result.boards]
    return stored


def list_seats(row: RoundTableRow) -> Iterator[tuple[int, EventSeat]]:
    """Yield the numbers of those at a table, and where each sits."""
    pairs = row.pairs
    for side, pair in enumerate(pairs):
        first, second = pairs[1 - side]
        for place, number in enumerate(pair):
            direction = DIRECTIONS[side + 2 * place]
            yield number, EventSeat(row.number, direction, pair[1 - place], (first, second))


def split_game_key(key: str | None) -> tuple[str, int]:
    """Return the entry key of the table of a round's first game, and which of its games is at the one with this key."""
    found = _LATER_GAME.fullmatch(key or "")
    return (key or "", 1) if found is None else (found[1], int(found[2]))


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


def _locked(circle: Circle, event_id: int) -> Event:
    query = select(Event).where(Event.circle_id == circle.id, Event.id == event_id)
    event = db.session.scalar(query.execution_options(populate_existing=True))
    if event is None:
        raise CircleErasedError
    return event


VIEW = "view"  # to see who sits where, and the results
PLAY = "play"  # to send the results of one table
DIRECT = "direct"  # everything


class EventAccess(NamedTuple):
    """A browser that may at least see an event; `phone` is None if it has not joined by a valid link of the event."""

    event: Event
    browser: Browser
    phone: EventPhone | None

    @property
    def is_guest(self) -> bool:
        """Whether the browser has access to the event, and to nothing else of its circle."""
        return self.browser.right is None

    def may(self, needed: str, table: int | None = None) -> bool:
        """Return whether the browser may do this, and to PLAY at this table."""
        if may(self.browser.right, SCORE) or needed == VIEW:
            return True
        return needed == PLAY and self.table is not None and self.table == table

    @property
    def table(self) -> int | None:
        """The number of the table whose phone this is."""
        return self.phone.table_number if self.phone is not None else None


_BROWSERS = (
    select(Event, Browser, EventPhone)
    .join(Event.circle)
    .join(Circle.browsers)
    .outerjoin(EventPhone, IS_PHONE & (EventPhone.browser_id == Browser.id))
    .where(Browser.revoked_at.is_(None))
    .options(contains_eager(Event.circle), undefer(Browser.right))  # the browser's circle is the event's
)
# Built once: every page of an event begins with it.
_READER = _BROWSERS.join(Browser.device).where(
    Event.token == bindparam("token"), Device.secret_hash == bindparam("secret_hash")
)
_WRITER = _BROWSERS.where(
    Event.circle_id == bindparam("circle_id"), Event.id == bindparam("event_id"), Browser.id == bindparam("browser_id")
)


def read_access(device_secret: str, token: str) -> EventAccess | None:
    """Return the access of a device to the event with this token; None if it has none, or there is no such event."""
    row = db.session.execute(_READER, {"token": token, "secret_hash": hash_secret(device_secret)}).one_or_none()
    return _access(EventAccess(*row)) if row is not None else None


def _access(found: EventAccess) -> EventAccess | None:
    return found if may(found.browser.right, WATCH) or found.phone is not None else None


def check_access(circle_id: int, event_id: int, browser_id: int, needed: str, table: int | None = None) -> EventAccess:
    """Return the browser's access to the event as it is now; the caller holds the circle's lock.

    Raises:
        AccessRevokedError: the browser's access to the event ended meanwhile.
        RightRevokedError: it may still see the event, and no longer do this.
    """
    ids = {"circle_id": circle_id, "event_id": event_id, "browser_id": browser_id}
    row = db.session.execute(_WRITER, ids, execution_options={"populate_existing": True}).one_or_none()
    access = _access(EventAccess(*row)) if row is not None else None
    if access is None:
        raise AccessRevokedError
    if not access.may(needed, table):
        raise RightRevokedError
    return access
