"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..circles.links import LANDINGS
from ..site.around import EVENING, register
from ..site.occasions import declare
from . import occasions, planned_pages, search_pages, tonight_pages


def init_app(app: Flask) -> None:
    register(app, planned_pages, search_pages, tonight_pages, place=EVENING)
    declare(*occasions.KINDS)
    LANDINGS["planned"] = planned_pages.find_landing
