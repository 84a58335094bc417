"""Security headers of every response, and the session interface."""

from __future__ import annotations

from string import punctuation
from typing import Any
from urllib.parse import quote

import flask
from flask import Flask, Response, abort, request
from werkzeug.http import quote_etag

from .sessions import YEAR, DeviceSessionInterface


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


# `script-src` holds for workers too. Browsers that know `frame-ancestors` ignore X-Frame-Options.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Browser features that no page uses. Only the harmful ones, because the header is sent with every page.
DENIED_FEATURES = (
    *("camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment"),
    *("publickey-credentials-get", "serial", "usb"),
)
PERMISSIONS_POLICY = ", ".join(f"{name}=()" for name in DENIED_FEATURES)

HEADERS_OF_FILES = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SECURITY_HEADERS = HEADERS_OF_FILES | {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    # Flask-WTF requires the Referer of writes over HTTPS; other sites get none.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
FILES = ("static", "game_style")  # endpoints
# Static files that no browser shows as a page or runs as a worker: the headers about those would only add weight.
PLAIN_FILES = frozenset({"text/css", "text/javascript", "image/png", SVG := "image/svg+xml"})
# What Flask sends with a file though its ETag and Cache-Control say the same, or nobody asks for parts of it.
REDUNDANT_HEADERS = ("Accept-Ranges", "Content-Disposition", "Expires", "Last-Modified")


def init_app(app: Flask) -> None:
    """Check every request's texts, and add the headers to every response."""
    app.request_class = Request
    app.before_request(_refuse_invalid_text)
    app.session_interface = DeviceSessionInterface()
    app.after_request(_with_headers)


def _with_headers(response: Response) -> Response:
    is_fresh = response.status_code != 304  # polled by every phone; the browser keeps the headers of what it has
    if is_fresh and request.endpoint in FILES and response.mimetype in PLAIN_FILES:
        response.headers.extend(HEADERS_OF_FILES)  # nothing has set any of them before
        if response.mimetype == SVG:
            response.headers["Content-Security-Policy"] = "default-src 'none'"  # opened by itself, it could run scripts
        for name in REDUNDANT_HEADERS:
            response.headers.remove(name)
    elif is_fresh:
        response.headers.extend(SECURITY_HEADERS)
    if is_fresh and response.mimetype == "text/html":
        response.headers["Permissions-Policy"] = PERMISSIONS_POLICY  # only applies to documents
    if "secret" in (request.view_args or {}):
        response.headers["Referrer-Policy"] = "strict-origin"  # keeps the secret out of our own logs too
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = f"max-age={YEAR}"
    # Pages depend on the browser's rights, so no cache may store them. The service worker stores pages nevertheless;
    # it belongs to the browser, and requests a page again before it uses the stored one.
    response.headers.setdefault("Cache-Control", "no-store")
    if response.cache_control.no_store:
        response.headers.remove("Vary")  # only tells caches which stored answer to give
    return response


def exclude_from_search_engines(response: Response) -> Response:
    """Ask search engines not to list a page."""
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response
