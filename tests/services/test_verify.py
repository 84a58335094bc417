"""`verify` finds every kind of damage to the database, and `rebuild` repairs caches."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import text

from scorekeeper.cli.main import main
from scorekeeper.db import engine_checks, transactions
from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, has_message, translate
from scorekeeper.models import Browser, Circle, Table, db
from scorekeeper.scoring.entries import FICHES, POT, Entry
from scorekeeper.scoring.game import fold
from scorekeeper.services import verify
from scorekeeper.services.circles.lifecycle import create_circle
from scorekeeper.services.money.payments import PaymentRequest, pay
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.outcome import Done
from scorekeeper.services.totals import periods
from scorekeeper.testing import strategies

from ..apps import open_app
from ..databases import ON_POSTGRESQL, Databases, only_sqlite
from ..games.played import sheet
from ..many import play
from ..visitor import Visitor

ON_SQLITE = not ON_POSTGRESQL


@pytest.fixture(scope="module")
def filled(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a database to copy, which `fill` has filled once."""
    url = databases.make(tmp_path_factory.mktemp("filled"))
    with open_app(url) as app:
        fill(app)
    yield url
    databases.drop(url)


@pytest.fixture
def filled_app(filled: str, databases: Databases, tmp_path: Path) -> Iterator[Flask]:
    url = databases.make(tmp_path, like=filled)
    with open_app(url) as app:
        yield app
    databases.drop(url)


def fill(app: Flask) -> None:
    """Add a circle with a robre won by 5 and partly paid, other tables and cached totals; and another circle."""
    visitor = Visitor(app)
    visitor.open_table("whist")
    for _ in range(4):
        visitor.record(tricks="ns-5")
    with app.app_context():
        circle, browser = db.session.get_one(Circle, 1), db.session.get_one(Browser, (1, 1))
        play(circle, 6)
        table = db.session.get_one(Table, (1, 1))
        paying = PaymentRequest("whist", 2, 1, 2, Scope(table=table), None, 0, "key")
        assert isinstance(pay(circle, paying, browser), Done)
        periods.read(circle)
        transactions.save_pending_caches()
        create_circle()


def faults(app: Flask) -> list[str]:
    """Return the messages of the faults found."""
    with app.app_context():
        return [translate("en", f"fault.{fault.key}", **fault.params) for fault in verify.verify().faults]


def corrupt(app: Flask, *statements: str) -> None:
    """Execute statements with constraints turned off."""
    with app.app_context():
        unbound = "PRAGMA foreign_keys=OFF" if ON_SQLITE else "SET session_replication_role = replica"
        with db.engine.connect() as connection:
            connection.execute(text(unbound))
            for statement in statements:
                sql = statement if ON_SQLITE else _for_postgresql(statement)
                connection.execute(text(sql.replace(":", r"\:")))
            connection.commit()
        db.engine.dispose()


def _for_postgresql(statement: str) -> str:
    """Adapt a statement: JSON is not text in PostgreSQL, and booleans are not numbers."""
    sql = re.sub(r"replace\(data, (.*)\) WHERE", r"replace(data::text, \1)::json WHERE", statement)
    return re.sub(r"(is_\w+) = ([01])", lambda m: f"{m[1]} = {'true' if m[2] == '1' else 'false'}", sql)


def test_a_database_written_by_the_app_has_no_faults(filled_app: Flask) -> None:
    with filled_app.app_context():
        done = verify.verify()
        assert done.faults == []
        assert (done.circles, done.tables) == (2, 7)
        assert done.revisions == db.session.scalar(text("SELECT count(*) FROM revision"))


# Without its rules, as a file that was damaged or written by other hands may be.
LOOSE = (
    "CREATE TABLE loose AS SELECT * FROM revision",
    "DROP TABLE revision",
    "ALTER TABLE loose RENAME TO revision",
)  # PostgreSQL keeps JSON only as it can be read: there the text of a body cannot be broken
FACTS = {
    "table 1: its facts are no longer valid": ("""UPDATE revision SET body = '{"tricks": {"ns": 14}}' WHERE id = 2""",),
    "table 1: its facts are no longer valid (JSON": ("UPDATE revision SET body = '{' WHERE id = 2",),
    "table 1: its facts are no longer valid (KeyError": ("UPDATE card_table SET dealer = '9' WHERE id = 1",),
    "table 1: its revisions are not numbered": ("UPDATE revision SET number = 9 WHERE id = 4",),
    "table 1: an entry is recorded twice": (*LOOSE, "UPDATE revision SET entry_key = 'twice' WHERE table_id = 1"),
    "its payments are not numbered": ("UPDATE payment SET number = 2",),
}


@pytest.mark.parametrize("says", [pytest.param(says, marks=only_sqlite if "JSON" in says else ()) for says in FACTS])
def test_impossible_facts_are_found(filled_app: Flask, says: str) -> None:
    corrupt(filled_app, *FACTS[says])
    assert any(says in fault for fault in faults(filled_app))


CACHES = {
    "table 1: it has no summary": ("DELETE FROM summary WHERE table_id = 1",),
    "table 1: its summary does not match the facts (version)": ("UPDATE summary SET version = 3 WHERE table_id = 1",),
    "table 1: its summary does not match the facts (data)": (
        """UPDATE summary SET data = replace(data, '"deals":4', '"deals":5') WHERE table_id = 1""",
    ),
    "table 1: its summary does not match the facts (fingerprint)": ("UPDATE summary SET fingerprint = 'f'",),
    "table 1: its summary does not match the facts (taken_over)": (
        """UPDATE summary SET taken_over = '{"1": 1, "2": -1}' WHERE table_id = 1""",
    ),
    "table 1: its summary does not match the facts (is_taken_over)": ("UPDATE summary SET is_taken_over = 0",),
    "table 1: its summary does not match the facts (is_settled)": ("UPDATE summary SET is_settled = 1",),
    "settlement 1: its unpaid rest does not match": ("""UPDATE settlement SET unpaid = '{"1": 9}'""",),
    "settlement 1: its unpaid rest": ("UPDATE settlement SET is_paid = 1",),
    "settlement 1: its unpaid": ("UPDATE settlement SET is_cleared = 1",),
    "period 2026-01: its statistics do not match": (
        """UPDATE period_totals SET data = (SELECT data FROM period_totals WHERE length(period) = 4)
        WHERE period = '2026-01'""",
    ),
    "period 2026: its statistics do not match": ("UPDATE period_totals SET data = NULL WHERE period = '2026'",),
    "period 1999: its statistics do not match": (
        """INSERT INTO period_totals (circle_id, period, changes, as_of, data)
        VALUES (1, '1999', 0, 0, '{"games": {}}')""",
    ),
    "its statistics do not match": ("DELETE FROM period_totals",),
    "its statistics cannot be computed from its summaries": ("UPDATE summary SET data = '{}' WHERE table_id = 1",),
}


@pytest.mark.parametrize("says", CACHES)
def test_wrong_caches_are_found_and_rebuilt(filled_app: Flask, says: str) -> None:
    corrupt(filled_app, *CACHES[says])
    assert any(says in fault for fault in faults(filled_app))
    with filled_app.app_context():
        assert verify.rebuild() == 7
    assert faults(filled_app) == []


def test_parts_of_settlements_are_checked_against_their_tables(filled_app: Flask) -> None:
    corrupt(filled_app, "UPDATE part SET amount = '4' WHERE amount = '5'")
    assert any("(taken_over)" in fault for fault in faults(filled_app))
    corrupt(filled_app, "UPDATE part SET player_id = 99")
    assert any("(taken_over)" in fault for fault in faults(filled_app))


def test_a_unit_that_does_not_sum_to_zero_is_found_after_every_deal() -> None:
    standing = strategies.opened(sheet("whist", []))
    assert fold(games()["whist"], standing, [{"tricks": {"ns": 9}}, {"tricks": {"ns": 8}}]) is None
    assert list(verify.unbalanced(standing)) == []
    standing.rows[0].entries.append(Entry(POT, standing.players[0], 3, FICHES, "tricks"))
    assert list(verify.unbalanced(standing)) == [(1, FICHES), (2, FICHES)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_has_a_message(language: str) -> None:
    code = "".join(inspect.getsource(module) for module in (verify, engine_checks))
    keys = set(re.findall(r'(?:Fault\(|yield )"([a-z-]+)"', code))
    assert len(keys) > 8
    assert not [key for key in keys - {"taken_over", "no-amcheck"} if not has_message(language, f"fault.{key}")]


# --- what the database itself finds --------------------------------------------------------------------------


def database_of(app: Flask) -> Path:
    return Path(app.config["SQLALCHEMY_DATABASE_URI"].removeprefix("sqlite:///"))


def overwrite(app: Flask, name: str, content: bytes) -> None:
    """Overwrite the first page of a table or an index in SQLite's file, as a failing disk may."""
    with app.app_context():
        db.session.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
        page = db.session.scalar(text("SELECT rootpage FROM sqlite_master WHERE name = :name"), {"name": name})
        size = db.session.scalar(text("PRAGMA page_size"))
        db.session.remove()
        db.engine.dispose()
    assert page is not None
    assert size is not None
    with database_of(app).open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(content * (size // len(content)))


@only_sqlite
def test_an_index_without_a_row_is_found_and_rebuilt(filled_app: Flask) -> None:
    corrupt(
        filled_app,
        "CREATE TEMP TABLE whole AS SELECT * FROM sqlite_master WHERE name = 'ix_summary_fingerprint'",
        "PRAGMA writable_schema=ON",
        "DELETE FROM sqlite_master WHERE name = 'ix_summary_fingerprint'",
        "PRAGMA writable_schema=RESET",
        "UPDATE summary SET fingerprint = fingerprint || 'x' WHERE table_id = 2",
        "PRAGMA writable_schema=ON",
        "INSERT INTO sqlite_master SELECT * FROM whole",
        "PRAGMA writable_schema=RESET",
        "UPDATE summary SET fingerprint = rtrim(fingerprint, 'x') WHERE table_id = 3",
    )
    said = "missing from index ix_summary_fingerprint"
    assert any("An index is damaged" in fault and said in fault for fault in faults(filled_app))
    with filled_app.app_context():
        verify.rebuild()
    assert faults(filled_app) == []


@only_sqlite
@pytest.mark.parametrize("content", [b"\0", b"\xff", b"\x0a"])
@pytest.mark.parametrize("name", ["ix_card_table_found", "card_table", "revision", "circle"])
def test_a_damaged_page_is_reported_without_a_traceback(filled_app: Flask, name: str, content: bytes) -> None:
    overwrite(filled_app, name, content)
    assert any("The database is damaged" in fault for fault in faults(filled_app))


@only_sqlite
def test_a_broken_foreign_key_is_found(filled_app: Flask) -> None:
    corrupt(filled_app, "DELETE FROM player WHERE id = 3")
    assert any(fault.startswith("Table seat, row ") and "player" in fault for fault in faults(filled_app))


def test_a_foreign_trigger_is_found(filled_app: Flask) -> None:
    corrupt(
        filled_app,
        *(
            ("CREATE TRIGGER spy AFTER INSERT ON revision BEGIN DELETE FROM payment; END",)
            if ON_SQLITE
            else (
                "CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
                "CREATE TRIGGER spy AFTER INSERT ON revision EXECUTE FUNCTION spy()",
            )
        ),
    )
    assert faults(filled_app) == [translate("en", "fault.foreign", what="trigger spy", table="revision")]


def on_postgresql(filled_app: Flask) -> bool:
    if ON_SQLITE:
        pytest.skip("looks into PostgreSQL itself")
    with filled_app.app_context():
        return bool(db.session.scalar(text("SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'")))


def test_without_amcheck_a_note_says_that_indexes_were_not_checked(filled_app: Flask, command: Any) -> None:
    on_postgresql(filled_app)
    result = command("verify")
    assert result.exit_code == 0
    assert result.stderr.startswith("Indexes were not checked: ")


def test_with_amcheck_an_index_without_a_row_is_found_and_rebuilt(filled_app: Flask) -> None:
    if not on_postgresql(filled_app):
        pytest.skip("PostgreSQL’s extension amcheck is not on this machine")
    corrupt(filled_app, "CREATE EXTENSION amcheck")
    assert faults(filled_app) == []
    ready = "UPDATE pg_index SET indisready = {} WHERE indexrelid = 'ix_summary_fingerprint'::regclass"
    corrupt(filled_app, ready.format("false"))
    corrupt(
        filled_app,
        "CREATE TABLE aside AS SELECT * FROM summary WHERE table_id = 2",
        "DELETE FROM summary WHERE table_id = 2",
        "INSERT INTO summary SELECT * FROM aside",
        "DROP TABLE aside",
    )
    corrupt(filled_app, ready.format("true"))
    assert any("An index is damaged" in fault and "ix_summary_fingerprint" in fault for fault in faults(filled_app))
    with filled_app.app_context():
        verify.rebuild()
    assert faults(filled_app) == []


def test_a_damaged_page_of_postgresql_is_found(filled_app: Flask, databases: Any) -> None:
    on_postgresql(filled_app)
    with filled_app.app_context():
        db.engine.dispose()
    # A copy, of which the server has read no page yet.
    source = filled_app.config["SQLALCHEMY_DATABASE_URI"].rpartition("/")[2]
    databases.execute(f"CREATE DATABASE damaged TEMPLATE {source} STRATEGY file_copy")
    with open_app(databases.address("damaged")) as copy:
        with copy.app_context():
            path = db.session.scalar(text("SELECT pg_relation_filepath('revision')"))
        with (databases.folder / "data" / path).open("r+b") as file:
            file.write(b"\xff" * 8192)
        assert any("The database is damaged" in fault for fault in faults(copy))
    databases.drop(databases.address("damaged"))


# --- the command ---------------------------------------------------------------------------------------------


@pytest.fixture
def command(filled_app: Flask, tmp_path: Path) -> Any:
    """Run a command on the same database."""
    environment = {"DATABASE_URL": filled_app.config["SQLALCHEMY_DATABASE_URI"], "SCOREKEEPER_INSTANCE": str(tmp_path)}

    def run(name: str) -> Result:
        return CliRunner().invoke(main, [name], env=environment | dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG")))

    return run


def test_the_command_prints_the_counts_and_succeeds(filled_app: Flask, command: Any) -> None:
    result = command("verify")
    assert result.exit_code == 0
    with filled_app.app_context():
        revisions = db.session.scalar(text("SELECT count(*) FROM revision"))
    assert result.stdout == f"Verified 2 circles, 7 tables, {revisions} revisions: 0 faults\n"


def test_the_command_prints_a_line_for_each_fault_and_fails(filled_app: Flask, command: Any) -> None:
    corrupt(filled_app, "UPDATE summary SET version = 99 WHERE table_id IN (1, 2)")
    result = command("verify")
    assert result.exit_code == 1
    *lines, figure = result.stdout.splitlines()
    assert ["table 1:" in line or "table 2:" in line for line in lines] == [True, True]
    assert figure.endswith(": 2 faults")


def test_the_command_rebuilds_caches(filled_app: Flask, command: Any) -> None:
    corrupt(filled_app, "DELETE FROM summary", "DELETE FROM period_totals")
    assert command("verify").exit_code == 1
    assert "7 tables" in command("rebuild").output
    assert command("verify").exit_code == 0


def test_migrating_creates_missing_summaries(filled_app: Flask, command: Any) -> None:
    corrupt(filled_app, "DELETE FROM summary WHERE table_id > 1")
    assert command("verify").exit_code == 1
    assert command("migrate").exit_code == 0
    assert command("verify").exit_code == 0


def test_a_table_that_cannot_be_replayed_does_not_prevent_migrating(filled_app: Flask, command: Any) -> None:
    corrupt(filled_app, "DELETE FROM summary", """UPDATE revision SET body = '{"tricks": {"ns": 14}}' WHERE id = 2""")
    assert command("migrate").exit_code == 0
    assert "table 1: its facts are no longer valid" in command("verify").output


@pytest.mark.parametrize("name", ["verify", "rebuild", "migrate"])
def test_an_unreachable_database_is_reported_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(tmp_path))
    result = CliRunner().invoke(main, [name])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
