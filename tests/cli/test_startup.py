"""An error at startup is one line on standard error with exit status 2, and changes nothing."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from click import Context
from click.testing import CliRunner

from scorekeeper.cli.main import main
from scorekeeper.i18n import translate

from ..support.databases import Files

ROOT = Path(__file__).parents[2]
# `run` has processes of its own, which take a second to start: it is tried where it is the one that matters.
COMMANDS = sorted(set(main.list_commands(Context(main))) - {"run", "score"})
DATABASE = "scorekeeper.sqlite3"
SETTING_PREFIXES = ("SCOREKEEPER_", "DATABASE_URL", "SECRET_KEY", "LANG", "LC_")


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    folder = tmp_path / "instance"
    folder.mkdir()
    return folder


@pytest.fixture
def backup(tmp_path: Path, files: Files) -> Path:
    """Return a backup without rows."""
    path = tmp_path / "backup.sqlite3"
    shutil.copy(files.empty, path)
    return path


class Completed(NamedTuple):
    """The exit status and output of a command."""

    status: int
    output: str
    errors: str


def arguments(command: str, backup: Path) -> list[str]:
    return {
        "backup": [command, f"{backup}.new"],
        "restore": [command, str(backup)],
        "export-circle": [command, "nobody", f"{backup}.json"],
        "import-circle": [command, str(backup)],
        "erase-circle": [command, "nobody", "--yes"],
        "new-host-link": [command, "nobody"],
    }.get(command, [command])


def environment(instance: Path, **settings: str) -> dict[str, str | None]:
    """Return the settings of a command, with any free port: other tests run the server at the same moment."""
    unset = dict.fromkeys(name for name in os.environ if name.startswith(SETTING_PREFIXES))
    return unset | {"SCOREKEEPER_INSTANCE": str(instance), "SCOREKEEPER_PORT": "0"} | settings


def call(command: str, backup: Path, settings: dict[str, str | None]) -> Completed:
    """Run a command in this process."""
    done = CliRunner().invoke(main, arguments(command, backup), env=settings)
    return Completed(done.exit_code, done.stdout, done.stderr)


def spawn(command: str, backup: Path, settings: dict[str, str | None], *before: str) -> Completed:
    """Run a command in a process of its own; `before` is a program that starts it, with its arguments."""
    variables = {name: value for name, value in (os.environ | settings).items() if value is not None}
    line = [*before, sys.executable, "-m", "scorekeeper", *arguments(command, backup)]
    done = subprocess.run(line, check=False, capture_output=True, text=True, env=variables, cwd=ROOT, timeout=120)  # noqa: S603  # our own command
    return Completed(done.returncode, done.stdout, done.stderr)


def assert_refused(done: Completed, key: str) -> None:
    """Assert that the only output is one line on standard error: the message with this key."""
    sentence = re.split(r"\{\w+\}", str(translate("en", f"startup.{key}")))
    pattern = ".+".join(re.escape(part) for part in sentence)
    assert re.fullmatch(f"{pattern}\n", done.errors), done.errors
    assert (done.status, done.output) == (2, "")


# --- settings ------------------------------------------------------------------------------------------------

SETTINGS = [
    ("DATABASE_URL", "nonsense", "database-url"),
    ("DATABASE_URL", "postgresql://host:port/name", "database-url"),
    ("DATABASE_URL", "mysql://host/name", "database-kind"),
    ("DATABASE_URL", "postgresql+psycopg2://host/name", "database-kind"),
    ("DATABASE_URL", "sqlite+aiosqlite:///file", "database-kind"),
    ("DATABASE_URL", "nothing+known://host/name", "database-kind"),
    ("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none", "database"),
    ("DATABASE_URL", "postgresql://nobody@nowhere.invalid/none", "database"),
    ("DATABASE_URL", "postgresql://nobody@127.0.0.1/none?colour=blue", "database"),
    ("DATABASE_URL", "sqlite:////nowhere/at/all.sqlite3", "no-folder"),
    ("DATABASE_URL", "sqlite:///.", "file"),
    ("SCOREKEEPER_PROXIES", "two", "setting-number"),
    ("SCOREKEEPER_PROXIES", "10", "setting-number"),
    ("SCOREKEEPER_PROXIES", "9" * 5000, "setting-number"),
    ("SCOREKEEPER_HOSTS", "http://scores.example.org/", "setting-hosts"),
    ("SCOREKEEPER_HOSTS", "scores.example.org, *.example.org", "setting-hosts"),
    ("SCOREKEEPER_HOSTS", "scores..example.org", "setting-hosts"),
    ("SCOREKEEPER_HTTPS", "yes", "setting-choice"),
    ("SCOREKEEPER_CREATE", "friends", "setting-choice"),
    ("SCOREKEEPER_CREATE", "code", "no-code"),
    ("SCOREKEEPER_CREATE_CODE", "short", "setting-code"),
]


@pytest.mark.parametrize(("name", "value", "key"), SETTINGS)
def test_an_invalid_setting_is_refused(name: str, value: str, key: str, instance: Path, backup: Path) -> None:
    before = instance.stat().st_mode
    assert_refused(call("migrate", backup, environment(instance, **{name: value})), key)
    assert instance.stat().st_mode == before


def test_no_password_is_printed(instance: Path, backup: Path) -> None:
    for url in (
        "postgresql://me:hidden@127.0.0.1:1/none",
        "postgresql://me:hidden@host:port/x",
        "mysql://me:hidden@h/x",
    ):
        assert "hidden" not in call("migrate", backup, environment(instance, DATABASE_URL=url)).errors


# --- the instance folder and the secret ----------------------------------------------------------------------


def without_root_capabilities() -> list[str]:
    """Return a command that starts a process to which file permissions apply, even as root."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("file permissions do not apply to root, and there is no setpriv on this machine")
    capabilities = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={capabilities}", f"--inh-caps={capabilities}"]


def test_missing_file_permissions_are_reported(instance: Path, backup: Path, files: Files) -> None:
    instance.chmod(0o500)
    settings = environment(instance)
    assert_refused(
        spawn("run", backup, settings | {"SECRET_KEY": "s" * 64}, *without_root_capabilities()), "not-writable"
    )
    instance.chmod(0o700)
    shutil.copy(files.empty, instance / DATABASE)
    (instance / DATABASE).chmod(0o400)
    assert_refused(spawn("verify", backup, settings, *without_root_capabilities()), "not-writable")
    (instance / DATABASE).chmod(0o600)
    (instance / "secret_key").touch(0o000)
    assert_refused(spawn("run", backup, settings, *without_root_capabilities()), "secret-unreadable")


SECRETS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "short": (lambda path: path.write_text("abc"), "secret-short"),
    "blank": (lambda path: path.write_text(" \n" * 40), "secret-short"),
    "binary": (lambda path: path.write_bytes(b"\xff" * 64), "secret-unreadable"),
    "a folder": (lambda path: path.mkdir(), "secret-unreadable"),
}


@pytest.mark.parametrize("kind", SECRETS)
def test_an_insecure_secret_is_refused(kind: str, instance: Path, backup: Path) -> None:
    write_secret, key = SECRETS[kind]
    write_secret(instance / "secret_key")
    assert_refused(spawn("run", backup, environment(instance)), key)


def test_a_lost_secret_is_not_replaced_while_there_are_circles(instance: Path, backup: Path) -> None:
    assert call("migrate", backup, environment(instance)).status == 0
    with closing(sqlite3.connect(instance / DATABASE)) as connection:
        connection.execute(
            "INSERT INTO circle (token, created_at, is_sample, confirms_payments, shows_ratings, epoch)"
            " VALUES ('one', '2026-01-01 00:00:00', 0, 0, 0, 'now')"
        )
        connection.commit()
    assert call("verify", backup, environment(instance)).status == 0, "commands need no key"
    assert_refused(spawn("run", backup, environment(instance)), "secret-lost")
    assert not (instance / "secret_key").exists()


def test_a_secret_is_created_only_with_a_database(instance: Path, backup: Path) -> None:
    elsewhere = environment(instance, DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    assert_refused(spawn("run", backup, elsewhere), "database")
    for command in COMMANDS:
        assert call(command, backup, elsewhere).status == 2
    assert_refused(call("verify", backup, environment(instance)), "no-database")
    assert list(instance.iterdir()) == []


# --- unusable databases --------------------------------------------------------------------------------------


def random_bytes(path: Path, _files: Files) -> None:
    path.write_bytes(Random(7).randbytes(20_000))  # noqa: S311  # nothing secret


def damaged(path: Path, files: Files) -> None:
    """Overwrite every page but the first, which has the schema."""
    content = files.empty.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


def unrelated(path: Path, _files: Files) -> None:
    run(path, "CREATE TABLE recipe (id INTEGER PRIMARY KEY)", "INSERT INTO recipe VALUES (1)")


def unrelated_with_alembic(path: Path, files: Files) -> None:
    unrelated(path, files)
    run(path, "CREATE TABLE alembic_version (version_num TEXT)", "INSERT INTO alembic_version VALUES ('0002')")


def incomplete(path: Path, _files: Files) -> None:
    run(path, "CREATE TABLE alembic_version (version_num TEXT)", "CREATE TABLE circle (id INTEGER)")


def newer(path: Path, files: Files) -> None:
    shutil.copy(files.empty, path)
    run(path, "UPDATE alembic_version SET version_num = '9999'", "ALTER TABLE circle ADD COLUMN colour TEXT")


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.commit()


DATABASES: dict[str, tuple[Callable[[Path, Files], None], str]] = {
    "random bytes": (random_bytes, "not-a-database"),
    "damaged pages": (damaged, "damaged"),
    "another program’s": (unrelated, "unrelated"),
    "another program’s with Alembic": (unrelated_with_alembic, "unrelated"),
    "half made": (incomplete, "unrelated"),
    "a newer version’s": (newer, "newer"),
}


@pytest.mark.parametrize("kind", DATABASES)
def test_an_unusable_database_is_refused_and_not_changed(kind: str, instance: Path, backup: Path, files: Files) -> None:
    create, key = DATABASES[kind]
    create(instance / DATABASE, files)
    before = (instance / DATABASE).read_bytes()
    for command in COMMANDS:
        assert_refused(call(command, backup, environment(instance)), key)
    assert (instance / DATABASE).read_bytes() == before
    assert {path.name for path in instance.iterdir()} <= {DATABASE, "secret_key"}
    assert not Path(f"{backup}.new").exists()


def test_the_server_does_not_start_on_an_unusable_database(instance: Path, backup: Path, files: Files) -> None:
    newer(instance / DATABASE, files)
    assert_refused(spawn("run", backup, environment(instance)), "newer")
