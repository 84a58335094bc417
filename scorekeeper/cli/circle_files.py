"""Commands for moving a circle to another server: export-circle and import-circle."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
from typing import IO, NoReturn, cast

import click
from sqlalchemy import select

from ..db.schemas import Needs
from ..errors import get_reason
from ..exchange.json_documents import unreadable
from ..files import write_whole
from ..i18n import translate
from ..models import Circle, db
from ..scoring.problems import Problem
from ..scoring.values import single_line
from ..services.files.circle_files import Imported, export, import_circle
from . import FAILED, database, output


@click.command("export-circle", context_settings={"ignore_unknown_options": True})  # a name may begin with a hyphen
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
def export_circle(name: str, file: Path) -> None:
    """Write the circle NAME, as in its address, to FILE. A name that ends in .gz is compressed."""
    language = output.terminal_language()
    with database.open_database(Needs.CURRENT):
        circle = get_circle(name, language)
        if os.path.lexists(file):  # False too if this user may not look there
            fail(str(file), Problem("file", "file-exists"), language)
        try:
            _write(circle, file)
        except OSError as error:
            fail(str(file), Problem("file", "file-not-written", {"reason": get_reason(error)}), language)
    click.echo(translate(language, "circle-file.exported", file=str(file)))


def _write(circle: Circle, file: Path) -> None:
    """Write the circle's file; it gets its name only when it is complete."""
    with write_whole(file) as path, path.open("wb") as unfinished:
        if file.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=unfinished, mtime=0) as packed:
                export(circle, cast(IO[bytes], packed))
        else:
            export(circle, unfinished)


@click.command("import-circle")
@click.argument("file", type=click.Path(path_type=Path))
def import_file(file: Path) -> None:
    """Import the circle in FILE as a new circle, and print the path of the link that hosts it."""
    language = output.terminal_language()
    with database.open_database(Needs.CURRENT):
        try:
            with file.open("rb") as opened:
                result = import_circle(opened)
        except OSError as error:
            fail(str(file), unreadable(error), language)
    if not isinstance(result, Imported):
        fail(str(file), result[0], language)
    path = join_path(result.name, result.host_secret)
    click.echo(translate(language, "circle-file.created", name=result.name, path=path))


def get_circle(name: str, language: str) -> Circle:
    """Return the circle with this name; end the command if there is none."""
    circle = db.session.scalar(select(Circle).where(Circle.name == name))
    if circle is None:
        fail(name, Problem("name", "no-such-circle", {"found": name}), language)
    return circle


def join_path(name: str, secret: str) -> str:
    """Return the path of a circle's link, to be added to the address of the server."""
    return f"/join/{name}/{secret}"


def fail(where: str, problem: Problem, language: str) -> NoReturn:
    """Print a problem on one line with its place, unless the whole file or its name is wrong."""
    place = problem.field if problem.field not in ("file", "name") else ""
    line = ": ".join(part for part in (where, place, output.problem_line(problem, language)) if part)
    click.echo(single_line(line), err=True)
    sys.exit(FAILED)
