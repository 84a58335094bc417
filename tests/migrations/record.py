"""Play a circle with the current code, and save its database as a fixture. README.md says when.

    python -m tests.migrations.record NAME                    # play, then write NAME
    python -m tests.migrations.record NAME --from OTHER       # upgrade fixture OTHER instead of playing

`scorekeeper` may be an older version than these tests: everything is done through pages, and steps that a version does
not offer are skipped.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from flask import Flask

from scorekeeper.db.upgrades import upgrade

from .. import databases
from ..apps import open_app
from ..visitor import Visitor
from . import schemas


def play(app: Flask) -> None:
    """Play tables of every game in one circle: corrected, closed, settled, with payments and a second phone."""
    host = Visitor(app)
    host.open_table("whist", amount="0.25", unit="fiche", currency="EUR")
    whist = host.table
    for tricks in ("ns-5",) * 4:
        host.record(tricks=tricks)
    second = Visitor(app)
    for step in (
        lambda: pay(host, whist),
        lambda: correct(host, whist),
        lambda: host.visit(f"{whist}deals/adjustment").send(
            {"kind": "points", "to": "ns", "amount": "1", "reason": "the score agreed on"}
        ),
        lambda: host.visit(f"{whist}deals/new").send({"do": "misdeal"}),
        lambda: enter(host, whist, second),
        lambda: second.visit(whist).record(tricks="ns-1"),
        lambda: host.visit(whist).send({}, "/undo"),
        lambda: play_other_games(host),
        lambda: host.visit(whist).more().send({}, "/close"),
        lambda: look_around(host),
        lambda: change_people(host),
        lambda: host.open_table("short-whist", **{"seat-1": "Fanny"}).record(tricks="ew-2"),
        lambda: look_around(host),
    ):
        attempt(step)


def attempt(step: Callable[[], object]) -> None:
    """Take a step that the version may not offer. Skipped steps are printed."""
    try:
        step()
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
        print(f"  left out (lines {lines}): {error!r}", file=sys.stderr)


def correct(host: Visitor, table: str) -> None:
    host.visit(f"{table}deals/2/amend").send({"tricks": "ns-3", "do": "record"})
    host.visit(f"{table}deals/3").send({}, "/withdraw")
    host.visit(f"{table}deals/3").send({}, "/restore")


def enter(host: Visitor, table: str, second: Visitor) -> None:
    link = urlsplit(str(host.visit(f"{table}share").find("#link")["value"]))
    second.visit(f"{link.path}?{link.query}")
    if second.page.select_one("form[action*=join]"):
        second.send({}, form=second.page.select_one("form[action*=join]"))
    assert second.status == 200


def play_other_games(host: Visitor) -> None:
    host.open_table("francion", 4)
    host.record(**{"tricks-2": "3", "tricks-3": "2", "tricks-4": "1", "welche": "hidden"})
    host.record(**{"tricks-2": "5", "tricks-3": "4", "welche": "won", "holder": "2"})
    host.open_table("quarante-de-rois", **{"rule-target": "80"})
    host.record(kings="3", queens="1", jacks="0", clique="jacks-3", **{"clique-player": "2"})
    host.record(kings="4", queens="4", jacks="4")
    host.open_table("joffre").visit(f"{host.table}deals/new")
    cards = {"five_of_hearts": "ew", "three_of_spades": "ns"}
    host.send({"bidder": "1", "bid": "7", "tricks": "6", "do": "record"} | cards)


def pay(host: Visitor, table: str) -> None:
    for typed in ({"amount": "0.50"}, {}):
        host.visit(f"{table}settlement")
        form = host.page.select_one(".due form.pay")
        host.send(typed, form=form)
    circle = circle_of(host)
    host.visit(f"{circle}payments").send({}, "/payments/1/withdraw")


def circle_of(host: Visitor) -> str:
    with host.client.session_transaction() as session:
        return f"/circles/{session['circle']}/"


def look_around(host: Visitor) -> None:
    """Visit the pages that fill caches, and pay what is still open."""
    circle = circle_of(host)
    form = host.visit(f"{circle}settlement").page.select_one(".due form.pay")
    if form is not None:
        host.send({}, form=form)
    for page in ("", "figures", "tables", "people", "settlement"):
        host.visit(f"{circle}{page}")


def change_people(host: Visitor) -> None:
    circle = circle_of(host)
    host.visit(f"{circle}links").send({"name": "Chloé’s phone"}, "/browsers/1/name")
    host.visit(circle).more().send({"title": "Whist at Chloé’s"}, "/title")
    host.visit(f"{circle}people/1").send({"name": "Annette"}, "/rename")
    host.visit(f"{circle}people/4").send({}, "/retire")


def migrate(url: str, then: Callable[[Flask], None] = lambda _app: None) -> None:
    with open_app(url) as app:
        with app.app_context():
            upgrade()
        then(app)


def record(name: str, source: str | None) -> None:
    """Write both forms of a fixture: tables with rows in SQLite, tables in PostgreSQL."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "played.sqlite3"
        if source:
            schemas.load_sqlite(source, file)
        migrate(f"sqlite:///{file}", then=(lambda _app: None) if source else play)
        schemas.write_sqlite(name, file)
    with databases.running_cluster() as cluster:
        url = cluster.make(Path(), migrated=False)
        if source:
            schemas.create_tables(source, url)
            with schemas.connect(url) as connection:
                connection.execute("INSERT INTO alembic_version VALUES (%s)", [schemas.version_of(source)])
        migrate(url)
        program = shutil.which("pg_dump") or str(cluster.programs.resolve() / "pg_dump")
        command = [program, "--schema-only", "--no-owner", url.replace("+psycopg", "")]
        ddl = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603  # PostgreSQL's own
        schemas.write_postgresql(name, ddl.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--from", dest="source")
    arguments = parser.parse_args()
    record(arguments.name, arguments.source)


if __name__ == "__main__":
    main()
