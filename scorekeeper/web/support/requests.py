"""The app's request class, a check of every request's texts, and ETags."""

from __future__ import annotations

from string import punctuation
from typing import Any
from urllib.parse import quote

import flask
from flask import Flask, Response, abort, request
from werkzeug.http import quote_etag


class Request(flask.Request):
    """A request whose query string is ASCII.

    Werkzeug decodes the query string as UTF-8 and raises UnicodeDecodeError for any other bytes, on error pages too.
    Percent-encoded, the same bytes are read without an exception: what is not UTF-8 becomes U+FFFD.
    """

    def __init__(self, environ: dict[str, Any], *arguments: Any, **options: Any) -> None:
        query = environ.get("QUERY_STRING", "")
        if not query.isascii():
            # "%" is among the safe punctuation, so existing percent-encodings stay unchanged.
            environ["QUERY_STRING"] = quote(query, safe=punctuation, encoding="latin-1")
        super().__init__(environ, *arguments, **options)


def init_app(app: Flask) -> None:
    """Set the request class and check every request before its view."""
    app.request_class = Request
    app.before_request(_refuse_invalid_text)


def _refuse_invalid_text() -> None:
    """Answer 400 to a form field without a name, and to U+0000, which PostgreSQL cannot store. No page sends either."""
    texts: list[str | None] = [request.path]
    for fields in (request.args, request.form):
        for field in fields.items(multi=True):
            texts += field
    if any(text is None or "\0" in text for text in texts):
        abort(400)


def client_tags() -> set[str]:
    """Return the ETags that the client has; Flask-Compress adds its algorithm to them: "7:br"."""
    return {tag.partition(":")[0] for tag in request.if_none_match.as_set()}


def with_etag(response: Response, tag: str) -> Response:
    """Add an ETag to a response."""
    response.headers["ETag"] = quote_etag(tag)
    return response
