"""Whether the app runs, and whether it can record, for those who watch the server."""

from __future__ import annotations

import shutil

from flask import Blueprint, Response, current_app, jsonify
from sqlalchemy.exc import SQLAlchemyError

from ..db import schemas
from ..models import db
from .version import get_version

blueprint = Blueprint("health", __name__)

MIN_FREE = 50_000_000  # bytes on the disk of the data: `/ready` fails before entries are answered with 507


@blueprint.get("/health")
def alive() -> Response:
    return Response(f"ok {get_version()}\n", mimetype="text/plain")


@blueprint.get("/ready")
def ready() -> tuple[Response, int]:
    try:
        connection = db.session.connection()
        version = schemas.read_version(connection)
    except SQLAlchemyError:
        return jsonify(ready=False, because="the database does not answer"), 503
    if version != schemas.newest_version():
        return jsonify(ready=False, because="the database has another schema: scorekeeper migrate"), 503
    file = schemas.find_file(db.engine.url)
    folder = file.absolute().parent if file is not None else current_app.instance_path
    if shutil.disk_usage(folder).free < MIN_FREE:
        return jsonify(ready=False, because=f"less than {MIN_FREE // 1_000_000} MB are free on the disk"), 503
    return jsonify(ready=True), 200
