"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.around import EVENING, PLACES
from . import pages, season_pages, statistics_pages


def init_app(app: Flask) -> None:
    for view in (
        pages,
        statistics_pages,
        season_pages,
    ):
        app.register_blueprint(view.blueprint)
        PLACES[view.blueprint.name] = EVENING
