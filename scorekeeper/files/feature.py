"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.navigation import register
from . import circle_pages, export_pages, import_pages, person_pages


def init_app(app: Flask) -> None:
    register(app, circle_pages, export_pages, import_pages, person_pages)
