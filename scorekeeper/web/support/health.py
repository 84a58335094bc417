"""Endpoints for operators: liveness, readiness and Prometheus metrics."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, current_app, jsonify, request
from sqlalchemy.exc import SQLAlchemyError

from ...db import schemas
from ...models import db
from ...version import get_version
from .server_state import MIN_FREE, free_bytes

if TYPE_CHECKING:
    from .request_metrics import RequestMetrics

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def alive() -> Response:
    """Report that the process responds, and its version; nothing else is checked."""
    return Response(f"ok {get_version()}\n", mimetype="text/plain")


@blueprint.get("/ready")
def ready() -> tuple[Response, int]:
    """Report whether the database responds and has the schema of this version, and whether the disk has room."""
    try:
        connection = db.session.connection()
        version = schemas.read_version(connection)
    except SQLAlchemyError:
        return jsonify(ready=False, because="the database does not answer"), 503
    if version != schemas.newest_version():
        return jsonify(ready=False, because="the database has another schema: scorekeeper migrate"), 503
    if free_bytes() < MIN_FREE:
        return jsonify(ready=False, because=f"less than {MIN_FREE // 1_000_000} MB are free on the disk"), 503
    return jsonify(ready=True), 200


@blueprint.get("/metrics")
def metrics() -> Response:
    """Return the metrics to a client with the bearer token; 404 for others, or if no token is configured."""
    request_metrics: RequestMetrics | None = current_app.extensions.get("request_metrics")
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if request_metrics is None or not hmac.compare_digest(token.encode(), current_app.config["METRICS_TOKEN"].encode()):
        abort(404)
    return Response(request_metrics.text(), content_type=request_metrics.CONTENT_TYPE)
