"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.navigation import EVENING, PLACES, TABLE, register
from . import circle, home, rules


def init_app(app: Flask) -> None:
    register(app, circle, home, rules)
    PLACES.update({"home.home": TABLE, "circles.show": EVENING})
