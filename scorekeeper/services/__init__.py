"""Use cases on circles and tables. They own the transactions: nothing else in the app commits."""

from ..models.rights import HOST, RIGHTS, SCORE, WATCH, may
from .live import Changes, count_changes
from .table_opening import Opened, Opening, open_table
from .tables import (
    Preview,
    Recorded,
    Refused,
    Stale,
    WriteRequest,
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
    "Opened",
    "Opening",
    "Preview",
    "Recorded",
    "Refused",
    "Stale",
    "WriteRequest",
    "count_changes",
    "may",
    "open_table",
    "preview",
    "read_table",
    "refuse_without_game",
    "tables_of",
    "write",
]
