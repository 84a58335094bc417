"""`scorekeeper run`: serve the app."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from flask import Flask

from .. import create_app
from ..db.backups import AutomaticBackups
from ..server import starting
from ..server.gunicorn import Server, Settings, shared_metrics
from ..server.limits import limit_connections
from ..server.network import is_any
from ..web.config import make_instance_folder
from ..web.support import settings
from ..web.support.settings import NumberSetting, Setting
from . import database, output


def _option(setting: Setting[Any], text: str, kind: Any = None) -> Callable[[Any], Any]:
    """Return the option for a setting; `kind` as click takes it."""
    name = setting.name.removeprefix(settings.PREFIX).lower()
    shown = setting.default is not None
    return click.option(
        f"--{name}", envvar=setting.name, default=setting.default, show_default=shown, type=kind, help=text
    )


def _number_option(setting: NumberSetting, text: str) -> Callable[[Any], Any]:
    return _option(setting, text, click.IntRange(setting.low, setting.high))


@click.command()
@_option(settings.HOST, "Address to listen on.")
@_option(settings.PORT, "Port to listen on.", click.STRING)
@_number_option(settings.WORKERS, "Server processes.")
@_number_option(settings.THREADS, "Requests that each process handles at once.")
@_number_option(settings.CONNECTIONS, "Most connections that each process keeps open.")
@_option(settings.LOG, "Format of the log.", click.Choice(settings.LOG.choices))
@_option(
    settings.BACKUPS,
    "Folder for the backups of a SQLite database.  [default: backups, in the instance folder]",
    click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
)
def run(host: str, port: str, workers: int, threads: int, connections: int, log: str, backups: Path | None) -> None:
    """Upgrade the database and serve the app."""
    settings.check_all()
    connections = limit_connections(connections)
    language = output.terminal_language()
    with closing(starting.bind(host, port, language)) as listener, shared_metrics(workers):
        missing_games, file, instance = database.migrate(serves=True)
        if log == "text":
            for line in output.missing_game_lines(missing_games, language):
                click.echo(line, err=True)
            starting.announce(listener, language, settings.PATH.value)
        listening = {"LISTENS_EVERYWHERE": is_any(listener.host)}
        keeper = None if file is None else _prepare_backups(file, instance, backups)
        apps: list[Flask] = []  # of this process, which has one if there is a single worker

        def make_app() -> Flask:
            if keeper is not None:
                keeper.start()
            apps.append(create_app(listening))
            return apps[0]

        def close_file() -> None:
            if keeper is not None:
                keeper.stop()
            for app in apps:
                with app.app_context():
                    database.close_connections(app)

        Server(make_app, close_file, listener, Settings(workers, threads, connections, log)).run()


def _prepare_backups(file: Path, instance: Path, folder: Path | None) -> AutomaticBackups:
    """Return what backs the database up, into a folder that exists."""
    if folder is None:
        folder = instance / "backups"
        make_instance_folder(folder)
    return AutomaticBackups(file, folder)
