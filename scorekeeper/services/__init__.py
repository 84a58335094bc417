"""Use cases on circles and tables. They own the transactions: nothing else in the app commits."""

from ..models.rights import HOST, RIGHTS, SCORE, WATCH, may
from .live import Changes, count_changes
from .outcome import Conflict, Done, Stale
from .tables.opening import Opening, open_table
from .tables.table import (
    NotWritten,
    Preview,
    Recorded,
    Refused,
    WriteRequest,
    WriteResult,
    preview,
    read_table,
    refuse_without_game,
    tables_of,
    write,
)

__all__ = [
    "HOST",
    "RIGHTS",
    "SCORE",
    "WATCH",
    "Changes",
    "Conflict",
    "Done",
    "NotWritten",
    "Opening",
    "Preview",
    "Recorded",
    "Refused",
    "Stale",
    "WriteRequest",
    "WriteResult",
    "count_changes",
    "may",
    "open_table",
    "preview",
    "read_table",
    "refuse_without_game",
    "tables_of",
    "write",
]
