"""`scorekeeper doctor`: the state of a server, and what needs its host."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import click
from babel.dates import format_timedelta
from babel.numbers import format_decimal

from ..db.clock import now
from ..db.schemas import Needs
from ..i18n import translate
from ..scoring.problems import Problem
from ..scoring.values import single_line
from ..services import verify
from ..services.circles.lifecycle import list_circles
from ..services.verify import VerificationReport
from ..web.support.server_state import AWAY, MIN_FREE, ServerState, gather_state
from . import database, output

NEEDS_HOST = 1  # exit status
MAX_UNSAVED = timedelta(days=2)  # the timer makes a backup every day
MARKS = {True: "!", False: " "}  # before a line, by whether it needs the host


class Examination(NamedTuple):
    """The state of a server, what `verify` has found, the time of the last write, and what is wrong with the last
    backup; None if it can be restored, or if there is none.
    """

    state: ServerState
    verification: VerificationReport
    written_at: datetime | None
    backup_problem: Problem | None

    @property
    def is_unsaved(self) -> bool:
        """Whether something was written that no backup has, though one was due."""
        if self.written_at is None:
            return False
        saved_at = self.state.last_backup.at if self.state.last_backup else None
        return saved_at is None or (saved_at < self.written_at and now() - saved_at > MAX_UNSAVED)


class StateLine(NamedTuple):
    """A line of output: the message `doctor.<key>`, and whether it needs the host."""

    key: str
    needs_host: bool
    params: dict[str, Any]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(as_json: bool) -> None:
    """Print the state of the server; exit with status 1 if something needs the host."""
    language = output.terminal_language()
    with database.open_database(Needs.CURRENT):
        state = gather_state()
        written_at = max((circle.used_at for circle in list_circles()), default=None)
        verification = verify.verify()
    problem = database.try_backup(Path(state.last_backup.file)) if state.last_backup else None
    examination = Examination(state, verification, written_at, problem)
    lines = list(_lines(examination, language))
    if as_json:
        click.echo(_json(examination, lines))
    for line in () if as_json else lines:
        text = translate(language, f"doctor.{line.key}", **line.params)
        click.echo(single_line(f"{MARKS[line.needs_host]} {text}"))
    if any(line.needs_host for line in lines):
        sys.exit(NEEDS_HOST)


def _lines(examination: Examination, language: str) -> Iterator[StateLine]:
    state = examination.state
    yield StateLine("versions", False, {"version": state.version, "python": state.python})
    yield StateLine("database", False, {"database": state.database, "size": _megabytes(state.database_bytes, language)})
    is_low = state.free_bytes < MIN_FREE
    yield StateLine("disk-low" if is_low else "disk", is_low, {"size": _megabytes(state.free_bytes, language)})
    yield from _backup_lines(examination, language)
    zone = state.time_zone
    yield StateLine("zone" if zone else "no-zone", False, {"zone": zone} if zone else {})
    hosts = {"hosts": ", ".join(state.public_names)} if state.public_names else {}
    scheme = "https" if state.https else "http"
    yield StateLine(scheme if hosts else f"{scheme}-local", bool(hosts) and not state.https, hosts)
    yield StateLine(f"push-{state.push}", state.push == AWAY, {})
    circles = translate(language, "verify.circles", count=state.circles)
    phones = translate(language, "circle-list.phones", count=state.phones)
    yield StateLine("circles", False, {"circles": circles, "phones": phones})
    report = examination.verification
    yield StateLine(
        "faults" if report.faults else "verified",
        bool(report.faults),
        {"result": output.verification_text(report, language)},
    )


def _backup_lines(examination: Examination, language: str) -> Iterator[StateLine]:
    backup, problem = examination.state.last_backup, examination.backup_problem
    if backup is not None:
        age = format_timedelta(backup.at - now(), add_direction=True, locale=language)
        params = {"age": age, "file": backup.file}
        if problem is None:
            yield StateLine("backup", False, params)
        elif not os.path.lexists(backup.file):  # it may have been moved to another machine
            yield StateLine("backup-gone", False, params)
        else:
            yield StateLine("backup-bad", True, params | {"problem": output.problem_line(problem, language)})
    if examination.is_unsaved:
        yield StateLine("unsaved" if backup is not None else "no-backup", True, {})


def _megabytes(size: int, language: str) -> str:
    return format_decimal(Decimal(size).scaleb(-6), "#,##0.#", locale=language)


def _json(examination: Examination, lines: list[StateLine]) -> str:
    backup, problem = examination.state.last_backup, examination.backup_problem
    facts: dict[str, Any] = examination.state._asdict()
    facts["last_backup"] = backup and {
        "at": f"{backup.at:%Y-%m-%dT%H:%M:%SZ}",
        "file": backup.file,
        "problem": problem and output.problem_line(problem, "en"),
    }
    facts["faults"] = len(examination.verification.faults)
    facts["needs_host"] = [line.key for line in lines if line.needs_host]
    return json.dumps(facts, ensure_ascii=False)
