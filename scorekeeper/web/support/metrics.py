"""Request ids, access logs and Prometheus metrics. None of them contains a secret from a URL."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from datetime import UTC
from time import perf_counter
from uuid import uuid4

from flask import Flask, Response, current_app, g, request
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from ...scoring.failing import GameFailedError, Interrupted, describe_error
from ...server.logging import REQUESTS, without_secrets
from . import live_updates
from .security_headers import FILES
from .server_state import gather_state

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)  # seconds

_log = logging.getLogger(REQUESTS)


class StateCollector(Collector):
    """Tells the state of the server whenever metrics are asked for; nothing while the database does not answer."""

    def collect(self) -> Iterator[Metric]:
        """Yield a gauge for each number, and one whose labels are the words."""
        try:
            state = gather_state()
        except SQLAlchemyError:
            return
        words = {
            "version": state.version,
            "python": state.python,
            "database": state.database,
            "time_zone": state.time_zone or "",
            "https": str(int(state.https)),
            "push": state.push,
        }
        info = GaugeMetricFamily("scorekeeper_info", "Versions and settings.", labels=list(words))
        info.add_metric(list(words.values()), 1)
        yield info
        yield GaugeMetricFamily("scorekeeper_database_bytes", "Size of the database.", state.database_bytes)
        yield GaugeMetricFamily("scorekeeper_disk_free_bytes", "Free on the disk of the data.", state.free_bytes)
        yield GaugeMetricFamily("scorekeeper_circles", "Circles.", state.circles)
        yield GaugeMetricFamily("scorekeeper_phones", "Phones that have access to a circle.", state.phones)
        if state.last_backup is not None:
            seconds = state.last_backup.at.replace(tzinfo=UTC).timestamp()
            name = "scorekeeper_last_backup_timestamp_seconds"
            yield GaugeMetricFamily(name, "When the last good backup was made.", seconds)


class RequestMetrics:
    """Numbers and durations of requests by endpoint, and the number of open streams, for Prometheus.

    If PROMETHEUS_MULTIPROC_DIR is set, all workers write to files there, and any of them returns the sum.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(StateCollector())
        registry: CollectorRegistry | None = self.registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            MultiProcessCollector(self.registry)  # type: ignore[no-untyped-call]  # it has no types
            registry = None
        else:
            ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "scorekeeper_requests", "Requests answered.", ["endpoint", "method", "status"], registry=registry
        )
        self.seconds = Histogram(
            "scorekeeper_request_seconds",
            "From a request to its answer.",
            ["endpoint"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self.streams = Gauge(
            "scorekeeper_streams", "Streams held open.", registry=registry, multiprocess_mode="livesum"
        )


class RedactingFlask(Flask):
    """A Flask app that logs exceptions without the secrets in a URL, and answers whatever a request raises."""

    def full_dispatch_request(self) -> Response:
        """Answer a request. What is no Exception, such as SystemExit, becomes one: no server would answer it.

        A game's template may raise it, for one, by a method of the game's own.
        """
        try:
            return super().full_dispatch_request()
        except Exception:
            raise
        except Interrupted:
            raise
        except BaseException as error:
            failure = GameFailedError(describe_error(error))
            return self.finalize_request(self.handle_user_exception(failure))

    def log_exception(self, exc_info: object) -> None:
        """Log an exception with the request's id and redacted path."""
        where = f"{request.method} {without_secrets(request.path)}"
        self.logger.error("%s failed, request %s", where, g.get("request_id"), exc_info=exc_info)  # type: ignore[arg-type]  # as Flask has it


def init_app(app: Flask) -> None:
    """Register before everything else, so that the whole request is timed and every log line has its id."""
    if app.config["METRICS_TOKEN"]:
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
