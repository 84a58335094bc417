"""Uploaded files and zip archives, valid, damaged and malicious ones."""

from __future__ import annotations

import io
import zipfile

import pytest

from scorekeeper.files import sheets
from scorekeeper.files.sheets import UploadedFile, documents
from scorekeeper.scoring.problems import Problem


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def keys(uploads: list[UploadedFile]) -> list[str | bytes]:
    return [text.key if isinstance(text, Problem) else text for _, text in documents(uploads)]


def test_files_and_the_files_in_zips_are_listed_in_order_with_their_paths() -> None:
    files = [UploadedFile("a.json", b"1"), UploadedFile("b.zip", zipped({"x.json": b"2", "y/z.json": b"3"}))]
    assert list(documents(files)) == [("a.json", b"1"), ("b.zip/x.json", b"2"), ("b.zip/y/z.json", b"3")]


def test_a_file_whose_bytes_are_not_those_that_were_packed_is_refused_alone() -> None:
    content = zipped({"a.json": b"1234567890", "b.json": b"2"}, zipfile.ZIP_STORED).replace(b"1234", b"1243", 1)
    broken, whole = documents([UploadedFile("a.zip", content)])
    assert broken == ("a.zip/a.json", Problem("file", "broken-zip"))
    assert whole[1] == b"2"


def test_unpacking_all_sheets_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MAX_UNPACKED_BYTES", 25)
    content = zipped({f"{n}.json": bytes(10) for n in range(9)})
    assert keys([UploadedFile("a.zip", content)]) == [bytes(10), bytes(10), "too-much-unpacked"]
    monkeypatch.setattr(sheets, "MAX_UNPACKED_BYTES", 90)
    assert keys([UploadedFile("a.zip", content)]) == [bytes(10)] * 9
