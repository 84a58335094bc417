"""The document of a circle, read from bytes piece by piece: what it must be, and where the first fault is."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import Any

import pytest

from scorekeeper.exchange import circle_file
from scorekeeper.exchange.circle_file import CircleFileError, Item, read_items, write_circle
from scorekeeper.exchange.circle_records import FORMAT, LISTS, OPTIONAL, SECTIONS
from scorekeeper.exchange.circle_uploads import unpacked
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


def otherwise(field: str, found: str, key: str = "circle-sections") -> Problem:
    """Return the problem that this was found instead of the next section."""
    return Problem(field, key, {"found": json.dumps(found), "keys": SECTIONS})


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


def test_the_document_has_a_line_for_each_item_and_empty_lists_end_where_they_begin() -> None:
    lines = written(players=ITEMS).decode().splitlines()
    assert lines[:2] == ["{", f'"format": "{FORMAT}",']
    first, second = (json.dumps(item, ensure_ascii=False) for item in ITEMS)
    assert lines[3:8] == ['"players": [', f"{first},", second, "],", '"browsers": [],']
    assert lines[-2:] == ['"payments": []', "}"]


def test_a_byte_order_mark_and_space_of_any_kind_are_skipped() -> None:
    spaced = written(players=ITEMS).replace(b"[", b" \t\r\n[ ").replace(b",\n", b" , \n\n ").replace(b": ", b" :  ")
    assert list(read_items(Slow(b"\xef\xbb\xbf \n" + spaced + b" \n ", 3))) == list(
        read_items(Slow(written(players=ITEMS), 99))
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            b"{\n",
            b"[\n",
            otherwise("format", '[\n"format": "scoreke', "not-a-circle"),
        ),
        (b'"players"', b'"people"', otherwise("people", "people")),
        (b'"players"', b"[]", Problem("players", "missing")),
        (b'"players": []', b'"players": {"a": 1}', Problem("players", "a-list", {"found": '{"a": 1}'})),
        (b"circle/1", b"circle/9", Problem("format", "one-of", {"found": f'"{FORMAT[:-1]}9"', "choices": (FORMAT,)})),
        (b"[]\n}", b"[]", Problem("format", "circle-not-json", {"line": 10, "column": 1})),
        (b"[]\n}", b"[]\n} x", Problem("format", "circle-not-json", {"line": 10, "column": 3})),
        (b'"players": []', b'"players": [\n  x]', Problem("format", "circle-not-json", {"line": 5, "column": 3})),
        (b'"players": []', b'"players": [\n"\\x"]', Problem("format", "circle-not-json", {"line": 5, "column": 2})),
        (b'"players": []', b'"players": [{"a": NaN}]', Problem("players.1", "no-json-number", {"found": "NaN"})),
        (b'"players": []', b'"players": [{}, [%s]]' % (b"9" * 5_000), Problem("players.2", "too-many-digits")),
        (b'"players": []', b'"players": [%s]' % (b"[" * 9_999), Problem("players.1", "nested-too-deep")),
        (b'"players": []', b'"players": ["\xff"]', Problem("format", "circle-not-utf-8")),
        (
            b'"players": []',
            b'"players": [{} {}]',
            otherwise("format", '{}],\n"browsers": [],'),
        ),
        (b',\n"payments": []', b"", otherwise("format", "}\n")),
    ],
)
def test_the_first_fault_is_named_with_its_place(old: bytes, new: bytes, problem: Problem) -> None:
    assert old in written()
    assert fault(written().replace(old, new)) == problem


def test_an_empty_file_is_no_json() -> None:
    assert fault(b"") == Problem("format", "circle-not-json", {"line": 1, "column": 1})


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
