"""`scorekeeper run`: serve the app."""

from __future__ import annotations

from contextlib import closing

import click

from ..config import read_choice, read_number, read_text
from .server import Server, listen, raise_file_limit


@click.command()
@click.option("--host", help="Address to listen on.  [default: SCOREKEEPER_HOST, or 0.0.0.0]")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on.  [default: SCOREKEEPER_PORT, or 8765]")
def run(host: str | None, port: int | None) -> None:
    """Upgrade the database and serve the app. The settings are environment variables."""
    workers, log = read_number("SCOREKEEPER_WORKERS", 1, 64, 1), read_choice("SCOREKEEPER_LOG", "text", "json")
    raise_file_limit()
    host = host or read_text("SCOREKEEPER_HOST", "0.0.0.0")  # noqa: S104  # phones on the local network must reach it
    port = read_number("SCOREKEEPER_PORT", 0, 65_535, 8_765) if port is None else port
    with closing(listen(host, port)) as listener:
        Server(listener, workers, log).run()
