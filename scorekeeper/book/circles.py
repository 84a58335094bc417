"""Circles: their links, each with a right, and the browsers that came in by them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from ..store import Browser, Circle, Link, db
from .commits import committed, now

WATCH, SCORE, HOST = "watch", "score", "host"
RIGHTS = (WATCH, SCORE, HOST)  # each includes those before it


class Held(NamedTuple):
    """What a browser's cookie says of one circle: which browser it is there, and the secret that proves it."""

    browser: int
    secret: str


class Entered(NamedTuple):
    """A browser that has just come in; its secret is told only now, what is kept is the hash."""

    browser: Browser
    secret: str

    @property
    def held(self) -> Held:
        return Held(self.browser.id, self.secret)


def may(right: str, needed: str) -> bool:
    """Whether one with this right may do what needs that one."""
    return RIGHTS.index(right) >= RIGHTS.index(needed)


def make_circle() -> tuple[Entered, dict[str, str]]:
    """A new circle with a link for each right, and its first browser, a host. The links' secrets are told only now."""
    circle = Circle(name=secrets.token_urlsafe(9), made_at=now())
    told = {right: _new_link(circle, right) for right in RIGHTS}
    db.session.add(circle)
    db.session.flush()
    host = next(link for link in circle.links if link.right == HOST)
    return _enter(host), told


def enter(name: str, secret: str) -> Entered | None:
    """Come into the circle of that name by one of its links; None for a secret that is no link's, or no longer."""
    circle = db.session.scalar(select(Circle).where(Circle.name == name).options(joinedload(Circle.links)))
    links = circle.links if circle is not None else []
    link = next((link for link in links if link.ended_at is None and _matches(link.secret_hash, secret)), None)
    return _enter(link) if link is not None else None


def renew(link: Link, by: Browser) -> str:
    """End a link and everything that came in by it, but for the one who renews; answers the new link's secret."""
    circle = link.circle
    link.ended_at = now()
    secret = _new_link(circle, link.right)
    db.session.flush()
    if by.link_id == link.id:
        by.link = circle.links[-1]
    db.session.commit()
    return secret


def live_links(circle: Circle) -> list[Link]:
    """One link for each right, the least first."""
    live = {link.right: link for link in circle.links if link.ended_at is None}
    return [live[right] for right in RIGHTS if right in live]


def browser_of(held: Mapping[str, Held], name: str) -> Browser | None:
    """Who the cookie's holder is in the circle of that name; None for a stranger and for one whose access ended."""
    told = held.get(name)
    if told is None:
        return None
    browser = db.session.scalar(
        select(Browser)
        .join(Browser.circle)
        .where(Browser.id == told.browser, Circle.name == name)
        .options(joinedload(Browser.circle), joinedload(Browser.link))
    )
    if browser is None or not _matches(browser.secret_hash, told.secret):
        return None
    return browser if browser.ended_at is None and browser.link.ended_at is None else None


def browsers_of(circle: Circle) -> list[Browser]:
    """The browsers that can come in now, the first first."""
    query = (
        select(Browser)
        .join(Browser.link)
        .where(Browser.circle_id == circle.id, Browser.ended_at.is_(None), Link.ended_at.is_(None))
        .options(joinedload(Browser.link))
        .order_by(Browser.number)
    )
    return list(db.session.scalars(query))


def rename_browser(browser: Browser, name: str) -> None:
    browser.name = name or None
    db.session.commit()


def show_out(browser: Browser) -> None:
    """End a browser's access at its next request. Who still has a link's address can come in again by it."""
    browser.ended_at = now()
    db.session.commit()


def _new_link(circle: Circle, right: str) -> str:
    secret = secrets.token_urlsafe(24)
    circle.links.append(Link(right=right, secret_hash=_hashed(secret), made_at=now()))
    return secret


def _enter(link: Link) -> Entered:
    secret = secrets.token_urlsafe(24)

    def add() -> Browser:
        last = db.session.scalar(select(func.max(Browser.number)).where(Browser.circle_id == link.circle_id))
        browser = Browser(
            circle_id=link.circle_id,
            link_id=link.id,
            number=(last or 0) + 1,
            secret_hash=_hashed(secret),
            first_at=now(),
        )
        db.session.add(browser)
        return browser

    return Entered(committed(add), secret)


def _hashed(secret: str) -> str:
    # The secret is 192 random bits: nothing is won by a slow hash.
    return hashlib.sha256(secret.encode()).hexdigest()


def _matches(kept: str, secret: str) -> bool:
    return hmac.compare_digest(kept, _hashed(secret))
