"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from . import circle_pages, export_pages, import_pages, person_pages


def init_app(app: Flask) -> None:
    for view in (
        circle_pages,
        export_pages,
        import_pages,
        person_pages,
    ):
        app.register_blueprint(view.blueprint)
