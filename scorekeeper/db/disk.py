"""Files and folders that are on the disk once they have been made, also if the power fails, and locks on folders."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

UNFINISHED = ".scorekeeper-*"  # the folder of a file that is being written


@contextmanager
def write_whole(file: Path) -> Iterator[Path]:
    """Yield a path to write to, which replaces `file`: after a power cut, there is the old one or the whole new one."""
    with TemporaryDirectory(dir=file.parent, prefix=UNFINISHED.removesuffix("*")) as folder:
        unfinished = Path(folder) / "unfinished"
        yield unfinished
        unfinished.chmod(0o600)
        _sync(unfinished)
        unfinished.replace(file)
        _sync_folder(file.parent)


def make_folder(folder: Path) -> None:
    """Make a folder, readable by its owner only, and those above it, unless it is there."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in made:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk; some network file systems cannot, and there SQLite goes on too."""
    with suppress(OSError):
        _sync(folder)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
