"""Rate limits. Each process counts for itself.

A link is looked up first, and only a wrong one is counted: a right one opens its circle whatever others behind the same
router have tried. This tells an attacker nothing. A secret has 192 random bits, so it cannot be guessed; the limit does
not protect secrets, it keeps attackers from filling the server and its log. Limited or not, the responses to a right
link and to a wrong one differ in the same way.
"""

from __future__ import annotations

import ipaddress
import time

from flask import Flask, current_app, g, render_template, request
from flask_limiter import Limiter, RateLimitExceeded

MAX_WRONG_LINKS = "30 per minute; 200 per hour"  # from one address
MAX_WRONG_LINKS_IN_TOTAL = "1000 per minute; 10000 per hour"
MAX_CHECK_INS = "120 per minute; 1500 per hour"  # at events, from one address: a whole hall may be behind one router
MAX_CIRCLES = "20 per hour; 60 per day"  # new ones, and codes for them, right or wrong, from one address
MAX_TABLES = "100 per hour; 500 per day"  # new ones in one circle; those of its events do not count


def init_app(app: Flask) -> None:
    """Create the limiter, and the page for refused requests."""
    limiter = Limiter(client_address)
    # A limiter that the app seems to have already adds no hooks, which would cost every request 0.3 ms. They are for
    # limits of views; here only some requests are counted.
    app.extensions["limiter"] = {limiter}
    limiter.init_app(app)
    limit_per_address = limiter.shared_limit(MAX_WRONG_LINKS, scope="wrong-links")
    limit_in_total = limiter.shared_limit(
        MAX_WRONG_LINKS_IN_TOTAL, scope="all-wrong-links", key_func=lambda: "all addresses"
    )
    app.extensions["count_wrong_link"] = limit_in_total(limit_per_address(_wrong_link))
    app.extensions["count_check_in"] = limiter.shared_limit(MAX_CHECK_INS, scope="check-ins")(_check_in)
    app.extensions["count_circle"] = limiter.shared_limit(MAX_CIRCLES, scope="circles")(_circle)
    app.extensions["count_table"] = limiter.shared_limit(MAX_TABLES, scope="tables", key_func=lambda: g.filling_circle)(
        _table
    )

    @app.errorhandler(RateLimitExceeded)
    def refuse(_error: RateLimitExceeded) -> tuple[str, int, dict[str, str]]:
        return render_template("pages/error.html", page="too-many"), 429, {"Retry-After": str(seconds_to_wait())}


def seconds_to_wait() -> int:
    """Return in how many seconds the limit that refused this request allows another one."""
    limiter = next(iter(current_app.extensions["limiter"]))
    breached = limiter.current_limit
    return max(1, int(breached.reset_at - time.time())) if breached is not None else 1


# Flask-Limiter knows limits by the decorated function's name, so each kind of request has a function of its own. They
# do nothing: calling one, decorated, counts a request.


def _wrong_link() -> None: ...


def _check_in() -> None: ...


def _circle() -> None: ...


def _table() -> None: ...


def count_wrong_link() -> None:
    """Count this request, which came with a wrong link.

    Raises:
        RateLimitExceeded: its address, or all addresses together, have sent too many before.
    """
    current_app.extensions["count_wrong_link"]()


def count_check_in() -> None:
    """Count this request, in which a guest enters names at an event.

    Raises:
        RateLimitExceeded: its address has sent too many before.
    """
    current_app.extensions["count_check_in"]()


def count_circle() -> None:
    """Count this request, which makes a circle or came with a code for one.

    Raises:
        RateLimitExceeded: its address has sent too many before.
    """
    current_app.extensions["count_circle"]()


def count_table(circle_name: str) -> None:
    """Count this request, which opens a table in a circle, or imports some.

    Raises:
        RateLimitExceeded: too many were opened there before.
    """
    g.filling_circle = circle_name
    current_app.extensions["count_table"]()


def client_address() -> str:
    """Return the client's IPv4 address or IPv6 network, to count its requests by."""
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"  # the peer of a Unix socket has no address
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))
