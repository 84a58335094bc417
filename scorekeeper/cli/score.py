"""`scorekeeper score`: print the statements of score sheets. Uses neither Flask nor a database."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import orjson

from .. import raise_gc_threshold
from ..exchange.json_documents import read, unreadable
from ..games import games
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.statement import score
from ..scoring.values import JsonObject
from . import FAILED

MAX_DOCUMENT_BYTES = 64_000_000  # of one file, or of one line of standard input

Document = bytes | Problem  # a file's content, or the reason why it cannot be read


@click.command("score")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document per line.")
def score_files(files: tuple[str, ...], as_json: bool) -> None:
    """Print the statement of each sheet. `-` reads sheets from standard input, one JSON document per line."""
    raise_gc_threshold()
    any_refused = False
    write = _write_json if as_json else _write_text
    with _writable_output():
        for name, document in _documents(files):
            result = _score(document)
            any_refused = any_refused or isinstance(result, Refusal)
            write(name, result)
    if any_refused:
        sys.exit(FAILED)


# --- reading -------------------------------------------------------------------------------------------------


def _documents(files: Iterable[str]) -> Iterator[tuple[str, Document]]:
    """Yield the source of each document, and its content."""
    for file in files:
        try:
            if file == "-":
                yield from _input_lines()
            else:
                with Path(file).open("rb") as opened:
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
    if isinstance(document, Problem):
        return refuse(None, [document])
    raw = read(document)
    return raw if isinstance(raw, Refusal) else score(raw, games())


# --- writing -------------------------------------------------------------------------------------------------


def _write_json(_name: str, result: JsonObject | Refusal) -> None:
    if isinstance(result, Refusal):
        from ..i18n import problem_text  # noqa: PLC0415  # imports Babel, which a valid sheet does not need

        message = problem_text(result.first, "en", names=str)
        result = {"error": {"deal": result.deal, "field": result.first.field, "message": message}}
    sys.stdout.buffer.write(_json_line(result))


def _json_line(document: JsonObject) -> bytes:
    try:
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # orjson supports only 64-bit integers, and bêtes can grow beyond them
        return json.dumps(document).encode() + b"\n"


def _write_text(name: str, result: JsonObject | Refusal) -> None:
    from . import output  # noqa: PLC0415  # imports Babel, which --json does not need

    language = output.terminal_language()
    if isinstance(result, Refusal):
        click.echo(output.refusal_line(name, result, language), err=True)
    else:
        click.echo(output.statement_text(result, language) + "\n")


@contextmanager
def _writable_output() -> Iterator[None]:
    """Write "?" for characters that the terminal's encoding lacks, and report write errors on one line.

    A broken pipe (`| head`) is left to click, which exits silently.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # both are text streams
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        _report_write_error(error)
        sys.exit(FAILED)


def _report_write_error(error: OSError) -> None:
    from . import output  # noqa: PLC0415  # imports Babel, which a writable output does not need

    click.echo(output.write_error_line(error, output.terminal_language()), err=True)
    if sys.stdout is not None:  # what is left in its buffer must not fail again when Python exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
