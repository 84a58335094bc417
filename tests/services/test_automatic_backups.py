"""Backups that the server makes by itself: when, by whom, which are kept, and that each is whole."""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from scorekeeper.backup_reports import last_backup
from scorekeeper.db import wal
from scorekeeper.errors import StartupError
from scorekeeper.services import automatic_backups
from scorekeeper.services.automatic_backups import AutomaticBackups, choose_kept, delete_old, make_backup

from ..databases import Files, only_sqlite

pytestmark = only_sqlite
NOW = datetime(2026, 11, 23, 21, 30, 30, tzinfo=UTC)
LOOK = 0.02  # seconds
PATIENCE = 30  # seconds


@pytest.fixture
def database(files: Files, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An open database, as the app has one."""
    with closing(wal.connect(Path(files.make(tmp_path).removeprefix("sqlite:///")))) as connection:
        wal.enable(connection)
        yield connection


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "backups"
    folder.mkdir()
    return folder


@pytest.fixture
def keep(
    database: sqlite3.Connection, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Path], AutomaticBackups]]:
    """Start making backups into a folder, as a process of its own would."""
    assert database
    monkeypatch.setattr(automatic_backups, "SECONDS", LOOK)
    monkeypatch.setattr(automatic_backups, "_NAME", "scorekeeper-%Y%m%d-%H%M%S%f.sqlite3.gz")
    monkeypatch.setattr(automatic_backups, "KEPT", ((timedelta(days=1), timedelta(microseconds=1)),))
    with ExitStack() as started:

        def start(target: Path) -> AutomaticBackups:
            target.mkdir(exist_ok=True)
            keeper = AutomaticBackups(tmp_path / "test.sqlite3", folder, target)
            keeper.start()
            started.callback(keeper.stop)
            return keeper

        yield start


def write(database: sqlite3.Connection, token: str = "t") -> None:  # noqa: S107  # nothing secret
    with database:
        database.execute("CREATE TABLE IF NOT EXISTS written (what TEXT)")
        database.execute("INSERT INTO written VALUES (?)", (token,))


def wait_for(folder: Path, number: int) -> list[Path]:
    """Wait until a folder has so many backups, and return them."""
    ends = time.monotonic() + PATIENCE
    while len(found := sorted(folder.glob("*.gz"))) < number:
        assert time.monotonic() < ends, found
        time.sleep(LOOK)
    return found


# --- when, and by whom -----------------------------------------------------------------------------------------


def test_a_change_is_saved_and_an_idle_server_writes_nothing(
    database: sqlite3.Connection, folder: Path, keep: Callable[[Path], AutomaticBackups]
) -> None:
    keep(folder)
    wait_for(folder, 1)
    write(database)
    saved = wait_for(folder, 2)
    wait_until(lambda: is_untouched(folder, 10 * LOOK))  # not even a temporary file is made
    with closing(sqlite3.connect(":memory:")) as copy:
        copy.deserialize(gzip.decompress(saved[-1].read_bytes()))
        assert copy.execute("SELECT what FROM written").fetchall() == [("t",)]


def test_only_one_process_makes_backups_and_another_takes_over(
    database: sqlite3.Connection, tmp_path: Path, keep: Callable[[Path], AutomaticBackups]
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    first = keep(one)
    wait_for(one, 1)
    keep(other)
    write(database)
    wait_for(one, 2)
    assert list(other.iterdir()) == []
    first.stop()
    wait_for(other, 1)


def test_each_backup_is_reported_a_failure_once_and_what_restores_replaced_goes(
    database: sqlite3.Connection,
    tmp_path: Path,
    keep: Callable[[Path], AutomaticBackups],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reports: list[bool] = []
    monkeypatch.setattr(automatic_backups, "report_backup", lambda _url, *, is_good: reports.append(is_good))
    old = datetime.now(UTC) - timedelta(days=31)
    replaced = tmp_path / f"before-restore-{old:%Y%m%d-%H%M%S-%f}.sqlite3"
    replaced.touch()
    target = tmp_path / "target"
    keep(target)
    (first,) = wait_for(target, 1)
    wait_until(lambda: reports == [True])
    wait_until(lambda: not replaced.exists())
    noted = last_backup(tmp_path)
    assert noted is not None
    assert noted.file == str(first)
    target.rename(tmp_path / "moved")  # as a disk that is gone
    write(database)
    wait_until(lambda: len(reports) > 1)
    time.sleep(10 * LOOK)
    assert reports == [True, False]
    (tmp_path / "moved").rename(target)
    wait_for(target, 2)
    wait_until(lambda: reports == [True, False, True])


def is_untouched(folder: Path, seconds: float) -> bool:
    before = folder.stat().st_mtime_ns
    time.sleep(seconds)
    return folder.stat().st_mtime_ns == before


def wait_until(is_so: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < ends
        time.sleep(LOOK)


def test_a_large_database_is_copied_less_often() -> None:
    assert automatic_backups.seconds_between(50_000_000) == 50
    assert automatic_backups.seconds_between(500_000_000) == 500


# --- each is whole ---------------------------------------------------------------------------------------------


def test_a_backup_is_one_private_file_without_leftovers(
    database: sqlite3.Connection, folder: Path, tmp_path: Path
) -> None:
    write(database)
    (folder / "unfinished").mkdir()
    (folder / "unfinished" / "copy.sqlite3-journal").write_bytes(b"of a process that was killed")
    old = os.umask(0)
    try:
        backup = make_backup(tmp_path / "test.sqlite3", folder, folder)
    finally:
        os.umask(old)
    assert list(folder.iterdir()) == [backup]
    assert backup.stat().st_mode & 0o777 == 0o600
    plain = tmp_path / "plain.sqlite3"
    plain.write_bytes(gzip.decompress(backup.read_bytes()))
    assert not wal.is_missing(plain)


def test_a_backup_that_cannot_be_written_leaves_nothing(
    database: sqlite3.Connection, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_handle: int) -> None:
        raise OSError(28, os.strerror(28))

    write(database)
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        make_backup(tmp_path / "test.sqlite3", folder, folder)
    assert list(folder.iterdir()) == []


def test_no_backup_is_made_of_a_damaged_or_deleted_database(files: Files, folder: Path, tmp_path: Path) -> None:
    content = files.empty.read_bytes()
    damaged = tmp_path / "damaged.sqlite3"
    damaged.write_bytes(content[:8192] + b"\xff" * 4096 + content[12288:])
    with pytest.raises((StartupError, sqlite3.DatabaseError)):
        make_backup(damaged, folder, folder)
    with pytest.raises(sqlite3.OperationalError):
        make_backup(tmp_path / "deleted.sqlite3", folder, folder)
    assert list(folder.iterdir()) == []


# --- which are kept --------------------------------------------------------------------------------------------


def test_the_last_hour_is_kept_by_the_minute_the_day_by_the_hour_and_the_month_by_the_day() -> None:
    kept: list[datetime] = []
    moment = NOW - timedelta(days=40)
    while moment <= NOW:
        kept = choose_kept([*kept, moment], moment)
        moment += timedelta(seconds=50) if NOW - moment < timedelta(hours=2) else timedelta(minutes=29)
    ages = sorted(NOW - moment for moment in kept)
    assert 110 <= len(ages) <= 118
    for reach, period in automatic_backups.KEPT:
        inside = [age for age in ages if age <= reach]
        gaps = [later - earlier for earlier, later in pairwise(inside)]
        assert max(gaps) <= 2 * period, reach
        assert reach - max(inside) <= period
    assert max(ages) <= timedelta(days=30), "a name that was erased is gone after a month"


def test_the_newest_is_kept_however_old_and_one_of_a_wrong_clock_is_not_lost() -> None:
    assert choose_kept([NOW - timedelta(days=90), NOW - timedelta(days=91)], NOW) == [NOW - timedelta(days=90)]
    assert set(choose_kept([NOW + timedelta(days=3), NOW], NOW)) == {NOW + timedelta(days=3), NOW}


def test_a_size_is_kept_by_losing_minutes_before_days(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automatic_backups, "MAX_BYTES", 500)
    moments = [NOW - timedelta(minutes=number) for number in range(5)] + [NOW - timedelta(days=2)]
    for moment in moments:
        (folder / moment.strftime(automatic_backups._NAME)).write_bytes(b"x" * 150)
    others = {"scorekeeper-20200101-000000.sqlite3", "my-own.sqlite3.gz", "secret_key"}
    for name in others:
        (folder / name).touch()
    delete_old(folder, NOW)
    kept = {path.name for path in folder.iterdir()} - others
    assert kept == {moment.strftime(automatic_backups._NAME) for moment in (moments[0], moments[1], moments[5])}
    assert others <= {path.name for path in folder.iterdir()}


def test_backups_leave_half_of_a_small_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: shutil._ntuple_diskusage(1000, 1000, 0))
    for minutes in range(4):
        (folder / (NOW - timedelta(minutes=minutes)).strftime(automatic_backups._NAME)).write_bytes(b"x" * 100)
    delete_old(folder, NOW)
    assert len(list(folder.iterdir())) == 2
