"""Migrations preserve data, run in one process at a time, and change nothing when killed."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from flask import Flask
from sqlalchemy import Connection, inspect, text

from scorekeeper.db.copying import MIGRATIONS, is_sqlite, known_versions, newest_version, read_version
from scorekeeper.db.upgrades import make_config, upgrade
from scorekeeper.errors import StartupError
from scorekeeper.models import Base, Summary, Table, db
from scorekeeper.services import verify
from scorekeeper.services.tables import summaries

from ..apps import open_app
from ..databases import Databases
from ..visitor import Visitor

DEALS = [{"tricks": {"ns": 11}}, {"tricks": {"ew": 8}, "honours": {"side": "ns", "count": 3}}, {"misdeal": True}]


@pytest.fixture
def app(databases: Databases, tmp_path: Path) -> Iterator[Flask]:
    """An app on a database without a schema."""
    url = databases.make(tmp_path, migrated=False)
    with open_app(url) as app:
        yield app
    databases.drop(url)


def first_schema(app: Flask) -> None:
    """A database of schema 0001 with a circle, its links and browsers, and a table of three deals."""
    at = "2026-03-14 01:30:00.000000"
    with app.app_context():
        upgrade("0001")
        with db.engine.begin() as connection:
            _fill(connection, at)


def _fill(connection: Connection, at: str) -> None:
    def add(table: str, **row: object) -> None:
        columns, values = ", ".join(f'"{name}"' for name in row), ", ".join(f":{name}" for name in row)
        connection.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), row)  # noqa: S608  # ours

    add("circle", id=1, name="abc", made_at=at)
    add("link", id=1, circle_id=1, right="host", secret_hash="0" * 64, made_at=at)
    add("browser", id=1, circle_id=1, link_id=1, number=1, secret_hash="0" * 64, first_at=at)
    for number, name in enumerate(("Anne", "Bruno", "Chloé", "David"), start=1):
        add("player", id=number, circle_id=1, name=name)
    add(
        "card_table",
        id=1,
        **{"token": "t"},
        circle_id=1,
        game="whist",
        rules_version=1,
        house_rules="{}",
        dealer="1",
        opened_at=at,
    )
    for seat in range(1, 5):
        add("seat", table_id=1, seat=str(seat), player_id=seat)
    for number, body in enumerate(DEALS, start=1):
        add(
            "revision",
            table_id=1,
            number=number,
            kind="record",
            deal=number,
            body=json.dumps(body),
            browser_id=1,
            at=at,
            entry_key=f"k{number}",
        )
    if not is_sqlite(connection):  # its sequences are independent of the rows
        for table in ("circle", "link", "browser", "player", "card_table", "revision"):
            connection.execute(text(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))"))  # noqa: S608  # ours


def test_the_files_names_say_which_versions_there_are() -> None:
    """So a start need not load Alembic to know whether the database has the newest."""
    scripts = ScriptDirectory(str(MIGRATIONS))
    assert scripts.get_heads() == [newest_version()]
    assert {script.revision for script in scripts.walk_revisions()} == known_versions()


def test_upgrading_the_first_schema_keeps_its_facts(app: Flask) -> None:
    first_schema(app)
    with app.app_context():
        upgrade()
        assert summaries.rebuild(only_missing=True) == 1
        table = db.session.scalars(db.select(Table)).one()
        assert [revision.body for revision in table.revisions] == DEALS
        assert [seat.player.person.name for seat in table.seats] == ["Anne", "Bruno", "Chloé", "David"]
        assert table.day in (date(2026, 3, 13), date(2026, 3, 14))  # in the time zone of the upgrade
        assert table.played_on == date(2026, 3, 14)
        assert table.circle.title is None
        summary = db.session.scalars(db.select(Summary)).one()
        assert summary.data["deals"] == 2
        assert summary.data["scores"] == {"ns": 7, "ew": 2}


def test_an_upgraded_schema_equals_the_models(app: Flask) -> None:
    with app.app_context():
        upgrade()
        found = inspect(db.engine)
        for name, table in Base.metadata.tables.items():
            assert {column["name"] for column in found.get_columns(name)} == {column.name for column in table.columns}
            indexed = {tuple(index["column_names"]) for index in found.get_indexes(name)}
            assert {tuple(column.name for column in index.columns) for index in table.indexes} <= indexed, name


def test_a_database_can_be_downgraded_and_upgraded_again(app: Flask) -> None:
    first_schema(app)
    with app.app_context():
        upgrade()
        command.downgrade(make_config(), "0001")
        upgrade()
        assert [revision.body for revision in db.session.scalars(db.select(Table)).one().revisions] == DEALS


def test_an_app_on_an_older_schema_works_after_the_upgrade(app: Flask) -> None:
    first_schema(app)
    with app.app_context():
        upgrade()
        summaries.rebuild(only_missing=True)
    visitor = Visitor(app)
    assert visitor.open_table("whist").record(tricks="ns-3").status == 200


def test_a_row_that_ties_two_circles_together_stops_the_upgrade(app: Flask) -> None:
    first_schema(app)
    with app.app_context():
        with db.engine.begin() as connection:
            connection.execute(text("INSERT INTO circle (id, name, made_at) SELECT 2, 'def', made_at FROM circle"))
            connection.execute(text("UPDATE player SET circle_id = 2 WHERE id = 3"))
        with pytest.raises(StartupError, match="rows of seat refer to rows that are missing or of another circle"):
            upgrade()
        with db.engine.connect() as connection:
            assert read_version(connection) == "0001"


# --- several processes, killed processes ---------------------------------------------------------------------

TOGETHER = 4
ROUNDS = 2 * int(os.environ.get("FAULTS", "1"))
# For each number n that it reads, forks a process that kills itself, as a power cut would, after the n-th statement of
# the migrations. Writes how it ended: its status, or the signal below 0.
KILLED = """
import os, signal, sys
from scorekeeper.db.upgrades import upgrade
from sqlalchemy import Engine, event
from scorekeeper import create_app
from scorekeeper.web import app as _  # once, not in each process

def migrate(left):
    def count(*_):
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    app = create_app({"SIGNS": False})  # as `migrate` does
    with app.app_context():
        event.listen(Engine, "after_cursor_execute", count)
        upgrade()

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        migrate(int(line))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def start(app: Flask, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    settings = {"SCOREKEEPER_INSTANCE": str(folder), "DATABASE_URL": app.config["SQLALCHEMY_DATABASE_URI"]}
    return subprocess.Popen(  # noqa: S603  # our own command
        [sys.executable, *arguments],
        env=os.environ | settings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def state(app: Flask) -> tuple[list[str], dict[str, list[Any]]]:
    """Return the names of all tables, and all rows of tables with facts."""
    with app.app_context():
        with db.engine.connect() as connection:
            tables = sorted(set(inspect(connection).get_table_names()) - {"alembic_version"})
            facts = [name for name in tables if name not in ("summary", "digest", "period_totals")]
            rows = {name: connection.execute(text(f"SELECT * FROM {name}")).all() for name in facts}  # noqa: S608  # ours
        db.engine.dispose()
    return tables, {name: sorted(map(str, found)) for name, found in rows.items()}


@pytest.mark.parametrize("number", range(ROUNDS))
def test_several_servers_can_start_at_once(number: int, app: Flask, tmp_path: Path) -> None:
    """The address of a database: once empty, once with the first schema."""
    if number % 2:
        first_schema(app)
    processes = [start(app, tmp_path, "-m", "scorekeeper", "migrate") for _ in range(TOGETHER)]
    ended = [(*process.communicate(timeout=300), process.returncode) for process in processes]
    assert ended == [("", "", 0)] * TOGETHER, number
    with app.app_context():
        assert verify.verify().faults == []
        assert db.session.execute(text("SELECT count(*) FROM alembic_version")).scalar() == 1


def test_a_migration_that_is_killed_changes_nothing_and_can_be_run_again(app: Flask, tmp_path: Path) -> None:
    first_schema(app)
    before = state(app)
    killed = 0
    with start(app, tmp_path, "-c", KILLED) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for after in count(2, max(1, 200 // ROUNDS)):
            print(after, file=process.stdin, flush=True)
            if int(process.stdout.readline()) != -signal.SIGKILL or state(app) != before:
                break  # it was done before it was killed
            killed += 1
        assert process.communicate(timeout=300) == ("", "")
    assert killed > 2
    again = start(app, tmp_path, "-m", "scorekeeper", "migrate")
    assert (*again.communicate(timeout=300), again.returncode) == ("", "", 0)
    assert state(app) != before
    with app.app_context(), db.engine.connect() as connection:
        assert read_version(connection) == newest_version()


# --- merged migrations ---------------------------------------------------------------------------------------

# Databases may have been created with a migration from the day it was merged, so it is never edited. A later migration
# corrects its mistakes. Add a line for each new migration.
MERGED = {
    "0001": "3645f23f666f11a6033ae0fff4f440bd37cbaaeb8a628ff65a0ebae59be7a91b",
    "0002": "bbe6970680e33efd7ce77d6232b331f09a59301a0ce2978a3a216ea0bc2aa313",
    "0003": "2904b32b67018fbe5d3651f898bf517dea93d9f1d85c84765b32d4fb7aa04939",
    "0004": "d9c4ce3de4e982187966ae95ffbba7ac3df4786976856364b72213bb79267773",
    "0005": "90679f418d91137a2cd61ba683af2abb938284ccf6270e979e798e59d09692d8",
    "0006": "8bd4de0ce6fb1c53900dbd46c13425ecd655ce8be23027bf8caef10908b64d5f",
    "0007": "75a938d9acf6fe8463c5dfdba5808c744960c0f0122176746a4e2add53cb5e2f",
    "0008": "439664a70db10d0b2d39dca87865ccd700c10ea3a9fca4dbc395b97d48c8069a",
    "0009": "9644ba3c19b98f55adadff923accbd0cb7da681b23ac693489ef0ee1ddb28ffe",
    "0010": "8e9537a24ab664ab3fd742a4976c65b9f130380fe910d68e3bbe1da881346f0a",
    "0011": "9887c424c0a3ba36d47ac7b357c18c392dc550b39420d02b8a9617ced4112005",
    "0012": "1f922ea2f114473f53a647f9e4ab92d88b1c712c56d5351775dcb5e840328fda",
    "0013": "099158d4745db8e08205e6ff2ab6aa75e23a174dbbd1b6b7c118605842d0269a",
    "0014": "f2d7d0bc9af924a50ed20bd2d59e1120868bc7bce556fef3f88e19087fd682a3",
    "0015": "ce20b008cb979d7d245568050ab31055af3a6ef1d61d6c21299a598a31d48676",
    "0016": "56d4a551325f66a34031da28ffd46a47286b638dc4f4f4738a1ad0063fe42a31",
    "0017": "72ca47d1fc955541e08e48e4a6dadb017b9124943d1de038a399aeb4a666b784",
    "0018": "c4d4aac32afd145a73010355ab045bccd1ef3d84f45f8e78a99678b8488db229",
    "0019": "2ca5a26b7e840ddab3d9240a94fd69bb6753b1f28fd2f7c326175991b4427331",
    "0020": "41d00086d05ce75b066851bc344c55b0d0690457bab23e09258df3985f96aad9",
    "0021": "f66a8fe12445a90238f20ca04a2b36747ef14da1aaf3eb573d39b5b8e283f8a8",
    "0022": "9b594c4d241d3b9166e2c73435996141db2c245968ce4ac15bd5473be49dc955",
    "0023": "f3ea0940581f5780365baa19ee87b0487c0bf75e011d54b23c57873c6a011d9d",
    "0024": "6bc769da8caad09602d82d429008f93eb2fa4309d46675b52c89a4ede82d1bef",
    "0025": "08a8996c47fbf1b9261643a62b852478bcdbe4f5a6cd4e236bd0c35dcda8bfeb",
    "0026": "135fa7b6e62097f682334a92ce0f4714a482e57816179510d86769b75f401262",
    "0027": "ba8f5a093890d92637f080616ae636cf0634e1b097b3b49f67cc1ae9ed597d4d",
    "0028": "95a77f3e4364fdf3ec3ef8a3d6d07360dfaa5a67a2b5eac7dae4d3481e20c52d",
    "0029": "fe147de0635528597718537edf7f5a640a08c55ff6b42ebec7cbae50efb23cb7",
    "0030": "860a85e93a0b9113d6278ae3fdad3d3a79545b9f25734ce92b0e4add83507b7c",
    "0031": "bd53c86f80960bed129bf446b367c352a564be52f1dac4d957dc06e39de0fabd",
}


def test_no_merged_migration_is_edited() -> None:
    found = {
        path.name[:4]: hashlib.sha256(path.read_bytes()).hexdigest() for path in (MIGRATIONS / "versions").glob("*.py")
    }
    assert found == MERGED
