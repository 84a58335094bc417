"""Downloads of a circle or a table: score sheets, spreadsheets, and ledgers for accounting programs."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import unescape
from typing import IO, Any
from unicodedata import normalize

from flask import Blueprint, Response, current_app, g, render_template, request
from markupsafe import Markup

from ...exchange.ledgers import PROGRAMS, write_ledger
from ...exchange.sheets import write_zip
from ...exchange.spreadsheets import (
    KINDS,
    TABLE_KINDS,
    DealInWords,
    ExportedPayment,
    ExportedTable,
    SpreadsheetContents,
    write_csv,
    write_workbook,
)
from ...models import Circle
from ...scoring.values import clean_name
from ...services.files import exports
from ...services.tables.reading import count_tables_without_game
from ...tables.state import ScoredDeal, TableState
from ...time_zones import local_time, now
from ..support import access
from ..support.costly import costly
from ..support.forms import parse_id
from ..support.game_layouts import Layout
from ..support.http import file_response, stop_if_gone
from ..support.language import in_name_order

_TAG = re.compile("<[^>]*>")
_LINE_BREAKS = re.compile("[ \t\r\n]+")


def describe(table: TableState, scored: ScoredDeal) -> DealInWords:
    """Return what happened in a deal and what it won. The dealer is left out: a column names them."""
    stop_if_gone()
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


blueprint = Blueprint("exchange", __name__)

CSV_PATH = "<any({}):kind>.csv"
LEDGER_PATH = f"ledger.<any({','.join(PROGRAMS)}):program>"
CSV_TYPE, TEXT_TYPE, ZIP_TYPE = "text/csv; charset=utf-8", "text/plain; charset=utf-8", "application/zip"
WORKBOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAX_TITLE = 40  # characters of a file's name


@blueprint.get("/circles/<name>/exchange")
def show(name: str) -> str:
    circle = access.get_circle_or_404(name).circle
    return render_template(
        "files/circle.html",
        circle=circle,
        kinds=KINDS,
        programs=tuple(PROGRAMS),
        missing_games=[*count_tables_without_game(circle)],
        recorded=parse_id(request.args.get("recorded")),
        duplicates=parse_id(request.args.get("here")),
    )


@blueprint.get("/circles/<name>/export.zip")
@costly
def zip_of_circle(name: str) -> Response:
    circle = access.get_circle_or_404(name).circle
    return file_response("scorekeeper-sheets.zip", ZIP_TYPE, lambda file: write_zip(exports.read_tables(circle), file))


@blueprint.get("/circles/<name>/spreadsheet.xlsx")
@costly
def workbook_of_circle(name: str) -> Response:
    circle = access.get_circle_or_404(name).circle
    contents = _contents_of_circle(circle, KINDS)
    return file_response(
        f"{_file_name(circle)}.xlsx", WORKBOOK_TYPE, lambda file: write_workbook(KINDS, contents, file)
    )


@blueprint.get(f"/circles/<name>/{CSV_PATH.format(','.join(KINDS))}")
@costly
def csv_of_circle(name: str, kind: str) -> Response:
    contents = _contents_of_circle(access.get_circle_or_404(name).circle, (kind,))
    return file_response(f"{kind}.csv", CSV_TYPE, lambda file: write_csv(kind, contents, file))


def _contents_of_circle(circle: Circle, kinds: Collection[str]) -> SpreadsheetContents:
    return SpreadsheetContents(
        g.language,
        describe,
        exports.read_tables(circle),
        exports.read_payments(circle) if "payments" in kinds else (),
        in_name_order(exports.read_players(circle)) if "players" in kinds else (),
    )


def _file_name(circle: Circle) -> str:
    """Return a name in ASCII with the circle's title, if it has one, and today's date."""
    letters = normalize("NFKD", circle.title or "").encode("ascii", "ignore").decode()
    title = "-".join(re.findall(r"[A-Za-z0-9]+", letters))[:MAX_TITLE].strip("-")
    today = local_time(now(), circle.time_zone).date()
    return "-".join(part for part in ("scorekeeper", title, today.isoformat()) if part)


@blueprint.get(f"/circles/<name>/{LEDGER_PATH}")
@costly
def ledger_of_circle(name: str, program: str) -> Response:
    circle = access.get_circle_or_404(name).circle
    names, payments, language = exports.list_names(circle), exports.read_payments(circle), g.language
    fees = exports.read_fees(circle)

    def write(file: IO[bytes]) -> None:
        write_ledger(program, language, names, exports.read_tables(circle), payments, file, fees)

    return file_response(f"scorekeeper.{program}", TEXT_TYPE, write)


@blueprint.get("/tables/<token>/export")
def of_table(token: str) -> str:
    table = access.get_table_or_404(token)
    return render_template("files/table.html", table=table, kinds=TABLE_KINDS, programs=tuple(PROGRAMS))


@blueprint.get("/tables/<token>/spreadsheet.xlsx")
@costly
def workbook_of_table(token: str) -> Response:
    table, payments = _read_table(token)
    contents = SpreadsheetContents(g.language, describe, [table], payments)
    name = f"{table.label}.xlsx"
    return file_response(name, WORKBOOK_TYPE, lambda file: write_workbook(TABLE_KINDS, contents, file))


@blueprint.get(f"/tables/<token>/{CSV_PATH.format(','.join(TABLE_KINDS))}")
@costly
def csv_of_table(token: str, kind: str) -> Response:
    table, payments = _read_table(token)
    contents = SpreadsheetContents(g.language, describe, [table], payments)
    return file_response(f"{table.label}-{kind}.csv", CSV_TYPE, lambda file: write_csv(kind, contents, file))


@blueprint.get(f"/tables/<token>/{LEDGER_PATH}")
@costly
def ledger_of_table(token: str, program: str) -> Response:
    (table, payments), language = _read_table(token), g.language
    names = exports.names_for_table(table, payments)

    def write(file: IO[bytes]) -> None:
        write_ledger(program, language, names, [table], payments, file)

    return file_response(f"{table.label}.{program}", TEXT_TYPE, write)


def _read_table(token: str) -> tuple[ExportedTable, list[ExportedPayment]]:
    """Return a table with the payments that settled it alone."""
    table = access.get_table_or_404(token)
    return exports.export_table(table), exports.read_payments(table.stored.circle, table.stored)
