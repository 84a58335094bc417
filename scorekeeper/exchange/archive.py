"""Score sheets as text, and many of them in one zip; the same tables give the same bytes."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from typing import IO

from ..scoring.sheet import Sheet, dump
from .labelled import Labelled

READABLE = 0o644 << 16  # for everybody, as zips tell of it


def sheet_text(sheet: Sheet) -> str:
    return json.dumps(dump(sheet), ensure_ascii=False, indent=1)


def write_zip(tables: Iterable[Labelled], file: IO[bytes]) -> None:
    """A sheet for each table, by its label. Nothing of the clock is in it."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for label, table in tables:
            entry = zipfile.ZipInfo(f"{label}.json")
            entry.external_attr = READABLE
            entry.create_system = 3  # Unix, wherever it is written
            archive.writestr(entry, sheet_text(table.sheet()), zipfile.ZIP_DEFLATED)
