"""A deal's entries grouped for reading aloud: equal payments of several players become one line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from flask import Blueprint

from ...scoring.entries import POT, Entry
from ...scoring.standing import Row

blueprint = Blueprint("preview", __name__)


@dataclass(frozen=True)
class PaymentGroup:
    """Payments of equal amount, unit and reason, from one player to each of several or from each of several to one."""

    givers: list[str]
    takers: list[str]
    first: Entry  # the amount, unit and reason are those of every one of them


@dataclass(frozen=True)
class Working:
    marks: list[Entry] = field(default_factory=list)
    into_pot: list[Entry] = field(default_factory=list)
    from_pot: list[Entry] = field(default_factory=list)
    payments: list[PaymentGroup] = field(default_factory=list)


@blueprint.app_template_global()
def working(row: Row) -> Working:
    payments = [entry for entry in row.entries if entry.is_payment]
    return Working(
        marks=[entry for entry in row.entries if not entry.is_payment],
        into_pot=[entry for entry in payments if entry.taker is POT],
        from_pot=[entry for entry in payments if entry.giver is POT],
        payments=list(_alike(entry for entry in payments if POT not in (entry.giver, entry.taker))),
    )


def _alike(payments: Iterable[Entry]) -> Iterable[PaymentGroup]:
    for _, run in groupby(payments, key=lambda entry: (entry.reason, entry.unit, entry.amount)):
        entries = list(run)
        givers = list(dict.fromkeys(entry.giver or "" for entry in entries))
        takers = list(dict.fromkeys(entry.taker or "" for entry in entries))
        if 1 in (len(givers), len(takers)):
            yield PaymentGroup(givers, takers, entries[0])
        else:
            yield from (PaymentGroup([entry.giver or ""], [entry.taker or ""], entry) for entry in entries)
