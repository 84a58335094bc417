"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.error_pages import LOST_ACCESS
from ..site.navigation import register
from . import links, settings
from .phones import has_lost_access


def init_app(app: Flask) -> None:
    register(app, links, settings)
    LOST_ACCESS["circles"] = has_lost_access
