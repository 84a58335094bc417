"""What a process does to the files of a folder: its system calls, recorded by strace."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

STRACE = shutil.which("strace")
LONGEST = 1 << 26  # bytes of one write that are recorded

WRITE, TRUNCATE, SYNC = "write", "truncate", "sync"
CREATE, MAKE_FOLDER, RENAME, UNLINK = "create", "mkdir", "rename", "unlink"

# A call with a question mark does not exist on every machine. What changes files in another way than those that
# `_operations` knows is recorded too, so that it is noticed.
_CALLS = (
    *("?open", "openat", "?creat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "?rename", "renameat"),
    *("?renameat2", "?unlink", "unlinkat", "?rmdir", "?mkdir", "mkdirat"),
    *("truncate", "fallocate", "writev", "pwritev", "?pwritev2", "sendfile", "?copy_file_range"),
    *("?link", "linkat", "?symlink", "symlinkat"),
)
_TO_FILES = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate")
_LINE = re.compile(r"(?P<process>\d+) +(?:<\.\.\. \w+ resumed>(?P<rest>.*)|(?P<name>\w+)\((?P<arguments>.*))")
_UNFINISHED = " <unfinished ...>"
_HEX = r"((?:\\x[0-9a-f]{2})*)"
_STRING = re.compile(rf'"{_HEX}"(\.\.\.)?')
_OPENED = re.compile(rf"(?:\d+|AT_FDCWD)<{_HEX}>(\(deleted\))?")


class Operation(NamedTuple):
    """A change of a file or folder.

    `path` is relative to the folder that was recorded; of a file that has lost its last name, it is empty. `begun` and
    `done` number the lines of the record at which the call was made and at which it returned.
    """

    kind: str
    path: str
    begun: int
    done: int
    offset: int | None = None  # of a write; None: where the file ends
    data: bytes = b""
    size: int = 0  # to which a file is truncated
    to: str = ""  # the new path of what is renamed

    @property
    def at(self) -> int:
        """The line at which others may first see the change: what is being written may be on the disk already."""
        return self.begun if self.kind in (WRITE, TRUNCATE) else self.done


def record(command: Sequence[str], trace: Path) -> None:
    """Run a command, and record what it and the processes that it starts do to files."""
    assert STRACE is not None
    calls = ",".join(_CALLS)
    options = ["-f", "--seccomp-bpf", "-y", "-xx", "-s", str(LONGEST), "-o", str(trace), "-e", f"trace={calls}"]
    done = subprocess.run([STRACE, *options, *command], check=False, capture_output=True, text=True)  # noqa: S603  # our own command
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)


def read(trace: Path, folder: str) -> list[Operation]:
    """Return what was done to the files below a folder, in order."""
    found = (operation for call in _calls(trace, folder) for operation in _operations(*call))
    return sorted(found, key=lambda operation: operation.at)


def _calls(trace: Path, folder: str) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield the folder, and of each call that succeeded its name, its arguments, and the lines of begin and return."""
    needle = "".join(f"\\x{byte:02x}" for byte in os.fsencode(folder + "/"))
    waiting: dict[str, tuple[str, str, int]] = {}
    with trace.open(encoding="ascii") as lines:
        for number, line in enumerate(lines):
            found = _LINE.match(line)
            if found is None:
                continue  # a signal or an exit
            process = found["process"]
            name, arguments, begun = found["name"], found["arguments"], number
            if name is None:
                name, arguments, begun = waiting.pop(process)
                arguments += found["rest"]
            elif arguments.endswith(_UNFINISHED):
                waiting[process] = name, arguments.removesuffix(_UNFINISHED), number
                continue
            text, _, result = arguments.rpartition(" = ")
            if not result.startswith("-") and (needle in text or needle[:-4] + ">" in text):
                yield folder, name, text, begun, number


def _operations(folder: str, name: str, text: str, begun: int, done: int) -> Iterator[Operation]:
    """Yield what one call does.

    Raises:
        NotImplementedError: the call changes files in a way that is not known here.
    """
    paths = [_path_of_open_file(text, folder)] if name in _TO_FILES else list(_paths(text, folder))
    if all(path is None or path.endswith("-shm") for path in paths):
        return
    path = paths[0] or ""
    if name in ("fsync", "fdatasync"):
        yield Operation(SYNC, path, begun, done)
    elif name == "ftruncate":
        yield Operation(TRUNCATE, path, begun, done, size=_last_number(text))
    elif name in ("write", "pwrite64"):
        yield Operation(WRITE, path, begun, done, _last_number(text) if name == "pwrite64" else None, _string(text))
    else:
        yield from _naming(name, text, paths, begun, done)


def _naming(name: str, text: str, paths: list[str | None], begun: int, done: int) -> Iterator[Operation]:
    path = paths[0] or ""
    if name in ("open", "openat"):
        if "O_CREAT" in text:
            yield Operation(CREATE, path, begun, done)
        if "O_TRUNC" in text:
            yield Operation(TRUNCATE, path, done, done)
    elif name in ("mkdir", "mkdirat"):
        yield Operation(MAKE_FOLDER, path, begun, done)
    elif name in ("unlink", "unlinkat", "rmdir"):
        yield Operation(UNLINK, path, begun, done)
    elif name in ("rename", "renameat", "renameat2") and None not in paths:
        yield Operation(RENAME, path, begun, done, to=paths[1] or "")
    else:
        raise NotImplementedError(f"{name} changes {paths}")


def _path_of_open_file(text: str, folder: str) -> str | None:
    """Return the path of the file that a call is about; an empty one if the file has lost its name."""
    found = _OPENED.match(text)
    assert found is not None, text[:200]
    path = _relative(_decode(found[1]), folder)
    return "" if path is not None and found[2] else path


def _paths(text: str, folder: str) -> Iterator[str | None]:
    """Yield the paths among a call's arguments, relative to the folder; None for one outside of it."""
    base = ""
    for found in re.finditer(rf"(?:(?:\d+|AT_FDCWD)<{_HEX}>)|(?:\"{_HEX}\")", text):
        if found[2] is None:
            base = os.fsdecode(_decode(found[1]))
        else:
            yield _relative(os.fsencode(os.path.join(base, os.fsdecode(_decode(found[2])))), folder)


def _relative(path: bytes, folder: str) -> str | None:
    text = os.fsdecode(path)
    if text == folder:
        return "."
    return text.removeprefix(f"{folder}/") if text.startswith(f"{folder}/") else None


def _string(text: str) -> bytes:
    found = _STRING.search(text)
    assert found is not None, text[:200]
    if found[2]:
        raise NotImplementedError(f"a write of more than {LONGEST} bytes")
    return _decode(found[1])


def _decode(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _last_number(text: str) -> int:
    return int(text.rstrip(") ").rpartition(", ")[2])
