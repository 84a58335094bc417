"""What happens in the database to tables whose game was uninstalled: commands, caches, erased names, imports."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from scorekeeper.cli.main import main
from scorekeeper.games import games
from scorekeeper.models import Summary, Table, db
from scorekeeper.scoring.problems import Problem, refuse
from scorekeeper.services import verify
from scorekeeper.services.access import find_browser, new_secret
from scorekeeper.services.circles.lifecycle import create_circle
from scorekeeper.services.files.circle_export import export
from scorekeeper.services.files.circle_import import import_circle
from scorekeeper.services.people.erasure import erase
from scorekeeper.services.tables.table import (
    MissingGameTables,
    Refused,
    WriteRequest,
    read_table,
    tables_without_games,
    write,
)
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change

from ...missing import play, two_games, uninstalled

GONE = two_games()[0]


@pytest.fixture
def played(app: Flask) -> Iterator[tuple[str, str]]:
    """Two tables of a game, of which one goes on; the device's secret and that table's token."""
    with app.app_context():
        entered, _ = create_circle(secret := new_secret())
        browser = find_browser(secret, entered.browser.circle.name)
        assert browser is not None
        play(browser, secret, games()[GONE])
        yield secret, play(browser, secret, games()[GONE], is_finished=False)


def run(app: Flask, monkeypatch: pytest.MonkeyPatch, folder: Path, *command: str) -> Result:
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(folder))
    monkeypatch.setenv("DATABASE_URL", app.config["SQLALCHEMY_DATABASE_URI"])
    return CliRunner().invoke(main, command)


@pytest.mark.parametrize("command", ["verify", "rebuild", "migrate"])
def test_commands_pass_over_its_tables_and_say_so_in_one_line(
    app: Flask, played: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    before = [tuple(row) for row in db.session.execute(db.select(Summary.table_id, Summary.version, Summary.data))]
    db.session.rollback()
    with uninstalled(GONE):
        result = run(app, monkeypatch, tmp_path, command)
    assert result.exit_code == 0, result.output
    # Whether PostgreSQL's amcheck is installed depends on the tests that had the database before.
    lines = [line for line in result.stderr.splitlines() if "amcheck" not in line]
    assert lines == [f"{GONE} is not installed here: the results of 2 tables were left as stored"]
    after = db.session.execute(db.select(Summary.table_id, Summary.version, Summary.data))
    assert [tuple(row) for row in after] == before
    assert played


def test_tables_without_a_result_are_counted_apart(played: tuple[str, str]) -> None:
    db.session.execute(db.delete(Summary).where(Summary.table_id == 1))
    db.session.commit()
    with uninstalled(GONE):
        assert tables_without_games() == [MissingGameTables(GONE, 2, 1)]
        assert verify.verify().faults == []
    assert [fault.key for fault in verify.verify().faults][:1] == ["no-summary"]
    verify.rebuild()
    assert verify.verify().faults == []
    assert played


def test_a_write_that_needs_the_rules_is_refused_by_the_service_too(played: tuple[str, str]) -> None:
    secret, token = played
    with uninstalled(GONE):
        found = read_table(secret, token)
        assert found is not None
        table, browser = found
        for change in (Change(revisions.RECORD, body={"misdeal": True}), Change(revisions.WITHDRAW, 1)):
            refused = write(table, WriteRequest(change, table.version, "key"), browser)
            assert refused == Refused(refuse(None, [Problem("game", "game-missing", {"game": GONE})]), None, True)


def test_a_name_erased_meanwhile_is_no_fault_afterwards(played: tuple[str, str]) -> None:
    with uninstalled(GONE):
        table = db.session.scalars(db.select(Table)).first()
        assert table is not None
        person = table.seats[0].player
        table.title = f"For {person.name}"
        db.session.commit()
        assert erase(person) is None
        assert person.name in str(table.title)
        assert verify.verify().faults == []
    assert verify.verify().faults == []
    secret, token = played
    found = read_table(secret, token)
    assert found is not None
    write(found[0], WriteRequest(Change(revisions.CLOSE), found[0].version, "close"), found[1])
    assert verify.verify().faults == []


def test_a_circle_with_its_tables_is_exported_and_not_imported(played: tuple[str, str]) -> None:
    table = db.session.scalars(db.select(Table)).first()
    assert table is not None
    file, same = BytesIO(), BytesIO()
    export(table.circle, file)
    with uninstalled(GONE):
        export(table.circle, same)
        assert same.getvalue() == file.getvalue()
        file.seek(0)
        problem = Problem("tables.1.game", "game-missing", {"game": GONE})
        assert import_circle(file, new_secret(), "key") == (problem,)
    assert played
