"""Notices: their kinds, which of them each phone has chosen, and who receives them.

The page, its form, the texts and the sending follow from `KINDS`. A text names no amount and nobody but the reader: a
phone may lie where others see it. Its messages are `notices.kind.<key>`, `notices.kind.<key>.explained` and
`notices.said.<key>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy import delete, func, select

from ..db.transactions import CircleErasedError, get_id, write_to_circle
from ..models import WATCH, Browser, Circle, NoticeSubscription, Player, db
from ..push.queue import EVENING, PAYMENT, TABLE, TURN, Occasion
from ..push.services import is_endpoint
from ..scoring.problems import Problem
from ..tables.state import TableState
from ..time_zones import now
from .circles.players import claim, read_persons
from .events.reading import EventSeat, find_event, read_last_rounds
from .money.confirmations import read_waiting_payments
from .people import tonight
from .planned import Meeting, find_meeting
from .tables.reading import find_table, read_revisions
from .tables.turns import propose

MINUTE, HOUR, DAY = 60, 3_600, 86_400  # seconds


@dataclass(frozen=True)
class Notice:
    """A notice to the phones of a person, or to all phones of the circle.

    `page` is what the address of the page in question needs. `seat` and `meeting` are what the text names.
    """

    page: Mapping[str, object]
    person_id: int | None = None
    seat: EventSeat | None = None
    meeting: Meeting | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of notice, which a phone can choose.

    Attributes:
        endpoint: of the page that a tap opens.
        find: yields the notices of an occasion, by its circle and its subject; none if it is no longer one.
        lifetime: the seconds for which it is of use, and its push service keeps it for a phone that is off.
    """

    key: str
    endpoint: str
    find: Callable[..., Iterator[Notice]] = field(repr=False)
    lifetime: int = DAY

    @property
    def is_urgent(self) -> bool:
        return self.lifetime < DAY


def _find_turns(circle: Circle, token: str) -> Iterator[Notice]:
    """Yield those who come in at a table: for whom a turn has ended there, or who have waited for it to be opened."""
    row = find_table(circle, token)
    if row is None:
        return
    table = TableState(row, read_revisions(row))
    coming = {turn.coming.id for turn in propose(table)}
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
    for payment in read_waiting_payments(circle):
        if payment.number == number:
            yield Notice({"name": circle.name}, payment.taker.person.id)


def _find_evenings(circle: Circle, token: str, day: str) -> Iterator[Notice]:
    meeting = find_meeting(circle, token, day)
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


# --- what each phone has chosen ----------------------------------------------------------------------------


def find_subscription(browser: Browser) -> NoticeSubscription | None:
    return db.session.get(NoticeSubscription, browser.id, populate_existing=True)


def save(
    browser: Browser,
    kinds: list[str],
    fields: Mapping[str, str],
    player_id: int | None = None,
    *,
    is_test: bool = False,
) -> Problem | None:
    """Store what a phone wants, and return what is wrong, if anything; without kinds, its address is deleted.

    `fields` are columns of its subscription: without an `endpoint` among them, the one that is stored stays.
    `player_id` is whose phone it is, None if the page does not ask. `is_test`: the address may be one of this machine.
    """
    browser_id = get_id(browser)
    problem = None if _is_address(fields, is_test) else Problem("kinds", "notices-no-address")

    def work(circle: Circle) -> Problem | None:
        row = db.session.get(NoticeSubscription, browser_id, populate_existing=True)
        owner = read_persons(circle).get(player_id) if player_id is not None else None
        if owner is not None and owner.erased_at is not None:
            return Problem("who", "player-changed")
        if owner is not None and not claim(browser, owner):
            return Problem("who", "has-a-phone", {"found": owner.name})
        if kinds and (problem is not None or (row is None and "endpoint" not in fields)):
            return problem or Problem("kinds", "notices-no-phone")
        if kinds:
            row = row or NoticeSubscription(circle_id=circle.id, browser_id=browser_id)
            for name, value in {**fields, "kinds": kinds, "changed_at": now()}.items():
                setattr(row, name, value)
            db.session.add(row)
        elif row is not None:
            db.session.delete(row)
        return None

    return write_to_circle(browser.circle_id, work, browser=browser, right=WATCH)


def _is_address(fields: Mapping[str, str], is_test: bool) -> bool:
    if "endpoint" not in fields:
        return True
    from ..push.encryption import are_keys  # noqa: PLC0415  # as it says

    return is_endpoint(fields["endpoint"], is_test=is_test) and are_keys(fields["p256dh"], fields["auth"])


# --- sending -----------------------------------------------------------------------------------------------


def find_receivers(occasion: Occasion) -> Iterator[tuple[Circle, NoticeSubscription, Notice]]:
    """Yield each notice of an occasion with a phone that wants it and has access, but the one that caused it."""
    circle = db.session.scalar(select(Circle).where(Circle.name == occasion.circle))
    if circle is None:
        return
    query = (
        select(NoticeSubscription, func.coalesce(Player.person_id, Player.id))
        .join(Browser, Browser.id == NoticeSubscription.browser_id)
        .outerjoin(Player, Player.id == Browser.player_id)
        .where(NoticeSubscription.circle_id == circle.id, Browser.right.is_not(None), Browser.id != occasion.browser_id)
        .order_by(NoticeSubscription.browser_id)
    )
    phones = {phone: person_id for phone, person_id in db.session.execute(query) if occasion.kind in phone.kinds}
    for notice in KINDS[occasion.kind].find(circle, *occasion.subject) if phones else ():
        for phone, person_id in phones.items():
            if notice.person_id in (None, person_id):
                yield circle, phone, notice


def find_wanting(token: str, kind: str) -> NoticeSubscription | None:
    """Return the phone with this token; None if it wants no notices of this kind, or has no access any more."""
    query = select(NoticeSubscription).join(Browser, Browser.id == NoticeSubscription.browser_id)
    phone = db.session.scalar(query.where(NoticeSubscription.token == token, Browser.right.is_not(None)))
    return phone if phone is not None and kind in phone.kinds else None


def forget_gone(token: str, endpoint: str) -> None:
    """Delete the subscription of a phone that its push service no longer knows, unless it has another address now."""
    is_it = (NoticeSubscription.token == token, NoticeSubscription.endpoint == endpoint)
    circle_id = db.session.scalar(select(NoticeSubscription.circle_id).where(*is_it))
    if circle_id is not None:
        with suppress(CircleErasedError):
            write_to_circle(circle_id, lambda _: db.session.execute(delete(NoticeSubscription).where(*is_it)))
