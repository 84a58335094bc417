"""`scorekeeper run`: serve the app."""

from __future__ import annotations

import gc
import os
import re
import sys
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import click
import segno
from flask import Flask

from ..config import make_instance_folder, read_choice, read_folder, read_number, read_text
from ..db.backups import AutomaticBackups
from ..db.engine import serve_file
from ..db.schemas import Needs, find_file
from ..errors import StartupError
from ..models import db
from ..site.network import in_url, is_any, is_loopback, lan_addresses
from ..site.time_zones import is_known
from .database import open_database, upgrade
from .output import report_missing_games, word
from .server import Server, listen, raise_file_limit


@click.command()
@click.option("--host", help="Address to listen on.  [default: SCOREKEEPER_HOST, or 0.0.0.0]")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on.  [default: SCOREKEEPER_PORT, or 8765]")
def run(host: str | None, port: int | None) -> None:
    """Upgrade the database and serve the app. The settings are environment variables."""
    workers, log = read_number("SCOREKEEPER_WORKERS", 1, 64, 1), read_choice("SCOREKEEPER_LOG", "text", "json")
    raise_file_limit()
    zone = os.environ.get("TZ", "")
    if re.fullmatch(r"[A-Za-z_/]+", zone) and not is_known(zone):  # not a rule such as CET-1CEST, nor a file's path
        raise StartupError("time-zone", value=zone)
    host = host or read_text("SCOREKEEPER_HOST", "0.0.0.0")  # noqa: S104  # phones on the local network must reach it
    port = read_number("SCOREKEEPER_PORT", 0, 65_535, 8_765) if port is None else port
    with closing(listen(host, port)) as listener:
        with open_database(Needs.UPGRADE, serves=True) as app:
            missing_games, file, instance = upgrade(), find_file(db.engine.url), Path(app.instance_path)
            if file is not None:
                serve_file(file)
        if log == "text":
            report_missing_games(missing_games)
            _announce(*listener.getsockname()[:2])
        app.config["LISTENS_EVERYWHERE"] = is_any(host)
        keeper = None if file is None else _prepare_backups(file, instance)

        def begin() -> Flask:
            """Begin a worker's work: it has the app of this process, and so shares its memory."""
            if keeper is not None:
                keeper.start()
            return app

        gc.freeze()
        try:
            Server(begin, listener.detach(), workers, log).run()
        finally:  # a worker ends here too
            if keeper is not None:
                keeper.stop()
            with app.app_context():
                db.engine.dispose()  # so that SQLite leaves one whole file


def _prepare_backups(file: Path, instance: Path) -> AutomaticBackups:
    folder = read_folder("SCOREKEEPER_BACKUPS")
    if folder is None:
        folder = instance / "backups"
        make_instance_folder(folder)
    return AutomaticBackups(file, folder)


# --- where the app can be opened -----------------------------------------------------------------------------


def _announce(host: str, port: int) -> None:
    """Print where the app can be opened, for phones with a QR code where the terminal can show one."""

    def say(key: str, **params: Any) -> None:
        encoding = sys.stdout.encoding or "ascii"
        click.echo(word(key, **params).encode(encoding, "replace").decode(encoding))

    if is_loopback(host):
        say("server.here", url=_url(host, port))
        say("server.only-here")
        return
    urls = [_url(address, port) for address in (lan_addresses() if is_any(host) else [host])]
    if is_any(host):
        say("server.here", url=_url("localhost", port))
    if not urls:
        say("server.no-network", port=str(port))
        return
    say("server.phones" if is_any(host) else "server.at", url=urls[0])
    if urls[1:]:
        say("server.phones-elsewhere", urls=", ".join(urls[1:]))
    click.echo(_qr_code(urls[0], sys.stdout))


def _url(host: str, port: int) -> str:
    return f"http://{in_url(host)}:{port}/"


def _qr_code(url: str, stream: TextIO) -> str:
    """Return a QR code of block characters, or "" if the stream cannot print them."""
    blocks = StringIO()
    segno.make(url, micro=False).terminal(blocks, compact=True)
    try:
        blocks.getvalue().encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    return blocks.getvalue()
