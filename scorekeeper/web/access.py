"""What this browser's cookie holds: the circles it has come into, and the links it knows."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import abort, g, request, session

from .. import book
from ..book import SCORE, WATCH, Held, may
from ..book.circles import Entered, browser_of, browsers_held, make_circle
from ..book.people import players_of
from ..store import Browser, Circle
from ..table import Open
from . import sitting


def keep(entered: Entered, links: dict[str, str]) -> None:
    """Keep in the signed cookie who this browser is in the circle, and the links it came to know; be at home there."""
    name = entered.browser.circle.name
    session["circles"] = dict(session.get("circles", {})) | {name: list(entered.held)}
    learn(name, links)
    _be_at_home_in(entered.browser.circle)
    session.permanent = True


def _be_at_home_in(circle: Circle) -> None:
    """A sample is nobody's home: what is opened from there on is no sample."""
    if not circle.is_sample and session.get("circle") != circle.name:
        session["circle"] = circle.name


def learn(name: str, links: dict[str, str]) -> None:
    """Remember the secrets of a circle's links, by right, so that this browser can show them again."""
    known = dict(session.get("links", {}))
    session["links"] = known | {name: known.get(name, {}) | links}


def known_links(circle: Circle) -> dict[str, str]:
    return dict(session.get("links", {}).get(circle.name, {}))


def held() -> dict[str, Held]:
    """What the cookie says of each circle."""
    return {name: Held(*told) for name, told in session.get("circles", {}).items()}


def forget(name: str) -> None:
    """Keep nothing more of a circle; be at home in another, if there is one."""
    for kept in ("circles", "links"):
        session[kept] = {other: told for other, told in session.get(kept, {}).items() if other != name}
    sitting.rise(name)
    if session.get("circle") == name:
        session["circle"] = next(iter(session["circles"]), "")


def everywhere() -> list[Browser]:
    """Who this browser is in each circle that it can come into, samples left out; what has put it out is forgotten."""
    found = browsers_held(held())
    for name in held().keys() - {browser.circle.name for browser in found}:
        forget(name)
    return [browser for browser in found if not browser.circle.is_sample]


def here() -> Browser | None:
    """Who this browser is in the circle it is at home in."""
    found = browser_of(held(), session.get("circle", ""))
    return found if found is not None and not found.circle.is_sample else None


def offered() -> list[str]:
    """Who has played in the circle one is at home in, by name, to be tapped into the seats."""
    browser = here()
    return [player.name for player in players_of(browser.circle)] if browser is not None else []


def here_or_new() -> Browser:
    """The same, in a circle made silently where there is none yet or where scoring is not this browser's right."""
    found = here()
    if found is None or not may(found.link.right, SCORE):
        entered, links = make_circle()
        keep(entered, links)
        found = entered.browser
    return found


def circle_or_not_yours(name: str, needs: str = WATCH) -> Browser:
    """Who this browser is in that circle; for a stranger there is no such circle."""
    browser = browser_of(held(), name)
    if browser is None:
        abort(404)
    return _with_right(browser, needs)


def table_or_not_yours(token: str, needs: str = WATCH) -> Open:
    """The table at that address; for one who may not see it there is none, and no page tells the difference."""
    found = book.read_table(held(), token)
    if found is None:
        abort(404)
    table, reader = found
    g.names = lambda: table.names
    if request.method == "GET":
        g.names()  # a page always names them, a write that succeeds never does
    g.sides = sitting.sides(table)
    _with_right(reader, needs)
    return table


def _with_right(browser: Browser, needs: str) -> Browser:
    """Be this browser for the rest of the request, if its right is enough."""
    g.browser = browser
    if not may(browser.link.right, needs):
        abort(403)
    _be_at_home_in(browser.circle)
    if session.get("renewed") != (month := f"{datetime.now(UTC):%Y-%m}"):
        session["renewed"] = month  # sends the cookie again, which is kept for a year from then
    return browser
