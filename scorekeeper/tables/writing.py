"""Every write to a table's facts: lock the circle, read, check key, `seen` and rules, insert, commit.

The table's summary, which pages about many tables read, is stored with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy import insert

from ..db.outcome import Done, Stale
from ..db.transactions import get_id, writing_to_circle
from ..limits import MAX_DEALS
from ..models import SCORE, Circle, Membership, Player, Revision, Seat, Summary, db, now
from ..scoring.game import announcement_problems
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.standing import Row
from ..site.live import touch_table
from ..site.occasions import notify
from .chairs import to_labels
from .reading import get_locked_table, is_guest_at, read_states
from .revisions import ANNOUNCE, CLOSE, COUNT, INSERT, RECORD, REOPEN, Change, RevisionRow, count_seen
from .state import IllegalDealError, TableState
from .summary import summarise

TURN_NOTICE = "turn"  # the kind of notice for who comes in at a table


class Recorded(NamedTuple):
    """A revision that was recorded, the last one of several, and the table with it."""

    revision: RevisionRow
    table: TableState


@dataclass(frozen=True)
class Refused:
    """Nothing was recorded: with the change, this deal or a later one would break a rule."""

    refusal: Refusal
    deal_id: int | None = None  # of the deal at fault
    row: Row | None = None  # of that deal, before the change
    is_own: bool = True  # whether it is the deal that was sent

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.refusal.problems

    @property
    def own_problems(self) -> tuple[Problem, ...]:
        """The problems of the deal that was sent, which its page shows at their fields; none of a later deal's."""
        return self.problems if self.is_own else ()


NotWritten = Stale[Sequence[RevisionRow]] | Refused  # the revisions that the writer has not seen, oldest first
WriteResult = Done[Recorded] | NotWritten


def refuse_change(*problems: Problem) -> Refused:
    return Refused(refuse(problems))


@dataclass(frozen=True)
class Preview:
    """The table as a change would leave it."""

    table: TableState
    deal_id: int | None  # the id of the deal that was sent

    @property
    def row(self) -> Row | None:
        return self.table.find_row(self.deal_id)


def preview(table: TableState, *changes: Change) -> Preview | Refused:
    """Score the table as the changes would leave it; write nothing. The last one is that of the deal in question."""
    numbered = enumerate(changes, table.version + 1)
    return _preview(table, *(change.to_row(number, 0, datetime.max, "") for number, change in numbered))


def _preview(table: TableState, *revisions: RevisionRow) -> Preview | Refused:
    sent = revisions[-1].deal_id
    try:
        after = table.with_revision(*revisions)
    except IllegalDealError as error:
        return Refused(error.refusal, error.deal_id, table.find_row(error.deal_id), is_own=error.deal_id == sent)
    return Preview(after, sent)


def write(table: TableState, changes: Sequence[Change], seen: str, key: str, membership: Membership) -> WriteResult:
    """Add a revision for each change, if no deal breaks a rule with them: all or none.

    `seen` is what the writer's page showed of the table, `key` the page's entry key: a request sent again
    returns the first result.
    """
    author = get_id(membership)
    with writing_to_table(table, membership) as (_, current):
        return write_locked(current, changes, seen, key, author)


@contextmanager
def writing_to_table(table: TableState, membership: Membership) -> Iterator[tuple[Circle, TableState]]:
    """Hold the circle's lock with the table as it is now; commit at the end, or raise if the sender may not score."""
    is_guest = partial(is_guest_at, table.circle_id, get_id(membership), table.id)
    with writing_to_circle(table.circle_id, membership=membership, right=SCORE, is_guest=is_guest) as circle:
        locked = get_locked_table(circle, table.id)
        yield circle, read_states(circle.id, [locked])[table.id]


def write_locked(
    table: TableState,
    changes: Sequence[Change],
    seen: str,
    key: str,
    membership_id: int,
    newcomers: Mapping[str, Player] | None = None,
) -> WriteResult:
    """Do what `write` does, with new people at the table by label; the caller holds the circle's lock."""
    known = _find_earlier(table, changes, key)
    if known is not None:
        return known
    shown = count_seen(table.revisions, seen)
    if shown != table.version:
        return Stale(table.revisions[shown:])
    after = table
    rows: list[RevisionRow] = []
    for change in changes:
        row = change.to_row(after.version + 1, membership_id, now(), key)
        outcome = _refuse_now(after, change) or _preview(after, row)
        if isinstance(outcome, Refused):
            return outcome
        after = outcome.table
        rows.append(row)
    for label, player in (newcomers or {}).items():
        seat = Seat(circle_id=table.circle_id, label=label, player=player, is_substitute=True, has_sat=True)
        table.stored.seats.append(seat)
    db.session.flush()  # the summary names players by their ids, which new ones have from now on
    _insert(table, rows)
    store_summary(after)
    touch_table(table.stored)
    return Done(Recorded(rows[-1], after))


def _find_earlier(table: TableState, changes: Sequence[Change], key: str) -> WriteResult | None:
    """Return what these changes, or others sent under this key, have recorded before; None if there is nothing."""
    earlier = [revision for revision in table.revisions if revision.entry_key == key]
    if not earlier:
        return None
    is_same = len(earlier) == len(changes) and all(map(Change.is_recorded_by, changes, earlier))
    return Done(Recorded(earlier[-1], table)) if is_same else Stale(earlier)


def _insert(table: TableState, rows: Sequence[RevisionRow]) -> None:
    """Insert revisions, note in the table's row whether it is closed, and tell who comes in that a deal is over."""
    ids = {"circle_id": table.circle_id, "table_id": table.id}
    db.session.execute(insert(Revision), [row._asdict() | ids for row in rows])
    for row in rows:
        if row.kind in (CLOSE, REOPEN):
            table.stored.closed_at = row.at if row.kind == CLOSE else None
        if row.kind == RECORD and table.stored.turns is not None:
            notify(TURN_NOTICE, table.circle_id, (table.token,), row.membership_id)


def _refuse_now(table: TableState, change: Change) -> Refused | None:
    """Refuse a change that is not allowed at this point, whatever its deal would score."""
    if change.kind == COUNT:
        return None
    if table.is_closed != (change.kind == REOPEN):
        return refuse_change(Problem("deals", "table-closed"))
    if change.kind in (RECORD, INSERT) and len(table.deals) >= MAX_DEALS:
        return refuse_change(Problem("deals", "too-many-deals", {"found": len(table.deals) + 1, "most": MAX_DEALS}))
    if change.kind == ANNOUNCE and change.body is not None:
        facts = to_labels(table.game, change.body, table.chairs, table.standing.players)
        problems = announcement_problems(table.game, table.standing, facts)
        return refuse_change(*problems) if problems else None
    return None


def build_summary(table: TableState) -> Summary:
    """Return a table's summary, not in the session."""
    ids = {"circle_id": table.circle_id, "table_id": table.id}
    data = summarise(table)
    owed = {seat: [data["seats"][seat], amount] for seat, amount in data["subunits"].items() if amount}
    return Summary(**ids, version=table.version, data=data, account=data["account"], owed=owed)


def store_summary(table: TableState) -> None:
    """Write the table's summary; the caller holds the circle's lock and has written the revision."""
    db.session.merge(build_summary(table))
    for seat in table.stored.seats:
        seat.has_sat = seat.label in table.everybody
