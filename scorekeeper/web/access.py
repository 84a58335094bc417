"""What this browser's cookie holds: the circles it has come into, and the links it knows."""

from __future__ import annotations

from flask import abort, g, session

from .. import book
from ..book import SCORE, WATCH, Held, may
from ..book.circles import Entered, browser_of, browsers_held, make_circle
from ..store import Browser, Circle
from ..table import Open


def keep(entered: Entered, links: dict[str, str]) -> None:
    """Keep in the signed cookie who this browser is in the circle, and the links it came to know; be at home there."""
    name = entered.browser.circle.name
    session["circles"] = dict(session.get("circles", {})) | {name: list(entered.held)}
    learn(name, links)
    session["circle"] = name
    session.permanent = True


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
    if session.get("circle") == name:
        session["circle"] = next(iter(session["circles"]), "")


def everywhere() -> list[Browser]:
    """Who this browser is in each circle that it can come into."""
    return browsers_held(held())


def here() -> Browser | None:
    """Who this browser is in the circle it is at home in."""
    return browser_of(held(), session.get("circle", ""))


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
    g.names = table.names
    _with_right(reader, needs)
    return table


def _with_right(browser: Browser, needs: str) -> Browser:
    """Be this browser for the rest of the request, if its right is enough."""
    g.browser = browser
    if not may(browser.link.right, needs):
        abort(403)
    if session.get("circle") != browser.circle.name:
        session["circle"] = browser.circle.name
    return browser
