"""Several revisions of a table by one tap: all of them are recorded, in one transaction, or none."""

from __future__ import annotations

from collections.abc import Sequence

from ...db.transactions import get_id, write_to_circle
from ...models import Browser, Circle
from ...models.rights import SCORE
from ...tables.revisions import Change, build_keys, find_marked
from ...tables.state import TableState
from ..outcome import Done, Stale
from . import replayed
from .table import NotWritten, PreparedWrite, Recorded, WriteRequest, WriteResult, append_locked, prepare


def write_together(
    table: TableState, changes: Sequence[Change], last_revision: int, key: str, browser: Browser
) -> WriteResult:
    """Add revisions as `table.write` adds one. A request sent again returns the first result.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """
    table_id, mark, browser_id = table.id, table.mark, get_id(browser)

    def work(circle: Circle) -> WriteResult:
        now = replayed.read_locked(circle, table_id)
        seen = last_revision if find_marked(now.revisions, mark) >= 0 else -1  # a backup was restored meanwhile
        return _write(now, changes, seen, key, browser_id)

    result = write_to_circle(table.circle_id, work, browser=browser, right=SCORE, table_id=table_id)
    if isinstance(result, Done):
        replayed.store(result.value.table)
    return result


def _write(table: TableState, changes: Sequence[Change], last_revision: int, key: str, browser_id: int) -> WriteResult:
    *keys, next_key = build_keys(key, len(changes) + 1)  # the page may have recorded one more under its key
    earlier = [revision for revision in table.revisions if revision.entry_key in (*keys, next_key)]
    if earlier:
        is_done = len(earlier) == len(changes) and all(map(Change.is_recorded_by, changes, earlier))
        return Done(Recorded(earlier[-1], table)) if is_done else Stale(earlier)
    if last_revision != table.version:
        return Stale(table.revisions[max(last_revision, 0) :])
    prepared = prepare_all(table, changes, keys, browser_id)
    return append_all(prepared) if isinstance(prepared, list) else prepared


def prepare_all(
    table: TableState, changes: Sequence[Change], keys: Sequence[str], browser_id: int
) -> list[PreparedWrite] | NotWritten | Done[Recorded]:
    """Build the revisions to add to the table, or return the result of the first that cannot be added."""
    writes: list[PreparedWrite] = []
    for change, key in zip(changes, keys, strict=True):
        prepared = prepare(table, WriteRequest(change, table.version, key), browser_id)
        if not isinstance(prepared, PreparedWrite):
            return prepared
        writes.append(prepared)
        table = prepared.after
    return writes


def append_all(writes: Sequence[PreparedWrite]) -> Done[Recorded]:
    """Insert the revisions; the caller holds the circle's lock."""
    for write in writes:
        append_locked(write)
    return Done(Recorded(writes[-1].revision, writes[-1].after))
