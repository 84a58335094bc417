"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..circles.links import LANDINGS
from ..site.live import READERS
from ..site.navigation import MORE, PLACES, TABLE, register
from . import adjustments, counter_checks, history, live, paper, recap, seating_draw, table, words
from .reading import read_messages


def init_app(app: Flask) -> None:
    # `adjustments` adds to the blueprint of `record`, `paper` to that of `new_table`.
    register(app, adjustments, counter_checks, history, live, paper, seating_draw, table, place=TABLE)
    app.jinja_env.globals |= {"words": words, "recaps": recap}  # modules of which templates call functions
    PLACES["table.share"] = MORE
    LANDINGS["table"] = table.find_landing
    READERS["tables"] = read_messages
