"""Read uploaded files, which may be zips, within limits; write the zip of a circle's sheets."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import IO, NamedTuple
from unicodedata import category

from ..scoring.problems import Problem
from ..scoring.sheet import Sheet, dump
from .exported import ExportedTable

MILLION = 1_000_000
MAX_BYTES = 20 * MILLION  # of all uploads in a request
MAX_FILES = 2_000
MAX_SHEET_BYTES = 4 * MILLION  # enough for 3,000 deals with long names and auctions
MAX_UNPACKED_BYTES = 200 * MILLION  # of all sheets together

# Errors that Python's modules raise for archives that are damaged, encrypted or none. RuntimeError includes
# NotImplementedError; EOFError, IndexError and struct.error come from archives that end too early.
BROKEN_ARCHIVE = (
    zipfile.BadZipFile,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    struct.error,
    zlib.error,
)
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile has no limit when it unpacks others

_DIRECTORY_ENTRY = b"PK\x01\x02"  # signature of an entry in a zip's central directory
_ENCRYPTED = 0x1


class Document(NamedTuple):
    """A file's display name, and its content or the reason why it cannot be read."""

    name: str
    text: bytes | Problem


@dataclass(frozen=True)
class UploadedFile:
    """An uploaded file: a sheet or a zip archive of sheets."""

    name: str
    content: bytes

    @property
    def is_zip(self) -> bool:
        """Whether the file is a zip archive, by its signature or its name."""
        return self.content.startswith((b"PK\x03\x04", b"PK\x05\x06")) or self.name.lower().endswith(".zip")


def documents(uploads: Iterable[UploadedFile]) -> Iterator[Document]:
    """Yield every sheet in order. When a limit is exceeded, the last document carries the problem."""
    unpacked = 0
    for count, document in enumerate(_all_documents(uploads), start=1):
        unpacked += len(document.text) if isinstance(document.text, bytes) else 0
        if count > MAX_FILES:
            yield Document(document.name, Problem("file", "too-many-files", {"most": MAX_FILES}))
            return
        if unpacked > MAX_UNPACKED_BYTES:
            yield Document(document.name, Problem("file", "too-much-unpacked", {"most": MAX_UNPACKED_BYTES // MILLION}))
            return
        yield document


def pack(uploads: Iterable[UploadedFile]) -> bytes:
    """Return one zip archive of all sheets in the uploads, under their display names."""
    buffer = BytesIO()
    names: set[str] = set()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number, (display_name, text) in enumerate(documents(uploads), start=1):
            name = display_name if display_name not in names else f"{display_name} ({number})"
            names.add(name)
            if isinstance(text, bytes):
                archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _all_documents(uploads: Iterable[UploadedFile]) -> Iterator[Document]:
    for upload in uploads:
        if upload.is_zip:
            yield from _unpack(upload)
        elif len(upload.content) > MAX_SHEET_BYTES:
            yield Document(_display_name(upload.name), _too_large())
        else:
            yield Document(_display_name(upload.name), upload.content)


def _unpack(upload: UploadedFile) -> Iterator[Document]:
    if upload.content.count(_DIRECTORY_ENTRY) > 2 * MAX_FILES:  # checked before zipfile builds a list of them
        yield Document(_display_name(upload.name), Problem("file", "too-many-files", {"most": MAX_FILES}))
        return
    prefix = f"{upload.name}/" if upload.name else ""
    try:
        with zipfile.ZipFile(BytesIO(upload.content)) as archive:
            for entry in archive.infolist():
                if not _is_ignored(entry):
                    yield Document(_display_name(f"{prefix}{entry.filename}"), _read(archive, entry))
    except BROKEN_ARCHIVE:
        yield Document(_display_name(upload.name), Problem("file", "broken-zip"))


def _is_ignored(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a folder, or metadata that macOS adds."""
    return entry.filename.startswith("__MACOSX/") or entry.filename.endswith(("/", ".DS_Store"))


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes | Problem:
    if entry.flag_bits & _ENCRYPTED:
        return Problem("file", "locked-zip")
    if entry.filename.lower().endswith(".zip"):
        return Problem("file", "zip-in-a-zip")
    if entry.compress_type not in ZIP_METHODS:
        return Problem("file", "broken-zip")
    try:
        with archive.open(entry) as file:
            text = file.read(MAX_SHEET_BYTES + 1)
    except BROKEN_ARCHIVE:
        return Problem("file", "broken-zip")
    return text if len(text) <= MAX_SHEET_BYTES else _too_large()


def _too_large() -> Problem:
    return Problem("file", "too-large-a-sheet", {"most": MAX_SHEET_BYTES // MILLION})


def _display_name(name: str) -> str:
    """Return a file's name on one line, without control characters, shortened to 200 characters."""
    return "".join(char if category(char)[0] != "C" else " " for char in name)[-200:].strip() or "?"


FILE_MODE = 0o644 << 16  # Unix permissions, as zip stores them


def sheet_text(sheet: Sheet) -> str:
    """Return a sheet as JSON text."""
    return json.dumps(dump(sheet), ensure_ascii=False, indent=1)


def write_zip(tables: Iterable[ExportedTable], file: IO[bytes]) -> None:
    """Write a sheet for each table, named by its label. The same tables give the same bytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for label, table in tables:
            entry = zipfile.ZipInfo(f"{label}.json")
            entry.external_attr = FILE_MODE
            entry.create_system = 3  # Unix, on every system
            archive.writestr(entry, sheet_text(table.sheet()), zipfile.ZIP_DEFLATED)
