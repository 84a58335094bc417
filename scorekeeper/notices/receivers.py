"""Which notices each phone has chosen, and who receives one of what has happened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import delete, exists, func, select

from ..db.transactions import RowDeletedError, writing_to_circle
from ..models import WATCH, Circle, Membership, NoticeSubscription, Player, db, now
from ..people.reading import read_persons
from ..people.writing import claim
from ..scoring.problems import Problem
from ..site.occasions import Notice, Subject, read_kinds
from .push_services import is_endpoint


def find_subscription(membership: Membership) -> NoticeSubscription | None:
    return db.session.get(NoticeSubscription, membership.id, populate_existing=True)


class Address(NamedTuple):
    """Where a push service takes messages to a phone, by the columns of `NoticeSubscription`."""

    endpoint: str
    p256dh: str
    auth: str
    site: str

    def is_valid(self) -> bool:
        from .encryption import are_keys  # noqa: PLC0415  # 7 MB: see encryption.py

        return is_endpoint(self.endpoint) and are_keys(self.p256dh, self.auth)


def save(
    membership: Membership, kinds: list[str], language: str, address: Address | None, player_id: int | None = None
) -> Problem | None:
    """Store which notices a phone wants, and whose phone it is if it says so; without kinds, delete its subscription.

    Without an address, the one that is stored stays.
    """
    is_valid = address is None or address.is_valid()
    with writing_to_circle(membership.circle_id, membership=membership, right=WATCH) as circle:
        row = find_subscription(membership)
        owner = read_persons(circle).get(player_id) if player_id is not None else None
        if owner is not None and owner.erased_at is not None:
            return Problem("who", "player-changed")
        if owner is not None and not claim(membership, owner):
            return Problem("who", "has-a-phone", {"found": owner.name})
        if kinds and not is_valid:
            return Problem("kinds", "notices-no-address")
        if kinds and row is None and address is None:
            return Problem("kinds", "notices-no-phone")
        if kinds:
            row = row or NoticeSubscription(circle_id=circle.id, membership_id=membership.id)
            row.kinds = kinds
            row.language = language
            row.changed_at = now()
            if address is not None:
                row.endpoint, row.p256dh, row.auth, row.site = address
            db.session.add(row)
        elif row is not None:
            db.session.delete(row)
    return None


# --- sending -----------------------------------------------------------------------------------------------


class Occasion(NamedTuple):
    """Something that some people of a circle may want to hear of."""

    kind: str
    circle_token: str
    subject: Subject
    membership_id: int  # of the phone that did it, which gets no notice


def find_wanting_circle(circle_id: int) -> str | None:
    """Return the circle's token, if any of its phones wants notices."""
    is_wanted = exists().where(NoticeSubscription.circle_id == circle_id)
    return db.session.scalar(select(Circle.token).where(Circle.id == circle_id, is_wanted))


def find_receivers(occasion: Occasion) -> Iterator[tuple[Circle, NoticeSubscription, Notice]]:
    """Yield each notice of an occasion with a phone that wants it and has access, but the one that caused it."""
    circle = db.session.scalar(select(Circle).where(Circle.token == occasion.circle_token))
    if circle is None:
        return
    query = (
        select(NoticeSubscription, func.coalesce(Player.person_id, Player.id))
        .join(Membership, Membership.id == NoticeSubscription.membership_id)
        .outerjoin(Player, Player.id == Membership.player_id)
        .where(
            NoticeSubscription.circle_id == circle.id,
            Membership.right.is_not(None),
            Membership.id != occasion.membership_id,
        )
        .order_by(NoticeSubscription.membership_id)
    )
    persons = {row: person_id for row, person_id in db.session.execute(query) if occasion.kind in row.kinds}
    for notice in read_kinds()[occasion.kind].find(circle, *occasion.subject) if persons else ():
        for subscription, person_id in persons.items():
            if notice.person_id in (None, person_id):
                yield circle, subscription, notice


def find_wanting(token: str, kind: str) -> NoticeSubscription | None:
    """Return the subscription with this token; None if its phone wants none of this kind, or has no access any more."""
    query = select(NoticeSubscription).join(Membership, Membership.id == NoticeSubscription.membership_id)
    subscription = db.session.scalar(query.where(NoticeSubscription.token == token, Membership.right.is_not(None)))
    return subscription if subscription is not None and kind in subscription.kinds else None


def forget_gone(token: str, endpoint: str) -> None:
    """Delete the subscription of a phone that its push service no longer knows, unless it has another address now."""
    conditions = (NoticeSubscription.token == token, NoticeSubscription.endpoint == endpoint)
    circle_id = db.session.scalar(select(NoticeSubscription.circle_id).where(*conditions))
    if circle_id is not None:
        with suppress(RowDeletedError), writing_to_circle(circle_id):
            db.session.execute(delete(NoticeSubscription).where(*conditions))
