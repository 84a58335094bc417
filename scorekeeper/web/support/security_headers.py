"""Security headers of every response, and the session interface."""

from __future__ import annotations

from flask import Flask, Response, request

from .sessions import YEAR, DeviceSessionInterface

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
    """Set the session interface and add the headers to every response."""
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
