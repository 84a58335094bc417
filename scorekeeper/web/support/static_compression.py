"""Static files compressed as small as Brotli can: once per process, because they do not change while it runs.

Flask-Compress would compress a file for every browser, at the lower quality of pages, which are made for each request.
"""

from __future__ import annotations

from functools import lru_cache

import brotli  # type: ignore[import-untyped]  # it has no types
from flask import Flask, Response, request

from .security_headers import FILES

TEXTS = frozenset({"text/css", "text/javascript", "image/svg+xml"})
MAX_CACHED = 256  # files; there are about fifty, and each takes a few kilobytes


def init_app(app: Flask) -> None:
    """Compress static files for browsers that can read Brotli. Register after Flask-Compress, to run before it."""
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    is_file = request.endpoint in FILES and response.status_code == 200 and response.mimetype in TEXTS
    if is_file and request.accept_encodings.quality("br") > 0:
        response.direct_passthrough = False  # of an open file, which this reads
        response.set_data(_compressed(response.get_data()))
        response.headers["Content-Encoding"] = "br"
        response.vary.add("Accept-Encoding")
        etag, _ = response.get_etag()
        response.set_etag(f"{etag}:br")  # as Flask-Compress does
        response.make_conditional(request)
    return response


@lru_cache(MAX_CACHED)
def _compressed(text: bytes) -> bytes:
    return bytes(brotli.compress(text, quality=11))
