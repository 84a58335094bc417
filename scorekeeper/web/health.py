"""For whoever runs the server: whether it is alive, whether it can serve, and its figures."""

from __future__ import annotations

import hmac

from flask import Blueprint, Response, abort, current_app, jsonify, request
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from ..book import databases
from ..store import db
from .measuring import Figures

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def alive() -> Response:
    """The process answers; nothing else is asked."""
    return Response("ok\n", mimetype="text/plain")


@blueprint.get("/ready")
def ready() -> tuple[Response, int]:
    """Whether the database answers and has the schema this code was written for."""
    try:
        version = databases.version_of(db.session.connection())
    except SQLAlchemyError:
        return jsonify(ready=False, because="the database does not answer"), 503
    if version != databases.newest_version():
        return jsonify(ready=False, because="the database has another schema: scorekeeper migrate"), 503
    return jsonify(ready=True), 200


@blueprint.get("/metrics")
def metrics() -> Response:
    """For the bearer of the token alone; without a token there are no figures."""
    figures: Figures | None = current_app.extensions.get("figures")
    told = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if figures is None or not hmac.compare_digest(told.encode(), current_app.config["METRICS_TOKEN"].encode()):
        abort(404)
    return Response(figures.told(), content_type=CONTENT_TYPE_LATEST)
