"""Write score sheets as JSON text and as reproducible zip archives."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from typing import IO

from ..scoring.sheet import Sheet, dump
from .exported import ExportedTable

FILE_MODE = 0o644 << 16  # Unix permissions, as zip stores them


def sheet_text(sheet: Sheet) -> str:
    """Return a sheet as JSON text."""
    return json.dumps(dump(sheet), ensure_ascii=False, indent=1)


def write_zip(tables: Iterable[ExportedTable], file: IO[bytes]) -> None:
    """Write a sheet for each table, named by its label. The same tables give the same bytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for label, table in tables:
            entry = zipfile.ZipInfo(f"{label}.json")
            entry.external_attr = FILE_MODE
            entry.create_system = 3  # Unix, on every system
            archive.writestr(entry, sheet_text(table.sheet()), zipfile.ZIP_DEFLATED)
