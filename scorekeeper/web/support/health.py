"""Endpoints for operators: liveness, readiness and Prometheus metrics."""

from __future__ import annotations

import hmac

from flask import Blueprint, Response, abort, current_app, jsonify, request
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from ...db import copying
from ...models import db
from .metrics import Figures

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def alive() -> Response:
    """Report that the process responds; nothing else is checked."""
    return Response("ok\n", mimetype="text/plain")


@blueprint.get("/ready")
def ready() -> tuple[Response, int]:
    """Report whether the database responds and has the schema of this version."""
    try:
        version = copying.version_of(db.session.connection())
    except SQLAlchemyError:
        return jsonify(ready=False, because="the database does not answer"), 503
    if version != copying.newest_version():
        return jsonify(ready=False, because="the database has another schema: scorekeeper migrate"), 503
    return jsonify(ready=True), 200


@blueprint.get("/metrics")
def metrics() -> Response:
    """Return the metrics to a client with the bearer token; 404 for others, or if no token is configured."""
    figures: Figures | None = current_app.extensions.get("figures")
    told = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if figures is None or not hmac.compare_digest(told.encode(), current_app.config["METRICS_TOKEN"].encode()):
        abort(404)
    return Response(figures.told(), content_type=CONTENT_TYPE_LATEST)
