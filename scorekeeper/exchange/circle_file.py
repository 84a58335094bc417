"""Read the file of a circle line by line, so that its size in memory is that of its largest table.

Each item stands on a line of its own, as `json_documents.write_lists` writes it. The file may be compressed by gzip;
limits apply to what is actually read.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from functools import partial
from typing import IO, Any, NamedTuple, NoReturn

from ..scoring import schema
from ..scoring.problems import Problem, Refusal, abbreviate_value
from ..scoring.values import NO_SEATS
from .circle_records import CIRCLE, FORMAT, LATER, LISTS, Record
from .json_documents import read

MILLION = 1_000_000
MAX_UNPACKED = 200  # million bytes
MAX_ITEM = 8  # million bytes: a table of 3,000 deals, each corrected several times, is smaller
SECTIONS = ("format", "circle", *LISTS)
_GZIP = b"\x1f\x8b"


class CircleFileError(Exception):
    """The file is not that of a circle that can be imported. The problems' fields are paths, as `players.3.name`."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems)
        self.problems = problems


class Item(NamedTuple):
    """An item: its section, its place there, counted from 1, and its values. The circle itself has the place 0.

    `size` is that of its line.
    """

    section: str
    place: int
    values: Any
    size: int

    @property
    def path(self) -> str:
        """The path to the item, as in a problem's field."""
        return f"{self.section}.{self.place}" if self.place else self.section


def refuse(field: str, key: str, **params: object) -> NoReturn:
    """Raise a CircleFileError for one problem."""
    raise CircleFileError(Problem(field, key, params))


def refuse_line(number: int) -> NoReturn:
    """Raise a CircleFileError for a line that is not as an export writes it."""
    refuse("file", "circle-not-as-exported", line=number)


def refuse_all(path: str, problems: list[Problem]) -> None:
    """Raise a CircleFileError if there are problems, whose fields are relative to a path."""
    if problems:
        raise CircleFileError(*(each._replace(field=f"{path}.{each.field}".rstrip(".")) for each in problems))


def read_items(file: IO[bytes], most: int = MAX_UNPACKED) -> Iterator[Item]:
    """Yield the circle, then each item of the lists in order; of at most so many million bytes, unpacked.

    Each value is within its limits, and what it refers to is in the file.

    Raises:
        CircleFileError: at the first item that is not so, or if the file is not one of a circle.
    """
    counts = dict.fromkeys(LISTS, 0)
    for section, content, size in _read_parts(file, most):
        if section == "format":
            if content != FORMAT:
                refuse("format", "one-of", found=abbreviate_value(content), choices=(FORMAT,))
            continue
        place = counts[section] = counts[section] + 1 if section in counts else 0
        record = LISTS.get(section, CIRCLE)
        problems: list[Problem] = []
        item = Item(section, place, schema.load(record.values, content, NO_SEATS, problems), size)
        refuse_all(item.path, problems)
        _check_references(record, item.values, item.path, counts)
        yield item


def _check_references(record: Record, values: Any, path: str, counts: dict[str, int]) -> None:
    """Check that the items are there to which a record refers; those of a later one are checked when it comes."""
    for field in record.fields:
        value = getattr(values, field.name)
        section = field.section if value is not None and field.name not in LATER else None
        if section is not None and not 1 <= value <= counts[section]:
            refuse(f"{path}.{field.name}", "not-in-file", found=str(value), section=section)
        for place, each in enumerate(value if field.column is None else (), start=1):
            _check_references(record.held[field.name], each, f"{path}.{field.name}.{place}", counts)


def _read_parts(file: IO[bytes], most: int) -> Iterator[tuple[str, Any, int]]:
    """Yield the section, the content and the size of each item of a file."""
    sections, section, number, is_ended = [*SECTIONS], "", 1, False
    for number, line in _read_lines(file, most):
        text = line.strip().removesuffix(b",")
        if text in (b"", b"{", b"]", b"}"):
            is_ended = is_ended or text == b"}"
            continue
        begins = text.startswith(b'"')
        raw = read(b"{%s%s}" % (text, b"]" * text.endswith(b"[")) if begins else text)
        if is_ended or isinstance(raw, Refusal) or (begins and [*raw] != sections[:1]):
            refuse_line(number)
        if begins:
            section = sections.pop(0)
            raw = raw[section]
        if begins is not (section in LISTS):
            yield section, raw, len(line)
        elif raw != []:
            refuse_line(number)
    if sections or not is_ended:
        refuse_line(number)


def _read_lines(file: IO[bytes], most: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers, from the beginning of the file."""
    file.seek(0)
    is_packed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    lines = gzip.GzipFile(fileobj=file) if is_packed else file
    left, longest = most * MILLION, MAX_ITEM * MILLION
    try:
        for number, line in enumerate(iter(partial(lines.readline, longest + 1), b""), start=1):
            left -= len(line)
            if left < 0:
                refuse("file", "circle-unpacks-to-too-much", most=most)
            if len(line) > longest:
                refuse_line(number)
            yield number, line
    except (OSError, EOFError, zlib.error) as error:
        raise CircleFileError(Problem("file", "circle-not-unpacked")) from error
