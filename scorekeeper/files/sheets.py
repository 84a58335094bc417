"""Read uploaded score sheets. Every deal is checked against the rules before anything is stored."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import chain
from typing import IO, NamedTuple

from ..games import games
from ..limits import MAX_DEALS, MAX_LABEL, MAX_NAME_LENGTH, find_day_problem
from ..scoring import schema, sheet
from ..scoring.common_facts import clean_reason
from ..scoring.game import fold
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.sheet import Sheet, dump
from ..scoring.values import JsonObject, clean_name, single_line
from ..tables.chairs import rename_players
from .circle_format import FORMAT as CIRCLE_FORMAT
from .exports import ExportedTable
from .json_documents import read

MILLION = 1_000_000
MAX_BYTES = 20 * MILLION  # of all uploads in a request
MAX_FILES = 2_000
MAX_UNPACKED_BYTES = 50 * MILLION  # of all sheets together

# Errors that Python's modules raise for archives that are damaged, encrypted or none. RuntimeError includes
# NotImplementedError; EOFError, IndexError and struct.error come from archives that end too early.
_BROKEN = zipfile.BadZipFile, RuntimeError, EOFError, OSError, ValueError, IndexError, struct.error, zlib.error

Document = tuple[str, bytes | Problem]  # a file's name, and its content or the reason why it cannot be read


class UploadedFile(NamedTuple):
    """An uploaded file: a sheet or a zip archive of sheets."""

    name: str
    content: bytes


def documents(uploads: Iterable[UploadedFile]) -> Iterator[Document]:
    """Yield every sheet in order, with a name to show. When a limit is exceeded, the last one carries the problem."""
    unpacked = 0
    for count, (name, text) in enumerate(chain.from_iterable(map(_list_documents, uploads)), start=1):
        unpacked += len(text) if isinstance(text, bytes) else 0
        excess = None
        if count > MAX_FILES:
            excess = Problem("file", "too-many-files", {"most": MAX_FILES})
        elif unpacked > MAX_UNPACKED_BYTES:
            excess = Problem("file", "too-much-unpacked", {"most": MAX_UNPACKED_BYTES // MILLION})
        yield single_line(name)[-200:].strip() or "?", excess or text
        if excess is not None:
            return


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


def _list_documents(upload: UploadedFile) -> Iterator[Document]:
    name, content = upload
    if not (content.startswith((b"PK\x03\x04", b"PK\x05\x06")) or name.lower().endswith(".zip")):
        yield name, content
        return
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            for entry in archive.infolist():
                is_folder = entry.filename.endswith("/")
                if not is_folder and not entry.filename.startswith("__MACOSX/") and ".DS_Store" not in entry.filename:
                    yield f"{name}/{entry.filename}" if name else entry.filename, _read_entry(archive, entry)
    except _BROKEN:
        yield name, Problem("file", "broken-zip")


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes | Problem:
    """Read an entry, or one byte more than all may have together, by which the caller notices."""
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # zipfile unpacks others without a limit
        return Problem("file", "broken-zip")
    try:
        with archive.open(entry) as file:
            return file.read(MAX_UNPACKED_BYTES + 1)
    except _BROKEN:
        return Problem("file", "broken-zip")


def sheet_text(sheet: Sheet) -> str:
    return json.dumps(dump(sheet), ensure_ascii=False, indent=1)


def write_zip(tables: Iterable[ExportedTable], file: IO[bytes]) -> None:
    """Write a sheet for each table, named by its label. The same tables give the same bytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for label, table in tables:
            entry = zipfile.ZipInfo(f"{label}.json")
            entry.external_attr = 0o644 << 16  # Unix permissions, as zip stores them
            entry.create_system = 3  # Unix, on every system
            archive.writestr(entry, sheet_text(table.sheet()), zipfile.ZIP_DEFLATED)


# --- reading a sheet -----------------------------------------------------------------------------------------


class ImportedSheet(NamedTuple):
    """A valid sheet with cleaned texts, and everybody on it in the order in which they first sat.

    `labels` are by their names in the sheet, `names` are these cleaned. `deal_count` leaves out what is no deal of its
    own, such as an adjustment.
    """

    sheet: Sheet
    labels: Mapping[str, str]
    names: tuple[str, ...]
    deal_count: int
    fingerprint: str

    @property
    def game(self) -> str:
        return self.sheet.game.slug

    @property
    def house_rules(self) -> JsonObject:
        rules: JsonObject = schema.dump(self.sheet.options)
        return rules


def find_fingerprint(sheet: Sheet) -> str:
    """Return a hash of a sheet in which people are numbers in the order in which they first sat."""
    return hashlib.sha256(json.dumps(dump(sheet), sort_keys=True).encode()).hexdigest()


def read_sheet(text: bytes) -> ImportedSheet | Refusal:
    raw = read(text)
    if isinstance(raw, dict) and raw.get("format") == CIRCLE_FORMAT:
        return refuse([Problem("format", "a-circle")])
    loaded = raw if isinstance(raw, Refusal) else sheet.load(raw, games())
    if isinstance(loaded, Refusal):
        return loaded
    deals = [clean_reason(deal) if isinstance(deal, dict) else deal for deal in loaded.deals]
    loaded = loaded._replace(title=clean_name(loaded.title) or None, deals=deals)
    standing = loaded.open()
    refusal = (
        _refuse_head(loaded)
        or sheet.refuse_long_reasons(deals)
        or fold(loaded.game, standing, loaded.deals)
        or _refuse_names(loaded)
    )
    if refusal is not None:
        return refusal
    labels = {name: str(number) for number, name in enumerate(standing.balances, start=1)}
    labelled = loaded._replace(
        players=tuple(labels[name] for name in loaded.players),
        dealer=labels[loaded.dealer],
        deals=[rename_players(loaded.game, deal, labels) for deal in loaded.deals],
    )
    names = tuple(map(clean_name, labels))
    return ImportedSheet(loaded, labels, names, standing.deal_count, find_fingerprint(labelled))


def _refuse_head(loaded: Sheet) -> Refusal | None:
    problems: list[Problem] = []
    key = find_day_problem(loaded.played_on) if loaded.played_on is not None else None
    if key is not None:
        problems.append(Problem("played_on", key))
    if len(loaded.deals) > MAX_DEALS:
        problems.append(Problem("deals", "too-many-deals", {"found": len(loaded.deals), "most": MAX_DEALS}))
    return refuse(problems) if problems else None


def _refuse_names(loaded: Sheet) -> Refusal | None:
    people: dict[str, str] = {}  # cleaned names by those of the sheet
    deals = ((number, deal) for number, deal in enumerate(loaded.deals, start=1) if "substitution" in deal)
    newcomers = ((number, "substitution.in", deal["substitution"]["in"]) for number, deal in deals)
    for number, field, person in chain(((None, "players", person) for person in loaded.players), newcomers):
        name = clean_name(person)
        if person in people:
            continue
        if not name:
            return refuse([Problem(field, "blank-name")], number=number)
        if name in people.values():
            return refuse([Problem(field, "same-name", {"found": name})], number=number)
        if len(name) > MAX_NAME_LENGTH:
            return refuse([Problem(field, "long-name", {"most": MAX_NAME_LENGTH})], number=number)
        if len(people) >= MAX_LABEL:
            return refuse([Problem(field, "too-many-people", {"most": MAX_LABEL})], number=number)
        people[person] = name
    return None
