"""Revisions of a table, and the list of deals they describe. A withdrawn deal stays in the list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any, NamedTuple

from ..scoring.game import AnyGame
from ..scoring.problems import Problem, abbreviate_value
from ..scoring.values import MAX_AMOUNT, JsonObject

RECORD, INSERT, AMEND, WITHDRAW, RESTORE, UNDO = "record", "insert", "amend", "withdraw", "restore", "undo"
CLOSE, REOPEN, COUNT = "close", "reopen", "count"  # of no deal; a count has the counted counters as its body
ANNOUNCE = "announce"  # facts of the next deal, announced before it is played; no body: the announcement is cancelled
NEW_KINDS = (RECORD, ANNOUNCE, COUNT, CLOSE)  # these change nothing that was recorded before


class RevisionRow(NamedTuple):
    """The columns of `models.Revision`, where they are documented, as plain values, which threads may share."""

    number: int
    kind: str
    deal_id: int | None
    before_id: int | None
    body: JsonObject | None
    undoes: int | None
    membership_id: int
    at: datetime
    entry_key: str

    @property
    def seen(self) -> str:
        """The text by which a page names this revision as the last one that it shows."""
        return f"{self.number}.{self.entry_key}"


NONE_SEEN = "0"  # what a page has seen of a table without revisions


def find_last_seen(revisions: Sequence[RevisionRow]) -> str:
    return revisions[-1].seen if revisions else NONE_SEEN


def count_seen(revisions: Sequence[RevisionRow], seen: str | None) -> int:
    """Return how many of the revisions a page has seen; −1, which is always stale, if it has seen others."""
    if seen == NONE_SEEN:
        return 0
    return next((revision.number for revision in reversed(revisions) if revision.seen == seen), -1)


@dataclass(frozen=True)
class Change:
    """A proposed revision, which has no number, author or time yet."""

    kind: str
    deal_id: int | None = None
    before_id: int | None = None
    body: JsonObject | None = None
    undoes: int | None = None

    def to_row(self, number: int, membership_id: int, at: datetime, entry_key: str) -> RevisionRow:
        """Return the change as a revision. A new deal takes the revision's number as its id."""
        deal_id = number if self.kind in (RECORD, INSERT) else self.deal_id
        facts = (deal_id, self.before_id, self.body, self.undoes)
        return RevisionRow(number, self.kind, *facts, membership_id, at, entry_key)

    def is_recorded_by(self, revision: RevisionRow) -> bool:
        recorded = (revision.kind, revision.before_id, revision.body)
        return self.deal_id in (None, revision.deal_id) and recorded == (self.kind, self.before_id, self.body)


def find_together(revisions: Sequence[RevisionRow], last: RevisionRow) -> list[RevisionRow]:
    """Return the revisions that one tap has recorded, newest first; `last` is the last of them."""
    return [*takewhile(lambda row: row.entry_key == last.entry_key, reversed(revisions[: last.number]))]


def leave_out_later_deals(revisions: Sequence[RevisionRow], version: int) -> list[RevisionRow]:
    """Return the revisions without those of the deals that were added at the end after this version."""
    deals, _ = apply_revisions(revisions)
    while deals and deals[-1].id > version:
        deals.pop()
    kept = {None, *(deal.id for deal in deals)}
    return [revision for revision in revisions if revision.deal_id in kept]


def list_corrections_since(revisions: Sequence[RevisionRow], version: int) -> list[RevisionRow]:
    """List the revisions after this version that reopened the table, or of deals whose facts are others since then."""
    then, now = ({deal.id: deal.body for deal in apply_revisions(rows)[0]} for rows in (revisions[:version], revisions))
    return [
        row
        for row in revisions[version:]
        if row.kind == REOPEN or (row.deal_id is not None and now[row.deal_id] != then.get(row.deal_id))
    ]


def first_rows(changes: Iterable[Change], membership_id: int, moment: datetime, key: str) -> list[RevisionRow]:
    """Return the changes as the first revisions of a table that is imported, or entered from paper."""
    return [
        change.to_row(number, membership_id, moment, f"{key}-{number}")
        for number, change in enumerate(changes, start=1)
    ]


@dataclass(slots=True)
class RecordedDeal:
    """A deal and its revisions, oldest first. `body` holds its facts, or None while the deal is withdrawn."""

    id: int
    body: JsonObject | None
    revisions: list[RevisionRow] = field(default_factory=list)

    @property
    def is_withdrawn(self) -> bool:
        return self.body is None

    @property
    def last_body(self) -> JsonObject | None:
        """The deal's latest facts, even if it is withdrawn; None if it never had any."""
        return next((r.body for r in reversed(self.revisions) if r.body is not None), None)


def apply_revisions(
    revisions: Iterable[RevisionRow], deals: Sequence[RecordedDeal] = ()
) -> tuple[list[RecordedDeal], int]:
    """Return a new list of deals after revisions, and how many at its beginning are unchanged."""
    result, unchanged = list(deals), len(deals)
    copies: dict[int, RecordedDeal] = {}
    for revision in revisions:
        if revision.deal_id is None:
            continue
        deal = copies.get(revision.deal_id)
        if deal is None:
            deal = RecordedDeal(revision.deal_id, None)
            if revision.deal_id == revision.number:
                index = len(result) if revision.before_id is None else _find_index(result, revision.before_id)
                result.insert(index, deal)
            else:
                index = _find_index(result, revision.deal_id)
                deal.revisions = result[index].revisions.copy()
                result[index] = deal
            copies[deal.id] = deal
            unchanged = min(unchanged, index)
        deal.body = revision.body
        deal.revisions.append(revision)
    return result, unchanged


def _find_index(deals: Sequence[RecordedDeal], deal_id: int) -> int:
    """Return a deal's index. The search begins at the end, since most corrections concern a recent deal."""
    return next(index for index in range(len(deals) - 1, -1, -1) if deals[index].id == deal_id)


def find_last_undoable(revisions: Sequence[RevisionRow]) -> RevisionRow | None:
    undone = set()
    for revision in reversed(revisions):
        undone.add(revision.undoes)
        if revision.deal_id is not None and revision.kind != UNDO and revision.number not in undone:
            return revision
    return None


def find_announcement(revisions: Sequence[RevisionRow]) -> JsonObject | None:
    """Return the announced facts of the deal being played, or None.

    An announcement ends when the next deal is recorded, and is valid again if that deal is undone and not restored.
    """
    undone, restored = set(), set()
    for revision in reversed(revisions):
        undone.add(revision.undoes)
        if revision.kind == ANNOUNCE:
            return revision.body
        if revision.kind == RESTORE and revision.number not in undone:
            restored.add(revision.deal_id)
        if revision.kind == RECORD and (revision.number not in undone or revision.deal_id in restored):
            return None
    return None


def find_last_announced(deals: Sequence[RecordedDeal], keys: Sequence[str]) -> JsonObject | None:
    """Return the first announceable fact (`keys`) of the latest deal that has one of them; None if there is none."""
    for deal in reversed(deals):
        if deal.body is not None and deal.body.keys() & set(keys):
            return {keys[0]: deal.body.get(keys[0])}
    return None


def build_redo(revisions: Sequence[RevisionRow], undo: RevisionRow) -> Change:
    """Return the change that does again what an undo has taken back; `revisions` are all until the undo."""
    undone = revisions[(undo.undoes or 0) - 1]
    kind = undone.kind if undone.kind in (AMEND, WITHDRAW) else RESTORE
    return Change(kind, undone.deal_id, body=undone.body)


def build_undo(deals: Sequence[RecordedDeal], revision: RevisionRow) -> Change:
    deal = deals[_find_index(deals, revision.deal_id)] if revision.deal_id is not None else None
    earlier = [older for older in deal.revisions if older.number < revision.number] if deal is not None else []
    return Change(UNDO, revision.deal_id, body=earlier[-1].body if earlier else None, undoes=revision.number)


def find_count_problems(game: AnyGame, seats: Iterable[str], body: Mapping[str, Any]) -> list[Problem]:
    """List the invalid numbers of a count; their fields are `start.<unit>` and `held.<seat>.<unit>`."""
    values = {f"start.{unit}": body["start"][unit] for unit in game.units}
    values |= {f"held.{seat}.{unit}": body["held"][seat][unit] for seat in seats for unit in game.units}
    return [
        Problem(field, "counters", {"found": abbreviate_value(value), "low": 0, "high": MAX_AMOUNT})
        if value != ""
        else Problem(field, "no-counters")
        for field, value in values.items()
        if type(value) is not int or not 0 <= value <= MAX_AMOUNT
    ]
