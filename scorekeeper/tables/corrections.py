"""What the change of an earlier deal does to later ones: to scores, to what is won, and whether they are possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ..scoring.game import PARTIE_ENDED
from ..scoring.standing import Closing, Row
from .replay import IllegalDealError, Replay
from .revisions import WITHDRAW, Change
from .state import TableState

MAX_REMOVED = 30  # deals that a correction may remove: each is a revision, and replays the table


class ChangedScores(NamedTuple):
    """The scores after a deal before and after the change."""

    row: Row
    before: Mapping[str, int]
    after: Mapping[str, int]


class ChangedEnd(NamedTuple):
    """A manche, a robre or the partie that a deal wins now, or no longer wins."""

    row: Row
    closing: Closing
    is_won: bool


@dataclass(frozen=True)
class LaterChanges:
    """What becomes of the deals after a changed one. Rows are those before the change.

    Attributes:
        first: the first later deal after which the scores change; None if there is none.
        now: the present scores, if there is such a deal and they are not those after it.
        ends: what is won, or no longer won, from the changed deal on; of that deal itself only what is no longer won.
    """

    first: ChangedScores | None
    now: ChangedScores | None
    ends: Sequence[ChangedEnd]


def find_later_changes(before: TableState, after: TableState) -> LaterChanges:
    """Compare a table with itself after one more revision, of a deal."""
    deal = after.revisions[-1].deal
    earlier = {scored.deal.id: scored.row for scored in before.newest_first()}
    later: list[tuple[Row, Row]] = []
    ends: list[ChangedEnd] = []
    scored_deals = after.scored_deals
    at = next(place for place, scored in enumerate(scored_deals) if scored.deal.id == deal)
    for scored in reversed(scored_deals[at:]):
        old, new = earlier.get(scored.deal.id), scored.row
        if old is not None and new is not None:
            is_changed_deal = scored.deal.id == deal
            ends += [end for end in _compare_ends(old, new) if not (is_changed_deal and end.is_won)][::-1]
            later += [] if is_changed_deal else [(old, new)]
    changed = (ChangedScores(old, old.scores, new.scores) for old, new in reversed(later))
    first = next((scores for scores in changed if scores.before != scores.after), None)
    if first is None:
        return LaterChanges(None, None, ends[::-1])
    now = ChangedScores(before.standing.rows[-1], before.standing.scores, after.standing.scores)
    return LaterChanges(first, now if first != now else None, ends[::-1])


def _compare_ends(old: Row, new: Row) -> list[ChangedEnd]:
    """List what a deal wins now or no longer wins. If the winner is another, only the new win is listed."""
    wins, had = (Counter((closing.kind, closing.winners) for closing in row.closings) for row in (new, old))
    won_kinds = {kind for kind, _ in wins - had}
    lost = [end for end in old.closings if (end.kind, end.winners) in had - wins and end.kind not in won_kinds]
    won = [end for end in new.closings if (end.kind, end.winners) in wins - had]
    return [ChangedEnd(old, end, is_won) for is_won, ends in ((False, lost), (True, won)) for end in ends]


class WayOut(NamedTuple):
    """What makes a change possible that a later deal prevents.

    `removed` are the ids of the later deals that have to be withdrawn with it, in order; none if that does not help.
    `is_editable`: the deal at fault, `deal`, may become possible by editing it.
    """

    deal: int
    removed: tuple[int, ...]
    is_editable: bool


def find_way_out(table: TableState, change: Change) -> WayOut | None:
    """Return how a change becomes possible that makes later deals impossible; None if it makes none."""
    removed: list[int] = []
    fault: IllegalDealError | None = None
    while (error := _find_fault(table.replay, [*build_withdrawals(table, removed), change])) is not None:
        fault = fault or error
        standing = [deal.id for deal in table.deals if not deal.is_withdrawn]
        if error.deal not in standing or error.deal == change.deal:
            return None if fault is error else WayOut(fault.deal, (), _is_editable(fault))
        at = standing.index(error.deal)
        removed += [id_ for id_ in standing[at : at + 1 if _is_editable(error) else None] if id_ not in removed]
        if len(removed) > MAX_REMOVED:
            return WayOut(fault.deal, (), _is_editable(fault))
    if fault is None:
        return None
    is_possible = _find_fault_in_steps(table.replay, [*build_withdrawals(table, removed), change]) is None
    in_order = tuple(deal.id for deal in table.deals if deal.id in removed)
    return WayOut(fault.deal, in_order if is_possible else (), _is_editable(fault))


def build_withdrawals(table: TableState, deals: Sequence[int]) -> list[Change]:
    """Return the changes that withdraw these deals, the last deal first: what is left is possible after each."""
    return [Change(WITHDRAW, deal.id) for deal in reversed(table.deals) if deal.id in deals]


def _is_editable(error: IllegalDealError) -> bool:
    return error.refusal.first.key != PARTIE_ENDED


def _find_fault(replay: Replay, changes: Sequence[Change]) -> IllegalDealError | None:
    """Return what is wrong after all of these changes."""
    first = len(replay.revisions) + 1
    try:
        replay.extended(change.to_row(number, 0, datetime.min, "") for number, change in enumerate(changes, first))
    except IllegalDealError as error:
        return error
    return None


def _find_fault_in_steps(replay: Replay, changes: Sequence[Change]) -> IllegalDealError | None:
    """Return what is wrong after the first of these changes that is not possible: each is a revision of its own."""
    faults = (_find_fault(replay, changes[:count]) for count in range(1, len(changes) + 1))
    return next((error for error in faults if error is not None), None)
