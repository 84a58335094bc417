"""Backups made while others write, and restored over older and newer databases, in SQLite and PostgreSQL."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from flask_migrate import downgrade

from scorekeeper.cli import maintenance
from scorekeeper.cli.main import main
from scorekeeper.exchange.zip_writer import sheet_text
from scorekeeper.models import Base, Browser, Circle, Player, Table, db
from scorekeeper.services import exports
from scorekeeper.services.settlements.payments import withdraw

from ..apps import MakeApp, open_app
from ..databases import Cluster, Files
from ..visitor import Visitor
from .bringing import Author, bring_in, new_circle, pay_everything, uploads

WHIST: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "whist",
    "players": ["Anne", "Bruno", "Chloé", "David"],
    "deals": [{"tricks": {"ns": 13}}] * 4,
}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Files) -> Path:
    """An instance folder of its own for the command, with a database without rows."""
    folder = tmp_path / "instance"
    folder.mkdir()
    shutil.copy(files.empty, folder / "scorekeeper.sqlite3")
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(folder))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    return folder


@pytest.fixture
def app(house: Path) -> Iterator[Flask]:
    with open_app(f"sqlite:///{house / 'scorekeeper.sqlite3'}") as app:
        yield app


def run(*arguments: str | Path, **options: Any) -> Result:
    environment = dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG"))
    return CliRunner().invoke(main, list(map(str, arguments)), env=environment, **options)


def fill(app: Flask, title: str = "first") -> Author:
    """A circle with rows of many kinds, those that point at their own kind among them."""
    with app.app_context():
        author = new_circle()
        bring_in(author, uploads(WHIST | {"title": title}, WHIST | {"players": ["Annie", "Bruno", "Chloé", "David"]}))
        players = {player.name: player for player in author.circle.players}
        players["Anne"].person_id = players["Annie"].id  # who comes later
        author.circle.title = title
        db.session.commit()
        pay_everything(author, 1)
        withdraw(author.circle, 1, author.browser)
        pay_everything(author)
        return author


def everything(app: Flask) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every kind."""
    with app.app_context():
        tables = Base.metadata.sorted_tables
        with db.engine.connect() as connection:
            found = {table.name: connection.execute(db.select(table)).all() for table in tables}
        db.engine.dispose()
        return {name: sorted(map(tuple, rows), key=repr) for name, rows in found.items()}


def rows(app: Flask) -> int:
    return sum(map(len, everything(app).values()))


# --- making one ----------------------------------------------------------------------------------------------


def test_a_backup_holds_every_row_and_says_how_much_that_is(app: Flask, make_app: MakeApp, tmp_path: Path) -> None:
    fill(app)
    result = run("backup", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"Kept in {tmp_path}/b.sqlite3: 1 circle, 2 tables, 10 entries, and 4 payments.\n"
    assert everything(make_app(f"sqlite:///{tmp_path / 'b.sqlite3'}")) == everything(app)


def test_a_backup_is_one_file_that_its_owner_alone_may_read(app: Flask, tmp_path: Path) -> None:
    fill(app)
    folder = tmp_path / "backups"
    folder.mkdir()
    run("backup", folder / "b.sqlite3")
    assert [path.name for path in folder.iterdir()] == ["b.sqlite3"]
    assert (folder / "b.sqlite3").stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(f"file:{folder / 'b.sqlite3'}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_backup_made_while_others_write_is_whole(app: Flask, tmp_path: Path) -> None:
    """Each table comes in with all its deals, in one transaction: no backup may hold a part of one."""
    stop = Event()
    written: list[str] = []

    def keep_writing() -> None:
        with app.app_context():
            author = new_circle()
            while not stop.is_set():
                bring_in(author, uploads(WHIST | {"title": str(len(written))}))
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
def test_a_file_that_is_there_already_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite3"
    file.write_text("mine")
    result = run("backup", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{file}: There is something of this name already; name a new file.\n"
    assert file.read_text() == "mine"


@pytest.mark.usefixtures("app")
def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    result = run("backup", tmp_path / "nowhere" / "b.sqlite3")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "No such file or directory" in result.stderr


def test_where_there_is_no_database_yet_there_is_nothing_to_back_up(house: Path, tmp_path: Path) -> None:
    (house / "scorekeeper.sqlite3").unlink()
    result = run("backup", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "b.sqlite3").exists()


# --- the way back --------------------------------------------------------------------------------------------


def test_what_is_restored_is_what_was_backed_up(app: Flask, tmp_path: Path) -> None:
    fill(app)
    before = everything(app)
    run("backup", tmp_path / "b.sqlite3")
    with app.app_context():
        bring_in(new_circle(), uploads(WHIST))
    result = run("restore", tmp_path / "b.sqlite3", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert everything(app) == before


def test_what_was_here_is_kept_beside_and_can_be_put_back(app: Flask, house: Path, tmp_path: Path) -> None:
    fill(app)
    run("backup", tmp_path / "b.sqlite3")
    fill(app, "second")
    now = everything(app)
    result = run("restore", tmp_path / "b.sqlite3", "--yes")
    (safety_copy,) = house.glob("before-restore-*.sqlite3")
    assert str(safety_copy) in result.stdout
    assert rows(app) < sum(map(len, now.values()))
    assert run("restore", safety_copy).exit_code == 0  # nothing here is missing there: nobody need be asked
    assert everything(app) == now


def test_a_backup_goes_into_an_empty_house(app: Flask, house: Path, tmp_path: Path) -> None:
    fill(app)
    before = everything(app)
    run("backup", tmp_path / "b.sqlite3")
    with app.app_context():
        db.engine.dispose()
    for path in house.glob("scorekeeper.sqlite3*"):
        path.unlink()
    result = run("restore", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert everything(app) == before


def test_what_would_be_lost_is_told_and_nothing_is_done_where_nobody_can_be_asked(app: Flask, tmp_path: Path) -> None:
    fill(app)
    run("backup", tmp_path / "b.sqlite3")
    with app.app_context():
        circle = db.session.query(Circle).one()
        bring_in(Author(circle, db.session.query(Browser).one()), uploads(WHIST | {"title": "new"}))
    before = everything(app)
    result = run("restore", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "would be lost: 1 table and 5 entries, the last of " in result.stderr
    assert "--yes" in result.stderr
    assert everything(app) == before


@pytest.mark.parametrize(("answer", "status"), [("n", 1), ("", 1), ("y", 0)])
def test_at_a_terminal_one_is_asked(
    app: Flask, house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    fill(app)
    run("backup", tmp_path / "b.sqlite3")
    fill(app, "second")
    before = rows(app)
    monkeypatch.setattr(maintenance, "is_terminal", lambda: True)
    result = run("restore", tmp_path / "b.sqlite3", input=f"{answer}\n")
    assert result.exit_code == status
    assert "would be lost: 1 circle, 2 tables, 10 entries, and 4 payments, the last of " in result.stdout
    assert (rows(app) == before) == (status == 1)
    assert bool(list(house.glob("before-restore-*"))) == (status == 0)


def test_an_older_backup_is_brought_up_to_date_and_nothing_of_it_is_lost(app: Flask, tmp_path: Path) -> None:
    fill(app)
    old = tmp_path / "old.sqlite3"
    run("backup", old)
    with open_app(f"sqlite:///{old}") as older, older.app_context():
        downgrade(revision="0001")
    bytes_before = old.read_bytes()
    assert run("restore", old, "--yes").exit_code == 0
    assert old.read_bytes() == bytes_before
    with app.app_context():
        tables = [exported.table for exported in exports.tables_of(db.session.query(Circle).one())]
        assert len(tables) == 2
        assert all(table.table.summary is not None for table in tables)
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


def without_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE revision")
        connection.commit()


def without_a_column(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE revision DROP COLUMN body")
        connection.commit()


def with_a_dangling_row(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE seat SET player_id = 999 WHERE seat = '1'")
        connection.commit()


def with_facts_that_are_none(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE revision SET body = '{' WHERE number = 1")
        connection.commit()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_text("a letter"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(5000)),
        lambda path: path.write_bytes(path.read_bytes()[:20_000]),
        corrupt,
        without_a_table,
        without_a_column,
        with_a_dangling_row,
        with_facts_that_are_none,
    ],
    ids=range(9),
)
def test_a_file_that_is_no_whole_backup_changes_nothing(app: Flask, tmp_path: Path, spoil: Any) -> None:
    fill(app)
    path = tmp_path / "b.sqlite3"
    run("backup", path)
    spoil(path)
    before = everything(app)
    result = run("restore", path, "--yes")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "no backup of Scorekeeper’s" in result.stderr
    assert everything(app) == before


@pytest.mark.parametrize(("name", "says"), [("nothing", "There is no such file"), (".", "This is a folder")])
@pytest.mark.usefixtures("app")
def test_what_is_no_file_is_told_in_one_line(tmp_path: Path, name: str, says: str) -> None:
    result = run("restore", tmp_path / name)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert says in result.stderr


def test_another_sqlite_database_is_no_backup(app: Flask, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.sqlite3")) as other:
        other.execute("CREATE TABLE t (a)")
        other.commit()
    assert run("restore", tmp_path / "other.sqlite3", "--yes").exit_code == 2
    assert rows(app) == 0


def test_a_plain_copy_of_the_database_file_can_be_restored_too(app: Flask, house: Path, tmp_path: Path) -> None:
    fill(app)
    before = everything(app)
    with app.app_context():
        db.engine.dispose()
    folder = tmp_path / "copies"
    folder.mkdir()
    shutil.copy(house / "scorekeeper.sqlite3", folder / "copy.sqlite3")
    fill(app, "second")
    assert run("restore", folder / "copy.sqlite3", "--yes").exit_code == 0
    assert everything(app) == before


@pytest.mark.filterwarnings("ignore:Identity map already had an identity")  # an id that was lost is given again
def test_phones_that_write_while_it_is_restored_see_all_of_it_or_nothing(app: Flask, tmp_path: Path) -> None:
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
        (exported,) = exports.tables_of(db.session.query(Circle).one())
        assert sheet_text(exported.table.sheet())
        assert [revision.number for revision in exported.table.revisions] == [*range(1, exported.table.version + 1)]


# --- PostgreSQL ----------------------------------------------------------------------------------------------


@pytest.fixture
def on_postgresql(postgresql: Cluster, house: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """An app on PostgreSQL, and the command's environment for it, in a house of its own."""
    url = postgresql.make(house)
    monkeypatch.setenv("DATABASE_URL", url)
    with open_app(url) as app:
        yield app
    postgresql.drop(url)


def test_postgresql_is_backed_up_and_restored_by_the_same_commands(
    on_postgresql: Flask, make_app: MakeApp, tmp_path: Path
) -> None:
    fill(on_postgresql)
    before = everything(on_postgresql)
    result = run("backup", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert everything(make_app(f"sqlite:///{tmp_path / 'b.sqlite3'}")) == before
    fill(on_postgresql, "second")
    assert run("restore", tmp_path / "b.sqlite3").exit_code == 2
    assert run("restore", tmp_path / "b.sqlite3", "--yes").exit_code == 0
    assert everything(on_postgresql) == before
    fill(on_postgresql, "third")  # ids go on after those that were restored
    assert rows(on_postgresql) > sum(map(len, before.values()))


def test_what_was_kept_in_sqlite_moves_to_postgresql(app: Flask, tmp_path: Path, request: Any) -> None:
    fill(app)
    before = everything(app)
    run("backup", tmp_path / "b.sqlite3")
    moved = request.getfixturevalue("on_postgresql")
    assert run("restore", tmp_path / "b.sqlite3").exit_code == 0
    assert everything(moved) == before
    with moved.app_context():
        db.session.add(Player(circle_id=db.session.query(Circle).one().id, name="Zoé"))
        db.session.commit()
        assert db.session.query(Table).count() == 2


@pytest.mark.usefixtures("house")
def test_a_database_that_cannot_be_reached_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    result = run("backup", tmp_path / "b.sqlite3")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "The database cannot be used" in result.stderr
