"""A WSGI app whose conditional requests are answered once there was another request."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

MOST = 10  # seconds

_another = Event()


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer 200, or 503 if there was no other request in time."""
    if "HTTP_IF_NONE_MATCH" in environ:
        has_come = _another.wait(MOST)
    else:
        has_come = True
        _another.set()
    start_response("200 OK" if has_come else "503 Service Unavailable", [("Content-Length", "0")])
    return [b""]
