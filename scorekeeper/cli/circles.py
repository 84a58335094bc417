"""Commands for the circles of a server: circles, erase-circle, new-host-link, export-circle and import-circle."""

from __future__ import annotations

import os
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import click
from sqlalchemy import DateTime, func, select

from ..circles import lifecycle
from ..circles.phones import renew_host_link
from ..db.disk import write_whole
from ..db.schemas import Needs
from ..errors import get_reason
from ..files.circle_transfer import Imported, export, import_circle
from ..i18n import long_day
from ..models import Base, Circle, Membership, Table, db, now
from ..scoring.problems import Problem
from .database import open_database
from .output import fail, message, say, terminal_locale

MAX_UNUSED_DAYS = 100_000
DECLINED = 1  # exit status
TOKENS = {"ignore_unknown_options": True}  # a circle's token may begin with a hyphen


class _Usage(NamedTuple):
    """How large a circle is, and when it was last used."""

    circle: Circle
    rows: int  # in the database
    tables: int
    phones: int  # that have access
    used_at: datetime  # when something was last written, in UTC


def _list_circles(unused_days: int = 0) -> list[_Usage]:
    """List circles in which nothing was written for so many days, the last used at the end. Reading leaves no trace."""
    circles = db.session.scalars(select(Circle)).all()
    rows = Counter(circle.id for circle in circles)
    tables = Counter[int]()
    used_at = {circle.id: circle.created_at for circle in circles}
    for table in Base.metadata.sorted_tables:
        if "circle_id" not in table.c:
            continue
        times = [func.max(column) for column in table.c if isinstance(column.type, DateTime)]
        query = select(table.c.circle_id, func.count(), *times).group_by(table.c.circle_id)
        for circle_id, count, *latest in db.session.execute(query):
            rows[circle_id] += count
            tables[circle_id] += count if table is Table.__table__ else 0
            used_at[circle_id] = max([used_at[circle_id], *filter(None, latest)])
    phones = Counter(db.session.scalars(select(Membership.circle_id).where(Membership.right.is_not(None))))
    before = now() - timedelta(days=unused_days)
    listed = [
        _Usage(circle, rows[circle.id], tables[circle.id], phones[circle.id], used_at[circle.id])
        for circle in circles
        if used_at[circle.id] <= before
    ]
    return sorted(listed, key=lambda usage: usage.used_at)


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
        listed = _list_circles(unused_for)
    for usage in listed:
        click.echo(_line(usage))
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
            for usage in _list_circles():
                if usage.circle.id in ids:
                    click.echo(_line(usage))
            if not click.confirm(message("circle-list.ask")):
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


def _line(usage: _Usage) -> str:
    circle = usage.circle
    text = message(
        "circle-list.line",
        name=circle.token,
        day=long_day(usage.used_at.replace(tzinfo=UTC).astimezone().date(), terminal_locale()),
        tables=message("verify.tables", count=usage.tables),
        phones=message("circle-list.phones", count=usage.phones),
        rows=message("circle-list.rows", count=usage.rows),
    )
    sample = message("circle-list.sample") if circle.is_sample else ""
    title = message("circle-list.title", title=circle.title) if circle.title else ""
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
