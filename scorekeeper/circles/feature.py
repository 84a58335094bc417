"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.error_pages import LOST_ACCESS
from . import links
from .phones import has_lost_access


def init_app(app: Flask) -> None:
    app.register_blueprint(links.blueprint)
    LOST_ACCESS["circles"] = has_lost_access
