"""A table's revisions, replayed into its deals. Nothing is ever taken out: what is withdrawn keeps its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

RECORD, INSERT, AMEND, WITHDRAW, RESTORE, UNDO = "record", "insert", "amend", "withdraw", "restore", "undo"
CLOSE, REOPEN, COUNT = "close", "reopen", "count"
OF_THE_TABLE = (CLOSE, REOPEN, COUNT)  # they tell of no deal; what a count found stands in its body
ANNOUNCE = "announce"  # what is known of the next deal before it is played; no body: it is taken back


class Revised(Protocol):
    """What is needed of a revision; `store.Revision` says what each means."""

    number: int
    kind: str
    deal: int | None
    before: int | None
    body: dict[str, Any] | None
    undoes: int | None


@dataclass(frozen=True)
class Change:
    """A revision that is proposed: the same, before it has a number of its own."""

    kind: str
    deal: int | None = None
    before: int | None = None
    body: dict[str, Any] | None = None
    undoes: int | None = None


@dataclass(slots=True)
class KeptDeal:
    """A deal in its place, with every revision of it, oldest first. `body` is None while it is withdrawn."""

    id: int
    body: dict[str, Any] | None
    revisions: list[Any] = field(default_factory=list)

    @property
    def is_withdrawn(self) -> bool:
        return self.body is None

    @property
    def last_body(self) -> dict[str, Any] | None:
        """What it last said, withdrawn or not."""
        return next((r.body for r in reversed(self.revisions) if r.body is not None), None)


def replay(revisions: Iterable[Revised]) -> list[KeptDeal]:
    """Every deal in order, the withdrawn among them."""
    order: list[KeptDeal] = []
    by_id: dict[int, KeptDeal] = {}
    for revision in revisions:
        if revision.deal is None:
            continue
        deal = by_id.get(revision.deal)
        if deal is None:
            deal = by_id[revision.deal] = KeptDeal(revision.deal, None)
            at = len(order) if revision.before is None else order.index(by_id[revision.before])
            order.insert(at, deal)
        deal.body = revision.body
        deal.revisions.append(revision)
    return order


def proposed(order: Sequence[KeptDeal], change: Change, new_id: int) -> list[tuple[int, dict[str, Any]]]:
    """The deals as they would stand, each with its id, the withdrawn left out. A new deal takes `new_id`."""
    bodies: list[tuple[int, dict[str, Any] | None]] = [(deal.id, deal.body) for deal in order]
    if change.kind in (RECORD, INSERT):
        ids = [deal.id for deal in order]
        at = len(ids) if change.before is None else ids.index(change.before)
        bodies.insert(at, (new_id, change.body))
    else:
        bodies = [(id_, change.body if id_ == change.deal else body) for id_, body in bodies]
    return [(id_, body) for id_, body in bodies if body is not None]


def last_undoable(revisions: Sequence[Revised]) -> Revised | None:
    """The last change of a deal that has not been taken back already."""
    undone = {revision.undoes for revision in revisions}
    for revision in reversed(revisions):
        if revision.deal is not None and revision.kind != UNDO and revision.number not in undone:
            return revision
    return None


def announced(revisions: Sequence[Revised]) -> dict[str, Any] | None:
    """What is known of the deal that is being played; it lapses when one is recorded, and is back if that is undone."""
    undone = {revision.undoes for revision in revisions}
    for revision in reversed(revisions):
        if revision.kind == ANNOUNCE:
            return revision.body
        if revision.kind == RECORD and revision.number not in undone:
            return None
    return None


def undoing(order: Sequence[KeptDeal], last: Revised) -> Change:
    """The change that takes back the last one of a deal."""
    deal = next(deal for deal in order if deal.id == last.deal)
    earlier = [revision for revision in deal.revisions if revision.number < last.number]
    return Change(UNDO, deal.id, body=earlier[-1].body if earlier else None, undoes=last.number)
