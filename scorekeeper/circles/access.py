"""Access control: the device that the session cookie identifies, and its rights in circles.

A device has one `Membership` row in each circle that it has joined.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from flask import abort, g, request, session

from ..models import SCORE, WATCH, Membership, hash_secret, may
from ..site.http import DEVICE, remember_preference
from ..site.language import LANGUAGE
from ..site.rate_limits import require_creation
from ..site.time_zones import find_evening
from .lifecycle import find_or_add_scoring_membership
from .phones import find_membership, list_memberships_of_device

HOME = "circle"  # the session's key of the token of the home circle


def device_secret() -> str:
    return str(session[DEVICE])


def device_hash() -> str:
    return hash_secret(device_secret())


def make_session_permanent() -> None:
    """Keep the session for a year, because its device has joined a circle."""
    session.permanent = True


def set_home(membership: Membership) -> None:
    """Make the membership's circle the home circle, which the front page shows and new tables are opened in.

    Unchanged if the circle is a sample, or if there is a home circle and the device may only watch in this one.
    """
    is_home = session.get(HOME) == membership.circle.token
    if is_home or membership.circle.is_sample or (HOME in session and not may(membership.right, SCORE)):
        return
    session[HOME] = membership.circle.token


def list_real_memberships() -> list[Membership]:
    """List this device's memberships of circles that are no samples."""
    return [membership for membership in list_memberships_of_device(device_secret()) if not membership.circle.is_sample]


def list_own_circles() -> list[tuple[Membership, date]]:
    """List the real memberships with the evening on which their circle was made."""
    memberships = list_real_memberships()
    return [(own, find_evening(own.circle.created_at, own.circle.time_zone)) for own in memberships]


def find_home_membership() -> Membership | None:
    """Return the membership in the home circle; None for a device without circles.

    Without access to the home circle, the circle that the device joined last becomes the home circle; circles in which
    it may score come before others.
    """
    memberships = list_real_memberships()
    home = session.get(HOME)
    at_home = next((membership for membership in memberships if membership.circle.token == home), None)
    if at_home is None and memberships:
        at_home = max(memberships, key=lambda membership: (may(membership.right, SCORE), membership.id))
        session[HOME] = at_home.circle.token
    return at_home


def find_scoring_home() -> str:
    """Return the token of the home circle, in which new tables are opened; "" if this device may not score there."""
    membership = find_home_membership()
    return membership.circle.token if membership is not None and may(membership.right, SCORE) else ""


def return_home(circle_token: str) -> None:
    """Make the circle that a form was shown for the home circle again; 404 if this device may no longer score there."""
    membership = find_membership(device_secret(), circle_token)
    if membership is None or not may(membership.right, SCORE):
        abort(404)
    set_home(membership)


def get_scoring_membership(zone: str) -> Membership:
    """Return a membership that may score: in the home circle, else in another one, else in a new circle.

    Raises a CreationRefusedError if the device may not make one. `zone` is what it calls its time zone.
    """
    membership = find_home_membership()
    if membership is None or not may(membership.right, SCORE):
        if not any(may(membership.right, SCORE) for membership in list_real_memberships()):
            require_creation()
        membership = find_or_add_scoring_membership(device_secret(), zone)
    make_session_permanent()
    set_home(membership)
    return membership


def get_membership_or_404(circle_token: str, needs: str = WATCH) -> Membership:
    """Return this device's membership, and remember the circle in the session.

    404 without access, as if there were no such circle, 403 without the right.
    """
    membership = reload_membership_or_404(circle_token, needs)
    remember_circle(membership)
    return membership


def reload_membership_or_404(circle_token: str, needs: str = WATCH) -> Membership:
    """Return this device's membership, and set `g.membership` to it. A write has expired what was loaded before."""
    membership = find_membership(device_secret(), circle_token)
    if membership is None:
        abort(404)
    g.membership = membership
    require_right(needs)
    return membership


def require_right(right: str) -> None:
    if not may(g.membership.right, right):
        abort(403)


def remember_circle(membership: Membership) -> None:
    """Make this the home circle; once a month, send the cookies again, which expire after a year."""
    set_home(membership)
    if session.get("renewed") != (month := f"{datetime.now(UTC):%Y-%m}"):
        session["renewed"] = month
        if LANGUAGE in request.cookies:
            remember_preference(LANGUAGE, request.cookies[LANGUAGE])


def load_home_membership() -> Membership | None:
    """Return `find_home_membership()`, and set `g.membership` to it, so that the page has the circle's places."""
    membership = find_home_membership()
    if membership is not None:
        g.setdefault("membership", membership)
    return membership
