"""Downloads of a circle or a table: score sheets, spreadsheets, and ledgers for accounting programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from tempfile import TemporaryFile
from typing import IO

from flask import Blueprint, Response, g, render_template, request
from werkzeug.datastructures import Headers

from ...exchange.accounting import PROGRAMS, write_ledger
from ...exchange.spreadsheets import KINDS, write_csv
from ...exchange.zip_writer import write_zip
from ...services import exports
from ..support import access
from ..support.forms import parse_id

blueprint = Blueprint("exchange", __name__)

CHUNK_SIZE = 1 << 16  # bytes of a file read at a time
CSV_PATH = f"<any({','.join(KINDS)}):kind>.csv"
LEDGER_PATH = f"ledger.<any({','.join(PROGRAMS)}):program>"
CSV_TYPE, TEXT_TYPE, ZIP_TYPE = "text/csv; charset=utf-8", "text/plain; charset=utf-8", "application/zip"


@blueprint.get("/circles/<name>/exchange")
def show(name: str) -> str:
    """Show a circle's downloads and the import form; after an import, its result."""
    circle = access.get_circle_or_404(name).circle
    return render_template(
        "circles/exchange/circle.html",
        circle=circle,
        kinds=KINDS,
        programs=tuple(PROGRAMS),
        recorded=parse_id(request.args.get("recorded")),
        duplicates=parse_id(request.args.get("here")),
    )


@blueprint.get("/circles/<name>/export.zip")
def zip_of_circle(name: str) -> Response:
    """Download a ZIP file with a sheet for each table of the circle."""
    circle = access.get_circle_or_404(name).circle
    return _file("scorekeeper-sheets.zip", ZIP_TYPE, lambda file: write_zip(exports.tables_of(circle), file))


@blueprint.get(f"/circles/<name>/{CSV_PATH}")
def csv_of_circle(name: str, kind: str) -> Response:
    """Download a CSV file about all tables of the circle."""
    circle = access.get_circle_or_404(name).circle
    payments = exports.payments_of(circle) if kind == "payments" else []
    return _file(f"{kind}.csv", CSV_TYPE, lambda file: write_csv(kind, exports.tables_of(circle), payments, file))


@blueprint.get(f"/circles/<name>/{LEDGER_PATH}")
def ledger_of_circle(name: str, program: str) -> Response:
    """Download the circle's payments as a journal for an accounting program."""
    circle = access.get_circle_or_404(name).circle
    names, payments, language = exports.names_of(circle), exports.payments_of(circle), g.language

    def write(file: IO[bytes]) -> None:
        write_ledger(program, language, names, exports.tables_of(circle), payments, file)

    return _file(f"scorekeeper.{program}", TEXT_TYPE, write)


@blueprint.get("/tables/<token>/export")
def of_table(token: str) -> str:
    """Show a table's downloads."""
    table = access.get_table_or_404(token)
    return render_template("circles/exchange/table.html", table=table, kinds=KINDS, programs=tuple(PROGRAMS))


@blueprint.get(f"/tables/<token>/{CSV_PATH}")
def csv_of_table(token: str, kind: str) -> Response:
    """Download a CSV file about the table."""
    table = exports.export_table(access.get_table_or_404(token))
    payments = exports.payments_for_table(table) if kind == "payments" else []
    return _file(f"{table.label}-{kind}.csv", CSV_TYPE, lambda file: write_csv(kind, [table], payments, file))


@blueprint.get(f"/tables/<token>/{LEDGER_PATH}")
def ledger_of_table(token: str, program: str) -> Response:
    """Download the table's payments as a journal for an accounting program."""
    table = exports.export_table(access.get_table_or_404(token))
    payments, language = exports.payments_for_table(table), g.language
    names = exports.names_for_table(table, payments)

    def write(file: IO[bytes]) -> None:
        write_ledger(program, language, names, [table], payments, file)

    return _file(f"{table.label}.{program}", TEXT_TYPE, write)


def _file(name: str, content_type: str, write: Callable[[IO[bytes]], None]) -> Response:
    """Return a download of what `write` writes.

    It is written to a temporary file first, so that an error in the middle results in an error page instead of half a
    file.
    """
    file = TemporaryFile()  # noqa: SIM115  # closed with the response
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    headers = Headers({"Content-Type": content_type, "Content-Length": str(file.tell()), "Cache-Control": "no-store"})
    headers.set("Content-Disposition", "attachment", filename=name)
    file.seek(0)
    response = Response(_chunks(file), headers=headers)
    response.call_on_close(file.close)  # if none of it is read: a HEAD request, or a client that has disconnected
    return response


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_SIZE):
            yield chunk
