"""Rate limit for wrong links, per address and in total; counted in this process or, for several processes, in Redis.

A link is looked up first, and only a wrong one is counted: a right one opens its circle whatever others behind the same
router have tried. This tells an attacker nothing. A secret has 192 random bits, so it cannot be guessed; the limit does
not protect secrets, it keeps attackers from filling the server and its log. Limited or not, the responses to a right
link and to a wrong one differ in the same way.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable
from typing import TypeVar

from flask import Flask, current_app, render_template, request
from limits import RateLimitItem, parse_many
from limits.errors import StorageError
from limits.storage import MemoryStorage, storage_from_string
from limits.strategies import FixedWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

MAX_WRONG_LINKS = "30 per minute; 200 per hour"  # from one address
MAX_WRONG_LINKS_IN_TOTAL = "1000 per minute; 10000 per hour"
REDIS_TIMEOUT = 1  # seconds

T = TypeVar("T")


class WrongLinkLimiter:
    """Counts wrong links. While the shared storage is unavailable, each process counts in its own memory."""

    def __init__(self, storage_uri: str) -> None:
        is_redis = "redis" in storage_uri
        timeouts = {"socket_connect_timeout": REDIS_TIMEOUT, "socket_timeout": REDIS_TIMEOUT} if is_redis else {}
        self._shared = FixedWindowRateLimiter(storage_from_string(storage_uri, wrap_exceptions=True, **timeouts))
        self._fallback = FixedWindowRateLimiter(MemoryStorage())
        self._limits_per_address = parse_many(MAX_WRONG_LINKS)
        self._total_limits = parse_many(MAX_WRONG_LINKS_IN_TOTAL)

    def hit(self, address: str) -> None:
        """Count a wrong link from an address."""
        self._with_fallback(lambda limiter: [limiter.hit(limit, *key) for limit, key in self._limits(address)])

    def retry_after(self, address: str) -> int:
        """Return the seconds until the address may send another wrong link; 0 if it may now."""
        return self._with_fallback(
            lambda limiter: max(_retry_after(limiter, limit, key) for limit, key in self._limits(address))
        )

    def _limits(self, address: str) -> list[tuple[RateLimitItem, tuple[str, ...]]]:
        """Return the limits that apply to an address, each with the key that its requests are counted under."""
        address_key, total_key = ("scorekeeper", "guesses", address), ("scorekeeper", "guesses")
        return [
            *((limit, address_key) for limit in self._limits_per_address),
            *((limit, total_key) for limit in self._total_limits),
        ]

    def _with_fallback(self, action: Callable[[FixedWindowRateLimiter], T]) -> T:
        try:
            return action(self._shared)
        except StorageError:
            return action(self._fallback)


def _retry_after(limiter: FixedWindowRateLimiter, limit: RateLimitItem, key: tuple[str, ...]) -> int:
    if limiter.test(limit, *key):
        return 0
    return max(1, round(limiter.get_window_stats(limit, *key).reset_time - time.time()))


def init_app(app: Flask) -> None:
    """Create the limiter, and the page for refused requests."""
    app.extensions["wrong_link_limiter"] = WrongLinkLimiter(app.config["RATELIMIT_STORAGE_URI"])
    app.register_error_handler(TooManyRequests, _refuse)


def count_wrong_link() -> None:
    """Count this request, which came with a wrong link.

    Raises:
        TooManyRequests: its address, or all addresses together, have sent too many before.
    """
    limiter: WrongLinkLimiter = current_app.extensions["wrong_link_limiter"]
    address = client_address()
    retry_after = limiter.retry_after(address)
    if retry_after:
        raise TooManyRequests(retry_after=retry_after)
    limiter.hit(address)


def _refuse(error: TooManyRequests) -> tuple[str, int, dict[str, str]]:
    return render_template("pages/error.html", page="too-many"), 429, {"Retry-After": str(error.retry_after)}


def client_address() -> str:
    """Return the client's IPv4 address or IPv6 network, to count its requests by."""
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"  # the peer of a Unix socket has no address
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))
