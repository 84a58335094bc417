"""Joining an event by one of its links: a table's card, the link to follow it, the link to check in.

As with the links of a circle (web/circles/join.py), opening a link changes nothing; the tap that joins sends the link
in the body. A link that only shows the event opens it without joining.
"""

from __future__ import annotations

from flask import Blueprint, abort, g, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...models import Event
from ...services.events import phones
from ...services.events.phones import DIRECT, PLAY, VIEW, EventAccess, EventLink, read_access
from ..circles.links import with_reachable_host
from ..support import access, event_access, rate_limits
from ..support.forms import parse_id
from ..support.http import exclude_from_search_engines
from ..support.qr_codes import qr_code

blueprint = Blueprint("event_join", __name__, url_prefix="/events")


def link_to(event: Event, kind: str, table: int | None = None) -> str:
    """Return the whole address of the event's current link of this kind, for a QR code or to share."""
    signed = EventLink.to(event, kind, table).signed(event_access.signing_key())
    return with_reachable_host(url_for("event_join.show", secret=signed, _external=True))


@blueprint.get("/join/<secret>")
def show(secret: str) -> Response:
    """Show which event, and which table, the link leads to; redirect who has this access already, or only looks."""
    link = phones.read_link(event_access.signing_key(), secret)
    event = phones.find_event_of(link) if link is not None else None
    if link is None or event is None:
        return _reject_link()
    if _has_access(read_access(access.device_secret(), event.token), link):
        return redirect(_landing_url(event, link), 303)
    if link.kind == phones.TO_WATCH:
        return redirect(url_for("events.show", token=event.token, shared=secret), 303)
    g.circle = event.circle
    page = make_response(render_template("events/join.html", event=event, link=link, secret=secret))
    return exclude_from_search_engines(page)


@blueprint.post("/join")
def join() -> Response:
    """Join by the link that the page sends; joining twice changes nothing."""
    link = phones.read_link(event_access.signing_key(), request.form.get("secret", ""))
    browser = phones.join(link, access.device_secret()) if link is not None else None
    event = phones.find_event_of(link) if link is not None and browser is not None else None
    if link is None or event is None:
        return _reject_link()
    access.make_session_permanent()
    return redirect(_landing_url(event, link), 303)


@blueprint.get("/join")
def ended() -> tuple[str, int]:
    """Show that the link is not valid, and nothing about the event."""
    return render_template("pages/error.html", page="ended-event-link"), 404


@blueprint.post("/<token>/me")
def claim(token: str) -> Response:
    """Set whose phone this is, by the number of the entrant; without a number, nobody's."""
    event = event_access.get_event_or_404(token, VIEW)
    number = parse_id(request.form.get("number"))
    if number is None and request.form.get("number"):
        abort(400)
    try:
        phones.claim(event, number, g.browser)
    except LookupError:
        abort(400)
    return redirect(url_for("events.show", token=token), 303)


@blueprint.get("/<token>/links")
def links(token: str) -> str:
    """Show the links to the event that a director shares: to watch it, and to check in."""
    event = event_access.get_event_or_404(token, DIRECT)
    kinds = [phones.TO_WATCH, *([phones.TO_CHECK_IN] if event.has_check_in else [])]
    urls = {kind: link_to(event, kind) for kind in kinds}
    codes = {kind: qr_code(url) for kind, url in urls.items()}
    return render_template("events/links.html", event=event, urls=urls, qr_codes=codes)


@blueprint.post("/<token>/links/renew")
def renew(token: str) -> Response:
    """Renew all links of the event: who has joined by one of them has to scan a new one."""
    event = event_access.get_event_or_404(token, DIRECT)
    phones.renew_links(event, g.browser, request.form.get("generation", ""))
    return redirect(url_for("event_join.links", token=token), 303)


def _has_access(found: EventAccess | None, link: EventLink) -> bool:
    """Return whether a browser may do all that a link allows."""
    if found is None:
        return False
    return found.may(PLAY, link.table) if link.kind == phones.AT_TABLE else True


def _landing_url(event: Event, link: EventLink) -> str:
    """Return the address that a link leads to."""
    if link.kind == phones.AT_TABLE:
        return url_for("event_table.show", token=event.token, number=link.table)
    if link.kind == phones.TO_CHECK_IN:
        return url_for("event_check_in.show", token=event.token)
    return url_for("events.show", token=event.token)


def _reject_link() -> Response:
    """Count a wrong link, and redirect to an address without it.

    Raises:
        TooManyError: too many wrong links came from this address, or in total.
    """
    rate_limits.count_wrong_link()
    return redirect(url_for("event_join.ended"), 303)
