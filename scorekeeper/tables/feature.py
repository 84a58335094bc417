"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.features import Feature
from ..site.navigation import MORE, TABLE
from . import adjustments, counter_checks, history, live, paper, recap, seating_draw, table, words
from .reading import read_messages


def _init_app(app: Flask) -> None:
    app.jinja_env.globals |= {"words": words, "recaps": recap}  # modules of which templates call functions


FEATURE = Feature(
    # `adjustments` adds to the blueprint of `record`, `paper` to that of `new_table`.
    views=(adjustments, counter_checks, history, live, paper, seating_draw, table),
    place=TABLE,
    other_places={"table.share": MORE},
    init_app=_init_app,
    read_messages=read_messages,
    landing="table",
    find_landing=table.find_landing,
)
