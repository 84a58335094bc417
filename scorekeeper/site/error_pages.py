"""Error pages, each with a link that leads on."""

from __future__ import annotations

from typing import Any

from flask import Flask, current_app, g, render_template, request, session
from flask.globals import request_ctx
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError
from werkzeug.exceptions import BadRequest, Forbidden, HTTPException, TooManyRequests

from ..db import engine
from ..db.transactions import AccessRevokedError, RightRevokedError, RowDeletedError
from ..models import SCORE, db
from .features import features
from .http import DEVICE
from .language import has_right, t

# The names of error pages, by status; "not-possible" for others.
_PAGES = {403: "only-watching", 404: "not-yours", 413: "too-large", 429: "too-many", 500: "broken"}

MAX_VALUES = 12  # of a form on an error page
MAX_SHOWN = 80  # characters of each
NOT_TYPED = {"csrf_token", "key", "circle", "time_zone", "shown_day", "seen", "do", "carried"}  # names of fields

# By category of database error: the name of the page, the status, and Retry-After in seconds.
_DATABASE_ERRORS = {
    engine.FULL: ("no-room", 507, 60),
    engine.UNAVAILABLE: ("away", 503, 5),
}


def init_app(app: Flask) -> None:
    app.register_error_handler(CSRFError, lambda _: (render_template("error.html", page="aged"), 400))
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(SQLAlchemyError, _database_error)
    app.register_error_handler(RowDeletedError, _access_revoked)
    app.register_error_handler(AccessRevokedError, _access_revoked)
    app.register_error_handler(RightRevokedError, lambda _: _http_error(Forbidden()))


def _http_error(error: HTTPException) -> tuple[str, int, dict[str, str]]:
    code = error.code or 500
    if request_ctx.url_adapter is None:  # the Host header is no name of this site, so url_for would fail
        current_app.logger.warning("The host name %r is none of SCOREKEEPER_HOSTS", request.headers.get("Host"))
        return t("error.other-host"), code, {"Content-Type": "text/plain; charset=utf-8"}
    if code == 500:
        _detach_from_database()
    if code == 404 and _has_lost_access():
        return *_access_revoked(error), {}
    page = "only-hosts" if code == 403 and has_right(SCORE) else _PAGES.get(code, "not-possible")
    sent = refused_form() if code in (403, 404) else None
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, TooManyRequests) else {}
    return render_template("error.html", page=page, sent=sent), code, headers


def _has_lost_access() -> bool:
    circle_token, token = (str((request.view_args or {}).get(key, "")) for key in ("circle_token", "token"))
    if not (circle_token or token) or DEVICE not in session:
        return False
    return any(feature.has_lost_access(session[DEVICE], circle_token, token) for feature in features())


def _access_revoked(_error: Exception) -> tuple[str, int]:
    """Answer a device that had access before, or a write whose circle was erased after the request began."""
    _detach_from_database()
    return render_template("error.html", page="access-ended", sent=refused_form()), 404


def _detach_from_database() -> None:
    """Prevent the error page from reading the database: what the request has read may be deleted or unavailable."""
    db.session.remove()
    g.pop("membership", None)


def sent_form(left_out: str = "") -> dict[str, Any]:
    """Return the form that was sent: all its fields but one, its files, and the values that somebody may have typed."""
    fields = [(name, value) for name, value in request.form.items(multi=True) if name != left_out]
    typed = [value for name, value in fields if name not in NOT_TYPED and value]
    shown = [value if len(value) <= MAX_SHOWN else f"{value[:MAX_SHOWN]}…" for value in typed[:MAX_VALUES]]
    return {"fields": fields, "files": list(request.files), "shown": shown}


def refused_form() -> dict[str, Any] | None:
    """Return the form that was sent, to send again later; None at an unknown address, where no token is checked."""
    return sent_form() if request.method == "POST" and request.endpoint is not None else None


def _database_error(error: SQLAlchemyError) -> tuple[str, int, dict[str, str]]:
    category = engine.classify_error(error)
    if category is None and not isinstance(error, DataError):
        raise error
    _detach_from_database()
    if category is None:  # the database rejected a character
        return _http_error(BadRequest())
    current_app.logger.error("%s: %s", category, error.orig if isinstance(error, DBAPIError) else error)
    page, code, retry_after = _DATABASE_ERRORS[category]
    return render_template("error.html", page=page, sent=refused_form()), code, {"Retry-After": str(retry_after)}
