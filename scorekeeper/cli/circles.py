"""Commands for the circles of a server: circles, erase-circle, new-host-link, export-circle and import-circle."""

from __future__ import annotations

import os
import sys
from datetime import UTC
from pathlib import Path

import click
from sqlalchemy import select

from ..circles import lifecycle
from ..circles.lifecycle import ListedCircle, list_circles
from ..circles.phones import renew_host_link
from ..db.disk import write_whole
from ..db.schemas import Needs
from ..errors import get_reason
from ..files.circle_transfer import Imported, export, import_circle
from ..i18n import long_day
from ..models import Circle, db
from ..scoring.problems import Problem
from .database import open_database
from .output import fail, say, terminal_locale, word

MAX_UNUSED_DAYS = 100_000
DECLINED = 1  # exit status
TOKENS = {"ignore_unknown_options": True}  # a circle's token may begin with a hyphen


@click.command("circles")
@click.option(
    "--unused-for",
    metavar="DAYS",
    type=click.IntRange(0, MAX_UNUSED_DAYS),
    default=0,
    help="Only circles in which nothing was written for this number of days.",
)
def list_all(unused_for: int) -> None:
    """List all circles, the one used last at the end."""
    with open_database(Needs.CURRENT):
        listed = list_circles(unused_for)
    for circle in listed:
        click.echo(_line(circle))
    if not listed:
        say("circle-list.none", err=True)


@click.command("erase-circle", context_settings=TOKENS)
@click.argument("tokens", metavar="CIRCLE…", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Erase without asking.")
def erase(tokens: tuple[str, ...], yes: bool) -> None:
    """Erase circles with everything in them, irreversibly. CIRCLE is as in its address."""
    with open_database(Needs.CURRENT):
        ids = {_get_circle(token).id for token in tokens}
        if not yes:
            if not _is_terminal():
                fail("", Problem("name", "erasing-unconfirmed"))
            say("circle-list.lost")
            for circle in (each for each in list_circles() if each.id in ids):
                click.echo(_line(circle))
            if not click.confirm(word("circle-list.ask")):
                say("circle-list.left")
                sys.exit(DECLINED)
        for circle_id in ids:
            lifecycle.erase_circle(circle_id)
    say("circle-list.erased", count=len(ids))


def _is_terminal() -> bool:
    return sys.stdin.isatty()


@click.command("new-host-link", context_settings=TOKENS)
@click.argument("token", metavar="CIRCLE")
def new_host_link(token: str) -> None:
    """End the link for hosts of CIRCLE, as in its address, and print the path of a new one."""
    with open_database(Needs.CURRENT):
        secret = renew_host_link(_get_circle(token).id)
    say("circle-list.new-host-link", name=token, path=f"/join/{token}/{secret}")


def _line(circle: ListedCircle) -> str:
    text = word(
        "circle-list.line",
        name=circle.token,
        day=long_day(circle.used_at.replace(tzinfo=UTC).astimezone().date(), terminal_locale()),
        tables=word("verify.tables", count=circle.tables),
        phones=word("circle-list.phones", count=circle.phones),
        rows=word("circle-list.rows", count=circle.rows),
    )
    sample = word("circle-list.sample") if circle.is_sample else ""
    title = word("circle-list.title", title=circle.title) if circle.title else ""
    return ", ".join(part for part in (text, sample, title) if part)


@click.command("export-circle", context_settings=TOKENS)
@click.argument("token", metavar="CIRCLE")
@click.argument("file", type=click.Path(path_type=Path))
def export_circle(token: str, file: Path) -> None:
    """Write CIRCLE, as in its address, to FILE."""
    with open_database(Needs.CURRENT):
        circle = _get_circle(token)
        if os.path.lexists(file):  # False too if this user may not look there
            fail(str(file), Problem("file", "file-exists"))
        try:
            with write_whole(file) as path, path.open("wb") as unfinished:
                export(circle, unfinished)
        except OSError as error:
            fail(str(file), Problem("file", "file-not-written", {"reason": get_reason(error)}))
    say("circle-file.exported", file=str(file))


@click.command("import-circle")
@click.argument("file", type=click.Path(path_type=Path))
def import_file(file: Path) -> None:
    """Import the circle in FILE as a new circle, and print the path of the link that hosts it."""
    with open_database(Needs.CURRENT):
        try:
            content = file.read_bytes()
        except OSError as error:
            fail(str(file), Problem("file", "cannot-be-read", {"reason": get_reason(error)}))
        result = import_circle(content)
    if not isinstance(result, Imported):
        fail(str(file), result[0])
    say("circle-file.created", name=result.token, path=f"/join/{result.token}/{result.host_secret}")


def _get_circle(token: str) -> Circle:
    token = token.encode(errors="replace").decode()  # bytes that are no UTF-8 cannot be asked for
    circle = db.session.scalar(select(Circle).where(Circle.token == token))
    if circle is None:
        fail(token, Problem("circle", "no-such-circle", {"found": token}))
    return circle
