"""Commands for hosts: migrate, verify, rebuild, backup and restore."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..db.schemas import Needs
from ..i18n import translate
from ..push.services import read_unreachable
from ..scoring.values import single_line
from ..services import verify as integrity
from ..services.verify import VerificationReport
from . import database, output

FAULTS_FOUND = 1  # exit status


@click.command()
def migrate() -> None:
    """Upgrade the database to this version."""
    for line in output.missing_game_lines(database.migrate().missing_games, output.terminal_language()):
        click.echo(line, err=True)


@click.command()
def verify() -> None:
    """Check the database; print a line for each fault, and exit with status 1 if there are any."""
    language = output.terminal_language()
    with database.open_database(Needs.CURRENT) as app:
        report, unreachable = integrity.verify(), read_unreachable(Path(app.instance_path))
    if unreachable is not None:
        params = {"host": unreachable.host, "since": f"{unreachable.since:%Y-%m-%d %H:%M} UTC"}
        click.echo(single_line(translate(language, "verify.push-unreachable", None, **params)), err=True)
    _tell_verification(report, language)


def _tell_verification(report: VerificationReport, language: str) -> None:
    """Print what was found; exit with status 1 if there are faults."""
    for fault in report.faults:
        click.echo(single_line(translate(language, f"fault.{fault.key}", **fault.params)))
    for line in output.missing_game_lines(report.missing_games, language):
        click.echo(line, err=True)
    click.echo(output.verification_text(report, language))
    if report.faults:
        sys.exit(FAULTS_FOUND)


@click.command()
def rebuild() -> None:
    """Rebuild every cache and index from the stored deals and payments."""
    language = output.terminal_language()
    with database.open_database(Needs.CURRENT):
        click.echo(translate(language, "verify.rebuilt", count=integrity.rebuild()))


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def back_up(file: Path) -> None:
    """Back up the SQLite database to FILE. The app may keep running."""
    database.back_up(file)
    click.echo(translate(output.terminal_language(), "backup.done", file=str(file)))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def restore(file: Path) -> None:
    """Replace the SQLite database by the backup in FILE. The app may keep running."""
    replaced, language = database.restore(file), output.terminal_language()
    click.echo(translate(language, "restore.before", file=str(replaced)))
    click.echo(translate(language, "restore.done", file=str(file)))
