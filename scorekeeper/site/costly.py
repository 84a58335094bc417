"""A limit to the costly views that run at a time, so that entries stay quick."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

from flask import Flask, render_template, request, session

from .error_pages import sent_form
from .http import DEVICE

MAX_AT_ONCE = 2  # in a process
RETRY_SECONDS = 10

P = ParamSpec("P")
T = TypeVar("T")

_lock = Lock()
_readers: set[str] = set()  # the devices for which a costly view runs, by the hash of their secret


class BusyError(Exception):
    """The limit is reached, or a costly view already runs for this device."""


def init_app(app: Flask) -> None:
    app.register_error_handler(BusyError, _busy)


def costly(view: Callable[P, T]) -> Callable[P, T]:
    """Limit the requests that run this view at a time, to one for each device. The others get 429."""

    @wraps(view)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        reader = session[DEVICE]
        with _lock:
            if reader in _readers or len(_readers) >= MAX_AT_ONCE:
                raise BusyError
            _readers.add(reader)
        try:
            return view(*args, **kwargs)
        finally:
            _readers.discard(reader)

    return limited


def _busy(_error: BusyError) -> tuple[str, int, dict[str, str]]:
    sent = sent_form() if request.method == "POST" else None
    return render_template("home/error.html", page="busy", sent=sent), 429, {"Retry-After": str(RETRY_SECONDS)}
