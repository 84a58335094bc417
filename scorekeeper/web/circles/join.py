"""Joining a circle: the page that a link opens, and the tap that joins.

Opening a link changes nothing: chat programs open links to show a preview of them, and people open them twice. The
link's secret stays in the URL until the tap, so that a page opened inside another app can be moved to the phone's own
browser. The tap sends the secret in the body, and redirects to a URL without it.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from flask import Blueprint, abort, current_app, g, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from ...models import Circle
from ...models.rights import may
from ...network import in_url, is_loopback, lan_addresses
from ...services.access import links
from ...services.access.devices import find_browser, readable_link_secrets
from ...services.planned.evenings import find_meeting
from ...services.tables.table import find_table
from ..support import access, rate_limits
from ..support.security_headers import exclude_from_search_engines


def link_secrets() -> dict[str, str]:
    """Return the secrets of the circle's live links that this device can show, by right."""
    return readable_link_secrets(g.browser, access.device_secret())


def join_url(circle: Circle, secret: str, token: str | None = None, planned: str | None = None) -> str:
    """Return the URL of a link, which leads to a table with this token, or to an evening to come: its token and day."""
    leads_to = {"table": token, "planned": planned}
    return with_reachable_host(url_for("join.show", name=circle.name, secret=secret, **leads_to, _external=True))


def with_reachable_host(url: str) -> str:
    """Replace a loopback host by this machine's address on its network, if it has one that phones can reach.

    Any other host stays: it is the one by which the page was requested.
    """
    parts = urlsplit(url)
    address = _address_on_network() if is_loopback(parts.hostname or "") else None
    if address is None:
        return url
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{in_url(address)}{port}"))


def _address_on_network() -> str | None:
    """Return the address at which other phones reach this server without a proxy; None if they cannot."""
    config = current_app.config
    if not config["LISTENS_EVERYWHERE"] or config["PROXIES"]:  # behind a proxy, its port would be another
        return None
    return next(iter(lan_addresses()), None)


blueprint = Blueprint("join", __name__)


@blueprint.get("/join/<name>/<secret>")
def show(name: str, secret: str) -> AnyResponse:
    """Show which circle the link leads to and what it allows; redirect a browser that has that right already."""
    token, planned = request.args.get("table", ""), request.args.get("planned", "")
    link = links.find_link(name, secret)
    if link is None:
        return _reject_link(name)
    browser = find_browser(access.device_secret(), name)
    if browser is not None and may(browser.right, link.right):
        return redirect(_landing_url(name, token, planned), 303)
    shared = find_table(link.circle, token) if token else None
    leads_to = {"token": token, "planned": planned, "meeting": find_meeting(link.circle, *_split(planned))}
    page = render_template("circles/join.html", link=link, browser=browser, secret=secret, shared=shared, **leads_to)
    return exclude_from_search_engines(make_response(page))


@blueprint.post("/join/<name>")
def join(name: str) -> AnyResponse:
    """Join by the link whose secret the page sends; joining twice changes nothing."""
    secret = request.form.get("secret", "")
    link = links.find_link(name, secret)
    if link is None or not links.join(link, secret, access.device_secret()):
        return _reject_link(name)
    browser = find_browser(access.device_secret(), name)
    if browser is None:  # removed, or the circle erased, since it joined
        abort(404)
    access.make_session_permanent()
    access.set_home(browser)
    return redirect(_landing_url(name, request.form.get("table", ""), request.form.get("planned", "")), 303)


@blueprint.get("/join/<name>")
def ended(name: str) -> AnyResponse | tuple[str, int]:
    """Show that the link is not valid, and nothing about the circle; redirect a browser that has access already."""
    if find_browser(access.device_secret(), name) is not None:
        return redirect(_landing_url(name), 303)
    return render_template("pages/error.html", page="ended-link"), 404


def _landing_url(name: str, token: str = "", planned: str = "") -> str:
    """Return the URL of the table with this token, or of this evening to come, or of the circle."""
    if planned:
        planned_token, day = _split(planned)
        return url_for("planned.show", name=name, planned_token=planned_token, day=day)
    return url_for("table.show", token=token) if token else url_for("circles.show", name=name)


def _split(planned: str) -> tuple[str, str]:
    """Return the token of an evening to come and the day, which a link has with a dot between them."""
    token, _, day = planned.partition(".")
    return token, day


def _reject_link(name: str) -> AnyResponse:
    """Count a wrong link, and redirect to a URL without its secret.

    Raises:
        TooManyRequests: too many wrong links came from this address, or in total.
    """
    rate_limits.count_wrong_link()
    return redirect(url_for("join.ended", name=name), 303)
