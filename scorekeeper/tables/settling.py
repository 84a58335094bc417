"""What is due and paid for tables, as the feature says that keeps payments; and corrections of what was paid for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from ..models import Membership, Table
from ..site.features import features
from .revisions import NEW_KINDS, RevisionRow, leave_out_later_deals, list_corrections_since
from .state import TableState


class Settling(NamedTuple):
    """Lines about what is due and paid for a table, or for those of an evening."""

    due: list[str]  # the payments that clear what is open
    made: list[str]  # the payments that count
    state: list[str]
    paid_at: datetime | None  # when something was last paid that covers a table; None of an evening, or without any


def read_settling(tables: Sequence[Table], day: date | None = None) -> Settling:
    """Return what is due and was paid for one table, or with `day` for those of that evening."""
    answers = (feature.read_settling(tables[0].circle, tables, day) for feature in features())
    return next(filter(None, answers), Settling([], [], [], None))


def count_to_confirm(membership: Membership) -> int:
    return sum(feature.count_to_confirm(membership) for feature in features())


def is_paid_deal_corrected(before: TableState, after: TableState) -> bool:
    """Return whether `after` corrects what was paid for, and with it what the players of the table `before` get."""
    if before.result == after.result:
        return False
    corrections = _list_since(after, read_settling([after.stored]).paid_at)
    return any(row.number > before.version for row in corrections)


def list_paid_corrections(table: TableState) -> list[RevisionRow]:
    """List the revisions that corrected what was paid for; none if nothing is open."""
    if all(row.kind in NEW_KINDS for row in table.revisions):
        return []
    settling = read_settling([table.stored])
    return _list_since(table, settling.paid_at) if settling.due else []


def _list_since(table: TableState, paid_at: datetime | None) -> list[RevisionRow]:
    """List the corrections since then if they change what the deals recorded by then, and closing the table, paid."""
    if paid_at is None:
        return []
    version = sum(row.at <= paid_at for row in table.revisions)
    paid_for = leave_out_later_deals(table.revisions, version)
    if table.with_only(paid_for).result == table.at_version(version).result:
        return []
    return list_corrections_since(paid_for, version)
