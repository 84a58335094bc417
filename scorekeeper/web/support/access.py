"""Access control: the device that the session cookie identifies, and its rights in circles.

A device has one `Browser` row in each circle that it has joined.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NoReturn

from flask import abort, current_app, g, redirect, request, session, url_for

from ...db.transactions import RightRevokedError, write_to_circle
from ...models import SCORE, WATCH, Browser, Circle, may
from ...scoring.standing import other_side
from ...services.access import browsers_of_device, find_browser, hash_secret
from ...services.circles.lifecycle import circle_to_score_in
from ...services.circles.players import claim, list_players
from ...services.events.pad_tables import place_after, plays_at_pad
from ...services.tables.reading import read_table
from ...tables.state import TableState
from .http import DEVICE
from .language import has_message, remember_language, t
from .rate_limits import require_creation

# Endpoints of pages for all players, on which no side is "we"; nor is one in what such a page then asks for.
SHARED_PAGES = ("table.display", "history.printed", "history.recap")
FOR_DISPLAY = "display"  # the value of `?page=` with which the display page asks for updates


def owner_seat(table: TableState) -> str | None:
    """Return the label of this browser's owner; None if the owner is unknown or does not sit at this table now."""
    player = g.browser.player_id if "browser" in g else None
    seats = [seat for seat in table.stored.seats if seat.seat in table.seated_now] if player is not None else ()
    return next((seat.seat for seat in seats if player in (seat.player_id, seat.player.person.id)), None)


def claim_seat(table: TableState, seat: str) -> None:
    """Store the player in this seat as this browser's owner; nobody if there is no such seat."""
    browser = g.browser

    def work(_circle: Circle) -> None:
        person = next((row.player.person for row in table.stored.seats if row.seat == seat), None)
        if not claim(browser, person):
            raise RightRevokedError

    write_to_circle(browser.circle_id, work, browser=browser, right=WATCH)


def sides(table: TableState) -> dict[str, str]:
    """Return the words for the owner's own side and the other ("we" and "they"), by side, the own side first.

    Empty if the owner has no seat, on shared pages, and in games and languages without such words.
    """
    is_shared = request.endpoint in SHARED_PAGES or request.args.get("page") == FOR_DISPLAY
    if is_shared or not (table.game.in_sides and has_message(f"{table.game.slug}.side.ours")):
        return {}
    seat = owner_seat(table)
    if seat is None:
        return {}
    own = table.standing.side_of(seat)
    return {own: t(f"{table.game.slug}.side.ours"), other_side(own): t(f"{table.game.slug}.side.theirs")}


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


def player_names() -> list[str]:
    browser = home_browser()
    return [player.name for player in list_players(browser.circle)] if browser is not None else []


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
    _require(needs)
    renew_session(browser)
    return browser


def get_table_or_404(
    token: str, needs: str = WATCH, *, in_background: bool = False, guests: bool = False
) -> TableState:
    """Return the table with this token; sets `g.table`, `g.browser`, `g.names`, `g.sides`, and `g.is_guest`.

    404 without access to the table, as for a table that does not exist; 403 without the right that is needed.
    `in_background`: the request comes from a polling script, so the session is not changed. `guests`: a phone that
    plays here in an event may do it, too; for the rest of the request, if it has been asked for once.

    Raises:
        MissingGameError: the table's game is not installed; `web/tables/table.py` answers the request.
    """
    found = read_table(device_secret(), token, guests=guests or is_guest())
    if found is None:
        _abort_without_access(token, guests)
    table, browser = found
    g.table = table
    g.browser = browser
    is_watching = guests and not may(browser.right, SCORE)
    g.is_guest = browser.right is None or (is_watching and plays_at_pad(table.stored, browser))
    g.names = table.names
    g.sides = sides(table)
    if not g.is_guest:
        _require(needs)
    if not in_background and not g.is_guest:
        renew_session(browser)
    return table


def _abort_without_access(token: str, guests: bool) -> NoReturn:
    """Answer 404; but lead a guest, whose round at the table is over, back to the event."""
    place = place_after(device_secret(), token) if guests and request.method == "GET" else None
    if place is None or request.endpoint not in ("table.show", "deals.new"):
        abort(404)
    abort(redirect(url_for("event_table.show", token=place[0], number=place[1]), 303))


def is_guest() -> bool:
    """Return whether the request comes from a phone that plays at its table in an event, and sees nothing else.

    A member's phone who may only watch is one, too, while they play there.
    """
    return bool(g.get("is_guest"))


def _require(right: str) -> None:
    if not may(g.browser.right, right):
        abort(403)


def renew_session(browser: Browser) -> None:
    """Make this the home circle; once a month, send the cookies again, which expire after a year."""
    set_home(browser)
    if session.get("renewed") != (month := f"{datetime.now(UTC):%Y-%m}"):
        session["renewed"] = month
        remember_language()


# By the area of the views, and for single pages of other areas. All other pages belong to *More*.
_AREAS = {"tables": "table", "money": "money"} | dict.fromkeys(
    ("events", "people", "planned", "seasons", "totals"), "evening"
)
_PAGES = {"home.home": "table", "circles.show": "evening"}


def find_place() -> str:
    """Return the place that the page belongs to: table, money, evening or more."""
    endpoint = request.endpoint or ""
    if endpoint in _PAGES:
        return _PAGES[endpoint]
    view = current_app.view_functions.get(endpoint)
    area = view.__module__.split(".")[2] if view is not None else ""  # scorekeeper.web.<area>
    return _AREAS.get(area, "more")


def show_home_circle() -> Browser | None:
    """Return `home_browser`, and set `g.browser` to it, so that the page has the circle's places."""
    browser = home_browser()
    if browser is not None:
        g.setdefault("browser", browser)
    return browser
