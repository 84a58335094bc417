"""Access control: the device that the session cookie identifies, and its rights in circles.

A device has one `Browser` row in each circle that it has joined.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from flask import abort, g, session

from ..models import SCORE, WATCH, Browser, may
from ..site.http import DEVICE
from ..site.language import remember_language
from ..site.rate_limits import require_creation
from ..site.time_zones import find_evening
from .lifecycle import circle_to_score_in
from .phones import browsers_of_device, find_browser, hash_secret

HOME = "circle"  # the session's key of the name of the home circle


def device_secret() -> str:
    return str(session[DEVICE])


def reader_hash() -> str:
    return hash_secret(device_secret())


def make_session_permanent() -> None:
    """Keep the session for a year, because its device has joined a circle."""
    session.permanent = True


def set_home(browser: Browser) -> None:
    """Make the browser's circle the home circle, which the front page shows and new tables are opened in.

    Unchanged if the circle is a sample, or if there is a home circle and the browser may only watch in this one.
    """
    is_home = session.get(HOME) == browser.circle.name
    if is_home or browser.circle.is_sample or (HOME in session and not may(browser.right, SCORE)):
        return
    session[HOME] = browser.circle.name


def forget_home(name: str) -> None:
    if session.get(HOME) == name:
        del session[HOME]


def device_browsers() -> list[Browser]:
    """List this device's browsers in each circle that it has access to, without samples."""
    return [browser for browser in browsers_of_device(device_secret()) if not browser.circle.is_sample]


def list_circles() -> list[tuple[Browser, date]]:
    """List `device_browsers` with the evening on which their circle was made."""
    return [(each, find_evening(each.circle.created_at, each.circle.time_zone)) for each in device_browsers()]


def home_browser() -> Browser | None:
    """Return the browser in the home circle; None for a device without circles.

    Without access to the home circle, the circle that the device joined last becomes the home circle; circles in which
    it may score come before others.
    """
    browsers, home = device_browsers(), session.get(HOME)
    found = next((browser for browser in browsers if browser.circle.name == home), None)
    if found is None and browsers:
        found = max(browsers, key=lambda browser: (may(browser.right, SCORE), browser.id))
        session[HOME] = found.circle.name
    return found


def scoring_home() -> str:
    """Return the name of the home circle, in which new tables are opened; "" if this device may not score there."""
    browser = home_browser()
    return browser.circle.name if browser is not None and may(browser.right, SCORE) else ""


def return_home(name: str) -> None:
    """Make the circle that a form was shown for the home circle again, so that nothing is stored in another one.

    404 if this device may no longer score there.
    """
    browser = find_browser(device_secret(), name)
    if browser is None or not may(browser.right, SCORE):
        abort(404)
    set_home(browser)


def current_or_new_circle(zone: str) -> Browser:
    """Return a browser that may score: in the home circle, else in another one, else in a new circle in this time zone.

    `zone` is what the device calls its time zone, "" if it has not said so.

    Raises:
        CreationRefusedError: it needs a new circle and may make none.
    """
    browser = home_browser()
    if browser is None or not may(browser.right, SCORE):
        if not any(may(member.right, SCORE) for member in device_browsers()):
            require_creation()
        browser = circle_to_score_in(device_secret(), zone)
    make_session_permanent()
    set_home(browser)
    return browser


def get_circle_or_404(name: str, needs: str = WATCH) -> Browser:
    """Return this device's browser in that circle.

    404 without access to the circle, as for a circle that does not exist; 403 without the right that is needed.
    """
    browser = find_browser(device_secret(), name)
    if browser is None:
        abort(404)
    g.browser = browser
    require(needs)
    renew_session(browser)
    return browser


def require(right: str) -> None:
    if not may(g.browser.right, right):
        abort(403)


def renew_session(browser: Browser) -> None:
    """Make this the home circle; once a month, send the cookies again, which expire after a year."""
    set_home(browser)
    if session.get("renewed") != (month := f"{datetime.now(UTC):%Y-%m}"):
        session["renewed"] = month
        remember_language()


def show_home_circle() -> Browser | None:
    """Return `home_browser`, and set `g.browser` to it, so that the page has the circle's places."""
    browser = home_browser()
    if browser is not None:
        g.setdefault("browser", browser)
    return browser
