"""Open the file of a circle, which may be compressed. Limits apply to bytes actually read, not to declared sizes."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import SEEK_END
from typing import IO, cast

from ..scoring.problems import Problem
from .archives import BROKEN_ARCHIVE, MAX_UNPACKED_BYTES, MILLION, ZIP_METHODS
from .circle_file import CircleFileError, Readable

MAX_DIRECTORY = 64_000  # bytes of a zip's list of entries; zipfile would make an object of each
_END_OF_ZIP = 22 + 65_535  # bytes of the record at a zip's end, with the longest comment
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"


@contextmanager
def unpacked(file: IO[bytes], most: int | None = None) -> Iterator[Readable]:
    """Open a file that is plain, compressed by gzip, or alone in a zip archive; from its beginning.

    At most `most` bytes can be read of it, by default `MAX_UNPACKED_BYTES`.

    Raises:
        CircleFileError: it cannot be unpacked, here or while it is read.
    """
    most = most or MAX_UNPACKED_BYTES
    file.seek(0)
    magic = file.read(len(_ZIP))
    file.seek(0)
    with ExitStack() as stack:
        if magic.startswith(_GZIP):
            yield _LimitedReader(cast(IO[bytes], stack.enter_context(gzip.GzipFile(fileobj=file))), most)
        elif magic == _ZIP:
            yield _LimitedReader(_open_zip(file, stack), most)
        else:
            yield _LimitedReader(file, most)


def _open_zip(file: IO[bytes], stack: ExitStack) -> IO[bytes]:
    """Open the only file in a zip archive."""
    file.seek(-min(file.seek(0, SEEK_END), _END_OF_ZIP), SEEK_END)
    end = file.read()
    record = end[end.rfind(b"PK\x05\x06") :]
    if int.from_bytes(record[12:16], "little") > MAX_DIRECTORY:
        raise CircleFileError(Problem("file", "one-circle-in-a-zip"))
    try:
        archive = stack.enter_context(zipfile.ZipFile(file))
        entries = [entry for entry in archive.infolist() if not entry.filename.startswith("__MACOSX/")]
        if len(entries) != 1 or entries[0].compress_type not in ZIP_METHODS:
            raise CircleFileError(Problem("file", "one-circle-in-a-zip"))
        return stack.enter_context(archive.open(entries[0]))
    except BROKEN_ARCHIVE as error:
        raise CircleFileError(Problem("file", "circle-not-unpacked")) from error


class _LimitedReader:
    """Reads from another file; more than the limit, or what cannot be unpacked, is a CircleFileError."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most, self._left = file, most, most

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`."""
        try:
            content = self._file.read(size)
        except BROKEN_ARCHIVE as error:
            raise CircleFileError(Problem("file", "circle-not-unpacked")) from error
        self._left -= len(content)
        if self._left < 0:
            raise CircleFileError(Problem("file", "circle-unpacks-to-too-much", {"most": self._most // MILLION}))
        return content
