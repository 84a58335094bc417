"""Error pages, each with a link that leads on."""

from __future__ import annotations

from flask import Flask, current_app, g, render_template, request
from flask.globals import request_ctx
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError
from werkzeug.exceptions import BadRequest, HTTPException

from ...db import engine
from ...db.transactions import AccessRevokedError, CircleErasedError, RightRevokedError
from .language import t

_PAGES = {403: "only-watching", 404: "not-yours", 413: "too-large", 500: "broken"}

_TROUBLES = {engine.FULL: ("no-room", 507), engine.UNAVAILABLE: ("away", 503)}
AGAIN = {engine.FULL: 60, engine.UNAVAILABLE: 5}  # seconds after which it is worth while to try again


def init_app(app: Flask) -> None:
    """Register the error handlers."""
    app.register_error_handler(CSRFError, _aged)
    app.register_error_handler(HTTPException, _failed)
    app.register_error_handler(SQLAlchemyError, _kept_out)
    app.register_error_handler(CircleErasedError, _gone)
    app.register_error_handler(AccessRevokedError, _gone)
    app.register_error_handler(RightRevokedError, _not_allowed)


def _failed(error: HTTPException) -> tuple[str, int, dict[str, str]]:
    code = error.code or 500
    if request_ctx.url_adapter is None:  # no address can be written on a page: the Host header is no host name
        return t("error.not-possible"), code, {"Content-Type": "text/plain; charset=utf-8"}
    if code == 500:
        _read_no_more()
    return render_template("pages/error.html", page=_PAGES.get(code, "not-possible")), code, {}


def _gone(_error: Exception) -> tuple[str, int]:
    """Answer a write whose circle was erased, or whose browser lost access, after the request began."""
    _read_no_more()
    return render_template("pages/error.html", page=_PAGES[404]), 404


def _not_allowed(_error: Exception) -> tuple[str, int]:
    """Answer a write whose browser lost the right to it after the request began."""
    return render_template("pages/error.html", page=_PAGES[403]), 403


def _read_no_more() -> None:
    """Have the error's page ask the database nothing: what the request has read may be gone, or out of reach."""
    engine.discard_session()
    g.pop("browser", None)
    g.names, g.sides = dict, {}


def _aged(_error: CSRFError) -> tuple[str, int]:
    return render_template("pages/error.html", page="aged"), 400


def _kept_out(error: SQLAlchemyError) -> tuple[str, int, dict[str, str]]:
    """There is no room, or the database is away. What was sent stands on the page, to be sent again as it is."""
    trouble = engine.classify_error(error)
    if trouble is None and not isinstance(error, DataError):
        raise error
    _read_no_more()
    if trouble is None:  # it was told a sign that it does not keep
        return _failed(BadRequest())
    current_app.logger.error("%s: %s", trouble, error.orig if isinstance(error, DBAPIError) else error)
    page, code = _TROUBLES[trouble]
    sent = list(request.form.items(multi=True)) if request.method == "POST" and not request.files else []
    shown = render_template("pages/error.html", page=page, sent=sent)
    return shown, code, {"Retry-After": str(AGAIN[trouble])}
