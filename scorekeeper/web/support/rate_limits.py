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

GUESSES_OF_ONE = "30 per minute; 200 per hour"  # wrong links, from one address
GUESSES_IN_ALL = "1000 per minute; 10000 per hour"
TO_REDIS = 1  # seconds until it is taken to be away

T = TypeVar("T")


class Guesses:
    """Counts of wrong links. Where those that several processes keep together are away, each counts for itself."""

    def __init__(self, kept_in: str) -> None:
        patience = {"socket_connect_timeout": TO_REDIS, "socket_timeout": TO_REDIS} if "redis" in kept_in else {}
        self._together = FixedWindowRateLimiter(storage_from_string(kept_in, wrap_exceptions=True, **patience))
        self._alone = FixedWindowRateLimiter(MemoryStorage())
        self._of_one, self._in_all = parse_many(GUESSES_OF_ONE), parse_many(GUESSES_IN_ALL)

    def add(self, address: str) -> None:
        self._counted(lambda counts: [counts.hit(most, *whose) for most, whose in self._limits(address)])

    def wait(self, address: str) -> int:
        """The seconds until the address may guess again; 0: it may."""
        return self._counted(lambda counts: max(_wait(counts, most, whose) for most, whose in self._limits(address)))

    def _limits(self, address: str) -> list[tuple[RateLimitItem, tuple[str, ...]]]:
        of_one, in_all = ("scorekeeper", "guesses", address), ("scorekeeper", "guesses")
        return [(most, of_one) for most in self._of_one] + [(most, in_all) for most in self._in_all]

    def _counted(self, count: Callable[[FixedWindowRateLimiter], T]) -> T:
        try:
            return count(self._together)
        except StorageError:
            return count(self._alone)


def _wait(counts: FixedWindowRateLimiter, most: RateLimitItem, whose: tuple[str, ...]) -> int:
    if counts.test(most, *whose):
        return 0
    return max(1, round(counts.get_window_stats(most, *whose).reset_time - time.time()))


def init_app(app: Flask) -> None:
    """Create the limiter, and the page for refused requests."""
    app.extensions["guesses"] = Guesses(app.config["LIMITS_KEPT_IN"])
    app.register_error_handler(TooManyRequests, _refused)


def count_wrong_link() -> None:
    """Count this request, which came with a wrong link.

    Raises:
        TooManyRequests: its address has sent too many before.
    """
    wait = _guesses().wait(address())
    if wait:
        raise TooManyRequests(retry_after=wait)
    _guesses().add(address())


def _guesses() -> Guesses:
    guesses: Guesses = current_app.extensions["guesses"]
    return guesses


def _refused(error: TooManyRequests) -> tuple[str, int, dict[str, str]]:
    return render_template("pages/error.html", page="too-many"), 429, {"Retry-After": str(error.retry_after)}


def address() -> str:
    """Return the client's IPv4 address or IPv6 network, to count its requests by."""
    try:
        told = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"  # a Unix socket's peer has none
    return str(told) if told.version == 4 else str(ipaddress.ip_network((told, 64), strict=False))
