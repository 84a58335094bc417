"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.error_pages import LOST_ACCESS
from . import links, settings
from .phones import has_lost_access


def init_app(app: Flask) -> None:
    for view in (links, settings):
        app.register_blueprint(view.blueprint)
    LOST_ACCESS["circles"] = has_lost_access
