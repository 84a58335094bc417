"""What one may do with circles and tables. Nothing else in the app commits."""

from .circles import HOST, RIGHTS, SCORE, WATCH, Held, may
from .opening import Opening, open_table
from .tables import (
    Entry,
    Foreseen,
    Recorded,
    Refused,
    Stale,
    count_revisions,
    foresee,
    read_table,
    tables_of,
    write,
)

__all__ = [
    "HOST",
    "RIGHTS",
    "SCORE",
    "WATCH",
    "Entry",
    "Foreseen",
    "Held",
    "Opening",
    "Recorded",
    "Refused",
    "Stale",
    "count_revisions",
    "foresee",
    "may",
    "open_table",
    "read_table",
    "tables_of",
    "write",
]
