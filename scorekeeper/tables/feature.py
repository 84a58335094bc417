"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..site.features import Feature
from ..site.navigation import MORE, TABLE
from . import (
    adjustments,
    counter_checks,
    history,
    live,
    new_table,
    paper,
    recap,
    record,
    seating_draw,
    table,
    terms,
    words,
)
from .reading import read_messages


def _init_app(app: Flask) -> None:
    app.jinja_env.globals |= {"words": words, "recaps": recap}  # modules of which templates call functions


FEATURE = Feature(
    views=(adjustments, counter_checks, history, live, new_table, paper, record, seating_draw, table, terms),
    place=TABLE,
    other_places={"table.share": MORE},
    init_app=_init_app,
    read_messages=read_messages,
    landing="table",
    find_landing=table.find_landing,
)
