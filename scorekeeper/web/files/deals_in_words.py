"""Deals in words for spreadsheets, as the pages put them."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from flask import current_app, g
from markupsafe import Markup

from ...exchange.spreadsheets import DealInWords
from ...scoring.values import clean_name
from ...tables.state import ScoredDeal, TableState
from ..support.game_layouts import Layout

_TAG = re.compile("<[^>]*>")
_LINE_BREAKS = re.compile("[ \t\r\n]+")


def describe(table: TableState, scored: ScoredDeal) -> DealInWords:
    """Return what happened in a deal and what it won. The dealer is left out: a column names them."""
    g.names, g.sides = (lambda: table.names), {}  # a spreadsheet says the same to everybody
    body = {key: fact for key, fact in (scored.deal.last_body or {}).items() if key != "dealer"}
    reason = None
    if "adjustment" in body:
        reason = clean_name(body["adjustment"].get("reason"))
        body["adjustment"] = {key: part for key, part in body["adjustment"].items() if key != "reason"}
    closings = scored.row.closings if scored.row is not None else ()
    parts: Any = current_app.jinja_env.get_template("_parts.html").module
    words = _make_layout(table)
    facts = _text(parts.deal_facts(words, body, table, scored.deal.id))
    result = ", ".join(_text(parts.closing_line(table.game, closing)) for closing in closings)
    return DealInWords(f"{facts} ({reason})" if reason else facts, result)


def _make_layout(table: TableState) -> Layout:
    """Return the layout of a table's game. That of the last table is kept: making it costs more than a deal's words."""
    kept: tuple[TableState, Layout] | None = g.get("words_of_table")
    if kept is None or kept[0] is not table:
        kept = table, Layout(table.game, current_app.jinja_env, current_app.jinja_env.globals | {"table": table})
        g.words_of_table = kept
    return kept[1]


def _text(html: Markup) -> str:
    """Return what a reader sees of a piece of HTML, in one line; spaces that join stay."""
    return _LINE_BREAKS.sub(" ", unescape(_TAG.sub("", html))).strip(" ")
