"""Backups that the server makes by itself of a SQLite database, within a minute of a change.

A thread of one server process looks whether anything was written, and if so copies the whole database, as of one
moment. An idle server writes nothing. What is kept gets sparser with age, and ends after a month.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..backup_reports import LastBackup, note_backup, report_backup
from ..db import backups, wal
from ..db.clock import now
from ..files import UNFINISHED
from ..live.threads import Background

SECONDS = 50  # between two looks; with the time that a copy takes, a change is saved within a minute
BYTES_PER_SECOND = 1_000_000  # a database larger than SECONDS times this is copied less often
MAX_BYTES = 1_000_000_000  # of all backups together
KEPT = (  # for how long, one of how long
    (timedelta(days=30), timedelta(days=1)),
    (timedelta(days=1), timedelta(hours=1)),
    (timedelta(hours=1), timedelta(minutes=1)),
)
_START = datetime(2000, 1, 1, tzinfo=UTC)  # of counting days, hours and minutes
_NAME = "scorekeeper-%Y%m%d-%H%M%S.sqlite3.gz"  # in UTC


class AutomaticBackups:
    """Keeps backups of a database file in a folder, as long as no other process does.

    Every process holds the lock of `home`, a folder on the database's own machine, or waits for it.
    """

    def __init__(self, file: Path, home: Path, folder: Path, report_url: str = "") -> None:
        self._file, self._home, self._folder = file, home, folder
        self._report_url, self._is_failing = report_url, False
        self._thread = Background(f"Backups to {folder}", self._work, lambda: True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, once a backup under way is complete."""
        self._thread.stop()

    def _work(self) -> None:
        """Wait until no other process makes backups, then make them."""
        lock = os.open(self._home, os.O_RDONLY)
        try:
            while not self._thread.wait(SECONDS):
                if _is_locked(lock):
                    self._make_backups()
        except Exception:
            if not self._is_failing:  # it is tried again every second
                report_backup(self._report_url, is_good=False)
            self._is_failing = True
            raise
        finally:
            os.close(lock)

    def _make_backups(self) -> None:
        """Make a backup now, and another one whenever the database has changed."""
        saved = None
        for unfinished in self._folder.glob(UNFINISHED):  # of a process that was killed
            shutil.rmtree(unfinished, ignore_errors=True)
        with closing(wal.connect(self._file)) as connection:
            while True:
                (version,) = connection.execute("PRAGMA data_version").fetchone()
                if version != saved:
                    begun = now()
                    made = make_backup(self._file, self._home, self._folder)
                    note_backup(self._home.parent, LastBackup(str(made), begun))
                    saved = version
                    self._is_failing = False
                    report_backup(self._report_url, is_good=True)
                delete_old(self._folder, datetime.now(UTC))
                backups.delete_files_before(self._file.parent, datetime.now(UTC))
                self._thread.succeed()
                if self._thread.wait(seconds_between(self._file.stat().st_size)):
                    return


def _is_locked(handle: int) -> bool:
    """Try to lock a folder; return whether it is locked by this process now."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def seconds_between(size: int) -> int:
    """Return how long to wait between two looks at a database of this many bytes."""
    return max(SECONDS, size // BYTES_PER_SECOND)


def make_backup(file: Path, home: Path, folder: Path) -> Path:
    """Write a backup of a database file into a folder, and return it. What is unfinished lies in `home`.

    Raises:
        StartupError: the database is damaged.
        OSError, sqlite3.Error: it cannot be read, or the backup not written.
    """
    unfinished = home / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)  # of a process that was killed
    unfinished.mkdir(mode=0o700)
    try:
        backup = folder / datetime.now(UTC).strftime(_NAME)
        backups.write_compressed(file, unfinished / "copy.sqlite3", backup)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return backup


# --- which are kept --------------------------------------------------------------------------------------------


def delete_old(folder: Path, now: datetime) -> None:
    """Delete the backups that are no longer needed, and those that do not fit into what may be used of the disk."""
    files = {moment: path for path in folder.iterdir() if (moment := _moment(path)) is not None}
    sizes = {moment: path.stat().st_size for moment, path in files.items()}
    room = min(MAX_BYTES, (sum(sizes.values()) + shutil.disk_usage(folder).free) // 2)
    for number, moment in enumerate(choose_kept(files, now)):
        room -= sizes[moment]
        if room >= 0 or number == 0:
            del files[moment]
    for path in files.values():
        path.unlink(missing_ok=True)


def _moment(backup: Path) -> datetime | None:
    """Return when a backup was made, by its name; None if the file is not one of these backups."""
    try:
        return datetime.strptime(backup.name, _NAME).replace(tzinfo=UTC)
    except ValueError:
        return None


def choose_kept(moments: Iterable[datetime], now: datetime) -> list[datetime]:
    """Choose the backups to keep: the newest, and the last one of each day, hour and minute that `KEPT` has.

    The most important ones come first.
    """
    newest_first = sorted(moments, reverse=True)
    kept = newest_first[:1]
    for reach, period in KEPT:
        last_of_period: dict[int, datetime] = {}
        for moment in newest_first:
            if now - moment <= reach:
                last_of_period.setdefault((moment - _START) // period, moment)
        kept += last_of_period.values()
    return list(dict.fromkeys(kept))
