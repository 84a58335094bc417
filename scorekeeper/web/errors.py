"""Pages for what went wrong, each with a way on."""

from __future__ import annotations

from flask import Flask, current_app, g, render_template, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError
from werkzeug.exceptions import BadRequest, HTTPException

from ..book import connections

_PAGES = {403: "only-watching", 404: "not-yours", 413: "too-large", 500: "broken"}

_TROUBLES = {connections.FULL: ("no-room", 507), connections.AWAY: ("away", 503)}
AGAIN = {connections.FULL: 60, connections.AWAY: 5}  # seconds after which it is worth while to try again


def init_app(app: Flask) -> None:
    app.register_error_handler(CSRFError, _aged)
    app.register_error_handler(HTTPException, _failed)
    app.register_error_handler(SQLAlchemyError, _kept_out)


def _failed(error: HTTPException) -> tuple[str, int]:
    code = error.code or 500
    return render_template("error.html", page=_PAGES.get(code, "not-possible")), code


def _aged(_error: CSRFError) -> tuple[str, int]:
    return render_template("error.html", page="aged"), 400


def _kept_out(error: SQLAlchemyError) -> tuple[str, int, dict[str, str]]:
    """There is no room, or the database is away. What was sent stands on the page, to be sent again as it is."""
    trouble = connections.trouble(error)
    if trouble is None and not isinstance(error, DataError):
        raise error
    connections.let_go()
    g.pop("browser", None)  # who cannot be asked any more who this is
    if trouble is None:  # it was told a sign that it does not keep
        return (*_failed(BadRequest()), {})
    current_app.logger.error("%s: %s", trouble, error.orig if isinstance(error, DBAPIError) else error)
    page, code = _TROUBLES[trouble]
    sent = list(request.form.items(multi=True)) if request.method == "POST" and not request.files else []
    shown = render_template("error.html", page=page, sent=sent)
    return shown, code, {"Retry-After": str(AGAIN[trouble])}
