"""SQLite's change counter: what other processes write to the same file is noticed a tenth of a second later."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from time import monotonic, thread_time

from .hub import Hub
from .reading import Reader
from .threads import Background

POLL_SECONDS, MAX_POLL_SECONDS = 0.1, 0.5
ACCESS_SECONDS = 0.5  # at least, between two readings of access
LINGER_SECONDS = 10  # without any stream, until the thread ends
REST = 19  # times as long as a look has taken of the processor, if that is longer: a twentieth of a core


class ChangeWatcher:
    """A thread that looks for changes in a file, and reads what is followed, while this process has streams.

    The counter changes with every commit but those of its own connection, so a look without changes reads no table.
    """

    def __init__(self, file: Path, hub: Hub, reader: Reader) -> None:
        self._file, self._hub, self._reader = file, hub, reader
        self._thread = Background("Changes of the database file", self._watch, lambda: bool(hub.streams()))

    def start(self) -> None:
        """Start watching, unless it has been started."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._thread.stop()

    def _watch(self) -> None:
        """Watch until there has been no stream for a while."""
        uri = f"{self._file.absolute().as_uri()}?mode=rw"  # does not create the file
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            version, is_access_due, access_at, used_at = None, False, 0.0, monotonic()
            while True:
                began, used = monotonic(), thread_time()
                (current,) = connection.execute("PRAGMA data_version").fetchone()
                if current != version:
                    version, is_access_due = current, True  # before reading: what is committed meanwhile counts again
                    self._reader.read_numbers()
                if is_access_due and began >= access_at:
                    is_access_due, access_at = not self._reader.read_access(), began + ACCESS_SECONDS
                self._thread.succeed()
                rest = min(max(POLL_SECONDS, REST * (thread_time() - used)), MAX_POLL_SECONDS)
                used_at = began if len(self._hub) else used_at
                if self._thread.wait(rest) or began > used_at + LINGER_SECONDS:
                    return
