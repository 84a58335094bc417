"""Commands for the circles of a server: circles, erase-circle, new-host-link, export-circle and import-circle."""

from __future__ import annotations

import gzip
import json
import os
import sys
from datetime import UTC
from pathlib import Path
from typing import IO, NoReturn, cast

import click
from sqlalchemy import select

from ..db.schemas import Needs
from ..errors import get_reason
from ..exchange.json_documents import unreadable
from ..files import write_whole
from ..i18n import long_day, translate
from ..models import Circle, db
from ..scoring.problems import Problem
from ..scoring.values import single_line
from ..services.access import renew_host_link
from ..services.circles import lifecycle
from ..services.circles.lifecycle import ListedCircle, list_circles
from ..services.files.circle_files import Imported, export, import_circle
from . import FAILED, output
from .database import open_database

MAX_UNUSED_DAYS = 100_000
DECLINED = 1  # exit status
NAMES = {"ignore_unknown_options": True}  # a circle's name may begin with a hyphen


@click.command("circles")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document for each circle, one a line.")
@click.option(
    "--unused-for",
    metavar="DAYS",
    type=click.IntRange(0, MAX_UNUSED_DAYS),
    default=0,
    help="Only circles in which nothing was written for this number of days.",
)
def list_all(as_json: bool, unused_for: int) -> None:
    """List all circles, the one used last at the end."""
    language = output.terminal_language()
    with open_database(Needs.CURRENT):
        listed = list_circles(unused_for)
    for circle in listed:
        click.echo(_json(circle) if as_json else _line(circle, language))
    if not listed:
        click.echo(translate(language, "circle-list.none"), err=True)


@click.command("erase-circle", context_settings=NAMES)
@click.argument("names", metavar="NAME…", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Erase without asking.")
def erase(names: tuple[str, ...], yes: bool) -> None:
    """Erase circles with everything in them, irreversibly. NAME is as in the circle's address."""
    language = output.terminal_language()
    with open_database(Needs.CURRENT):
        ids = {get_circle(name, language).id for name in names}
        if not (yes or _confirm([circle for circle in list_circles() if circle.id in ids], language)):
            click.echo(translate(language, "circle-list.left"))
            sys.exit(DECLINED)
        for circle_id in ids:
            lifecycle.erase_circle(circle_id)
    click.echo(translate(language, "circle-list.erased", count=len(ids)))


def _is_terminal() -> bool:
    return sys.stdin.isatty()


def _confirm(listed: list[ListedCircle], language: str) -> bool:
    if not _is_terminal():
        fail("", Problem("name", "erasing-unconfirmed"), language)
    click.echo(translate(language, "circle-list.lost"))
    for circle in listed:
        click.echo(_line(circle, language))
    return click.confirm(translate(language, "circle-list.ask"))


@click.command("new-host-link", context_settings=NAMES)
@click.argument("name")
def new_host_link(name: str) -> None:
    """End the link for hosts of the circle NAME, as in its address, and print the path of a new one."""
    language = output.terminal_language()
    with open_database(Needs.CURRENT):
        secret = renew_host_link(get_circle(name, language).id)
    click.echo(translate(language, "circle-list.new-host-link", name=name, path=join_path(name, secret)))


def _line(circle: ListedCircle, language: str) -> str:
    text = translate(
        language,
        "circle-list.line",
        name=circle.name,
        day=long_day(circle.used_at.replace(tzinfo=UTC).astimezone().date(), language),
        tables=translate(language, "verify.tables", count=circle.tables),
        phones=translate(language, "circle-list.phones", count=circle.phones),
        rows=translate(language, "circle-list.rows", count=circle.rows),
    )
    sample = translate(language, "circle-list.sample") if circle.is_sample else ""
    title = translate(language, "circle-list.title", title=circle.title) if circle.title else ""
    return single_line(", ".join(part for part in (text, sample, title) if part))


def _json(circle: ListedCircle) -> str:
    facts = circle._asdict() | {"used_at": f"{circle.used_at:%Y-%m-%dT%H:%M:%SZ}"}
    del facts["id"]
    return json.dumps(facts, ensure_ascii=False)


# --- files ----------------------------------------------------------------------------------------------------


@click.command("export-circle", context_settings={"ignore_unknown_options": True})  # a name may begin with a hyphen
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
def export_circle(name: str, file: Path) -> None:
    """Write the circle NAME, as in its address, to FILE. A name that ends in .gz is compressed."""
    language = output.terminal_language()
    with open_database(Needs.CURRENT):
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
    with open_database(Needs.CURRENT):
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
