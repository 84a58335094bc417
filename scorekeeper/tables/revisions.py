"""Revisions of a table, and the list of deals they describe. A withdrawn deal stays in the list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

RECORD, INSERT, AMEND, WITHDRAW, RESTORE, UNDO = "record", "insert", "amend", "withdraw", "restore", "undo"
CLOSE, REOPEN, COUNT = "close", "reopen", "count"
OF_THE_TABLE = (CLOSE, REOPEN, COUNT)  # they tell of no deal; what a count found stands in its body
ANNOUNCE = "announce"  # what is known of the next deal before it is played; no body: it is taken back


class RevisionLike(Protocol):
    """The attributes shared by `models.Revision`, where they are documented, and `RevisionRow`."""

    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def deal(self) -> int | None: ...
    @property
    def before(self) -> int | None: ...
    @property
    def body(self) -> dict[str, Any] | None: ...
    @property
    def undoes(self) -> int | None: ...
    @property
    def browser_id(self) -> int: ...
    @property
    def at(self) -> datetime: ...
    @property
    def entry_key(self) -> str: ...


class RevisionRow(NamedTuple):
    """A revision as plain values, which threads may share."""

    number: int
    kind: str
    deal: int | None
    before: int | None
    body: dict[str, Any] | None
    undoes: int | None
    browser_id: int
    at: datetime
    entry_key: str


@dataclass(frozen=True)
class Change:
    """A proposed revision, which has no number, author or time yet."""

    kind: str
    deal: int | None = None
    before: int | None = None
    body: dict[str, Any] | None = None
    undoes: int | None = None

    def kept(self, number: int, browser_id: int, at: datetime, entry_key: str) -> RevisionRow:
        deal = number if self.kind in (RECORD, INSERT) else self.deal
        return RevisionRow(number, self.kind, deal, self.before, self.body, self.undoes, browser_id, at, entry_key)


@dataclass(slots=True)
class RecordedDeal:
    """A deal and its revisions, oldest first. `body` holds its facts, or None while the deal is withdrawn."""

    id: int
    body: dict[str, Any] | None
    revisions: list[RevisionLike] = field(default_factory=list)

    @property
    def is_withdrawn(self) -> bool:
        """Whether the deal is withdrawn at present."""
        return self.body is None

    @property
    def last_body(self) -> dict[str, Any] | None:
        """The deal's latest facts, even if it is withdrawn; None if it never had any."""
        return next((r.body for r in reversed(self.revisions) if r.body is not None), None)


def replay(revisions: Iterable[RevisionLike], order: Sequence[RecordedDeal] = ()) -> tuple[list[RecordedDeal], int]:
    """Every deal in order, the withdrawn among them: those of `order` as these further revisions leave them.

    Answers also how many of the first of `order` are what and where they were. None of `order` is altered.
    """
    deals, same = list(order), len(order)
    own: dict[int, RecordedDeal] = {}
    for revision in revisions:
        if revision.deal is None:
            continue
        deal = own.get(revision.deal)
        if deal is None:
            deal = RecordedDeal(revision.deal, None)
            if revision.deal == revision.number:
                at = len(deals) if revision.before is None else _place(deals, revision.before)
                deals.insert(at, deal)
            else:
                at = _place(deals, revision.deal)
                deal.revisions = deals[at].revisions.copy()
                deals[at] = deal
            own[deal.id] = deal
            same = min(same, at)
        deal.body = revision.body
        deal.revisions.append(revision)
    return deals, same


def _place(deals: Sequence[RecordedDeal], deal_id: int) -> int:
    """Looked for from the end: what is corrected is mostly what was recorded last."""
    return next(at for at in range(len(deals) - 1, -1, -1) if deals[at].id == deal_id)


def last_undoable(revisions: Sequence[RevisionLike]) -> RevisionLike | None:
    """The last change of a deal that has not been taken back already."""
    undone = set()
    for revision in reversed(revisions):
        undone.add(revision.undoes)
        if revision.deal is not None and revision.kind != UNDO and revision.number not in undone:
            return revision
    return None


def announced(revisions: Sequence[RevisionLike]) -> dict[str, Any] | None:
    """What is known of the deal that is being played; it lapses when one is recorded, and is back if that is undone."""
    undone = set()
    for revision in reversed(revisions):
        undone.add(revision.undoes)
        if revision.kind == ANNOUNCE:
            return revision.body
        if revision.kind == RECORD and revision.number not in undone:
            return None
    return None


def undoing(order: Sequence[RecordedDeal], last: RevisionLike) -> Change:
    """The change that takes back the last one of a deal."""
    deal = order[_place(order, last.deal)] if last.deal is not None else None
    earlier = [revision for revision in deal.revisions if revision.number < last.number] if deal is not None else []
    return Change(UNDO, last.deal, body=earlier[-1].body if earlier else None, undoes=last.number)
