"""Circles: what they are called, their links, each with a right, and the browsers that came in by them; their end."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.orm import contains_eager, joinedload

from ..scoring.remarks import Remark
from ..store import (
    Browser,
    Circle,
    Digest,
    Link,
    Part,
    Payment,
    Player,
    Revision,
    Seat,
    Settlement,
    Summary,
    Table,
    db,
)
from .commits import committed, now

WATCH, SCORE, HOST = "watch", "score", "host"
RIGHTS = (WATCH, SCORE, HOST)  # each includes those before it
MOST_IN_TITLE = 80  # letters in what a circle is called
MOST_IN_NAME = 40  # letters in what a browser is called


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
    link = next((link for link in links if link.ended_at is None and matches(link.secret_hash, secret)), None)
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


def opens(link: Link, secret: str) -> bool:
    """Whether it is this link's secret; one that was renewed elsewhere has another."""
    return matches(link.secret_hash, secret)


def live_links(circle: Circle) -> list[Link]:
    """One link for each right, the least first."""
    live = {link.right: link for link in circle.links if link.ended_at is None}
    return [live[right] for right in RIGHTS if right in live]


_BROWSER = (
    select(Browser)
    .join(Browser.circle)
    .join(Browser.link)
    .where(Browser.id == bindparam("browser"), Circle.name == bindparam("circle"))
    .options(contains_eager(Browser.circle), contains_eager(Browser.link))
)  # put together once, since every page of a circle begins with it


def browser_of(held: Mapping[str, Held], name: str) -> Browser | None:
    """Who the cookie's holder is in the circle of that name; None for a stranger and for one whose access ended."""
    told = held.get(name)
    if told is None:
        return None
    browser = db.session.scalar(_BROWSER, {"browser": told.browser, "circle": name})
    if browser is None or not matches(browser.secret_hash, told.secret):
        return None
    return browser if browser.ended_at is None and browser.link.ended_at is None else None


def browsers_held(held: Mapping[str, Held]) -> list[Browser]:
    """Who the cookie's holder is in every circle that still lets them in, the first made first."""
    query = (
        select(Browser)
        .join(Browser.circle)
        .join(Browser.link)
        .where(Browser.id.in_([told.browser for told in held.values()]))
        .where(Browser.ended_at.is_(None), Link.ended_at.is_(None))
        .options(joinedload(Browser.circle), joinedload(Browser.link))
        .order_by(Circle.id)
    )
    found = [(browser, held.get(browser.circle.name)) for browser in db.session.scalars(query)]
    return [
        browser
        for browser, told in found
        if told and told.browser == browser.id and matches(browser.secret_hash, told.secret)
    ]


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


def entitle(circle: Circle, title: str) -> Remark | None:
    """Call a circle so, nothing where the title is blank; or what is wrong with it."""
    if len(title) > MOST_IN_TITLE:
        return Remark("title", "long-title", {"most": MOST_IN_TITLE})
    circle.title = title or None
    db.session.commit()
    return None


def need_no_reminder(circle: Circle) -> None:
    """A host has seen the recovery sheet, or does not want it."""
    if circle.recovery_at is None:
        circle.recovery_at = now()
        db.session.commit()


# --- the end of a circle -----------------------------------------------------------------------------------


class Holdings(NamedTuple):
    """How much a circle holds; `deals` are those that were played."""

    tables: int
    deals: int
    players: int


def holdings_of(circle: Circle) -> Holdings:
    deals = func.coalesce(func.sum(Summary.told["deals"].as_integer()), 0)
    tables = select(func.count(Table.id), deals).outerjoin(Table.summary).where(Table.circle_id == circle.id)
    persons = select(func.count(Player.id)).where(Player.circle_id == circle.id, Player.person_id.is_(None))
    counted, played = db.session.execute(tables).one()
    return Holdings(counted, played, db.session.scalar(persons) or 0)


def erase_circle(circle: Circle) -> None:
    """Delete everything there is of a circle, for good. Nothing else in the app deletes what was kept."""
    circle_id = circle.id
    committed(lambda: _erase_circle(circle_id))


def _erase_circle(circle_id: int) -> None:
    tables = select(Table.id).where(Table.circle_id == circle_id)
    settlements = select(Settlement.id).where(Settlement.circle_id == circle_id)
    # What points at its own kind is loosened first; then whoever points goes before what is pointed at.
    for statement in (
        update(Settlement).where(Settlement.circle_id == circle_id).values(heir_id=None),
        update(Player).where(Player.circle_id == circle_id).values(person_id=None),
        delete(Payment).where(Payment.circle_id == circle_id),
        delete(Part).where(Part.settlement_id.in_(settlements)),
        delete(Settlement).where(Settlement.circle_id == circle_id),
        delete(Digest).where(Digest.circle_id == circle_id),
        delete(Summary).where(Summary.table_id.in_(tables)),
        delete(Revision).where(Revision.table_id.in_(tables)),
        delete(Seat).where(Seat.table_id.in_(tables)),
        delete(Table).where(Table.circle_id == circle_id),
        delete(Player).where(Player.circle_id == circle_id),
        delete(Browser).where(Browser.circle_id == circle_id),
        delete(Link).where(Link.circle_id == circle_id),
        delete(Circle).where(Circle.id == circle_id),
    ):
        db.session.execute(statement, execution_options={"synchronize_session": False})


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


def is_told(held: Mapping[str, Held], browser: int, secret_hash: str) -> bool:
    """Whether the cookie's holder has proved to be this browser."""
    return any(told.browser == browser and matches(secret_hash, told.secret) for told in held.values())


def matches(kept: str, secret: str) -> bool:
    return hmac.compare_digest(kept, _hashed(secret))
