"""How often one may guess: counted per address and in all, in this process or, for several, in Redis.

Only what failed counts as a guess. A club's phones come in side by side behind one address, and whoever holds a right
link never counts; who is in already meets no limit at all.
"""

from __future__ import annotations

import ipaddress
from typing import Any

from flask import Flask, Response, g, render_template, request
from flask_limiter import Limiter
from flask_limiter.errors import RateLimitExceeded

GUESSES_OF_ONE = "30 per minute; 200 per hour"  # wrong links, from one address
GUESSES_IN_ALL = "1000 per minute; 10000 per hour"


def init_app(app: Flask) -> None:
    """After all views are there."""
    limiter = Limiter(
        address,
        app=app,
        storage_uri=app.config["LIMITS_KEPT_IN"],
        # Counting may fail, letting people in may not: without Redis each process counts for itself.
        in_memory_fallback_enabled=True,
        key_prefix="scorekeeper",
    )

    view: Any = app.view_functions["front.join"]
    for most, counted_for in ((GUESSES_OF_ONE, address), (GUESSES_IN_ALL, _everybody)):
        view = limiter.limit(most, key_func=counted_for, deduct_when=_counts)(view)
    app.view_functions["front.join"] = view
    app.register_error_handler(RateLimitExceeded, _refused)


def count_guess() -> None:
    """This request was a guess, and a wrong one."""
    g.has_guessed = True


def _refused(error: RateLimitExceeded) -> tuple[str, int, dict[str, str]]:
    wait = error.limit.limit.get_expiry() if error.limit is not None else 0
    return render_template("error.html", page="too-many"), 429, {"Retry-After": str(wait)}


def _counts(_response: Response) -> bool:
    return "has_guessed" in g


def address() -> str:
    """Whom to count a request for: an address of IPv4, or the network of one of IPv6, of which anybody has plenty."""
    try:
        told = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"  # a Unix socket's peer has none
    return str(told) if told.version == 4 else str(ipaddress.ip_network((told, 64), strict=False))


def _everybody() -> str:
    return "all"
