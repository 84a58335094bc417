"""URLs by which other phones join a circle."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from flask import current_app, g, url_for

from ...models import Circle
from ...network import in_url, is_loopback, lan_addresses
from ...services.access.devices import readable_link_secrets
from ..support import access


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
