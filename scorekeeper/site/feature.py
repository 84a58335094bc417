"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from . import amounts, health, pwa
from .navigation import register


def init_app(app: Flask) -> None:
    register(app, amounts, health, pwa)
