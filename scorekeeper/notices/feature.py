"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.navigation import register
from ..site.occasions import LISTENERS
from . import pages, sending


def init_app(app: Flask) -> None:
    register(app, pages)
    LISTENERS["notices"] = sending.send_after_commit
    sending.init_app(app)
