"""Downloads of a circle or a table: score sheets, spreadsheets, and books for accounting programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import unescape
from typing import Any
from unicodedata import normalize

from flask import Blueprint, Response, current_app, g, render_template, request
from markupsafe import Markup

from ..circles import access
from ..models import Circle, now
from ..scoring.values import clean_name
from ..site.fields import parse_digits
from ..site.http import file_response, stop_if_gone
from ..site.language import set_party_names
from ..site.rate_limits import costly
from ..site.time_zones import local_time
from ..tables import access as table_access
from ..tables.game_layouts import lay_out
from ..tables.reading import count_tables_without_game
from ..tables.state import ScoredDeal, TableState
from . import exports
from .books import PROGRAMS, write_books
from .exports import Export
from .sheets import sheet_text, write_zip
from .spreadsheets import CSV_TYPE, KINDS, TABLE_KINDS, SpreadsheetContents, write_csv, write_workbook

_TAG = re.compile("<[^>]*>")
_LINE_BREAKS = re.compile("[ \t\r\n]+")


def describe(table: TableState) -> Callable[[ScoredDeal], tuple[str, str]]:
    """Return a function that puts a deal of the table, and what it won, into words."""
    stop_if_gone()
    set_party_names(table.names)  # a spreadsheet says the same to everybody
    parts: Any = current_app.jinja_env.get_template("tables/_parts.html").module
    words = lay_out(table.game, current_app.jinja_env, {"table": table})

    def describe_deal(scored: ScoredDeal) -> tuple[str, str]:
        # The dealer has a column of its own.
        body = {key: fact for key, fact in (scored.deal.last_body or {}).items() if key != "dealer"}
        reason = None
        if "adjustment" in body:
            reason = clean_name(body["adjustment"].get("reason"))
            body["adjustment"] = {key: part for key, part in body["adjustment"].items() if key != "reason"}
        closings = scored.row.closings if scored.row is not None else ()
        facts = _text(parts.deal_facts(words, body, table, scored.deal.id))
        result = ", ".join(_text(parts.closing_line(table.game, closing)) for closing in closings)
        return f"{facts} ({reason})" if reason else facts, result

    return describe_deal


def _text(html: Markup) -> str:
    """Return what a reader sees of a piece of HTML, in one line; no-break spaces stay."""
    return _LINE_BREAKS.sub(" ", unescape(_TAG.sub("", html))).strip(" ")


blueprint = Blueprint("files", __name__)

CIRCLE, TABLE = "/circles/<circle_token>", "/tables/<token>"
BOOKS = f"ledger.<any({','.join(PROGRAMS)}):program>"
TEXT_TYPE, ZIP_TYPE = "text/plain; charset=utf-8", "application/zip"
WORKBOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAX_TITLE = 40  # characters of a file's name


@blueprint.get(f"{CIRCLE}/exchange")
def show(circle_token: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    return render_template(
        "files/circle.html",
        circle=circle,
        kinds=KINDS,
        programs=tuple(PROGRAMS),
        missing_games=[*count_tables_without_game(circle)],
        recorded=parse_digits(request.args.get("recorded")),
        duplicates=parse_digits(request.args.get("here")),
    )


@blueprint.get(f"{TABLE}/export")
def of_table(token: str) -> str:
    table = table_access.get_table_or_404(token)
    return render_template("files/table.html", table=table, kinds=TABLE_KINDS, programs=tuple(PROGRAMS))


@blueprint.get(f"{TABLE}/sheet.json")
def sheet_of_table(token: str) -> Response:
    table = table_access.get_table_or_404(token)
    label = exports.label_tables(table.stored.circle)[table.id]
    text = sheet_text(table.sheet()).encode()
    return file_response(f"{label}.json", "application/json", lambda file: file.write(text))


@blueprint.get(f"{CIRCLE}/export.zip")
@costly
def zip_of_circle(circle_token: str) -> Response:
    circle = access.get_membership_or_404(circle_token).circle
    return file_response("scorekeeper-sheets.zip", ZIP_TYPE, lambda file: write_zip(exports.read_tables(circle), file))


@blueprint.get(f"{CIRCLE}/spreadsheet.xlsx")
@blueprint.get(f"{TABLE}/spreadsheet.xlsx")
@costly
def workbook(**of: str) -> Response:
    circle, label, export = _read(**of)
    kinds, name = (TABLE_KINDS, label) if label else (KINDS, _file_name(circle))
    contents = SpreadsheetContents(g.locale, describe, export)
    return file_response(f"{name}.xlsx", WORKBOOK_TYPE, lambda file: write_workbook(kinds, contents, file))


@blueprint.get(f"{CIRCLE}/<any({','.join(KINDS)}):kind>.csv")
@blueprint.get(f"{TABLE}/<any({','.join(TABLE_KINDS)}):kind>.csv")
@costly
def csv(kind: str, **of: str) -> Response:
    _, label, export = _read(**of)
    name = f"{label}-{kind}.csv" if label else f"{kind}.csv"
    contents = SpreadsheetContents(g.locale, describe, export)
    return file_response(name, CSV_TYPE, lambda file: write_csv(kind, contents, file))


@blueprint.get(f"{CIRCLE}/{BOOKS}")
@blueprint.get(f"{TABLE}/{BOOKS}")
@costly
def books(program: str, **of: str) -> Response:
    _, label, export = _read(**of)
    write = partial(write_books, program, g.locale, export)
    return file_response(f"{label or 'scorekeeper'}.{program}", TEXT_TYPE, write)


def _read(circle_token: str = "", token: str = "") -> tuple[Circle, str, Export]:
    """Return the circle, the label of the table if only one is exported, and what is exported."""
    if circle_token:
        circle = access.get_membership_or_404(circle_token).circle
        return circle, "", exports.export_circle(circle)
    table = table_access.get_table_or_404(token)
    return table.stored.circle, *exports.export_table(table)


def _file_name(circle: Circle) -> str:
    letters = normalize("NFKD", circle.title or "").encode("ascii", "ignore").decode()
    title = "-".join(re.findall(r"[A-Za-z0-9]+", letters))[:MAX_TITLE].strip("-")
    today = local_time(now(), circle.time_zone).date()
    return "-".join(part for part in ("scorekeeper", title, today.isoformat()) if part)
