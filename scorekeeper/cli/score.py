"""`scorekeeper score`: print the statements of score sheets. Uses neither Flask nor a database."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

import click

from .. import raise_gc_threshold
from ..exchange.json_documents import read, unreadable
from ..games import games
from ..i18n import problem_text
from ..scoring import sheet
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.values import JsonObject
from . import FAILED, output
from .streams import print_line, writable_output

MAX_DOCUMENT_BYTES = 64_000_000  # of one file, or of one line of standard input

Document = bytes | Problem  # a file's content, or the reason why it cannot be read


@click.command("score")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document per line.")
def score(files: tuple[str, ...], as_json: bool) -> None:
    """Print the statement of each sheet. `-` reads sheets from standard input, one JSON document per line."""
    sys.exit(score_files(files, as_json=as_json))


def score_files(files: Sequence[str], *, as_json: bool) -> int:
    """Print the statement of each file's sheets, and return the exit status."""
    raise_gc_threshold()
    any_refused = False
    write = _write_json if as_json else _write_text
    with writable_output():
        for name, document in _documents(files):
            result = _score(document)
            any_refused = any_refused or isinstance(result, Refusal)
            write(name, document, result)
    return FAILED if any_refused else 0


# --- reading -------------------------------------------------------------------------------------------------


def _documents(files: Iterable[str]) -> Iterator[tuple[str, Document]]:
    """Yield the source of each document, and its content."""
    for file in files:
        try:
            if file == "-":
                yield from _input_lines()
            else:
                with open(file, "rb") as opened:
                    yield file, _check_size(opened.read(MAX_DOCUMENT_BYTES + 1))
        except OSError as error:
            yield file, unreadable(error)


def _input_lines() -> Iterator[tuple[str, Document]]:
    """Yield the lines of standard input that are not blank. Of a line that is too long, only the first part is read."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    number, is_rest = 0, False
    while line := sys.stdin.buffer.readline(MAX_DOCUMENT_BYTES + 1):
        number += not is_rest
        if not is_rest and not line.isspace():
            yield f"-:{number}", _check_size(line)
        is_rest = not line.endswith(b"\n")


def _check_size(text: bytes) -> Document:
    if len(text) <= MAX_DOCUMENT_BYTES:
        return text
    return Problem("file", "too-large-a-sheet", {"most": MAX_DOCUMENT_BYTES // 1_000_000})


def _score(document: Document) -> JsonObject | Refusal:
    """Return the statement of a sheet, or why there is none."""
    raw = refuse(None, [document]) if isinstance(document, Problem) else read(document)
    return raw if isinstance(raw, Refusal) else sheet.score(raw, games())


# --- writing -------------------------------------------------------------------------------------------------


def _write_json(_name: str, _document: Document, result: JsonObject | Refusal) -> None:
    if isinstance(result, Refusal):
        message = problem_text(result.first, "en", names=str)
        result = {"error": {"deal": result.deal, "field": result.first.field, "message": message}}
    sys.stdout.buffer.write(json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _write_text(name: str, document: Document, result: JsonObject | Refusal) -> None:
    language = output.terminal_language()
    if isinstance(result, Refusal):
        print_line(output.refusal_line(name, result, language), sys.stderr)
    elif not isinstance(document, Problem):
        print_line(output.statement_text(result, json.loads(document), language) + "\n", sys.stdout)
