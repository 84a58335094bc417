"""What a worker of the server does before its first request and after its last."""

from __future__ import annotations

import os
import re
import sys
from io import StringIO
from pathlib import Path

import click
import segno
from flask import Flask

from ..config import make_instance_folder, read_folder
from ..db.backups import keep_backing_up
from ..db.schemas import Needs, find_file
from ..errors import StartupError
from ..models import db
from ..site.live import live_of
from ..site.network import bracket_ipv6, is_loopback, is_wildcard, lan_addresses
from ..site.time_zones import is_known
from .database import open_database, upgrade
from .output import report_missing_games, say


def begin(host: str, port: int, *, prints: bool) -> Flask:
    """Make the app for a worker of a server, and begin what it does in the background."""
    zone = os.environ.get("TZ", "")
    if re.fullmatch(r"[A-Za-z_/]+", zone) and not is_known(zone):  # not a rule such as CET-1CEST, nor a file's path
        raise StartupError("time-zone", value=zone)
    with open_database(Needs.UPGRADE, serves=True) as app:
        missing_games = upgrade()
        file = find_file(db.engine.url)
    if file is not None:
        folder = read_folder("SCOREKEEPER_BACKUPS")
        if folder is None:
            folder = Path(app.instance_path) / "backups"
            make_instance_folder(folder)
        live_of(app).at_end.append(keep_backing_up(file, folder))
    app.config["LISTENS_EVERYWHERE"] = is_wildcard(host)
    if prints:
        report_missing_games(missing_games)
        _print_addresses(host, port)
    return app


def end_streams(app: Flask) -> None:
    """End all streams and open no more. It waits for no thread: the handler of a signal may call it."""
    hub = live_of(app).hub
    hub.is_stopping = True
    hub.close()


def end(app: Flask) -> None:
    end_streams(app)
    live_of(app).close()
    with app.app_context():
        db.engine.dispose()  # so that SQLite leaves one whole file


# --- where the app can be opened -----------------------------------------------------------------------------


def _print_addresses(host: str, port: int) -> None:
    if is_loopback(host):
        say("server.here", url=_url(host, port))
        say("server.only-here")
        return
    urls = [_url(address, port) for address in (lan_addresses() if is_wildcard(host) else [host])]
    if is_wildcard(host):
        say("server.here", url=_url("localhost", port))
    if not urls:
        say("server.no-network", port=str(port))
        return
    say("server.phones" if is_wildcard(host) else "server.at", url=urls[0])
    if urls[1:]:
        say("server.phones-elsewhere", urls=", ".join(urls[1:]))
    click.echo(_qr_code(urls[0]))


def _url(host: str, port: int) -> str:
    return f"http://{bracket_ipv6(host)}:{port}/"


def _qr_code(url: str) -> str:
    """Return a QR code of block characters, or "" if the terminal cannot print them."""
    blocks = StringIO()
    segno.make(url, micro=False).terminal(blocks, compact=True)
    try:
        blocks.getvalue().encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    return blocks.getvalue()
