"""How often one may guess: counted per address and in all, in this process or, for several, in Redis.

Only a wrong link counts as a guess. A club's phones come in side by side behind one address, and whoever holds a right
link never counts; who is in already meets no limit at all.
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
    app.extensions["guesses"] = Guesses(app.config["LIMITS_KEPT_IN"])
    app.register_error_handler(TooManyRequests, _refused)


def refuse_who_guesses() -> None:
    """Raises TooManyRequests for an address that has guessed too often, whatever it asks for now."""
    wait = _guesses().wait(address())
    if wait:
        raise TooManyRequests(retry_after=wait)


def count_guess() -> None:
    """This request was a guess, and a wrong one."""
    _guesses().add(address())


def _guesses() -> Guesses:
    guesses: Guesses = current_app.extensions["guesses"]
    return guesses


def _refused(error: TooManyRequests) -> tuple[str, int, dict[str, str]]:
    return render_template("error.html", page="too-many"), 429, {"Retry-After": str(error.retry_after)}


def address() -> str:
    """Whom to count a request for: an address of IPv4, or the network of one of IPv6, of which anybody has plenty."""
    try:
        told = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"  # a Unix socket's peer has none
    return str(told) if told.version == 4 else str(ipaddress.ip_network((told, 64), strict=False))
