"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from . import amounts, http, pwa


def init_app(app: Flask) -> None:
    for view in (
        amounts,
        http,
        pwa,
    ):
        app.register_blueprint(view.blueprint)
