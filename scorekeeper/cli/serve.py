"""`scorekeeper run`: serve the app."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import click
from flask import Flask

from .. import create_app
from ..db import wal
from ..files import write_whole
from ..i18n import translate
from ..server import starting
from ..server.gunicorn import Server, Settings, shared_metrics
from ..server.network import is_any
from ..services.automatic_backups import AutomaticBackups
from ..web.config import make_instance_folder
from . import database, output


def _number_option(name: str, default: int, maximum: int, text: str) -> Callable[[Any], Any]:  # any function or command
    return click.option(
        f"--{name}",
        envvar=f"SCOREKEEPER_{name.upper()}",
        default=default,
        show_default=True,
        type=click.IntRange(1, maximum),
        help=text,
    )


@click.command()
@click.option("--host", envvar="SCOREKEEPER_HOST", default="0.0.0.0", show_default=True, help="Address to listen on.")  # noqa: S104  # phones on the local network must reach it
@click.option("--port", envvar="SCOREKEEPER_PORT", default="8765", show_default=True, help="Port to listen on.")
@_number_option("workers", 1, 64, "Server processes.")
@_number_option("threads", 8, 64, "Requests that each process handles at once.")
@_number_option("connections", 4_000, 60_000, "Most connections that each process keeps open.")
@click.option(
    "--log",
    envvar="SCOREKEEPER_LOG",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="Format of the log.",
)
@click.option(
    "--backups",
    envvar="SCOREKEEPER_BACKUPS",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    help="Folder for the backups of a SQLite database.  [default: backups, in the instance folder]",
)
def run(host: str, port: str, workers: int, threads: int, connections: int, log: str, backups: Path | None) -> None:
    """Upgrade the database and serve the app."""
    language = output.terminal_language()
    with closing(starting.bind(host, port, language)) as listener, shared_metrics(workers):
        missing_games, file, instance = database.migrate()
        if log == "text":
            for line in output.missing_game_lines(missing_games, language):
                click.echo(line, err=True)
            starting.announce(listener, language)
        settings = {"LISTENS_EVERYWHERE": is_any(listener.host)}
        keeper = None if file is None else _prepare_backups(file, instance, backups, language)

        def make_app() -> Flask:
            if keeper is not None:
                keeper.start()
            return create_app(settings)

        def close_file() -> None:
            if file is not None:
                wal.close(file, is_last=True)

        Server(make_app, close_file, listener, Settings(workers, threads, connections, log)).run()


def _prepare_backups(file: Path, instance: Path, folder: Path | None, language: str) -> AutomaticBackups:
    """Create the folder for backups, and a file beside it that says how to copy the database and how to restore it."""
    home = instance / "backups"
    make_instance_folder(home)
    text = translate(language, "files.readme", file=str(file), log=f"{file}-wal", folder=str(folder or home))
    readme = instance / "README.txt"
    with suppress(OSError):  # the disk may be full
        if not readme.exists() or readme.read_bytes() != text.encode():
            with write_whole(readme) as unfinished:
                unfinished.write_text(text, encoding="utf-8")
    return AutomaticBackups(file, home, folder or home)
