"""Access control: the device that the session cookie identifies, and its rights in circles.

A device has one `Browser` row in each circle that it has joined.
"""

from __future__ import annotations

from datetime import UTC, datetime

from flask import abort, g, request

from ... import services
from ...models import Browser
from ...services import SCORE, WATCH, may
from ...services.access.devices import browser_of, browsers_of_device, new_secret
from ...services.access.old_cookies import OldCookie, adopt
from ...services.circles import circle_to_score_in
from ...services.people import players_of
from ...tables.state import TableState
from ..tables import my_seat
from .language import remember_language
from .sessions import DEVICE, current_session

HOME = "circle"  # the session's key of the name of the circle that the browser is at home in
_OLD = ("circles", "links", "me", "sample")  # keys of sessions from before there were devices


def device_secret() -> str:
    """Return the secret of this browser's device; a session of an earlier version is converted first."""
    session = current_session()
    if "circles" in session:
        _adopt_old_cookie()
    if DEVICE not in session:
        session[DEVICE] = new_secret()
    return str(session[DEVICE])


def _adopt_old_cookie() -> None:
    session = current_session()
    circles = {name: (int(id_), str(secret)) for name, (id_, secret) in session["circles"].items()}
    secret = adopt(OldCookie(circles, session.get("links", {}), session.get("me", {})), session.get(DEVICE))
    if secret is None:
        return  # perhaps another database was restored for a while: the cookie may prove something again later
    session[DEVICE] = secret
    for key in _OLD:
        session.pop(key, None)


def keep_device() -> None:
    """Keep the session for a year: its device has come into a circle."""
    session = current_session()
    session.permanent = True
    session.replace_unreadable()


def be_at_home_in(browser: Browser) -> None:
    """Make this circle the one that the front page shows and new tables are opened in.

    A sample is nobody's home. Nor does a circle that the browser may only watch take the place of another one.
    """
    session = current_session()
    is_home = session.get(HOME) == browser.circle.name
    if is_home or browser.circle.is_sample or (HOME in session and not may(browser.right, SCORE)):
        return
    session[HOME] = browser.circle.name


def forget(name: str) -> None:
    """Be at home in that circle no more."""
    session = current_session()
    if session.get(HOME) == name:
        del session[HOME]


def everywhere() -> list[Browser]:
    """List this device's browsers in each circle that it has access to, samples left out."""
    return [browser for browser in browsers_of_device(device_secret()) if not browser.circle.is_sample]


def here(mine: list[Browser] | None = None) -> Browser | None:
    """Return the browser in the home circle; where that lets it in no more, in the circle it came into last.

    A circle where it may score goes before one that it may only watch. `mine` is what `everywhere` answers.
    """
    mine = everywhere() if mine is None else mine
    home = current_session().get(HOME)
    found = next((browser for browser in mine if browser.circle.name == home), None)
    if found is None and mine:
        found = max(mine, key=lambda browser: (may(browser.right, SCORE), browser.id))
        current_session()[HOME] = found.circle.name
    return found


def offered() -> list[str]:
    """List who has played in the home circle, by name, to be tapped into the seats."""
    browser = here()
    return [player.name for player in players_of(browser.circle)] if browser is not None else []


def current_or_new_circle() -> Browser:
    """Return a browser that may score: in the home circle, else in another one, else in a new circle."""
    found = here()
    if found is None or not may(found.right, SCORE):
        found = circle_to_score_in(device_secret())
    keep_device()
    be_at_home_in(found)
    return found


def get_circle_or_404(name: str, needs: str = WATCH) -> Browser:
    """Return this device's browser in that circle; 404 without access to it, as for a circle that does not exist."""
    browser = browser_of(device_secret(), name)
    if browser is None:
        abort(404)
    _be(browser, needs)
    _come_by(browser)
    return browser


def get_table_or_404(token: str, needs: str = WATCH, *, in_background: bool = False) -> TableState:
    """Return the table with this token; 404 without access to it, as for a table that does not exist.

    `in_background`: the request comes from a polling script, so the session is not changed.
    """
    found = services.read_table(device_secret(), token)
    if found is None:
        abort(404)
    table, reader = found
    g.browser = reader
    g.names = lambda: table.names
    if request.method == "GET":
        g.names()  # a page always names them, a write that succeeds never does
    g.sides = my_seat.sides(table)
    _be(reader, needs)
    if not in_background:
        _come_by(reader)
    return table


def _be(browser: Browser, needs: str) -> None:
    """Be this browser for the rest of the request, if its right is enough."""
    g.browser = browser
    if not may(browser.right, needs):
        abort(403)


def _come_by(browser: Browser) -> None:
    """Be at home here; and once a month send the cookies again, which are kept for a year from then."""
    be_at_home_in(browser)
    session = current_session()
    if session.get("renewed") != (month := f"{datetime.now(UTC):%Y-%m}"):
        session["renewed"] = month
        remember_language()
