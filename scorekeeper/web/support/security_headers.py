"""Security headers of every response, and the session interface."""

from __future__ import annotations

from flask import Flask, Response, request

from .sessions import YEAR, DeviceSessionInterface

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# What nobody here has any business with. It travels with every page, and so names what could do harm, no more.
NOBODYS = (
    *("camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment"),
    *("publickey-credentials-get", "serial", "usb"),
)
PERMISSIONS_POLICY = ", ".join(f"{name}=()" for name in NOBODYS)

ALWAYS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    # Other sites learn nothing; our own pages do, since a write over HTTPS is taken only from one of them.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "X-Permitted-Cross-Domain-Policies": "none",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def init_app(app: Flask) -> None:
    """Set the session interface and add the headers to every response."""
    app.session_interface = DeviceSessionInterface()
    app.after_request(_with_headers)


def _with_headers(response: Response) -> Response:
    if response.status_code != 304:  # "nothing new", sent to every phone every other second, brings nothing to guard
        response.headers.extend(ALWAYS)  # none of them has been set by anybody before
    if response.mimetype == "text/html":
        response.headers["Permissions-Policy"] = PERMISSIONS_POLICY  # it is heeded of documents alone, and is long
    if "secret" in (request.view_args or {}):
        response.headers["Referrer-Policy"] = "strict-origin"  # not even we are told the address by what comes next
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = f"max-age={YEAR}"
    # What one browser may see is kept by no cache on the way. The service worker keeps pages all the same: it is
    # the browser's own, and asks again first.
    response.headers.setdefault("Cache-Control", "no-store")
    return response
