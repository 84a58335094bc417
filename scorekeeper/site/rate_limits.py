"""Limits to what strangers send, to making circles and tables by pages, and to costly views. Each process counts alone.

Only wrong links are counted, so that a right one opens its circle whatever others behind the same router have tried.
Nobody can guess one: a secret has 192 random bits. The limit keeps the server and its log from being filled.

Circles are made by everyone, with a code, or by nobody, as SCOREKEEPER_CREATE says.
"""

from __future__ import annotations

import hmac
import ipaddress
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

from flask import Flask, abort, current_app, make_response, render_template, request, session
from limits import parse_many
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

from ..errors import StartupError
from ..models import Circle, now
from .error_pages import refused_form, sent_form
from .http import DEVICE
from .language import moment

# How often something may be done, as the package `limits` reads it.
WRONG_LINKS_RATE = "30 per minute; 200 per hour"  # from one address
ALL_WRONG_LINKS_RATE = "1000 per minute; 10000 per hour"
CHECK_INS_RATE = "120 per minute; 1500 per hour"  # at events, from one address: a whole hall may be behind one router
CIRCLES_RATE = "20 per hour; 60 per day"  # new ones, and codes for them, right or wrong, from one address
TABLES_RATE = "100 per hour; 500 per day"  # new ones in one circle; those of its events do not count
NOTICES_RATE = "60 per hour"  # to one phone in one circle
EVERYONE, CODE, NOBODY = "everyone", "code", "nobody"  # who may make circles
MIN_CODE = 8  # characters
CODE_FIELD = "circle_code"


@dataclass(eq=False)
class CreationRefusedError(Exception):
    """This request may make no circle, or no table."""

    page: str  # names the words of the page that says so
    seconds: int = 0  # until it may; 0 if that does not depend on the time
    may_be_resent: bool = True  # whether the page holds the form that was sent, so that nothing is typed twice
    asks_code: bool = False  # with a field for the code


def init_app(app: Flask) -> None:
    if app.config["CREATE"] == CODE and not app.config["CREATE_CODE"]:
        raise StartupError("no-code", name="SCOREKEEPER_CREATE_CODE", low=MIN_CODE)
    app.extensions["limiter"] = FixedWindowRateLimiter(MemoryStorage())
    app.register_error_handler(CreationRefusedError, _refused)


def _count(limits: str, *key: str) -> int:
    """Count a request; return for how many seconds it is one too many, 0 if it is not."""
    limiter = current_app.extensions["limiter"]
    for limit in parse_many(limits) if current_app.config["RATELIMIT_ENABLED"] else ():
        if not limiter.hit(limit, *key):
            return max(1, int(limiter.get_window_stats(limit, *key).reset_time - time.time()))
    return 0


def count_wrong_link() -> None:
    """Count this request, which came with a wrong link; answer 429 if its address, or all together, sent too many."""
    wait = _count(WRONG_LINKS_RATE, "wrong-links", _client_address())
    if wait := wait or _count(ALL_WRONG_LINKS_RATE, "all-wrong-links"):
        raise TooManyRequests(retry_after=wait)


def count_check_in() -> None:
    """Count this request, in which a guest enters names at an event; answer 429 after too many from its address."""
    if wait := _count(CHECK_INS_RATE, "check-ins", _client_address()):
        raise TooManyRequests(retry_after=wait)


def may_notify(subscription_token: str) -> bool:
    """Count a notice to the subscription with this token; return whether it has not had too many before."""
    return _count(NOTICES_RATE, "notices", subscription_token) == 0


def _client_address() -> str:
    """Return what requests are counted by: an IPv4 address, or an IPv6 network, since a household has a whole one."""
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"  # the peer of a Unix socket has no address
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))


# --- circles and tables --------------------------------------------------------------------------------------


def require_creation() -> None:
    """Count this request for a new circle, and raise CreationRefusedError unless it may make one."""
    if current_app.config["CREATE"] == NOBODY:
        raise CreationRefusedError("circle-nobody", may_be_resent=False)
    asks_code = current_app.config["CREATE"] == CODE
    typed = request.form.get(CODE_FIELD, "").strip()
    if asks_code and not typed:
        raise CreationRefusedError("circle-code", asks_code=True)
    _count_circle(asks_code=asks_code)  # before the code is compared: guesses beyond the limit reveal nothing
    if asks_code and not hmac.compare_digest(typed.encode(), current_app.config["CREATE_CODE"].encode()):
        raise CreationRefusedError("circle-wrong-code", asks_code=True)


def _count_circle(*, asks_code: bool = False) -> None:
    if wait := _count(CIRCLES_RATE, "circles", _client_address()):
        raise CreationRefusedError("too-many-circles", wait, asks_code=asks_code)


def may_make_sample(*, is_member: bool) -> bool:
    """Return whether this request may make a sample; `is_member`: its device is in a circle that is not a sample."""
    return is_member or current_app.config["CREATE"] == EVERYONE


def require_sample(*, is_member: bool, is_first: bool) -> None:
    """Raise CreationRefusedError unless it may make a sample; count one that replaces no other (`is_first`)."""
    if not may_make_sample(is_member=is_member):
        raise CreationRefusedError("circle-sample", may_be_resent=False)
    if is_first:
        _count_circle()


def require_table(circle: Circle) -> None:
    """Count a table that is to be opened in the circle; raise CreationRefusedError after too many."""
    if wait := _count(TABLES_RATE, "tables", circle.token):
        raise CreationRefusedError("too-many-tables", wait)


def _refused(error: CreationRefusedError) -> tuple[str, int, dict[str, str]]:
    wait = error.seconds
    page = render_template(
        "error.html",
        page=error.page,
        until=moment(now() + timedelta(seconds=wait + 59)) if wait else None,  # the next whole minute
        contact=current_app.config["CONTACT"],
        asks_host=not wait,
        sent=sent_form(CODE_FIELD) if error.may_be_resent else None,
        code_field=CODE_FIELD if error.asks_code else None,
    )
    return (page, 429, {"Retry-After": str(wait)}) if wait else (page, 403, {})


# --- costly views: few run at a time, so that entries stay quick -------------------------------------------------

MAX_COSTLY = 2  # in a process
RETRY_SECONDS = 10

P = ParamSpec("P")
T = TypeVar("T")

_lock = Lock()
_busy: set[str] = set()  # the secrets of the devices for which a costly view runs


def costly(view: Callable[P, T]) -> Callable[P, T]:
    """Limit the requests that run this view at a time, to one for each device. The others get 429."""

    @wraps(view)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        device_secret = session[DEVICE]
        with _lock:
            if is_free := device_secret not in _busy and len(_busy) < MAX_COSTLY:
                _busy.add(device_secret)
        if not is_free:
            page = render_template("error.html", page="busy", sent=refused_form())
            abort(make_response(page, 429, {"Retry-After": str(RETRY_SECONDS)}))
        try:
            return view(*args, **kwargs)
        finally:
            _busy.discard(device_secret)

    return limited
