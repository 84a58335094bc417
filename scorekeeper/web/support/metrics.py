"""Request ids, access logs and Prometheus metrics. None of them contains a secret from a URL."""

from __future__ import annotations

import logging
import os
import re
from time import perf_counter
from uuid import uuid4

from flask import Flask, Response, current_app, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from ...server.logging import REQUESTS, without_secrets

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)

_log = logging.getLogger(REQUESTS)


class Figures:
    """Requests by address of their kind, counted and timed, for Prometheus.

    Where several workers serve (PROMETHEUS_MULTIPROC_DIR is set), each adds to the same files, and any answers for all.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry: CollectorRegistry | None = self.registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            MultiProcessCollector(self.registry)  # type: ignore[no-untyped-call]  # it has no types
            registry = None
        else:
            ProcessCollector(registry=self.registry)
        self.answered = Counter(
            "scorekeeper_requests", "Requests answered.", ["endpoint", "method", "status"], registry=registry
        )
        self.taken = Histogram(
            "scorekeeper_request_seconds",
            "From a request to its answer.",
            ["endpoint"],
            buckets=_SECONDS,
            registry=registry,
        )

    def told(self) -> bytes:
        return generate_latest(self.registry)


class RedactingFlask(Flask):
    """A Flask app that logs exceptions without the secrets in a URL."""

    def log_exception(self, exc_info: object) -> None:
        """Log an exception with the request's id and redacted path."""
        where = f"{request.method} {without_secrets(request.path)}"
        self.logger.error("%s failed, request %s", where, g.get("request_id"), exc_info=exc_info)  # type: ignore[arg-type]  # as Flask has it


def init_app(app: Flask) -> None:
    """Register before everything else, so that the whole request is timed and every log line has its id."""
    if app.config["METRICS_TOKEN"]:
        app.extensions["figures"] = Figures()
    app.url_value_preprocessor(_begin)  # the first that is called, whatever else looks at an address
    app.after_request(_end)


def _begin(_endpoint: str | None, _values: dict[str, object] | None) -> None:
    g.began = perf_counter()
    # What a proxy of ours calls the request; from anybody else it is only what somebody says.
    told = request.headers.get("X-Request-ID", "") if current_app.config["PROXIES"] else ""
    g.request_id = told if _ID.fullmatch(told) else uuid4().hex


def _end(response: Response) -> Response:
    seconds = perf_counter() - g.began
    response.headers["X-Request-ID"] = g.request_id
    endpoint = request.endpoint or "none"
    figures: Figures | None = current_app.extensions.get("figures")
    if figures is not None:
        figures.answered.labels(endpoint, request.method, response.status_code).inc()
        figures.taken.labels(endpoint).observe(seconds)
    if _log.isEnabledFor(logging.INFO):
        told = {
            "request": g.request_id,
            "method": request.method,
            "path": without_secrets(request.path),
            "endpoint": endpoint,
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
        }
        _log.info("%s %s %s", told["method"], told["path"], told["status"], extra=told)
    return response
