"""Uploaded files and zip archives, valid, damaged and malicious ones."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.exchange import archives
from scorekeeper.exchange.archives import Document, UploadedFile, documents, pack
from scorekeeper.scoring.problems import Problem


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def keys(uploads: list[UploadedFile]) -> list[str | bytes]:
    """Return the content of each document, or the key of its problem."""
    return [text.key if isinstance(text, Problem) else text for _, text in documents(uploads)]


def test_files_and_the_files_in_zips_are_listed_in_order_with_their_paths() -> None:
    files = [UploadedFile("a.json", b"1"), UploadedFile("b.zip", zipped({"x.json": b"2", "y/z.json": b"3"}))]
    assert list(documents(files)) == [
        Document("a.json", b"1"),
        Document("b.zip/x.json", b"2"),
        Document("b.zip/y/z.json", b"3"),
    ]


def test_a_zip_is_recognised_by_its_content_whatever_its_name() -> None:
    assert keys([UploadedFile("sheets.json", zipped({"x.json": b"2"}))]) == [b"2"]


def test_folders_and_the_metadata_of_macos_are_ignored() -> None:
    files = {"f/": b"", "f/a.json": b"1", "__MACOSX/f/._a.json": b"x", "f/.DS_Store": b"x"}
    assert keys([UploadedFile("a.zip", zipped(files))]) == [b"1"]


def test_a_zip_in_a_zip_is_refused() -> None:
    assert keys([UploadedFile("a.zip", zipped({"b.ZIP": zipped({"x.json": b"1"})}))]) == ["zip-in-a-zip"]


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04", b"PK\x05\x06", b"{}", b"PK\x03\x04" + bytes(100)])
def test_a_file_that_is_only_named_like_a_zip_is_refused(content: bytes) -> None:
    assert keys([UploadedFile("a.zip", content)]) == ["broken-zip"]


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_zip_with_a_wrong_byte_is_read_or_refused(position: int, byte: int) -> None:
    content = bytearray(zipped({f"{n}.json": b'{"a": 1}' * 50 for n in range(3)}))
    content[position % len(content)] = byte
    for document in documents([UploadedFile("a.zip", bytes(content))]):
        assert isinstance(document.text, bytes | Problem)


def test_an_encrypted_file_is_refused() -> None:
    content = bytearray(zipped({"a.json": b"1"}))
    entry = content.index(b"PK\x01\x02")
    content[entry + 8] |= 1
    content[6] |= 1
    assert keys([UploadedFile("a.zip", bytes(content))]) == ["locked-zip"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_cannot_be_unpacked_within_a_limit_is_refused(method: int) -> None:
    uploads = [UploadedFile("a.zip", zipped({"a.json": bytes(10_000_000)}, method))]
    assert [*documents(uploads)] == [Document("a.zip/a.json", Problem("file", "broken-zip"))]


def test_a_file_whose_bytes_are_not_those_that_were_packed_is_refused_alone() -> None:
    content = zipped({"a.json": b"1234567890", "b.json": b"2"}, zipfile.ZIP_STORED).replace(b"1234", b"1243", 1)
    broken, whole = documents([UploadedFile("a.zip", content)])
    assert broken == Document("a.zip/a.json", Problem("file", "broken-zip"))
    assert whole.text == b"2"


def test_unpacking_a_sheet_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_SHEET_BYTES", 1000)
    bomb = zipped({"a.json": bytes(1_000_000), "b.json": b"1"})
    assert keys([UploadedFile("a.zip", bomb)]) == ["too-large-a-sheet", b"1"]
    assert keys([UploadedFile("a.json", bytes(1001))]) == ["too-large-a-sheet"]


def test_the_declared_size_of_a_file_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_SHEET_BYTES", 1000)
    content = bytearray(zipped({"a.json": bytes(1_000_000)}))
    entry = content.index(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = struct.pack("<I", 10)  # the declared size
    assert keys([UploadedFile("a.zip", bytes(content))]) in ([bytes(10)], ["broken-zip"], ["too-large-a-sheet"])


def test_unpacking_all_sheets_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 25)
    content = zipped({f"{n}.json": bytes(10) for n in range(9)})
    assert keys([UploadedFile("a.zip", content)]) == [bytes(10), bytes(10), "too-much-unpacked"]
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 90)
    assert keys([UploadedFile("a.zip", content)]) == [bytes(10)] * 9


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    file = UploadedFile("a.json", b"1")
    assert keys([file] * 3) == [b"1"] * 3
    assert keys([file] * 9) == [b"1"] * 3 + ["too-many-files"]
    assert keys([UploadedFile("a.zip", zipped({f"{n}.json": b"1" for n in range(6)}))])[-1] == "too-many-files"


def test_a_directory_with_too_many_entries_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    monkeypatch.setattr(zipfile, "ZipFile", None)  # would be called
    assert keys([UploadedFile("a.zip", b"PK\x03\x04" + b"PK\x01\x02" * 7)]) == ["too-many-files"]


def test_a_packed_zip_has_the_same_documents() -> None:
    files = [
        UploadedFile("a.json", bytes(range(100))),
        UploadedFile("b.zip", zipped({"c.json": b"2", "d/e.json": b"3"})),
    ]
    assert list(documents([UploadedFile("", pack(files))])) == list(documents(files))


def test_files_with_the_same_name_get_different_names_in_a_packed_zip() -> None:
    files = [UploadedFile("a.json", b"1"), UploadedFile("a.json", b"2")]
    assert list(documents([UploadedFile("", pack(files))])) == [Document("a.json", b"1"), Document("a.json (2)", b"2")]


def test_a_packed_zip_leaves_out_what_cannot_be_read() -> None:
    files = [UploadedFile("a.zip", b""), UploadedFile("b.json", b"2")]
    assert list(documents([UploadedFile("", pack(files))])) == [Document("b.json", b"2")]


@pytest.mark.parametrize("name", ["", "\x00", "a\nb.json", "\u202egnp.json", "x" * 1000, "../../etc/passwd"])
def test_a_display_name_is_printable_and_short(name: str) -> None:
    (document,) = documents([UploadedFile(name, b"1")])
    assert document.name.isprintable()
    assert 0 < len(document.name) <= 200
