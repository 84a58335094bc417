"""The document of a circle, read from bytes piece by piece: what it must be, and where the first fault is."""

from __future__ import annotations

import gzip
import io
import zipfile
from typing import Any

import pytest

from scorekeeper.exchange import circle_file
from scorekeeper.exchange.circle_file import CircleFileError, Item, read_items, unpacked, write_circle
from scorekeeper.exchange.circle_records import LISTS, OPTIONAL
from scorekeeper.scoring.problems import Problem

CIRCLE = {"created_at": "2026-01-02T03:04:05Z", "title": "Café « Ö »"}
ITEMS = [{"number": 1, "name": 'Zoé "Z" \\'}, {"number": 2, "name": "🂡"}]


def written(**lists: Any) -> bytes:
    """Return a document in which other lists than these are empty."""
    file = io.BytesIO()
    write_circle(CIRCLE, {name: [] for name in LISTS if name not in OPTIONAL} | lists, file)
    return file.getvalue()


class Slow:
    """A file that gives a few bytes at a time, as a network does."""

    def __init__(self, content: bytes, most: int) -> None:
        self.file, self.most = io.BytesIO(content), most

    def read(self, size: int, /) -> bytes:
        return self.file.read(min(size, self.most))


def fault(content: bytes) -> Problem:
    """Return the problem at which reading ends. In whatever pieces the bytes come, it is the same, in the same line."""
    found = []
    for most in (100_000, 7, 1):
        with pytest.raises(CircleFileError) as caught:
            list(read_items(Slow(content, most)))
        found.append(caught.value.problems[0])
    whole = found[0]
    assert {(each.field, each.key, each.params.get("line")) for each in found} == {
        (whole.field, whole.key, whole.params.get("line"))
    }
    return whole


@pytest.mark.parametrize("most", [1, 2, 3, 64, 100_000])
@pytest.mark.parametrize("events", [{}, {"events": ITEMS}])
def test_what_was_written_is_read_again_in_pieces_of_any_size(most: int, events: dict[str, Any]) -> None:
    items = list(read_items(Slow(written(players=ITEMS, payments=ITEMS[:1], **events), most)))
    assert items == [
        Item("circle", 0, CIRCLE),
        *(Item("players", place, item) for place, item in enumerate(ITEMS, start=1)),
        *(Item("events", place, item) for place, item in enumerate(events.get("events", ()), start=1)),
        Item("payments", 1, ITEMS[0]),
    ]
    assert [item.path for item in items[:2]] == ["circle", "players.1"]


def test_an_item_larger_than_the_limit_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circle_file, "MAX_ITEM", 2_000_000)
    document = written(players=[{"name": "x" * 1_999_000}, {"name": "x" * 1_999_000}, {"name": "x" * 6_000_000}])
    with pytest.raises(CircleFileError) as caught:
        list(read_items(Slow(document, 500_000)))
    assert caught.value.problems == (Problem("players.3", "too-large-an-item", {"most": 2}),)


# --- compressed ---


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.comment = comment
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def read_unpacked(content: bytes, most: int | None = None) -> bytes:
    file = io.BytesIO(content)
    file.seek(3)  # another reader has moved the position
    with unpacked(file, most) as readable:
        return b"".join(iter(lambda: readable.read(1_000), b""))


def test_a_circle_may_be_plain_or_compressed_or_alone_in_a_zip() -> None:
    plain = written(players=ITEMS * 100)
    assert read_unpacked(plain) == plain
    assert read_unpacked(gzip.compress(plain)) == plain
    beside = {"__MACOSX/._circle.json": b"x", "circle.json": plain}
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        assert read_unpacked(zipped(beside, method, comment=b"c" * 65_535)) == plain


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (zipped({"a.json": b"1", "b.json": b"2"}), "one-circle-in-a-zip"),
        (zipped({"__MACOSX/a.json": b"1"}), "one-circle-in-a-zip"),
        (zipped({"a.json": b"1"}, zipfile.ZIP_BZIP2), "one-circle-in-a-zip"),
        (zipped({"a.json": b"1"})[:-30], "circle-not-unpacked"),
        (zipped({"a.json": b"1234567890"}, zipfile.ZIP_STORED).replace(b"1234", b"1243", 1), "circle-not-unpacked"),
        (b"PK\x03\x04", "circle-not-unpacked"),
        (gzip.compress(b"x" * 99)[:-9], "circle-not-unpacked"),
        (b"\x1f\x8bx", "circle-not-unpacked"),
    ],
)
def test_what_cannot_be_unpacked_is_refused(content: bytes, key: str) -> None:
    with pytest.raises(CircleFileError) as caught:
        read_unpacked(content)
    assert caught.value.problems == (Problem("file", key),)


def test_a_directory_with_too_many_entries_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    content = zipped({f"{number:060}": b"" for number in range(700)})
    monkeypatch.setattr(zipfile, "ZipFile", None)  # would be called
    with pytest.raises(CircleFileError) as caught:
        read_unpacked(content)
    assert caught.value.problems == (Problem("file", "one-circle-in-a-zip"),)


def test_no_more_is_unpacked_than_the_limit() -> None:
    content = gzip.compress(b"0" * 3_000_000)
    assert len(read_unpacked(content, 3_000_000)) == 3_000_000
    with pytest.raises(CircleFileError) as caught:
        read_unpacked(content, 2_999_999)
    assert caught.value.problems == (Problem("file", "circle-unpacks-to-too-much", {"most": 2}),)
