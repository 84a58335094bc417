"""Request ids, access logs and, if they are asked for, metrics. None of them contains a secret from a URL."""

from __future__ import annotations

import logging
import re
from time import perf_counter
from typing import TYPE_CHECKING
from uuid import uuid4

from flask import Flask, Response, current_app, g, request

from ...server.logging import REQUESTS, without_secrets
from . import live_updates
from .security_headers import FILES

if TYPE_CHECKING:
    from .request_metrics import RequestMetrics

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)

_log = logging.getLogger(REQUESTS)


class RedactingFlask(Flask):
    """A Flask app that logs exceptions without the secrets in a URL."""

    def log_exception(self, exc_info: object) -> None:
        """Log an exception with the request's id and redacted path."""
        where = f"{request.method} {without_secrets(request.path)}"
        self.logger.error("%s failed, request %s", where, g.get("request_id"), exc_info=exc_info)  # type: ignore[arg-type]  # as Flask has it


def init_app(app: Flask) -> None:
    """Register before everything else, so that the whole request is timed and every log line has its id."""
    if app.config["METRICS_TOKEN"]:
        from .request_metrics import RequestMetrics  # noqa: PLC0415  # imports Prometheus, which few hosts use

        metrics = app.extensions["request_metrics"] = RequestMetrics()
        live_updates.of(app).hub.on_change = metrics.streams.set
    app.url_value_preprocessor(_begin)  # runs before everything else, as it is registered first
    app.after_request(_end)


def _begin(_endpoint: str | None, _values: dict[str, object] | None) -> None:
    g.started_at = perf_counter()
    # The id given by our own proxy. Without a proxy, any client could choose it.
    request_id = request.headers.get("X-Request-ID", "") if current_app.config["PROXIES"] else ""
    g.request_id = request_id if _ID.fullmatch(request_id) else uuid4().hex


def _end(response: Response) -> Response:
    seconds = perf_counter() - g.started_at
    endpoint = request.endpoint or "none"
    # Nobody asks about one file of the twenty that a first visit loads, about a stream, or about what is unchanged.
    if endpoint not in FILES and response.status_code != 304 and response.mimetype != "text/event-stream":
        response.headers["X-Request-ID"] = g.request_id
    metrics: RequestMetrics | None = current_app.extensions.get("request_metrics")
    if metrics is not None:
        metrics.requests.labels(endpoint, request.method, response.status_code).inc()
        metrics.seconds.labels(endpoint).observe(seconds)
    if _log.isEnabledFor(logging.INFO):
        fields = {
            "request": g.request_id,
            "method": request.method,
            "path": without_secrets(request.path),
            "endpoint": endpoint,
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
        }
        _log.info("%s %s %s", fields["method"], fields["path"], fields["status"], extra=fields)
    return response
