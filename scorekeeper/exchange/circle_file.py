"""Write and read the document of a circle piece by piece, so that its size in memory is that of its largest table.

It may be compressed. Limits apply to bytes actually read, not to declared sizes."""

from __future__ import annotations

import codecs
import gzip
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from json import JSONDecodeError, JSONDecoder
from os import SEEK_END
from typing import IO, Any, NamedTuple, Protocol, cast

from ..scoring.problems import Problem, abbreviate_key, abbreviate_value
from ..scoring.values import JsonObject
from .archives import BROKEN_ARCHIVE, MAX_UNPACKED_BYTES, MILLION, ZIP_METHODS
from .circle_records import FORMAT, LISTS, OPTIONAL, SECTIONS
from .json_documents import NotJsonError, build_object, reject_constant, write_lists

CHUNK_SIZE = 1 << 20  # bytes read at a time
MAX_ITEM = 8_000_000  # characters of one item: a table of 3,000 deals, each corrected several times, is smaller
_SPACE = re.compile(r"[ \t\n\r]*")
_BOUNDARY = 16  # characters: an error this close to the end of what was read may be due to the end


class CircleFileError(Exception):
    """The document is not a circle that can be imported. The problems' fields are paths, such as `players.3.name`."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems[0].field, problems[0].key)
        self.problems = problems


class Readable(Protocol):
    """A file of which only the next bytes are read."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`; none at the end."""


class Item(NamedTuple):
    """A piece of the document: its section, its place there, counted from 1, and its content.

    The circle itself has the place 0.
    """

    section: str
    place: int
    content: Any

    @property
    def path(self) -> str:
        """The path to the item, as in a problem's field."""
        return f"{self.section}.{self.place}" if self.place else self.section


# --- writing -------------------------------------------------------------------------------------------------


def write_circle(circle: JsonObject, lists: Mapping[str, Iterable[JsonObject]], file: IO[bytes]) -> None:
    """Write the document with one item on each line.

    An optional list that is not among `lists` is left out in the file.
    """
    written = {name: lists[name] for name in LISTS if name in lists or name not in OPTIONAL}
    write_lists({"format": FORMAT, "circle": circle}, written, file)


# --- reading -------------------------------------------------------------------------------------------------


def read_items(file: Readable) -> Iterator[Item]:
    """Yield the circle, then each item of the lists in order.

    Raises:
        CircleFileError: the document is not JSON, or its sections are not those of the format, in their order.
    """
    reader = _Reader(file)
    reader.expect("{", "not-a-circle")
    name: object = None  # the key that comes next, once it is read
    for number, section in enumerate(SECTIONS):
        if name is None and number:
            reader.expect(",", "circle-sections")
        name = reader.value(section) if name is None else name
        if section in OPTIONAL and name != section:
            continue
        _expect_section(name, section)
        name = None
        reader.expect(":", "circle-sections")
        if section in LISTS:
            yield from _items(reader, section)
            continue
        value = reader.value(section)
        if section == "circle":
            yield Item(section, 0, value)
        elif value != FORMAT:
            raise CircleFileError(Problem("format", "one-of", {"found": abbreviate_value(value), "choices": (FORMAT,)}))
    reader.expect("}", "circle-sections")
    reader.expect_end()


def _expect_section(name: object, section: str) -> None:
    if name == section:
        return
    if not isinstance(name, str):
        raise CircleFileError(Problem(section, "missing"))
    params = {"found": abbreviate_value(name), "keys": SECTIONS}
    raise CircleFileError(Problem(abbreviate_key(name), "circle-sections", params))


def _items(reader: _Reader, section: str) -> Iterator[Item]:
    if not reader.skips("["):
        raise CircleFileError(Problem(section, "a-list", {"found": abbreviate_value(reader.value(section))}))
    if reader.skips("]"):
        return
    place = 1
    while True:
        yield Item(section, place, reader.value(f"{section}.{place}"))
        if reader.skips("]"):
            return
        reader.expect(",", "circle-sections")
        place += 1


class _Reader:
    """Reads JSON values one by one from a file in UTF-8."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = JSONDecoder(object_pairs_hook=build_object, parse_constant=reject_constant)
        self._text, self._position, self._line = "", 0, 1
        self._is_at_end = False

    def expect(self, sign: str, problem: str) -> None:
        """Skip a sign of the syntax, or raise CircleFileError."""
        if self.skips(sign):
            return
        line, column = self._place(self._position)
        if self._position < len(self._text):
            found = abbreviate_value(self._text[self._position : self._position + 20])
        else:
            raise CircleFileError(Problem("format", "circle-not-json", {"line": line, "column": column}))
        raise CircleFileError(Problem("format", problem, {"found": found, "keys": SECTIONS}))

    def skips(self, sign: str) -> bool:
        """Skip a sign if it comes next; return whether it did."""
        self._skip_space()
        is_next = self._text.startswith(sign, self._position)
        self._position += is_next
        return is_next

    def expect_end(self) -> None:
        self._skip_space()
        if self._position < len(self._text):
            line, column = self._place(self._position)
            raise CircleFileError(Problem("format", "circle-not-json", {"line": line, "column": column}))

    def value(self, path: str) -> Any:
        """Read the next value; `path` is where it stands."""
        self._skip_space()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._position)
            except JSONDecodeError as error:
                if self._is_cut_off(error) and self._read_more(path):
                    continue
                line, column = self._place(error.pos)
                raise CircleFileError(Problem("format", "circle-not-json", {"line": line, "column": column})) from error
            except NotJsonError as error:
                raise CircleFileError(Problem(path, error.problem.key, error.problem.params)) from error
            except RecursionError as error:
                raise CircleFileError(Problem(path, "nested-too-deep")) from error
            except ValueError as error:  # Python limits integers to 4,300 digits
                raise CircleFileError(Problem(path, "too-many-digits")) from error
            self._position = end
            return value

    def _is_cut_off(self, error: JSONDecodeError) -> bool:
        """Return whether the end of what was read so far may be the cause of an error."""
        is_in_string = error.msg.startswith(("Unterminated string", "Invalid \\"))
        return not self._is_at_end and (is_in_string or error.pos >= len(self._text) - _BOUNDARY)

    def _skip_space(self) -> None:
        while True:
            found = _SPACE.match(self._text, self._position)
            self._position = found.end() if found is not None else self._position
            if self._position < len(self._text) or not self._read_more(""):
                return

    def _read_more(self, path: str) -> bool:
        """Read on, dropping what has been used; return False at the end of the file."""
        if self._is_at_end:
            return False
        if len(self._text) - self._position > MAX_ITEM:
            raise CircleFileError(Problem(path, "too-large-an-item", {"most": MAX_ITEM // 1_000_000}))
        self._line += self._text.count("\n", 0, self._position)
        chunk = self._file.read(CHUNK_SIZE)
        self._is_at_end = not chunk
        try:
            self._text = self._text[self._position :] + self._decoder.decode(chunk, final=self._is_at_end)
        except UnicodeDecodeError as error:
            raise CircleFileError(Problem("format", "circle-not-utf-8")) from error
        self._position = 0
        return True

    def _place(self, position: int) -> tuple[int, int]:
        """Return the line and column of a position in the text; columns are right for items on lines of their own."""
        line_start = self._text.rfind("\n", 0, position) + 1
        return self._line + self._text.count("\n", 0, position), position - line_start + 1


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
