"""Backups are whole, made while others write, and put in place with what they replace kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from flask import Flask

from scorekeeper.db import backups
from scorekeeper.models import Base, db

from ..support.apps import MakeApp
from ..support.databases import Cluster
from ..support.instance import run
from ..support.visitor import Visitor

NOW = datetime(2026, 11, 23, 21, 30, 30, tzinfo=UTC)


def everything(app: Flask) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, without the epochs, which a restore renews."""
    with app.app_context(), db.engine.connect() as connection:
        kept = {
            table: [column for column in table.columns if column.name != "epoch"]
            for table in Base.metadata.sorted_tables
        }
        rows = {table.name: connection.execute(db.select(*columns)).all() for table, columns in kept.items()}
        return {name: sorted(map(tuple, found), key=repr) for name, found in rows.items()}


def test_a_backup_has_every_row_and_is_one_private_file(live: Flask, make_app: MakeApp, tmp_path: Path) -> None:
    Visitor(live).open_table("whist").record(tricks="ns-3")
    file = tmp_path / "backups" / "b.sqlite3"
    file.parent.mkdir()
    done = run("backup", file)
    assert (done.exit_code, done.output) == (0, f"Saved to {file}\n")
    assert list(file.parent.iterdir()) == [file]
    assert file.stat().st_mode & 0o777 == 0o600
    assert everything(make_app(f"sqlite:///{file}")) == everything(live)
    again = run("backup", file)
    assert (again.exit_code, again.stderr) == (2, f"{file} already exists. Choose another name.\n")


def test_a_backup_made_during_writes_is_consistent(live: Flask, tmp_path: Path) -> None:
    stop = Event()

    def keep_writing() -> None:
        visitor = Visitor(live).open_table("whist")
        while not stop.is_set():
            assert visitor.record(tricks="ns-3").status == 200

    writer = Thread(target=keep_writing)
    writer.start()
    found = [tmp_path / f"{number}.sqlite3" for number in range(5)]
    try:
        assert [run("backup", file).exit_code for file in found] == [0] * len(found)
    finally:
        stop.set()
        writer.join()
    for file in found:
        with closing(sqlite3.connect(file)) as copy:
            lacking = "SELECT count(*) FROM revision WHERE number > (SELECT max(version) FROM summary)"
            assert copy.execute(lacking).fetchone() == (0,)


def test_a_restore_undoes_everything_since_and_keeps_it_in_a_file(
    live: Flask, make_app: MakeApp, instance: Path, tmp_path: Path
) -> None:
    visitor = Visitor(live)
    visitor.open_table("whist").record(tricks="ns-3")
    run("backup", tmp_path / "b.sqlite3")
    before = everything(live)
    visitor.record(tricks="ns-5")
    visitor.visit(f"{visitor.table}deals/new")
    Visitor(live).open_table("whist")
    after = everything(live)
    assert run("restore", tmp_path / "b.sqlite3").exit_code == 0
    assert everything(live) == before
    (kept,) = instance.glob("before-restore-*.sqlite3")
    assert everything(make_app(f"sqlite:///{kept}")) == after
    assert visitor.send({"tricks": "ns-4", "do": "record"}).status == 409  # by a page that knows the second deal
    assert visitor.record(tricks="ns-5").status == 200
    assert run("verify").exit_code == 0


def test_a_phone_that_has_another_ones_number_since_a_restore_is_not_renamed(live: Flask, tmp_path: Path) -> None:
    host = Visitor(live)
    host.open_table("whist")
    score = host.link("score")
    run("backup", tmp_path / "b.sqlite3")
    Visitor(live).join(score)
    host.visit(f"{host.circle}links")
    assert run("restore", tmp_path / "b.sqlite3").exit_code == 0
    Visitor(live).join(score)
    assert host.send({"name": "Kitchen"}, "/phones/2/name").status == 409
    assert host.visit(f"{host.circle}links").send({"name": "Kitchen"}, "/phones/2/name").status == 200


def test_what_is_no_whole_backup_changes_nothing(live: Flask, tmp_path: Path) -> None:
    Visitor(live).open_table("whist")
    run("backup", tmp_path / "b.sqlite3")
    whole, before = (tmp_path / "b.sqlite3").read_bytes(), everything(live)
    with closing(sqlite3.connect(tmp_path / "b.sqlite3")) as backup:
        backup.execute("DROP TABLE payment")
    without_a_table = (tmp_path / "b.sqlite3").read_bytes()
    damaged = whole[:8192] + b"\xff" * 4096 + whole[12288:]
    for content in (b"", b"no database", whole[: len(whole) // 2], damaged, without_a_table):
        (tmp_path / "bad").write_bytes(content)
        done = run("restore", tmp_path / "bad")
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "bad is not a complete backup of Scorekeeper. The database was not changed." in done.stderr
    assert run("restore", tmp_path / "missing").exit_code == 2
    assert everything(live) == before


@pytest.mark.usefixtures("instance")
def test_on_postgresql_its_own_programs_are_named(
    postgresql: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", postgresql.make(tmp_path))
    for command, program in (("backup", "pg_dump"), ("restore", "pg_restore")):
        done = run(command, tmp_path / "file")
        assert done.exit_code == 2
        assert program in done.stderr


# --- automatic backups ---------------------------------------------------------------------------------------


def test_a_change_is_backed_up_once_and_old_ones_get_sparser(live: Flask, instance: Path, tmp_path: Path) -> None:
    folder, database = tmp_path / "backups", instance / "scorekeeper.sqlite3"
    folder.mkdir()
    (folder / "my-own.sqlite3").touch()
    replaced = instance / f"before-restore-{NOW - timedelta(days=31):%Y%m%d-%H%M%S}.sqlite3"
    replaced.touch()
    Visitor(live).open_table("whist")
    now = datetime.now(UTC)
    for _ in range(2):
        backups.back_up_changes(database, folder, now)
    (made,) = folder.glob("scorekeeper-*")
    assert not replaced.exists()
    with closing(sqlite3.connect(made)) as copy:
        assert copy.execute("SELECT count(*) FROM card_table").fetchone() == (1,)
    name = f"{made.name[:-23]}%Y%m%d-%H%M%S.sqlite3"  # of this database: others may use the folder
    other = folder / f"scorekeeper-00000000-{NOW - timedelta(days=99):%Y%m%d-%H%M%S}.sqlite3"
    other.touch()
    for minutes in range(0, 40 * 24 * 60, 7):
        (folder / (now - timedelta(minutes=minutes)).strftime(name)).touch()
    backups.back_up_changes(database, folder, now)
    assert other.exists()
    moments = [datetime.strptime(path.name, name).replace(tzinfo=UTC) for path in folder.glob(f"{made.name[:-23]}*")]
    ages = [now - moment for moment in moments]
    assert 9 <= sum(age <= timedelta(hours=1) for age in ages) <= 10
    assert 23 <= sum(timedelta(hours=1) < age <= timedelta(days=1) for age in ages) <= 25
    assert 29 <= sum(age > timedelta(days=1) for age in ages) <= 31
    assert max(ages) <= timedelta(days=30), "a name that was erased is gone after a month"
    assert (folder / "my-own.sqlite3").exists()
