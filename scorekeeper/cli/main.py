"""The `scorekeeper` command. Imports inside functions let `score` start without Flask or a database."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click
import orjson
from click.core import ParameterSource

from .. import raise_gc_threshold
from ..exchange.json_documents import read, unreadable
from ..games import games
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.statement import score
from ..scoring.values import single_line

BROKEN_SHEET = WRONG = 2  # exit status
MAX_SHEET_BYTES = 64_000_000  # of one file, or of one line of standard input
FAULTY = 1  # the same, where what is kept is not as the facts say


class Commands(click.Group):
    """A group that reports expected errors (see `errors.explain`) on one line, with exit status 2."""

    def invoke(self, context: click.Context) -> Any:
        """Run a command; errors that are bugs propagate."""
        try:
            return super().invoke(context)
        except click.BadParameter as error:
            problem = _bad_setting(error)
            if problem is None:
                raise
        except Exception as error:
            from ..errors import explain  # noqa: PLC0415  # a command that succeeds needs neither this nor words

            problem = explain(error)
            if problem is None:
                raise
        _tell_wrong(problem)
        return context.exit(WRONG)


def _bad_setting(error: click.BadParameter) -> Problem | None:
    """Return the problem with an option set by an environment variable, or None if it came from the command line."""
    option, context = error.param, error.ctx
    if not isinstance(option, click.Option) or context is None or not isinstance(option.envvar, str):
        return None
    if context.get_parameter_source(option.name or "") is not ParameterSource.ENVIRONMENT:
        return None
    params: dict[str, Any] = {"name": option.envvar, "value": os.environ[option.envvar]}
    if isinstance(option.type, click.Choice):
        return Problem("", "startup.setting-choice", params | {"choices": tuple(option.type.choices)})
    if isinstance(option.type, click.IntRange):
        return Problem("", "startup.setting-number", params | {"low": option.type.min, "high": option.type.max})
    return Problem("", "startup.setting", params)


def _tell_wrong(problem: Problem) -> None:
    from .. import i18n  # noqa: PLC0415  # `score` starts without it

    click.echo(single_line(i18n.problem_text(problem, _reader_language(), names=str)), err=True)


@click.group(cls=Commands)
@click.version_option(package_name="scorekeeper")
@click.pass_context
def main(context: click.Context) -> None:
    """Keep score of Francion, Whist, Short Whist, Quarante de rois and Joffre."""
    before = os.umask(0o077)  # files are created for their owner alone
    context.call_on_close(lambda: os.umask(before))


@main.command("score")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="One JSON document a line.")
def score_files(files: tuple[str, ...], as_json: bool) -> None:
    """Print the statement of each sheet. `-` reads sheets from standard input, one JSON document a line."""
    raise_gc_threshold()
    broken = False
    tell = _tell_as_json if as_json else _tell_a_reader
    with _writable_output():
        for name, text in _documents(files):
            result = _score_text(text)
            broken = broken or isinstance(result, Refusal)
            tell(name, result)
    if broken:
        sys.exit(BROKEN_SHEET)


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
        _tell_unwritable(error)
        sys.exit(BROKEN_SHEET)


def _tell_unwritable(error: OSError) -> None:
    from ..i18n import translate  # noqa: PLC0415  # a stream without a fault needs no words

    click.echo(translate(_reader_language(), "command.unwritable", reason=error.strerror), err=True)
    if sys.stdout is not None:  # what is still in its buffer must not fail again when Python exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _documents(files: Iterable[str]) -> Iterator[tuple[str, bytes | Problem]]:
    """Yield the source of each document, and its bytes or the reason why it cannot be read."""
    for file in files:
        try:
            if file == "-":
                yield from _lines()
            else:
                with Path(file).open("rb") as opened:
                    yield file, _bounded(opened.read(MAX_SHEET_BYTES + 1))
        except OSError as error:
            yield file, unreadable(error)


def _lines() -> Iterator[tuple[str, bytes | Problem]]:
    """The lines of standard input that are not blank."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    number, is_rest = 0, False
    while line := sys.stdin.buffer.readline(MAX_SHEET_BYTES + 1):
        number += not is_rest
        if not is_rest and not line.isspace():
            yield f"-:{number}", _bounded(line)
        is_rest = not line.endswith(b"\n")  # of a line that was too long


def _bounded(text: bytes) -> bytes | Problem:
    if len(text) <= MAX_SHEET_BYTES:
        return text
    return Problem("file", "too-large-a-sheet", {"most": MAX_SHEET_BYTES // 1_000_000})


def _score_text(text: bytes | Problem) -> dict[str, Any] | Refusal:
    if isinstance(text, Problem):
        return refuse(None, [text])
    raw = read(text)
    return raw if isinstance(raw, Refusal) else score(raw, games())


def _tell_as_json(_name: str, result: dict[str, Any] | Refusal) -> None:
    if isinstance(result, Refusal):
        from ..i18n import problem_text  # noqa: PLC0415  # a valid sheet needs no words

        message = problem_text(result.first, "en", names=str)
        result = {"error": {"deal": result.deal, "field": result.first.field, "message": message}}
    sys.stdout.buffer.write(_one_line(result))


def _one_line(document: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # orjson supports only 64-bit integers, and bêtes can grow beyond them
        return json.dumps(document).encode() + b"\n"


def _tell_a_reader(name: str, result: dict[str, Any] | Refusal) -> None:
    from . import output  # noqa: PLC0415  # not needed with --json

    tongue = _reader_language()
    if isinstance(result, Refusal):
        click.echo(_error_line(name, result, tongue), err=True)
    else:
        click.echo(output.statement(result, tongue) + "\n")


def _error_line(name: str, refusal: Refusal, tongue: str) -> str:
    """Return file, deal, field and problem on one line."""
    from .. import i18n  # noqa: PLC0415  # `score` starts without it

    problem = refusal.first
    where = [
        name,
        i18n.translate(tongue, "deal.title", number=str(refusal.deal)) if refusal.deal else "",
        problem.field,
    ]
    line = ": ".join([part for part in where if part] + [i18n.problem_text(problem, tongue, names=str)])
    return single_line(line)


def _reader_language() -> str:
    """Return the language of the terminal's locale."""
    from .. import i18n  # noqa: PLC0415  # `score` starts without it

    locale = next((tag for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (tag := os.environ.get(name))), "")
    return i18n.choose_language([locale.partition(".")[0]])


def _how_many(name: str, default: int, most: int, what: str) -> Callable[[Any], Any]:
    return click.option(
        f"--{name}",
        envvar=f"SCOREKEEPER_{name.upper()}",
        default=default,
        show_default=True,
        type=click.IntRange(1, most),
        help=what,
    )


@main.command()
@click.option("--host", envvar="SCOREKEEPER_HOST", default="0.0.0.0", show_default=True, help="Address to listen at.")  # noqa: S104  # phones at the table are to find it
@click.option("--port", envvar="SCOREKEEPER_PORT", default="8765", show_default=True, help="Port to listen at.")
@_how_many("workers", 1, 64, "Processes that serve.")
@_how_many("threads", 8, 64, "Requests that each works on at once.")
@_how_many("connections", 4_000, 60_000, "Connections that each keeps open at most.")
@click.option(
    "--log",
    envvar="SCOREKEEPER_LOG",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="How to write down what happens.",
)
def run(host: str, port: str, workers: int, threads: int, connections: int, log: str) -> None:
    """Bring the database up to date and serve the app with a production server."""
    from .. import create_app  # noqa: PLC0415  # `score` starts without it
    from ..server import starting  # noqa: PLC0415  # `score` starts without it
    from ..server.gunicorn import Server, Settings, shared_metrics  # noqa: PLC0415  # `score` starts without it
    from ..server.network import is_any  # noqa: PLC0415  # `score` starts without it
    from . import maintenance  # noqa: PLC0415  # `score` starts without it

    with closing(starting.bind(host, port, _reader_language())) as listener, shared_metrics(workers):
        maintenance.migrate()
        if log == "text":
            starting.announce(listener, _reader_language())
        settings = {"LISTENS_EVERYWHERE": is_any(listener.host)}
        Server(lambda: create_app(settings), listener, Settings(workers, threads, connections, log)).run()


@main.command()
def migrate() -> None:
    """Bring the database up to date."""
    from . import maintenance  # noqa: PLC0415  # `score` starts without it

    maintenance.migrate()


@main.command()
def verify() -> None:
    """Check all that is kept against the facts; a line for each fault, and exit status 1 where there are any."""
    from .. import i18n  # noqa: PLC0415  # `score` starts without it
    from ..db.schemas import Needs  # noqa: PLC0415  # `score` starts without it
    from ..services.integrity import verify  # noqa: PLC0415  # `score` starts without it
    from . import maintenance, output  # noqa: PLC0415  # `score` starts without it

    tongue = _reader_language()
    with maintenance.open_database(Needs.CURRENT):
        done = verify()
    for fault in done.faults:
        click.echo(single_line(i18n.translate(tongue, f"fault.{fault.key}", **fault.params)))
    for note in done.notes:
        click.echo(i18n.translate(tongue, f"verify.{note}"), err=True)
    click.echo(output.verified(done, tongue))
    if done.faults:
        sys.exit(FAULTY)


@main.command("rebuild")
def rebuild_caches() -> None:
    """Make all that is kept only for speed again from the facts."""
    from .. import i18n  # noqa: PLC0415  # `score` starts without it
    from ..db.schemas import Needs  # noqa: PLC0415  # `score` starts without it
    from ..services.integrity import rebuild  # noqa: PLC0415  # `score` starts without it
    from . import maintenance  # noqa: PLC0415  # `score` starts without it

    with maintenance.open_database(Needs.CURRENT):
        click.echo(i18n.translate(_reader_language(), "verify.rebuilt", count=rebuild()))


@main.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def back_up(file: Path) -> None:
    """Keep everything in FILE, as it is at one moment. The app may run meanwhile."""
    from . import maintenance  # noqa: PLC0415  # `score` starts without it

    sys.exit(maintenance.tell_backup(file, _reader_language()))


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask, whatever would be lost.")
def restore(file: Path, yes: bool) -> None:
    """Put what `backup` kept in FILE in place of everything. The app may run meanwhile."""
    from . import maintenance  # noqa: PLC0415  # `score` starts without it

    sys.exit(maintenance.tell_restore(file, _reader_language(), ask=not yes))
