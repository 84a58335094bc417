"""Backups made during writes, and restored over other databases, in SQLite and PostgreSQL."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from alembic import command
from click.testing import CliRunner, Result
from flask import Flask

from scorekeeper.cli import maintenance
from scorekeeper.cli.main import main
from scorekeeper.db.upgrades import make_config
from scorekeeper.exchange.archives import sheet_text
from scorekeeper.models import Base, Browser, Circle, Player, Table, db
from scorekeeper.services.files import exports
from scorekeeper.services.money.payments import withdraw

from ..apps import MakeApp, open_app
from ..databases import Cluster, Files
from ..services.event_rows import add_event
from ..visitor import Visitor
from .importing import Author, import_files, new_circle, pay_everything, uploads

WHIST: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "whist",
    "players": ["Anne", "Bruno", "Chloé", "David"],
    "deals": [{"tricks": {"ns": 13}}] * 4,
}


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Files) -> Path:
    """Return an instance folder for the command, with a database without rows."""
    folder = tmp_path / "instance"
    folder.mkdir()
    shutil.copy(files.empty, folder / "scorekeeper.sqlite3")
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(folder))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    return folder


@pytest.fixture
def app(instance: Path) -> Iterator[Flask]:
    with open_app(f"sqlite:///{instance / 'scorekeeper.sqlite3'}") as app:
        yield app


def run(*arguments: str | Path, **options: Any) -> Result:
    environment = dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG"))
    return CliRunner().invoke(main, list(map(str, arguments)), env=environment, **options)


def fill(app: Flask, title: str = "first") -> Author:
    """Create a circle with rows in most tables, some of which refer to their own table."""
    with app.app_context():
        author = new_circle()
        import_files(
            author, uploads(WHIST | {"title": title}, WHIST | {"players": ["Annie", "Bruno", "Chloé", "David"]})
        )
        players = {player.name: player for player in author.circle.players}
        players["Anne"].person_id = players["Annie"].id  # who has a higher id
        author.circle.title = title
        db.session.commit()
        pay_everything(author, 1)
        withdraw(author.circle, 1, author.browser)
        pay_everything(author)
        guests = [Player(circle_id=author.circle.id, name=f"Guest {number}") for number in range(6)]
        db.session.add_all(guests)
        db.session.flush()
        add_event(author.circle.id, author.browser.id, [guest.id for guest in guests])
        return author


def everything(app: Flask) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table."""
    with app.app_context():
        tables = Base.metadata.sorted_tables
        with db.engine.connect() as connection:
            rows_by_table = {table.name: connection.execute(db.select(table)).all() for table in tables}
        db.engine.dispose()
        return {name: sorted(map(tuple, rows), key=repr) for name, rows in rows_by_table.items()}


def count_rows(app: Flask) -> int:
    return sum(map(len, everything(app).values()))


# --- backing up ----------------------------------------------------------------------------------------------


def test_a_backup_contains_every_row_and_its_counts_are_printed(app: Flask, make_app: MakeApp, tmp_path: Path) -> None:
    fill(app)
    result = run("backup", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"Saved to {tmp_path}/b.sqlite3: 1 circle, 2 tables, 10 entries and 4 payments.\n"
    assert everything(make_app(f"sqlite:///{tmp_path / 'b.sqlite3'}")) == everything(app)


def test_a_backup_is_one_private_file(app: Flask, tmp_path: Path) -> None:
    fill(app)
    folder = tmp_path / "backups"
    folder.mkdir()
    run("backup", folder / "b.sqlite3")
    assert [path.name for path in folder.iterdir()] == ["b.sqlite3"]
    assert (folder / "b.sqlite3").stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(f"file:{folder / 'b.sqlite3'}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_compressed_backup_is_restored_and_half_of_one_refused(app: Flask, tmp_path: Path) -> None:
    fill(app)
    before = everything(app)
    run("backup", tmp_path / "b.sqlite3")
    packed = gzip.compress((tmp_path / "b.sqlite3").read_bytes())
    for name, content in (("half.gz", packed[: len(packed) // 2]), ("no.gz", b"\x1f\x8bno"), ("bad.gz", packed[:-9])):
        (tmp_path / name).write_bytes(content)
        refused = run("restore", "--yes", tmp_path / name)
        assert (refused.exit_code, "not a complete backup" in refused.stderr) == (2, True)
    (tmp_path / "b.gz").write_bytes(packed)
    fill(app, "second")
    assert run("restore", "--yes", tmp_path / "b.gz").exit_code == 0
    assert everything(app) == before


def test_a_backup_made_during_writes_is_consistent(app: Flask, tmp_path: Path) -> None:
    """Each table is imported in one transaction, so no backup may contain a part of one."""
    stop = Event()
    written: list[str] = []

    def keep_writing() -> None:
        with app.app_context():
            author = new_circle()
            while not stop.is_set():
                import_files(author, uploads(WHIST | {"title": str(len(written))}))
                written.append("sheet")

    writer = Thread(target=keep_writing)
    writer.start()
    files = [tmp_path / f"{n}.sqlite3" for n in range(6)]
    try:
        results = [run("backup", file) for file in files]
    finally:
        stop.set()
        writer.join()
    assert len(written) > 3
    assert [result.exit_code for result in results] == [0] * len(files)
    counts = []
    for file in files:
        with closing(sqlite3.connect(file)) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            tables = copy.execute("SELECT count(*) FROM card_table").fetchone()[0]
            assert copy.execute("SELECT count(*) FROM revision").fetchone()[0] == 5 * tables
            assert copy.execute("SELECT count(*) FROM summary").fetchone()[0] == tables
            counts.append(tables)
    assert counts == sorted(counts)


@pytest.mark.usefixtures("app")
def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite3"
    file.write_text("mine")
    result = run("backup", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{file}: This file already exists. Choose another name.\n"
    assert file.read_text() == "mine"


@pytest.mark.usefixtures("app")
def test_a_missing_folder_is_reported_on_one_line(tmp_path: Path) -> None:
    result = run("backup", tmp_path / "nowhere" / "b.sqlite3")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "No such file or directory" in result.stderr


def test_a_backup_needs_a_database(instance: Path, tmp_path: Path) -> None:
    (instance / "scorekeeper.sqlite3").unlink()
    result = run("backup", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "b.sqlite3").exists()


# --- restoring -----------------------------------------------------------------------------------------------


def test_restoring_brings_back_every_row(app: Flask, tmp_path: Path) -> None:
    fill(app)
    before = everything(app)
    run("backup", tmp_path / "b.sqlite3")
    with app.app_context():
        import_files(new_circle(), uploads(WHIST))
    result = run("restore", tmp_path / "b.sqlite3", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert everything(app) == before


def test_the_previous_contents_are_backed_up_and_can_be_restored(app: Flask, instance: Path, tmp_path: Path) -> None:
    fill(app)
    run("backup", tmp_path / "b.sqlite3")
    fill(app, "second")
    now = everything(app)
    result = run("restore", tmp_path / "b.sqlite3", "--yes")
    (safety_copy,) = instance.glob("before-restore-*.sqlite3")
    assert str(safety_copy) in result.stdout
    assert count_rows(app) < sum(map(len, now.values()))
    assert run("restore", safety_copy).exit_code == 0  # nothing would be lost, so no confirmation is needed
    assert everything(app) == now


@pytest.mark.parametrize("command", [("migrate",), ("backup", "b.sqlite3")])
def test_what_a_restore_replaced_is_deleted_after_30_days(
    command: tuple[str, ...], instance: Path, tmp_path: Path
) -> None:
    today = datetime.now(UTC)
    names = {days: f"before-restore-{today - timedelta(days):%Y%m%d-%H%M%S-%f}.sqlite3" for days in (29, 31)}
    for name in (*names.values(), "before-restore-my-own.sqlite3"):
        (instance / name).touch()
    assert run(command[0], *(tmp_path / name for name in command[1:])).exit_code == 0
    left = {path.name for path in instance.glob("before-restore-*")}
    assert left == {names[29], "before-restore-my-own.sqlite3"}


def test_a_backup_is_restored_into_an_empty_instance(app: Flask, instance: Path, tmp_path: Path) -> None:
    fill(app)
    before = everything(app)
    run("backup", tmp_path / "b.sqlite3")
    with app.app_context():
        db.engine.dispose()
    for path in instance.glob("scorekeeper.sqlite3*"):
        path.unlink()
    result = run("restore", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert everything(app) == before


def test_without_a_terminal_nothing_is_restored_if_anything_would_be_lost(app: Flask, tmp_path: Path) -> None:
    fill(app)
    run("backup", tmp_path / "b.sqlite3")
    with app.app_context():
        circle = db.session.query(Circle).one()
        import_files(Author(circle, db.session.query(Browser).one()), uploads(WHIST | {"title": "new"}))
    before = everything(app)
    result = run("restore", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert ": 1 table and 5 entries, the latest from " in result.stderr
    assert "--yes" in result.stderr
    assert everything(app) == before


@pytest.mark.parametrize(("answer", "status"), [("n", 1), ("", 1), ("y", 0)])
def test_at_a_terminal_the_user_is_asked(
    app: Flask, instance: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    fill(app)
    run("backup", tmp_path / "b.sqlite3")
    fill(app, "second")
    before = count_rows(app)
    monkeypatch.setattr(maintenance, "is_terminal", lambda: True)
    result = run("restore", tmp_path / "b.sqlite3", input=f"{answer}\n")
    assert result.exit_code == status
    assert ": 1 circle, 2 tables, 10 entries and 4 payments, the latest from " in result.stdout
    assert (count_rows(app) == before) == (status == 1)
    assert bool(list(instance.glob("before-restore-*"))) == (status == 0)


def test_an_older_backup_is_upgraded_without_loss(app: Flask, tmp_path: Path) -> None:
    fill(app)
    old = tmp_path / "old.sqlite3"
    run("backup", old)
    with open_app(f"sqlite:///{old}") as older, older.app_context():
        command.downgrade(make_config(), "0001")
    bytes_before = old.read_bytes()
    assert run("restore", old, "--yes").exit_code == 0
    assert old.read_bytes() == bytes_before
    with app.app_context():
        tables = [exported.table for exported in exports.read_tables(db.session.query(Circle).one())]
        assert len(tables) == 2
        assert all(table.stored.summary is not None for table in tables)
        assert [len(table.sheet().deals) for table in tables] == [4, 4]


def test_a_backup_of_a_newer_scorekeeper_is_refused(app: Flask, tmp_path: Path) -> None:
    fill(app)
    newer = tmp_path / "newer.sqlite3"
    run("backup", newer)
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    before = everything(app)
    result = run("restore", newer, "--yes")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "newer" in result.stderr
    assert everything(app) == before


def corrupt(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 6] = bytes([255]) * 4096 * 3
    path.write_bytes(content)


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_text("a letter"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(5000)),
        lambda path: path.write_bytes(path.read_bytes()[:20_000]),
        corrupt,
        lambda path: change(path, "DROP TABLE revision"),
        lambda path: change(path, "ALTER TABLE revision DROP COLUMN body"),
        lambda path: change(path, "UPDATE seat SET player_id = 999 WHERE seat = '1'"),  # a broken reference
        lambda path: change(path, "UPDATE revision SET body = '{' WHERE number = 1"),  # invalid JSON
    ],
    ids=range(9),
)
def test_an_incomplete_backup_changes_nothing(app: Flask, tmp_path: Path, damage: Any) -> None:
    fill(app)
    path = tmp_path / "b.sqlite3"
    run("backup", path)
    damage(path)
    before = everything(app)
    result = run("restore", path, "--yes")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "not a complete backup of Scorekeeper" in result.stderr
    assert everything(app) == before


@pytest.mark.parametrize(("name", "message"), [("nothing", "This file does not exist"), (".", "This is a folder")])
@pytest.mark.usefixtures("app")
def test_a_path_that_is_not_a_file_is_reported_on_one_line(tmp_path: Path, name: str, message: str) -> None:
    result = run("restore", tmp_path / name)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr


def test_another_sqlite_database_is_not_a_backup(app: Flask, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.sqlite3")) as other:
        other.execute("CREATE TABLE t (a)")
        other.commit()
    assert run("restore", tmp_path / "other.sqlite3", "--yes").exit_code == 2
    assert count_rows(app) == 0


def test_a_plain_copy_of_the_database_file_can_be_restored_too(app: Flask, instance: Path, tmp_path: Path) -> None:
    fill(app)
    before = everything(app)
    with app.app_context():
        db.engine.dispose()
    folder = tmp_path / "copies"
    folder.mkdir()
    shutil.copy(instance / "scorekeeper.sqlite3", folder / "copy.sqlite3")
    fill(app, "second")
    assert run("restore", folder / "copy.sqlite3", "--yes").exit_code == 0
    assert everything(app) == before


@pytest.mark.filterwarnings("ignore:Identity map already had an identity")  # ids are reused
def test_requests_during_a_restore_see_all_of_it_or_nothing(app: Flask, tmp_path: Path) -> None:
    visitor = Visitor(app).open_table("whist")
    table = visitor.table
    for _ in range(3):
        visitor.visit(table).record(tricks="ns-1")
    run("backup", tmp_path / "b.sqlite3")
    stop, statuses, versions = Event(), [], set()

    def keep_writing() -> None:
        while not stop.is_set():
            statuses.append(visitor.visit(table).record(tricks="ns-1").status)

    def keep_reading() -> None:
        reader = app.test_client()
        with visitor.client.session_transaction() as session, reader.session_transaction() as theirs:
            theirs.update(session)
        while not stop.is_set():
            response = reader.get(f"{table}sheet.json")
            versions.add((response.status_code, len(response.get_json()["deals"])))

    threads = [Thread(target=keep_reading), Thread(target=keep_writing)]
    for thread in threads:
        thread.start()
    try:
        results = [run("restore", tmp_path / "b.sqlite3", "--yes") for _ in range(4)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert [result.exit_code for result in results] == [0] * 4
    assert {status for status, _ in versions} == {200}
    assert min(deals for _, deals in versions) == 3
    assert set(statuses) <= {200, 409}
    with app.app_context():
        (exported,) = exports.read_tables(db.session.query(Circle).one())
        assert sheet_text(exported.table.sheet())
        assert [revision.number for revision in exported.table.revisions] == [*range(1, exported.table.version + 1)]


# --- PostgreSQL ----------------------------------------------------------------------------------------------


@pytest.fixture
def postgresql_app(postgresql: Cluster, instance: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """Return an app on PostgreSQL, and set the command's environment for it."""
    url = postgresql.make(instance)
    monkeypatch.setenv("DATABASE_URL", url)
    with open_app(url) as app:
        yield app
    postgresql.drop(url)


def test_postgresql_is_backed_up_and_restored_by_the_same_commands(
    postgresql_app: Flask, make_app: MakeApp, tmp_path: Path
) -> None:
    fill(postgresql_app)
    before = everything(postgresql_app)
    result = run("backup", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert everything(make_app(f"sqlite:///{tmp_path / 'b.sqlite3'}")) == before
    fill(postgresql_app, "second")
    assert run("restore", tmp_path / "b.sqlite3").exit_code == 2
    assert run("restore", tmp_path / "b.sqlite3", "--yes").exit_code == 0
    assert everything(postgresql_app) == before
    fill(postgresql_app, "third")  # ids go on after those that were restored
    assert count_rows(postgresql_app) > sum(map(len, before.values()))


def test_a_backup_from_sqlite_is_restored_into_postgresql(app: Flask, tmp_path: Path, request: Any) -> None:
    fill(app)
    before = everything(app)
    run("backup", tmp_path / "b.sqlite3")
    target = request.getfixturevalue("postgresql_app")
    assert run("restore", tmp_path / "b.sqlite3").exit_code == 0
    assert everything(target) == before
    with target.app_context():
        db.session.add(Player(circle_id=db.session.query(Circle).one().id, name="Zoé"))
        db.session.commit()
        assert db.session.query(Table).count() == 2


@pytest.mark.usefixtures("instance")
def test_an_unreachable_database_is_reported_on_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    result = run("backup", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "The database cannot be used" in result.stderr


def test_a_backup_whose_name_ends_in_gz_is_compressed_and_can_be_restored(app: Flask, tmp_path: Path) -> None:
    with app.app_context():
        new_circle()
    file = tmp_path / "backup.sqlite3.gz"
    assert run("backup", file).exit_code == 0
    assert gzip.decompress(file.read_bytes()).startswith(b"SQLite format 3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.sqlite3.gz", "instance"]
    assert run("restore", file, "--yes").exit_code == 0


def test_what_cannot_be_saved_before_a_restore_is_named(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with app.app_context():
        new_circle()
    file = tmp_path / "backup.sqlite3"
    assert run("backup", file).exit_code == 0

    def fail(_file: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("scorekeeper.db.backups.copy_file", fail)
    done = run("restore", file, "--yes")
    assert done.exit_code == 2
    assert "before-restore-" in done.stderr
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("command", [["verify"], ["rebuild"], ["backup", "copy"], ["export-circle", "name", "file"]])
def test_a_command_that_reads_makes_no_folder(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(tmp_path / "mistyped"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    done = run(*command)
    assert done.exit_code == 2
    assert "mistyped" in done.stderr
    assert list(tmp_path.iterdir()) == []
