"""`scorekeeper score`: print the statements of score sheets. Uses neither Flask nor a database, and only some of click.

Scoring a sheet takes a few milliseconds, so that most of the time goes into imports.
`tests/cli/test_command.py` lists what must not be among them.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from .. import raise_gc_threshold
from ..exchange.json_documents import read, read_fast, unreadable
from ..games import GamesOnDemand
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.statement import score
from ..scoring.values import JsonObject
from . import ABORTED, FAILED
from .streams import discard, print_line, writable_output

MAX_DOCUMENT_BYTES = 64_000_000  # of one file, or of one line of standard input

Encoder = Callable[[JsonObject], bytes]
Document = bytes | Problem  # a file's content, or the reason why it cannot be read


def is_plain(arguments: Sequence[str]) -> bool:
    """Return whether these are only files and perhaps `--json`, so that `run` can do without click."""
    files = [argument for argument in arguments if argument != "--json"]
    return bool(files) and not any(len(file) > 1 and file.startswith("-") for file in files)


def run(arguments: Sequence[str]) -> int:
    """Run the command with plain arguments as click would, and return its exit status."""
    try:
        return score_files([file for file in arguments if file != "--json"], as_json="--json" in arguments)
    except (KeyboardInterrupt, EOFError):
        print_line("\nAborted!", sys.stderr)
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        discard(sys.stdout)
    return ABORTED


def score_files(files: Sequence[str], *, as_json: bool) -> int:
    """Print the statement of each file's sheets, and return the exit status."""
    raise_gc_threshold()
    any_refused = False
    may_be_many = len(files) > 1 or "-" in files
    write = partial(_write_json, _encoder(may_be_many)) if as_json else _write_text
    games = GamesOnDemand()
    with writable_output():
        for name, document in _documents(files):
            result = _score(document, games, fast=may_be_many)
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


def _score(document: Document, games: Mapping[str, AnyGame], *, fast: bool) -> JsonObject | Refusal:
    """Return the statement of a sheet, or why there is none."""
    if isinstance(document, Problem):
        return refuse(None, [document])
    if fast and (raw := read_fast(document)) is not None:
        result = score(raw, games)
        if not isinstance(result, Refusal):
            return result
    raw = read(document)  # strictly, for the right message
    return raw if isinstance(raw, Refusal) else score(raw, games)


# --- writing -------------------------------------------------------------------------------------------------


def _write_json(encode: Encoder, _name: str, _document: Document, result: JsonObject | Refusal) -> None:
    if isinstance(result, Refusal):
        from ..i18n import problem_text  # noqa: PLC0415  # imports Babel, which a valid sheet does not need

        message = problem_text(result.first, "en", names=str)
        result = {"error": {"deal": result.deal, "field": result.first.field, "message": message}}
    sys.stdout.buffer.write(encode(result))


def _encoder(may_be_many: bool) -> Encoder:
    """Return the function that encodes a document on one line: orjson's if there may be many, since it imports more."""
    if not may_be_many:
        return _encode
    import orjson  # noqa: PLC0415  # see above

    def encode(document: JsonObject) -> bytes:
        try:
            return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
        except TypeError:  # orjson supports only 64-bit integers, and bêtes can grow beyond them
            return _encode(document)

    return encode


def _encode(document: JsonObject) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _write_text(name: str, document: Document, result: JsonObject | Refusal) -> None:
    from . import output  # noqa: PLC0415  # imports Babel, which --json does not need

    language = output.terminal_language()
    if isinstance(result, Refusal):
        print_line(output.refusal_line(name, result, language), sys.stderr)
    elif not isinstance(document, Problem):
        deals = json.loads(document)["deals"]  # a statement does not say which are substitutions
        print_line(output.statement_text(result, deals, language) + "\n", sys.stdout)
