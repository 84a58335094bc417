"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..circles.links import LANDINGS
from ..site.around import EVENING, PLACES
from ..site.occasions import declare
from . import occasions, planned_pages, search_pages, tonight_pages


def init_app(app: Flask) -> None:
    for view in (
        planned_pages,
        search_pages,
        tonight_pages,
    ):
        app.register_blueprint(view.blueprint)
        PLACES[view.blueprint.name] = EVENING
    declare(*occasions.KINDS)
    LANDINGS["planned"] = planned_pages.find_landing
