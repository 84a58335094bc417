"""The kinds of notices. The page, its form, the texts and the sending follow from `KINDS`.

A text names no amount and nobody but the reader: a phone may lie where others see it. Its messages are
`notices.kind.<key>`, `notices.kind.<key>.explained` and `notices.said.<key>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ...models import Circle
from ...push.queue import EVENING, PAYMENT, TABLE, TURN
from ...tables.state import TableState
from .. import planned
from ..events.reading import EventSeat, find_event, read_last_rounds
from ..money.confirmations import read_waiting_payments
from ..people import tonight
from ..planned import Meeting
from ..tables.replayed import read_revisions
from ..tables.table import find_table
from ..tables.turns import propose

MINUTE, HOUR, DAY = 60, 3_600, 86_400  # seconds


@dataclass(frozen=True)
class Notice:
    """A notice to the phones of a person, or to one phone; to all phones of the circle, without either.

    `page` is what the address of the page in question needs. `seat` and `meeting` are what the text names.
    """

    page: Mapping[str, object]
    person_id: int | None = None
    browser_id: int | None = None
    seat: EventSeat | None = None
    meeting: Meeting | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of notice, which a phone can choose.

    Attributes:
        endpoint: of the page that a tap opens.
        find: yields the notices of an occasion, by its circle and its subject; none if it is no longer one.
        lifetime: for so many seconds it is of use, and its push service keeps it for a phone that is off.
    """

    key: str
    endpoint: str
    find: Callable[..., Iterator[Notice]] = field(repr=False)
    lifetime: int = DAY

    @property
    def is_urgent(self) -> bool:
        """Whether a phone that saves power should be woken."""
        return self.lifetime < DAY


def _find_turns(circle: Circle, token: str) -> Iterator[Notice]:
    """Yield those who come in at a table: for whom a turn has ended there, or who have waited for it to be opened."""
    row = find_table(circle, token)
    if row is None:
        return
    table = TableState(row, read_revisions(row))
    coming = {person.id for person in propose(table).coming}
    turns = tonight.read(circle).turns if not table.revisions else ()
    if len(turns) > 1:
        coming |= turns[-1].players & turns[-2].waiting
    yield from (Notice({"token": token}, person_id) for person_id in sorted(coming))


def _find_tables(circle: Circle, token: str, number: int) -> Iterator[Notice]:
    """Yield where everybody sits in a round of an event, as long as it is the current one."""
    event = find_event(token)
    state = read_last_rounds(event) if event is not None and event.circle_id == circle.id else None
    if state is not None and state.current_number == number:
        for entrant, seat in state.seats.items():
            yield Notice({"token": token}, state.player_of(entrant), seat=seat)


def _find_payments(circle: Circle, number: int) -> Iterator[Notice]:
    """Yield the receiver of a payment that waits for a confirmation."""
    for payment in read_waiting_payments(circle):
        if payment.number == number:
            yield Notice({"name": circle.name}, payment.taker.person.id)


def _find_evenings(circle: Circle, token: str, day: str) -> Iterator[Notice]:
    """Yield a day that was planned, changed or cancelled."""
    meeting = planned.find_meeting(circle, token, day)
    if meeting is not None:
        yield Notice({"name": circle.name, "planned_token": token, "day": day}, meeting=meeting)


KINDS: Mapping[str, Kind] = {
    kind.key: kind
    for kind in (
        Kind(TURN, "table.show", _find_turns, 10 * MINUTE),
        Kind(TABLE, "events.show", _find_tables, HOUR),
        Kind(PAYMENT, "settlements.everything", _find_payments),
        Kind(EVENING, "planned.show", _find_evenings, 2 * DAY),
    )
}
