"""Commands for hosts: migrate, verify, rebuild, backup and restore."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import click

from ..backup_reports import TIMEOUT, report_backup
from ..db.backups import Contents
from ..db.schemas import Needs
from ..i18n import translate
from ..push.reachability import read_unreachable
from ..scoring.problems import Problem
from ..scoring.values import single_line
from ..services import verify as integrity
from ..services.tables import missing_games
from ..services.verify import VerificationReport
from ..web.support import settings
from . import FAILED, database, output
from .trial import try_migration

FAULTS_FOUND = DECLINED = 1  # exit statuses


@click.command()
@click.option("--try", "on_copy", is_flag=True, help="Upgrade and verify a copy, tell what happened, and delete it.")
def migrate(on_copy: bool) -> None:
    """Upgrade the database to this version."""
    if on_copy:
        _try_migration(output.terminal_language())
        return
    for line in output.missing_game_lines(database.migrate().missing_games, output.terminal_language()):
        click.echo(line, err=True)


def _try_migration(language: str) -> None:
    tried = try_migration()
    for migration in tried.migrations:
        click.echo(single_line(output.migration_text(migration, language)))
    if not tried.migrations:
        click.echo(translate(language, "trial.none"))
    seconds = output.seconds_text(tried.seconds, language)
    click.echo(translate(language, "trial.done", seconds=seconds), err=True)
    _tell_verification(tried.verification, language)


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
    for note in report.notes:
        click.echo(translate(language, f"verify.{note}"), err=True)
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
        for line in output.missing_game_lines(missing_games.count_tables(), language):
            click.echo(line, err=True)


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def back_up(file: Path) -> None:
    """Back up the database to FILE. The app may keep running."""
    language = output.terminal_language()
    report_url, contents = settings.BACKUP_REPORTS.value, None
    try:
        contents = database.back_up(file)
    finally:
        thread = report_backup(report_url, is_good=contents is not None and not isinstance(contents, Problem))
        if thread is not None:
            thread.join(TIMEOUT)  # a name server may be silent for longer
    if isinstance(contents, Problem):
        _fail(file, contents, language)
    click.echo(translate(language, "backup.done", file=str(file), contents=output.contents_text(contents, language)))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Restore without asking, even if data would be lost.")
def restore(file: Path, yes: bool) -> None:
    """Replace the database by the backup in FILE. The app may keep running."""
    language = output.terminal_language()
    try:
        restored = database.restore(file, lambda lost: yes or _confirm(file, lost, language))
    except NoTerminalError as error:
        _fail(file, Problem("file", "nobody-to-ask", {"lost": output.loss_text(file, error.lost, language)}), language)
    if isinstance(restored, Problem):
        _fail(file if restored.field == "file" else Path(restored.field), restored._replace(field="file"), language)
    if restored is None:
        click.echo(translate(language, "restore.left"))
        sys.exit(DECLINED)
    click.echo(translate(language, "restore.before", file=str(restored.previous)))
    contents = output.contents_text(restored.contents, language)
    click.echo(translate(language, "restore.done", file=str(file), contents=contents))


class NoTerminalError(Exception):
    """Data would be lost, and there is no terminal on which to ask for confirmation."""

    def __init__(self, lost: Contents | None) -> None:
        super().__init__("no terminal")
        self.lost = lost


def _confirm(file: Path, lost: Contents | None, language: str) -> bool:
    if not is_terminal():
        raise NoTerminalError(lost)
    click.echo(output.loss_text(file, lost, language))
    return click.confirm(translate(language, "restore.ask"))


def is_terminal() -> bool:
    """Whether a person can be asked on standard input."""
    return sys.stdin.isatty()


def _fail(file: Path, problem: Problem, language: str) -> NoReturn:
    click.echo(single_line(f"{file}: {output.problem_line(problem, language)}"), err=True)
    sys.exit(FAILED)
