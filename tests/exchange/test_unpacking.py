"""Uploads of every kind: files, zips, and zips that lie about what is in them."""

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
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return written.getvalue()


def keys(uploads: list[UploadedFile]) -> list[str | bytes]:
    """What each document holds, or the problem it gets."""
    return [text.key if isinstance(text, Problem) else text for _, text in documents(uploads)]


def test_files_and_the_files_of_zips_come_in_order_by_names_that_tell_where_they_lie() -> None:
    files = [UploadedFile("a.json", b"1"), UploadedFile("b.zip", zipped({"x.json": b"2", "y/z.json": b"3"}))]
    assert list(documents(files)) == [
        Document("a.json", b"1"),
        Document("b.zip/x.json", b"2"),
        Document("b.zip/y/z.json", b"3"),
    ]


def test_a_zip_is_known_by_what_is_in_it_whatever_it_is_called() -> None:
    assert keys([UploadedFile("sheets.json", zipped({"x.json": b"2"}))]) == [b"2"]


def test_folders_and_what_a_mac_adds_are_passed_over() -> None:
    files = {"f/": b"", "f/a.json": b"1", "__MACOSX/f/._a.json": b"x", "f/.DS_Store": b"x"}
    assert keys([UploadedFile("a.zip", zipped(files))]) == [b"1"]


def test_a_zip_in_a_zip_is_refused() -> None:
    assert keys([UploadedFile("a.zip", zipped({"b.ZIP": zipped({"x.json": b"1"})}))]) == ["zip-in-a-zip"]


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04", b"PK\x05\x06", b"{}", b"PK\x03\x04" + bytes(100)])
def test_what_only_calls_itself_a_zip_is_refused(content: bytes) -> None:
    assert keys([UploadedFile("a.zip", content)]) == ["broken-zip"]


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_zip_with_a_wrong_byte_is_read_or_refused_and_never_breaks(at: int, byte: int) -> None:
    content = bytearray(zipped({f"{n}.json": b'{"a": 1}' * 50 for n in range(3)}))
    content[at % len(content)] = byte
    for found in documents([UploadedFile("a.zip", bytes(content))]):
        assert isinstance(found.text, bytes | Problem)


def test_a_file_under_a_password_is_refused() -> None:
    content = bytearray(zipped({"a.json": b"1"}))
    entry = content.index(b"PK\x01\x02")
    content[entry + 8] |= 1
    content[6] |= 1
    assert keys([UploadedFile("a.zip", bytes(content))]) == ["locked-zip"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_cannot_be_unpacked_within_a_limit_is_refused(method: int) -> None:
    assert keys([UploadedFile("a.zip", zipped({"a.json": bytes(10_000_000)}, method))]) == ["broken-zip"]


def test_a_sheet_that_unpacks_to_more_than_it_may_is_cut_off_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_SHEET_BYTES", 1000)
    bomb = zipped({"a.json": bytes(1_000_000), "b.json": b"1"})
    assert keys([UploadedFile("a.zip", bomb)]) == ["too-large-a-sheet", b"1"]
    assert keys([UploadedFile("a.json", bytes(1001))]) == ["too-large-a-sheet"]


def test_a_header_that_lies_about_the_size_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_SHEET_BYTES", 1000)
    content = bytearray(zipped({"a.json": bytes(1_000_000)}))
    entry = content.index(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = struct.pack("<I", 10)  # the size it is said to unpack to
    assert keys([UploadedFile("a.zip", bytes(content))]) in ([bytes(10)], ["broken-zip"], ["too-large-a-sheet"])


def test_all_sheets_together_unpack_to_no_more_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 25)
    content = zipped({f"{n}.json": bytes(10) for n in range(9)})
    assert keys([UploadedFile("a.zip", content)]) == [bytes(10), bytes(10), "too-much-unpacked"]


def test_more_files_than_may_be_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    one = UploadedFile("a.json", b"1")
    assert keys([one] * 3) == [b"1"] * 3
    assert keys([one] * 9) == [b"1"] * 3 + ["too-many-files"]
    assert keys([UploadedFile("a.zip", zipped({f"{n}.json": b"1" for n in range(6)}))])[-1] == "too-many-files"


def test_a_list_of_entries_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    monkeypatch.setattr(zipfile, "ZipFile", None)  # would be called
    assert keys([UploadedFile("a.zip", b"PK\x03\x04" + b"PK\x01\x02" * 7)]) == ["too-many-files"]


def test_what_was_packed_is_read_again_by_the_same_names() -> None:
    files = [
        UploadedFile("a.json", bytes(range(100))),
        UploadedFile("b.zip", zipped({"c.json": b"2", "d/e.json": b"3"})),
    ]
    assert list(documents([UploadedFile("", pack(files))])) == list(documents(files))


def test_files_of_one_name_are_told_apart_when_they_are_packed() -> None:
    files = [UploadedFile("a.json", b"1"), UploadedFile("a.json", b"2")]
    assert list(documents([UploadedFile("", pack(files))])) == [Document("a.json", b"1"), Document("a.json (2)", b"2")]


@pytest.mark.parametrize("name", ["", "\x00", "a\nb.json", "\u202egnp.json", "x" * 1000, "../../etc/passwd"])
def test_a_file_is_told_by_a_name_that_can_be_read(name: str) -> None:
    (found,) = documents([UploadedFile(name, b"1")])
    assert found.name.isprintable()
    assert 0 < len(found.name) <= 200
