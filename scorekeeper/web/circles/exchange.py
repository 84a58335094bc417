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

CHUNK = 1 << 16  # bytes of a file that are sent at once
CSV = f"<any({','.join(KINDS)}):kind>.csv"
LEDGER = f"ledger.<any({','.join(PROGRAMS)}):program>"
CSV_TYPE, PLAIN, ZIP = "text/csv; charset=utf-8", "text/plain; charset=utf-8", "application/zip"


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
        here=parse_id(request.args.get("here")),
    )


@blueprint.get("/circles/<name>/export.zip")
def zip_of_circle(name: str) -> Response:
    """Download a ZIP file with a sheet for each table of the circle."""
    circle = access.get_circle_or_404(name).circle
    return _file("scorekeeper-sheets.zip", ZIP, lambda file: write_zip(exports.tables_of(circle), file))


@blueprint.get(f"/circles/<name>/{CSV}")
def csv_of_circle(name: str, kind: str) -> Response:
    """Download a CSV file about all tables of the circle."""
    circle = access.get_circle_or_404(name).circle
    payments = exports.payments_of(circle) if kind == "payments" else []
    return _file(f"{kind}.csv", CSV_TYPE, lambda file: write_csv(kind, exports.tables_of(circle), payments, file))


@blueprint.get(f"/circles/<name>/{LEDGER}")
def ledger_of_circle(name: str, program: str) -> Response:
    """Download the circle's payments as a journal for an accounting program."""
    circle = access.get_circle_or_404(name).circle
    names, payments, language = exports.names_of(circle), exports.payments_of(circle), g.language

    def write(file: IO[bytes]) -> None:
        write_ledger(program, language, names, exports.tables_of(circle), payments, file)

    return _file(f"scorekeeper.{program}", PLAIN, write)


@blueprint.get("/tables/<token>/export")
def of_table(token: str) -> str:
    """Show a table's downloads."""
    table = access.get_table_or_404(token)
    return render_template("circles/exchange/table.html", table=table, kinds=KINDS, programs=tuple(PROGRAMS))


@blueprint.get(f"/tables/<token>/{CSV}")
def csv_of_table(token: str, kind: str) -> Response:
    """Download a CSV file about the table."""
    told = exports.export_table(access.get_table_or_404(token))
    payments = exports.payments_for_table(told) if kind == "payments" else []
    return _file(f"{told.label}-{kind}.csv", CSV_TYPE, lambda file: write_csv(kind, [told], payments, file))


@blueprint.get(f"/tables/<token>/{LEDGER}")
def ledger_of_table(token: str, program: str) -> Response:
    """Download the table's payments as a journal for an accounting program."""
    told = exports.export_table(access.get_table_or_404(token))
    payments, language = exports.payments_for_table(told), g.language
    names = exports.names_for_table(told, payments)

    def write(file: IO[bytes]) -> None:
        write_ledger(program, language, names, [told], payments, file)

    return _file(f"{told.label}.{program}", PLAIN, write)


def _file(name: str, kind: str, write: Callable[[IO[bytes]], None]) -> Response:
    """A file to be kept. It is written to the disk first: what goes wrong half-way is no half of a file to anybody."""
    file = TemporaryFile()  # noqa: SIM115  # closed with the response
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    headers = Headers({"Content-Type": kind, "Content-Length": str(file.tell()), "Cache-Control": "no-store"})
    headers.set("Content-Disposition", "attachment", filename=name)
    file.seek(0)
    response = Response(_read_out(file), headers=headers)
    response.call_on_close(file.close)  # where nothing of it is read: a HEAD, or a client that has gone
    return response


def _read_out(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
