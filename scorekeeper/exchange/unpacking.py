"""Sheets out of what was uploaded: files, and zips of files. Sizes are counted as they are read, never believed."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple
from unicodedata import category

from ..scoring.remarks import Remark

MILLION = 1_000_000
MOST_BYTES = 20 * MILLION  # in all that is uploaded at once
MOST_FILES = 2_000
MOST_IN_A_SHEET = 4 * MILLION  # bytes; 5,000 deals with long names and auctions have room in it
MOST_UNPACKED = 200 * MILLION  # bytes, of all sheets together

_ENTRY = b"PK\x01\x02"  # begins each entry of a zip's own list
_ENCRYPTED = 0x1
# What Python's reader raises at zips that are none, or not whole.
_BROKEN = (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError, IndexError, struct.error, zlib.error)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # Python unpacks the others without a limit


class Document(NamedTuple):
    """A file by the name it is told by, and what is in it, or why that cannot be read."""

    name: str
    text: bytes | Remark


@dataclass(frozen=True)
class Uploaded:
    """A file as it was sent: a sheet, or a zip of sheets."""

    name: str
    content: bytes

    @property
    def is_zip(self) -> bool:
        return self.content.startswith((b"PK\x03\x04", b"PK\x05\x06")) or self.name.lower().endswith(".zip")


def documents(uploads: Iterable[Uploaded]) -> Iterator[Document]:
    """Every sheet in order. What is too much ends the list, with the remark that says so."""
    unpacked = 0
    for files, document in enumerate(_all_documents(uploads), start=1):
        unpacked += len(document.text) if isinstance(document.text, bytes) else 0
        if files > MOST_FILES:
            yield Document(document.name, Remark("file", "too-many-files", {"most": MOST_FILES}))
            return
        if unpacked > MOST_UNPACKED:
            yield Document(document.name, Remark("file", "too-much-unpacked", {"most": MOST_UNPACKED // MILLION}))
            return
        yield document


def pack(uploads: Iterable[Uploaded]) -> bytes:
    """One zip of all their sheets, by the names they are told by."""
    packed = BytesIO()
    names: set[str] = set()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, (told, text) in enumerate(documents(uploads), start=1):
            name = told if told not in names else f"{told} ({number})"
            names.add(name)
            if isinstance(text, bytes):
                archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _all_documents(uploads: Iterable[Uploaded]) -> Iterator[Document]:
    for upload in uploads:
        if upload.is_zip:
            yield from _unpacked(upload)
        elif len(upload.content) > MOST_IN_A_SHEET:
            yield Document(_shown(upload.name), _too_large())
        else:
            yield Document(_shown(upload.name), upload.content)


def _unpacked(upload: Uploaded) -> Iterator[Document]:
    if upload.content.count(_ENTRY) > 2 * MOST_FILES:  # before a list of half a million entries is made of it
        yield Document(_shown(upload.name), Remark("file", "too-many-files", {"most": MOST_FILES}))
        return
    prefix = f"{upload.name}/" if upload.name else ""
    try:
        with zipfile.ZipFile(BytesIO(upload.content)) as archive:
            for entry in archive.infolist():
                if not _is_aside(entry):
                    yield Document(_shown(f"{prefix}{entry.filename}"), _read(archive, entry))
    except _BROKEN:
        yield Document(_shown(upload.name), Remark("file", "broken-zip"))


def _is_aside(entry: zipfile.ZipInfo) -> bool:
    """A folder, or what a Mac puts beside the files."""
    return entry.filename.startswith("__MACOSX/") or entry.filename.endswith(("/", ".DS_Store"))


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes | Remark:
    if entry.flag_bits & _ENCRYPTED:
        return Remark("file", "locked-zip")
    if entry.filename.lower().endswith(".zip"):
        return Remark("file", "zip-in-a-zip")
    if entry.compress_type not in _METHODS:
        return Remark("file", "broken-zip")
    try:
        with archive.open(entry) as file:
            text = file.read(MOST_IN_A_SHEET + 1)
    except _BROKEN:
        return Remark("file", "broken-zip")
    return text if len(text) <= MOST_IN_A_SHEET else _too_large()


def _too_large() -> Remark:
    return Remark("file", "too-large-a-sheet", {"most": MOST_IN_A_SHEET // MILLION})


def _shown(name: str) -> str:
    """A file's name in one line that can be written."""
    return "".join(sign if category(sign)[0] != "C" else " " for sign in name)[-200:].strip() or "?"
