"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.around import EVENING, PLACES, TABLE
from . import circle, home, rules


def init_app(app: Flask) -> None:
    for view in (
        circle,
        home,
        rules,
    ):
        app.register_blueprint(view.blueprint)
    PLACES.update({"home.home": TABLE, "circles.show": EVENING})
