"""The `scorekeeper` command."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson

from . import collect_seldom
from .exchange.reading import read, unreadable
from .games import games
from .scoring.remarks import Refusal, refuse
from .scoring.statement import score

if TYPE_CHECKING:
    from flask import Flask

BROKEN_SHEET = 2  # exit status
FAULTY = 1  # the same, where what is kept is not as the facts say


@click.group()
@click.version_option(package_name="scorekeeper")
@click.pass_context
def main(context: click.Context) -> None:
    """Keep score of Francion, Whist, Short Whist, Quarante de rois and Joffre."""
    before = os.umask(0o077)  # whatever is kept is its owner's alone
    context.call_on_close(lambda: os.umask(before))


@main.command("score")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="One JSON document a line.")
def score_files(files: tuple[str, ...], as_json: bool) -> None:
    """Print the statement of each sheet. `-` reads sheets from standard input, one JSON document a line."""
    collect_seldom()
    # A name that the terminal's encoding lacks is no reason to lose the rest of a batch.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # both are text streams
    broken = False
    tell = _tell_as_json if as_json else _tell_a_reader
    for name, text in _documents(files):
        result = _score_text(text)
        broken = broken or isinstance(result, Refusal)
        tell(name, result)
    if broken:
        sys.exit(BROKEN_SHEET)


def _documents(files: Iterable[str]) -> Iterator[tuple[str, bytes | OSError]]:
    """Where each document comes from, and its bytes, or why it could not be read. Blank lines are none."""
    for file in files:
        if file == "-":
            yield from (
                (f"-:{number}", line) for number, line in enumerate(sys.stdin.buffer, start=1) if not line.isspace()
            )
            continue
        try:
            yield file, Path(file).read_bytes()
        except OSError as error:
            yield file, error


def _score_text(text: bytes | OSError) -> dict[str, Any] | Refusal:
    if isinstance(text, OSError):
        return refuse(None, [unreadable(text)])
    raw = read(text)
    return raw if isinstance(raw, Refusal) else score(raw, games())


def _tell_as_json(_name: str, result: dict[str, Any] | Refusal) -> None:
    if isinstance(result, Refusal):
        from .language import sentence  # noqa: PLC0415  # a stream without a fault needs no words

        message = sentence(result.first, "en", names=str)
        result = {"error": {"deal": result.deal, "field": result.first.field, "message": message}}
    sys.stdout.buffer.write(_one_line(result))


def _one_line(document: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # it writes numbers of 64 bits, and bêtes carried for weeks can outgrow them
        return json.dumps(document).encode() + b"\n"


def _tell_a_reader(name: str, result: dict[str, Any] | Refusal) -> None:
    from . import printed  # noqa: PLC0415  # as above

    tongue = _reader_language()
    if isinstance(result, Refusal):
        click.echo(_error_line(name, result, tongue), err=True)
    else:
        click.echo(printed.statement(result, tongue) + "\n")


def _error_line(name: str, refusal: Refusal, tongue: str) -> str:
    """File, deal, field and what is wrong, in one line whatever the sheet has in it; sides by their keys."""
    from . import language, printed  # noqa: PLC0415  # as above

    remark = refusal.first
    where = [name, language.say(tongue, "deal.title", number=str(refusal.deal)) if refusal.deal else "", remark.field]
    line = ": ".join([part for part in where if part] + [language.sentence(remark, tongue, names=str)])
    return printed.one_line(line)


def _reader_language() -> str:
    """What the terminal's locale asks for."""
    from . import language  # noqa: PLC0415  # as above

    told = next((tag for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (tag := os.environ.get(name))), "")
    return language.chosen([told.partition(".")[0]])


def _how_many(name: str, default: int, what: str) -> Callable[[Any], Any]:
    return click.option(
        f"--{name}",
        envvar=f"SCOREKEEPER_{name.upper()}",
        default=default,
        show_default=True,
        type=click.IntRange(1, 64),
        help=what,
    )


@main.command()
@click.option("--host", envvar="SCOREKEEPER_HOST", default="0.0.0.0", show_default=True, help="Address to listen at.")  # noqa: S104  # phones at the table are to find it
@click.option("--port", envvar="SCOREKEEPER_PORT", default=8765, show_default=True, help="Port to listen at.")
@_how_many("workers", 1, "Processes that serve.")
@_how_many("threads", 4, "Requests that each serves at once.")
@click.option(
    "--log",
    envvar="SCOREKEEPER_LOG",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="How to write down what happens.",
)
def run(host: str, port: int, workers: int, threads: int, log: str) -> None:
    """Bring the database up to date and serve the app with a production server."""
    from . import create_app  # noqa: PLC0415  # scoring sheets needs neither Flask nor a database
    from .serve import Server, Serving, announce, shared_figures  # noqa: PLC0415  # as above

    with shared_figures(workers):
        _migrate(create_app())
        if log == "text":
            click.echo(announce(host, port))
        Server(create_app, Serving(host, port, workers, threads, log)).run()


@main.command()
def migrate() -> None:
    """Bring the database up to date."""
    from . import create_app  # noqa: PLC0415  # as above

    _migrate(create_app())


def _migrate(app: Flask) -> None:
    from flask_migrate import upgrade  # noqa: PLC0415  # as above

    from .book.samples import erase_old  # noqa: PLC0415  # as above
    from .book.summaries import rebuild  # noqa: PLC0415  # as above

    with _database(app):
        upgrade()
        rebuild(only_missing=True)
        erase_old()


@contextmanager
def _database(app: Flask) -> Iterator[None]:
    """Work on the database; where it cannot be reached, say so and give up."""
    from sqlalchemy.exc import OperationalError  # noqa: PLC0415  # as above

    from . import hosting  # noqa: PLC0415  # as above

    try:
        with hosting.opened(app):
            yield
    except OperationalError as error:
        sys.exit(hosting.tell_away(error, _reader_language()))


@main.command()
def verify() -> None:
    """Check all that is kept against the facts; a line for each fault, and exit status 1 where there are any."""
    from . import create_app, language, printed  # noqa: PLC0415  # as above
    from .book.verifying import verify  # noqa: PLC0415  # as above

    tongue = _reader_language()
    with _database(create_app()):
        done = verify()
    for fault in done.faults:
        click.echo(printed.one_line(language.say(tongue, f"fault.{fault.key}", **fault.params)))
    click.echo(printed.verified(done, tongue))
    if done.faults:
        sys.exit(FAULTY)


@main.command("rebuild")
def rebuild_caches() -> None:
    """Make all that is kept only for speed again from the facts."""
    from . import create_app, language  # noqa: PLC0415  # as above
    from .book.verifying import rebuild  # noqa: PLC0415  # as above

    with _database(create_app()):
        click.echo(language.say(_reader_language(), "verify.rebuilt", count=rebuild()))


@main.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def back_up(file: Path) -> None:
    """Keep everything in FILE, as it is at one moment. The app may run meanwhile."""
    from . import hosting  # noqa: PLC0415  # as above

    sys.exit(hosting.tell_backup(file, _reader_language()))


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask, whatever would be lost.")
def restore(file: Path, yes: bool) -> None:
    """Put what `backup` kept in FILE in place of everything. The app may run meanwhile."""
    from . import hosting  # noqa: PLC0415  # as above

    sys.exit(hosting.tell_restore(file, _reader_language(), ask=not yes))
