"""Prometheus metrics: of requests, of streams, and of the server's state. None of them contains a secret from a URL."""

from __future__ import annotations

import os
from collections.abc import Iterator

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from .server_state import gather_state

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)  # seconds


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


class RequestMetrics:
    """Numbers and durations of requests by endpoint, and the number of open streams, for Prometheus.

    If PROMETHEUS_MULTIPROC_DIR is set, all workers write to files there, and any of them returns the sum.
    """

    CONTENT_TYPE = CONTENT_TYPE_LATEST

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

    def text(self) -> bytes:
        """Return all metrics as Prometheus reads them."""
        return generate_latest(self.registry)
