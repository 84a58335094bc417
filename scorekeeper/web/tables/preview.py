"""What a preview shows: a deal's entries, grouped for reading aloud."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from flask import Blueprint

from ...scoring.standing import POT, Entry, Row

blueprint = Blueprint("preview", __name__)


@dataclass(frozen=True)
class PaymentGroup:
    """Payments of equal amount, unit and reason, from one player to each of several or from each of several to one.

    `first` is the first of these payments.
    """

    givers: list[str]
    takers: list[str]
    first: Entry


@dataclass(frozen=True)
class GroupedEntries:
    """A deal's entries by kind."""

    marks: list[Entry]
    into_pot: list[Entry]
    from_pot: list[Entry]
    payments: list[PaymentGroup]  # between players


@blueprint.app_template_global()
def grouped_entries(row: Row) -> GroupedEntries:
    """Return a deal's entries by kind, equal payments of several players as one group."""
    payments = [entry for entry in row.entries if entry.is_payment]
    return GroupedEntries(
        marks=[entry for entry in row.entries if not entry.is_payment],
        into_pot=[entry for entry in payments if entry.taker is POT],
        from_pot=[entry for entry in payments if entry.giver is POT],
        payments=list(_group_equal(entry for entry in payments if POT not in (entry.giver, entry.taker))),
    )


def _group_equal(payments: Iterable[Entry]) -> Iterable[PaymentGroup]:
    for _, equal in groupby(payments, key=lambda entry: (entry.reason, entry.unit, entry.amount)):
        entries = list(equal)
        givers = list(dict.fromkeys(entry.giver or "" for entry in entries))
        takers = list(dict.fromkeys(entry.taker or "" for entry in entries))
        if 1 in (len(givers), len(takers)):
            yield PaymentGroup(givers, takers, entries[0])
        else:
            yield from (PaymentGroup([entry.giver or ""], [entry.taker or ""], entry) for entry in entries)
