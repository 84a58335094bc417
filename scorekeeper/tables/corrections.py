"""What the change of an earlier deal does to later ones: to scores, to what is won, and whether they are possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..scoring.currency import is_currency
from ..scoring.game import PARTIE_ENDED
from ..scoring.standing import ADJUSTMENT, DEAL, Closing, Row
from .revisions import WITHDRAW, Change
from .settling import is_paid_deal_corrected
from .state import TableState
from .writing import NotWritten, Preview, Refused, preview

MAX_WITHDRAWN = 30  # deals that a correction may withdraw: each is a revision, and replays the table


class ChangedScores(NamedTuple):
    """Scores by party, in the order of the seats: other people may sit there afterwards."""

    row: Row
    before: Mapping[str, int]
    after: Mapping[str, int]

    @property
    def are_same(self) -> bool:
        return [*self.before.values()] == [*self.after.values()]

    @property
    def only_changed(self) -> ChangedScores:
        pairs = [*zip(self.before.items(), self.after.items(), strict=True)]
        changed = [(old, new) for old, new in pairs if old[1] != new[1]]
        return self._replace(before=dict(old for old, _ in changed), after=dict(new for _, new in changed))


class ChangedEnd(NamedTuple):
    """A manche, a robre or the partie that a deal wins now, or no longer wins."""

    row: Row
    closing: Closing
    is_won: bool
    before: Closing | None = None  # the same win, if only what it counts or what is paid for it changes


class ChangedAmount(NamedTuple):
    player: str
    before: tuple[str, int]  # the account of the table, and subunits of it
    after: tuple[str, int]


@dataclass(frozen=True)
class LaterChanges:
    """What becomes of the deals after a changed one. Rows are those before the change."""

    # The first later deal or adjustment after which the scores change; None if there is none.
    first: ChangedScores | None
    # The present scores, if there is such a deal and they are not those after it; or if the last deal, withdrawn or
    # restored, changes them.
    now: ChangedScores | None
    # What is won, or no longer won, or counts otherwise, from the changed deal on; of that deal itself only what is
    # no longer won.
    ends: Sequence[ChangedEnd]
    amounts: Sequence[ChangedAmount]
    is_paid: bool = False  # whether the change corrects what was paid for

    @property
    def are_none(self) -> bool:
        return not (self.first or self.now or self.ends or self.amounts)


def find_consequences(table: TableState, outcome: Preview | NotWritten | None) -> LaterChanges | None:
    """Return what becomes of later deals, and of what was paid for; None without a change that is possible."""
    if not isinstance(outcome, Preview):
        return None
    later = find_later_changes(table, outcome.table)
    return replace(later, is_paid=is_paid_deal_corrected(table, outcome.table))


def find_later_changes(before: TableState, after: TableState) -> LaterChanges:
    """Compare a table with itself after further revisions, of one deal or of several."""
    changed = {revision.deal_id for revision in after.revisions[before.version :]}
    earlier = {scored.deal.id: scored.row for scored in before.scored_deals}
    at = next(place for place, scored in enumerate(after.scored_deals) if scored.deal.id in changed)
    # Each deal's row before and after, None while it is withdrawn or not recorded; and whether it is a changed one.
    deals = [(earlier.get(each.deal.id), each.row, each.deal.id in changed) for each in after.scored_deals[at:]]
    later = [
        ChangedScores(old, old.scores, new.scores)
        for old, new, is_changed in deals
        if old is not None and new is not None and not is_changed and new.kind in (DEAL, ADJUSTMENT)
    ]
    first = next((scores for scores in later if not scores.are_same), None)
    ends = [end for old, new, is_changed in deals for end in _compare_ends(old, new) if not (is_changed and end.is_won)]
    last = (before.standing.rows or after.standing.rows)[-1]
    now = ChangedScores(last, before.standing.scores, after.standing.scores)
    if first is not None:
        is_shown = now._replace(row=first.row) != first
    else:  # a deal counts that did not, or no longer does
        is_shown = not now.are_same and any(is_changed and None in (old, new) for old, new, is_changed in deals)
    return LaterChanges(first, now if is_shown else None, ends, _list_changed_amounts(before, after))


def _list_changed_amounts(before: TableState, after: TableState) -> list[ChangedAmount]:
    """List whose amounts differ; none if they are counters that the scores already tell."""
    old, new = before.result, after.result
    if before.game.stakes.scores_are_payments and not (is_currency(old.account) or is_currency(new.account)):
        return []
    amounts = [
        ChangedAmount(player, (old.account, old.subunits.get(player, 0)), (new.account, new.subunits.get(player, 0)))
        for player in dict.fromkeys((*old.subunits, *new.subunits))
    ]
    return [each for each in amounts if each.before != each.after and (each.before[1] or each.after[1])]


def _compare_ends(before: Row | None, after: Row | None) -> list[ChangedEnd]:
    """List what a deal wins now, no longer wins or wins otherwise. Of another winner, only the new win is listed."""
    row = before or after
    if row is None:
        return []
    old, new = (each.closings if each is not None else () for each in (before, after))
    had, wins = (Counter((closing.kind, closing.winners) for closing in closings) for closings in (old, new))
    won_kinds = {kind for kind, _ in wins - had}
    lost = [end for end in old if (end.kind, end.winners) in had - wins and end.kind not in won_kinds]
    won = [end for end in new if (end.kind, end.winners) in wins - had]
    kept = [(was, now) for was in old for now in new if (was.kind, was.winners) == (now.kind, now.winners)]
    return [
        *(ChangedEnd(row, end, is_won=False) for end in lost),
        *(ChangedEnd(row, end, is_won=True) for end in won),
        *(ChangedEnd(row, now, True, was) for was, now in kept if (was.worth, was.entries) != (now.worth, now.entries)),
    ]


def find_deals_in_the_way(table: TableState, change: Change) -> tuple[int, ...]:
    """Return the ids of the later deals without which a change is possible, in order; none if that does not help."""
    withdrawn: list[int] = []
    while isinstance(outcome := preview(table, *build_withdrawals(table, withdrawn), change), Refused):
        valid = [deal.id for deal in table.deals if not deal.is_withdrawn]
        if outcome.is_own or outcome.deal_id not in valid or len(withdrawn) > MAX_WITHDRAWN:
            return ()
        at = valid.index(outcome.deal_id)
        is_after_end = outcome.refusal.first.key == PARTIE_ENDED
        refused = valid[at:] if is_after_end else [outcome.deal_id]
        withdrawn += [id_ for id_ in refused if id_ not in withdrawn]
    steps = build_withdrawals(table, withdrawn)
    previews = (preview(table, *steps[:count]) for count in range(1, len(steps) + 1))
    if len(withdrawn) > MAX_WITHDRAWN or any(isinstance(each, Refused) for each in previews):
        return ()
    return tuple(deal.id for deal in table.deals if deal.id in withdrawn)


def build_withdrawals(table: TableState, deals: Sequence[int]) -> list[Change]:
    """Return the changes that withdraw these deals, the last deal first: what is left is possible after each."""
    return [Change(WITHDRAW, deal.id) for deal in reversed(table.deals) if deal.id in deals]
