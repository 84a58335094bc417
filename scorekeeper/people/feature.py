"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.around import EVENING, PLACES
from . import pages


def init_app(app: Flask) -> None:
    app.register_blueprint(pages.blueprint)
    PLACES[pages.blueprint.name] = EVENING
