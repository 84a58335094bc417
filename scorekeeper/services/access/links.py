"""A circle's links and the browsers that joined by them: joining, renewing a link, removing a browser.

Each write holds the circle's lock, so that browsers get consecutive numbers, and the second of two hosts who renew a
link at the same time sees that it has been renewed.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import joinedload, subqueryload, undefer

from ...db.clock import now
from ...db.transactions import write_to_circle
from ...models import RIGHTS, Browser, BrowserLink, Circle, Device, Link, db
from ...models.rights import HOST, WATCH
from .devices import get_device, hash_secret, matches, new_secret, seal, store_link

REPEATED_TAP = timedelta(minutes=1)  # within which a second renewal by the same host is taken for a repeated tap


def find_link(circle: str, secret: str) -> Link | None:
    """Return the circle's live link with this secret, with its circle loaded."""
    live = select(Link).join(Link.circle).where(Circle.name == circle, Link.revoked_at.is_(None))
    links = db.session.scalars(live.options(joinedload(Link.circle)))
    return next((link for link in links if matches(link.secret_hash, secret)), None)


def live_links(circle: Circle) -> list[Link]:
    """Return one link for each right, the lowest first."""
    live = {link.right: link for link in circle.links if link.revoked_at is None}
    return [live[right] for right in RIGHTS if right in live]


def add_link(circle: Circle, right: str) -> tuple[Link, str]:
    """Add a link in the caller's transaction; return it with its secret, which is stored nowhere."""
    secret = new_secret()
    link = Link(circle_id=circle.id, right=right, secret_hash=hash_secret(secret), created_at=now())
    db.session.add(link)
    db.session.flush()
    return link, secret


# --- joining -----------------------------------------------------------------------------------------------


def join(link: Link, secret: str, device_secret: str) -> bool:
    """Let a device join the link's circle with the link's right; return False if the link was revoked meanwhile.

    A device that is a member already keeps its browser and a higher right. One that was removed gets its former
    browser again, with this link's right alone.
    """
    sealed = seal(device_secret, secret)

    def work(circle: Circle) -> bool:
        if link.revoked_at is not None:
            return False
        store_link(browser_for(circle, get_device(device_secret)), link, sealed, joined=True)
        return True

    return write_to_circle(link.circle_id, work)


def browser_for(circle: Circle, device: Device) -> Browser:
    """Return the device's browser in the circle, with the next number if it is new, in the caller's transaction."""
    query = select(Browser).where(Browser.circle_id == circle.id, Browser.device_id == device.id)
    browser = db.session.scalar(query)
    if browser is None:
        last = db.session.scalar(select(func.max(Browser.number)).where(Browser.circle_id == circle.id))
        browser = Browser(circle_id=circle.id, device_id=device.id, number=(last or 0) + 1, created_at=now())
        db.session.add(browser)
    browser.revoked_at = None
    db.session.flush()
    return browser


# --- the circle's browsers ---------------------------------------------------------------------------------


def list_browsers(circle: Circle) -> list[Browser]:
    """List the browsers that have access, with their links, in the order they joined."""
    query = (
        select(Browser)
        .where(Browser.circle_id == circle.id, Browser.right.is_not(None))
        .options(undefer(Browser.right), subqueryload(Browser.links).joinedload(BrowserLink.link))
        .order_by(Browser.number)
    )
    return list(db.session.scalars(query))


def links_joined(browser: Browser) -> list[BrowserLink]:
    """List the live links that a browser joined by, the highest right first."""
    joined = [
        browser_link
        for browser_link in browser.links
        if browser_link.joined_at is not None and browser_link.link.revoked_at is None
    ]
    return sorted(joined, key=lambda browser_link: RIGHTS.index(browser_link.link.right), reverse=True)


def rename_browser(browser: Browser, name: str, by: Browser) -> None:
    """Set or, if blank, remove a browser's name; only hosts may name other browsers than their own."""
    right = WATCH if by.id == browser.id else HOST

    def work(_circle: Circle) -> None:
        browser.name = name or None

    write_to_circle(browser.circle_id, work, browser=by, right=right)


def claim_browser(browser: Browser, player_id: int | None) -> None:
    """Set the player whose phone this is, or None."""

    def work(_circle: Circle) -> None:
        browser.player_id = player_id

    write_to_circle(browser.circle_id, work, browser=browser, right=WATCH)


# --- renewing and removing ---------------------------------------------------------------------------------


def renew(link: Link, by: Browser, device_secret: str) -> bool:
    """Revoke a link and add a new one; browsers that joined by it alone lose access, except for the host `by`.

    Return whether `by` renewed it, now or by a tap just before. False if another host was quicker (`link.revoked_by`).
    """

    def work(_circle: Circle) -> bool:
        if link.revoked_at is None:
            _replace(link, by, device_secret)
        return link.revoked_by_id == by.id and link.revoked_at is not None and now() - link.revoked_at <= REPEATED_TAP

    return write_to_circle(link.circle_id, work, browser=by, right=HOST)


def remove_browser(browser: Browser, by: Browser, device_secret: str, *, renew_links: bool = False) -> None:
    """Revoke a browser's access. Its device can join again by a link it still has, unless that link is renewed too.

    `renew_links` renews the links that it joined by; other people then need the new ones as well.
    """

    def work(_circle: Circle) -> None:
        links = [browser_link.link for browser_link in links_joined(browser)] if renew_links else []
        own = delete(BrowserLink).where(
            BrowserLink.circle_id == browser.circle_id, BrowserLink.browser_id == browser.id
        )
        db.session.execute(own, execution_options={"synchronize_session": False})
        browser.revoked_at = now()
        for link in links:
            _replace(link, by, device_secret)

    write_to_circle(browser.circle_id, work, browser=by, right=HOST)


def renew_host_link(circle_id: int) -> str:
    """Revoke the host's link for the server's host, and return the secret of the new one, which no phone has yet.

    Phones that joined by the old one alone lose access.

    Raises:
        CircleErasedError: there is no such circle any more.
    """

    def work(circle: Circle) -> str:
        link = next(link for link in live_links(circle) if link.right == HOST)
        return _revoke_and_add(link, None)[1]

    return write_to_circle(circle_id, work)


def _replace(link: Link, by: Browser, device_secret: str) -> None:
    browser_link = db.session.get(BrowserLink, (by.id, link.id, link.circle_id))
    fresh, secret = _revoke_and_add(link, by)
    store_link(
        by, fresh, seal(device_secret, secret), joined=browser_link is not None and browser_link.joined_at is not None
    )


def _revoke_and_add(link: Link, by: Browser | None) -> tuple[Link, str]:
    link.revoked_at, link.revoked_by = now(), by
    db.session.flush()  # before adding the new link: only one link of each right may be live
    return add_link(link.circle, link.right)
