"""The session cookie: the device's secret, its CSRF token, and its home circle.

What a device may do is stored on the server (services/access/devices.py). So the cookie is small and seldom rewritten,
and concurrent responses cannot undo each other's changes: a browser gets the device's secret with its first cookie,
before the device has access to anything.

A cookie is never lost to a mistake that may be corrected later:

- Its signature is valid whatever the server's clock says; it only expires, a year after it was written.
- A cookie that cannot be read, because SECRET_KEY was changed or it was damaged, is not overwritten by reading pages.
  Meanwhile a second cookie is used; it replaces the first one when the browser joins a circle or opens a table.
- Error pages and responses to HEAD set no cookie.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

from flask import Flask, Request, Response, after_this_request, current_app, has_request_context, request
from flask import session as flask_session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadData

from ...services.access import new_secret

YEAR = 365 * 24 * 60 * 60  # seconds
DEVICE = "device"  # the key of the device's secret


class DeviceSession(SecureCookieSession):
    """A session that may be stored in the second cookie."""

    is_new = False
    in_second_cookie = False

    def replace_unreadable(self) -> None:
        """Store this session in the first cookie from this response on, in place of the unreadable one."""
        self.in_second_cookie = False
        self.modified = True


def current_session() -> DeviceSession:
    """Return Flask's session with its actual type."""
    return cast(DeviceSession, flask_session)


class DeviceSessionInterface(SecureCookieSessionInterface):
    """Reads and writes device sessions, as the module's docstring describes."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Return whether to set the Secure attribute: if configured so, or if the request came over HTTPS."""
        return bool(app.config["SESSION_COOKIE_SECURE"]) or (has_request_context() and request.is_secure)

    def open_session(self, app: Flask, request: Request) -> DeviceSession | None:
        """Return the session of the first readable cookie, or a new one."""
        if not app.secret_key:
            return None
        name = self.get_cookie_name(app)
        sent = request.cookies.get(name)
        data = self._read(app, sent)
        is_unreadable = bool(sent) and data is None
        if data is None:
            data = self._read(app, request.cookies.get(_second_cookie(name)))
        session = DeviceSession(data or {DEVICE: new_secret()})
        session.is_new = data is None
        session.in_second_cookie = is_unreadable
        return session

    def _read(self, app: Flask, value: str | None) -> dict[str, Any] | None:
        """Return a cookie's data; None if its signature is invalid or it has expired."""
        serializer = self.get_signing_serializer(app)
        if not value or serializer is None:
            return None
        try:
            data, written_at = serializer.loads(value, return_timestamp=True)
        except BadData:
            return None
        if _now() - written_at > app.permanent_session_lifetime:
            return None
        return data if isinstance(data, dict) and data else None

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Set the session's cookie if it has changed and the response is no error."""
        if session.accessed and not response.cache_control.no_store:
            response.vary.add("Cookie")
        if not session.modified or response.status_code >= 400 or request.method == "HEAD":
            return
        name = self.get_cookie_name(app)
        in_second_cookie = isinstance(session, DeviceSession) and session.in_second_cookie
        serializer = cast(Any, self.get_signing_serializer(app))
        max_age = int(app.permanent_session_lifetime.total_seconds()) if session.permanent else None
        value = serializer.dumps(dict(session))
        # Max-Age does not depend on the server's clock, as Expires does.
        response.set_cookie(
            _second_cookie(name) if in_second_cookie else name, value, max_age=max_age, **self._attributes(app)
        )
        if not in_second_cookie and _second_cookie(name) in request.cookies:
            response.delete_cookie(_second_cookie(name), **self._attributes(app))

    def _attributes(self, app: Flask) -> dict[str, Any]:
        return {
            "domain": self.get_cookie_domain(app),
            "path": self.get_cookie_path(app),
            "secure": self.get_cookie_secure(app),
            "partitioned": self.get_cookie_partitioned(app),
            "samesite": self.get_cookie_samesite(app),
            "httponly": self.get_cookie_httponly(app),
        }

    def preference_name(self, app: Flask, key: str) -> str:
        """Return the name of a preference's cookie."""
        return f"{self.get_cookie_name(app)}-{key}"

    def set_preference(self, app: Flask, response: Response, key: str, value: str) -> None:
        """Set a preference in a cookie of its own, which a concurrent response with a session cannot undo."""
        response.set_cookie(self.preference_name(app, key), value, max_age=YEAR, **self._attributes(app))


def read_preference(key: str) -> str | None:
    """Return what this browser chose before; None if it has not."""
    return request.cookies.get(_interface().preference_name(current_app, key))


def remember_preference(key: str, value: str) -> None:
    """Set a preference's cookie for a year, with the answer to this request."""

    @after_this_request
    def _set_cookie(response: Response) -> Response:
        _interface().set_preference(current_app, response, key, value)
        return response


def _interface() -> DeviceSessionInterface:
    return cast(DeviceSessionInterface, current_app.session_interface)


def _now() -> datetime:
    return datetime.now(UTC)


def _second_cookie(name: str) -> str:
    """Return the name of the cookie that is used while the first cannot be read."""
    return f"{name}-new"
