"""Pages for what went wrong, each with a way on."""

from __future__ import annotations

from flask import Flask, render_template
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

_PAGES = {403: "only-watching", 404: "not-yours", 413: "too-large", 500: "broken"}


def init_app(app: Flask) -> None:
    app.register_error_handler(CSRFError, _aged)
    app.register_error_handler(HTTPException, _failed)


def _failed(error: HTTPException) -> tuple[str, int]:
    code = error.code or 500
    return render_template("error.html", page=_PAGES.get(code, "not-possible")), code


def _aged(_error: CSRFError) -> tuple[str, int]:
    return render_template("error.html", page="aged"), 400
