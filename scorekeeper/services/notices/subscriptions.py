"""Subscriptions: the kinds of notices that each phone has chosen, and whether it may still receive them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.orm import undefer

from ...db.clock import now
from ...db.transactions import CircleErasedError, get_id, write_to_circle
from ...models import Browser, Circle, NoticeSubscription, Player, db
from ...models.rights import WATCH
from ...push.encryption import are_keys
from ...push.services import is_endpoint
from ...scoring.problems import Problem, Refusal, refuse
from ..circles.players import read_persons
from ..outcome import Done, Stale
from .kinds import KINDS


@dataclass(frozen=True)
class Wanted:
    """What a phone wants, as its page sends it: kinds, its address and keys, and who reads its notices where.

    Without an address, the one that is stored stays. `player_id` is whose phone it is, None if the page does not ask.
    `is_test`: the address may be one of this machine.
    """

    kinds: tuple[str, ...]
    endpoint: str = ""
    p256dh: str = ""
    auth: str = ""
    site: str = ""
    language: str = ""
    player_id: int | None = None
    is_test: bool = False

    def find_problem(self, current: NoticeSubscription | None) -> Problem | None:
        """Return what is wrong, if anything."""
        if not {*self.kinds} <= KINDS.keys():
            return Problem("kinds", "not-among-choices")
        if not self.endpoint:
            return None if current is not None else Problem("kinds", "notices-no-phone")
        is_address = is_endpoint(self.endpoint, is_test=self.is_test) and are_keys(self.p256dh, self.auth)
        return None if is_address else Problem("kinds", "notices-no-address")


def find_subscription(browser: Browser) -> NoticeSubscription | None:
    """Return what a browser wants; None if it wants nothing."""
    return db.session.get(NoticeSubscription, (browser.id, browser.circle_id), populate_existing=True)


def find_mark(subscription: NoticeSubscription | None) -> str:
    """Return a short hash, by which a page says what it has shown; blank for a phone that wants nothing."""
    if subscription is None:
        return ""
    shown = json.dumps([subscription.kinds, subscription.endpoint])
    return hashlib.sha256(shown.encode()).hexdigest()[:16]


def save(browser: Browser, wanted: Wanted, seen: str) -> Done[None] | Stale[None] | Refusal:
    """Store what a phone wants, if that is still as its page has shown it; without kinds, its address is deleted.

    Raises:
        CircleErasedError, AccessRevokedError: there is no such circle any more, or no access to it.
    """
    browser_id = get_id(browser)

    def work(circle: Circle) -> Done[None] | Stale[None] | Refusal:
        row = db.session.get(NoticeSubscription, (browser_id, circle.id), populate_existing=True)
        if _is_stored(row, wanted) and wanted.player_id in (None, browser.player_id):
            return Done(None)
        if find_mark(row) != seen:
            return Stale(None)
        owner = read_persons(circle).get(wanted.player_id) if wanted.player_id is not None else None
        problem = wanted.find_problem(row) if wanted.kinds else None
        if owner is not None and owner.erased_at is not None:
            problem = Problem("who", "player-changed")
        if problem is not None:
            return refuse(None, [problem])
        if owner is not None:
            browser.player_id = owner.id
        _store(circle, browser_id, row, wanted)
        return Done(None)

    return write_to_circle(browser.circle_id, work, browser=browser, right=WATCH)


def _is_stored(row: NoticeSubscription | None, wanted: Wanted) -> bool:
    if row is None or not wanted.kinds:
        return row is None and not wanted.kinds
    is_address = not wanted.endpoint or (row.endpoint, row.p256dh, row.auth) == (
        wanted.endpoint,
        wanted.p256dh,
        wanted.auth,
    )
    return tuple(row.kinds) == wanted.kinds and is_address and row.language == wanted.language


def _store(circle: Circle, browser_id: int, row: NoticeSubscription | None, wanted: Wanted) -> None:
    if not wanted.kinds:
        if row is not None:
            db.session.delete(row)
        return
    row = row or NoticeSubscription(circle_id=circle.id, browser_id=browser_id)
    row.kinds, row.changed_at, row.language = list(wanted.kinds), now(), wanted.language
    if wanted.endpoint:
        row.endpoint, row.p256dh, row.auth, row.site = wanted.endpoint, wanted.p256dh, wanted.auth, wanted.site
    db.session.add(row)


# --- sending -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Subscriber:
    """A phone that wants notices of a kind: its browser, and the person whose phone it is, by their ids."""

    browser_id: int
    person_id: int | None


def list_subscribers(circle: Circle, kind: str) -> Iterator[Subscriber]:
    """Yield the phones of a circle that want notices of this kind, and have access."""
    query = (
        select(NoticeSubscription.browser_id, func.coalesce(Player.person_id, Player.id), NoticeSubscription.kinds)
        .join(Browser, _IS_BROWSER)
        .outerjoin(Player, (Player.circle_id == Browser.circle_id) & (Player.id == Browser.player_id))
        .where(NoticeSubscription.circle_id == circle.id, Browser.right.is_not(None))
        .order_by(NoticeSubscription.browser_id)
    )
    for browser_id, person_id, kinds in db.session.execute(query):
        if kind in kinds:
            yield Subscriber(browser_id, person_id)


_IS_BROWSER = (Browser.circle_id == NoticeSubscription.circle_id) & (Browser.id == NoticeSubscription.browser_id)


def find_wanting(circle_id: int, browser_id: int, kind: str) -> tuple[NoticeSubscription, Circle] | None:
    """Return where a phone takes notices of this kind; None if it does not want them, or has no access any more."""
    query = select(NoticeSubscription, Browser).join(Browser, _IS_BROWSER).options(undefer(Browser.right))
    is_it = (NoticeSubscription.circle_id == circle_id, NoticeSubscription.browser_id == browser_id)
    found = db.session.execute(query.where(*is_it)).one_or_none()
    if found is None or found[1].right is None or kind not in found[0].kinds:
        return None
    return found[0], found[1].circle


def forget_gone(circle_id: int, browser_id: int, endpoint: str) -> None:
    """Delete the subscription of a phone that its push service no longer knows, unless it has another address now."""
    own = (NoticeSubscription.circle_id == circle_id, NoticeSubscription.browser_id == browser_id)

    def work(_circle: Circle) -> None:
        db.session.execute(delete(NoticeSubscription).where(*own, NoticeSubscription.endpoint == endpoint))

    with suppress(CircleErasedError):
        write_to_circle(circle_id, work)
