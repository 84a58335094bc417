"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.navigation import EVENING, register
from . import handicap_pages, pages, player_pages, season_pages


def init_app(app: Flask) -> None:
    register(app, handicap_pages, pages, player_pages, season_pages, place=EVENING)
