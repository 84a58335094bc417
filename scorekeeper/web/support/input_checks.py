"""Checks of every request's input."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Flask, abort, request


def init_app(app: Flask) -> None:
    """Check every request before its view."""
    app.before_request(_refuse_null_characters)


def _refuse_null_characters() -> None:
    """Answer 400 to U+0000, which PostgreSQL cannot store and no browser sends."""
    if any("\0" in text for text in _texts()):
        abort(400)


def _texts() -> Iterator[str]:
    """Yield every text of the request that may reach the database."""
    yield request.path
    for fields in (request.args, request.form):
        for name, value in fields.items(multi=True):
            yield name
            yield value
