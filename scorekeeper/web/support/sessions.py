"""The session cookie: the device's secret, its CSRF token, and its home circle; and a cookie for each preference.

What a device may do is stored on the server (services/access.py). So the cookie is small and seldom rewritten, and
concurrent responses cannot undo each other's changes: a browser gets the device's secret with its first cookie, before
the device has access to anything. It is valid whatever the server's clock says, and its browser drops it after a year.
"""

from __future__ import annotations

from typing import Any, cast

from flask import Flask, Request, Response, after_this_request, current_app, has_request_context, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadData

from ...services.access import new_secret

YEAR = 365 * 24 * 60 * 60  # seconds
DEVICE = "device"  # the key of the device's secret


class DeviceSessionInterface(SecureCookieSessionInterface):
    """Reads and writes sessions as Flask does, but for the clock; error pages and responses to HEAD set no cookie."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Return whether to set the Secure attribute: if configured so, or if the request came over HTTPS."""
        return bool(app.config["SESSION_COOKIE_SECURE"]) or (has_request_context() and request.is_secure)

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Return the cookie's session, or a new one."""
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
        """Set the session's cookie if it has changed and the response is no error."""
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


def _preference_name(key: str) -> str:
    return f"{current_app.config['SESSION_COOKIE_NAME']}-{key}"


def read_preference(key: str) -> str | None:
    """Return what this browser chose before; None if it has not."""
    return request.cookies.get(_preference_name(key))


def remember_preference(key: str, value: str) -> None:
    """Set a preference for a year, in a cookie of its own, which a concurrent response with a session cannot undo."""

    @after_this_request
    def _set_cookie(response: Response) -> Response:
        interface = cast(DeviceSessionInterface, current_app.session_interface)
        interface.set_cookie(current_app, response, _preference_name(key), value)
        return response
