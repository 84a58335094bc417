"""`scorekeeper run`: serve the app."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import click

from .. import create_app
from ..server import starting
from ..server.gunicorn import Server, Settings, shared_metrics
from ..server.network import is_any
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
def run(host: str, port: str, workers: int, threads: int, connections: int, log: str) -> None:
    """Upgrade the database and serve the app."""
    language = output.terminal_language()
    with closing(starting.bind(host, port, language)) as listener, shared_metrics(workers):
        missing_games = database.migrate()
        if log == "text":
            for line in output.missing_game_lines(missing_games, language):
                click.echo(line, err=True)
            starting.announce(listener, language)
        settings = {"LISTENS_EVERYWHERE": is_any(listener.host)}
        Server(lambda: create_app(settings), listener, Settings(workers, threads, connections, log)).run()
