"""What requests and responses have in common: downloads, the session's cookie, ETags, headers.

The session is the device's secret, its CSRF token and its home circle. What a device may do is stored on the server
(circles/phones.py): so the cookie is small and seldom rewritten, and no concurrent response undoes a change. A browser
gets the secret with its first cookie. It is valid whatever the server's clock says; the browser drops it after a year.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from tempfile import TemporaryFile
from typing import IO, Any, cast

from flask import (
    Flask,
    Request,
    Response,
    after_this_request,
    current_app,
    has_request_context,
    make_response,
    request,
)
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadData
from werkzeug.datastructures import Headers
from werkzeug.exceptions import ClientDisconnected

from ..models import new_secret

CHUNK_SIZE = 1 << 16  # bytes of a file read at a time


def is_sent_by_script() -> bool:
    return request.headers.get("Accept") == "application/json"


def file_response(name: str, content_type: str, write: Callable[[IO[bytes]], object]) -> Response:
    """Return a download of what `write` writes, to a temporary file: an error in the middle leads to an error page."""
    file = TemporaryFile()  # noqa: SIM115  # closed with the response
    try:
        write(cast(IO[bytes], _Watched(file)))
    except BaseException:
        file.close()
        raise
    headers = Headers({"Content-Type": content_type, "Content-Length": str(file.tell()), "Cache-Control": "no-store"})
    headers.set("Content-Disposition", "attachment", filename=name)
    file.seek(0)
    response = Response(_chunks(file), headers=headers)
    response.call_on_close(file.close)  # if none of it is read: a HEAD request, or a client that has disconnected
    return response


def stop_if_gone() -> None:
    """Stop working if the reader has closed the connection; raises ClientDisconnected."""
    connection: socket.socket | None = request.environ.get("gunicorn.socket")
    try:
        if connection is not None and connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b"":
            raise ClientDisconnected
    except BlockingIOError:  # nothing was sent since the request
        return
    except OSError:
        raise ClientDisconnected from None


class _Watched:
    """A file that is written only as long as its reader waits."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        stop_if_gone()
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_SIZE):
            yield chunk


# --- the session and preferences ----------------------------------------------------------------------------

YEAR = 365 * 24 * 60 * 60  # seconds
DEVICE = "device"  # the key of the device's secret


class DeviceSessionInterface(SecureCookieSessionInterface):
    """Flask's sessions, whose age is not by the server's clock. Error pages and answers to HEAD set no cookie."""

    def get_cookie_secure(self, app: Flask) -> bool:
        return bool(app.config["SESSION_COOKIE_SECURE"]) or (has_request_context() and request.is_secure)

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        serializer = self.get_signing_serializer(app)
        if serializer is None:
            return None
        try:
            return SecureCookieSession(serializer.loads(request.cookies.get(self.get_cookie_name(app), "")))
        except BadData:
            session = SecureCookieSession({DEVICE: new_secret()})
            session.new = True
            return session

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        if session.modified and response.status_code < 400 and request.method != "HEAD":
            value = cast(Any, self.get_signing_serializer(app)).dumps(dict(session))
            self.set_cookie(app, response, self.get_cookie_name(app), value, YEAR if session.permanent else None)

    def set_cookie(self, app: Flask, response: Response, name: str, value: str, max_age: int | None = YEAR) -> None:
        """Set a cookie. Its age does not depend on the server's clock, as the time of its end would."""
        response.set_cookie(
            name,
            value,
            max_age=max_age,
            path=self.get_cookie_path(app),
            secure=self.get_cookie_secure(app),
            samesite=self.get_cookie_samesite(app),
            httponly=True,
        )


def remember_preference(cookie: str, value: str) -> None:
    """Set a cookie of its own for a year, which a concurrent response with a session cannot undo."""

    @after_this_request
    def _set_cookie(response: Response) -> Response:
        interface = cast(DeviceSessionInterface, current_app.session_interface)
        interface.set_cookie(current_app, response, cookie, value)
        return response


def client_tags() -> set[str]:
    """Return the ETags that the client has; Flask-Compress adds its algorithm to them: "7:br"."""
    return {tag.partition(":")[0] for tag in request.if_none_match.as_set()}


def with_etag(response: Response, tag: str) -> Response:
    response.set_etag(tag)
    return response


def render_if_new(tag: str, render: Callable[[], str]) -> Response:
    """Return a page with the ETag of what it shows, or 304 to a script that has shown that already."""
    return with_etag(Response(status=304) if tag in client_tags() else make_response(render()), tag)


# Features of browsers that no page uses. Only the harmful ones, because the header is sent with every page.
_DENIED_FEATURES = "camera display-capture geolocation hid microphone midi payment publickey-credentials-get serial usb"
SECURITY_HEADERS = {
    # `script-src` holds for workers too. Browsers that know `frame-ancestors` ignore X-Frame-Options.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Permissions-Policy": ", ".join(f"{name}=()" for name in _DENIED_FEATURES.split()),
    # Flask-WTF requires the Referer of writes over HTTPS; other sites get none.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def init_app(app: Flask) -> None:
    app.session_interface = DeviceSessionInterface()
    app.after_request(_with_headers)


def _with_headers(response: Response) -> Response:
    response.headers.extend(SECURITY_HEADERS)
    if "secret" in (request.view_args or {}):
        response.headers["Referrer-Policy"] = "strict-origin"  # keeps the secret out of our own logs too
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = f"max-age={YEAR}"
    # Pages depend on the phone's rights, so no cache may store them. The service worker stores pages nevertheless;
    # it belongs to the browser, and requests a page again before it uses the stored one.
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def exclude_from_search_engines(response: Response) -> Response:
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response
