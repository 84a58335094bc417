"""Checking the whole database against the facts, and rebuilding every cache from them.

A cache is never the truth. Stored in the database, and so replaced by a restore together with the facts:

- `Summary`: a table in few words, written in the transaction of each write (tables/summaries.py).
- `PeriodTotals`: sums of a month, a year or everything, and ratings after a year; valid only while the count of changes
  is the one at which they were computed (totals/periods.py, totals/ratings.py).
- `Settlement.unpaid`, `is_paid`, `is_cleared`: written with each payment (money/unpaid.py).
- `RoundTable.result`, `scores`, `is_confirmed`: a table's last result, written with each result and confirmation.

In the process, found by tokens that are never used twice:

- replayed tables (tables/replayed.py), the HTML of their rows and parts (web/tables/table.py), by the last revision's
  number, time and key and by `Table.edition`, which changes if stored facts are rewritten;
- the updates that phones and walls share (web/support/rendered_updates.py), by all that they depend on;
- board sets of events and standings of finished ones (events/reading.py, events/played.py), by `plan_edition` and
  `edition`, which writes replace;
- `functools` caches of what never changes in a process: translations, formatted numbers, rules texts.

Decision 0013 says which of them are worth it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from ..db import copying, engine_checks
from ..db.transactions import CircleErasedError, write_to_circle
from ..errors import get_reason
from ..games import find_game
from ..models import Circle, Payment, Player, Settlement, Summary, Table, db
from ..scoring.entries import POINTS, POT
from ..scoring.missing import is_missing
from ..scoring.standing import SUBSTITUTION, AnyStanding
from ..stats.summary_data import SummaryData
from ..stats.table import fingerprint, summarise
from ..tables.revisions import RevisionRow
from ..tables.state import TableState
from .circles.players import read_persons
from .events.checks import faults_of_events, rebuild_events
from .money.unpaid import recompute, recompute_all
from .references import faults_of_references
from .tables import summaries
from .tables.evenings import assign_evenings, has_zone, is_misplaced, misdated_settlements, redate_settlements
from .tables.replayed import read_revisions
from .tables.summaries import SummaryRow
from .totals import periods

COMPARED = ("version", "fingerprint", "data")  # columns of a summary that follow from its table alone


class Fault(NamedTuple):
    """An inconsistency; its message is `fault.<key>`."""

    key: str
    params: dict[str, Any]


@dataclass
class VerificationReport:
    """The numbers of rows checked, and the faults found.

    `notes` are keys of messages `verify.<note>` about what could not be checked. `missing_games`: how many tables of
    each game that is not installed were checked but for their results.
    """

    circles: int = 0
    tables: int = 0
    revisions: int = 0
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing_games: Counter[str] = field(default_factory=Counter)


def verify() -> VerificationReport:
    """Check the database file or server, then replay every table and check every cache; change nothing.

    All is read in one snapshot.
    """
    db.session.rollback()  # ends a snapshot that was begun earlier
    connection = db.session.connection()
    report = VerificationReport(notes=list(engine_checks.notes(connection)))
    report.faults += [Fault(*found) for found in engine_checks.find(connection)]
    try:
        with db.session.no_autoflush:
            _verify_circles(report)
            _verify_tables(report)
    except DBAPIError as error:
        if not engine_checks.is_damage(error):
            raise
        report.faults.append(Fault("unreadable", {"why": get_reason(error)}))
    db.session.rollback()
    return report


def _verify_circles(report: VerificationReport) -> None:
    for id_ in db.session.scalars(select(Circle.id).order_by(Circle.id)).all():
        report.circles += 1
        circle = db.session.get_one(Circle, id_)
        report.faults += [fault for check in CHECKS_OF_A_CIRCLE for fault in check(circle)]
        db.session.expunge_all()


def _verify_tables(report: VerificationReport) -> None:
    for tables in summaries.batches():
        for table in tables:
            _verify_table(table, report)
        db.session.expunge_all()


def rebuild() -> int:
    """Rebuild every cache and index from the facts; return the number of tables replayed."""
    copying.rebuild_indexes(db.session.connection())
    db.session.commit()
    for id_ in db.session.scalars(select(Circle.id).order_by(Circle.id)).all():
        with suppress(CircleErasedError):
            write_to_circle(id_, _rebuild_circle)
        db.session.expunge_all()
    count = summaries.rebuild()
    periods.rebuild()
    return count


def _rebuild_circle(circle: Circle) -> None:
    if has_zone(circle):
        assign_evenings(circle)
    redate_settlements(circle)
    rebuild_events(circle.id)
    recompute_all(circle, read_persons(circle))


# --- a table -----------------------------------------------------------------------------------------------


def _verify_table(table: Table, report: VerificationReport) -> None:
    where = {"circle": table.circle.name, "table": str(table.id)}
    report.tables += 1
    try:
        revisions = read_revisions(table)
        report.revisions += len(revisions)
        if is_missing(find_game(table.game)):
            report.missing_games[table.game] += 1
        report.faults += _faults_of_table(table, revisions, where)
    except Exception as error:  # its rows may have been damaged in any way
        report.faults.append(Fault("table-fails", where | {"why": _error_text(error)}))


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _faults_of_table(table: Table, revisions: Sequence[RevisionRow], where: dict[str, Any]) -> Iterator[Fault]:
    yield from (Fault(key, where) for key in _faults_of_revisions(revisions))
    replayed = TableState(table, revisions)
    if _has_wrong_seats(replayed):
        yield Fault("seats", where)
    for deal, unit in unbalanced(replayed.standing):
        yield Fault("not-zero", where | {"deal": str(deal), "unit": unit})
    if is_misplaced(table):
        yield Fault("day", where)
    if table.summary is None:
        if replayed.has_rules:
            yield Fault("no-summary", where)
        return
    yield from (Fault("summary", where | {"what": what}) for what in _wrong_columns(table.summary, replayed))


def _has_wrong_seats(table: TableState) -> bool:
    """Return whether labels are not 1, 2, 3 … with substitutes last, or a substitution names none of them.

    Or whether it is wrong who has sat.
    """
    seats = table.stored.seats
    changes = [(revision.body or {}).get(SUBSTITUTION) for revision in table.revisions]
    named = {change["in"] for change in changes if change is not None}
    labels = [seat.seat for seat in seats]
    return (
        labels != [str(number) for number in range(1, len(seats) + 1)]
        or [seat.is_substitute for seat in seats] != sorted(seat.is_substitute for seat in seats)
        or not named <= {*labels}
        or {seat.seat for seat in seats if seat.has_sat} != {*table.everybody}
    )


def _faults_of_revisions(revisions: Iterable[RevisionRow]) -> Iterator[str]:
    rows = list(revisions)
    if [revision.number for revision in rows] != list(range(1, len(rows) + 1)):
        yield "revision-numbers"
    if len({revision.entry_key for revision in rows}) < len(rows):
        yield "entry-twice"


def unbalanced(standing: AnyStanding) -> Iterator[tuple[int, str]]:
    """Yield the number of each deal after which a unit does not sum to 0 over the players, and the unit."""
    sums: Counter[str] = Counter()
    for row in standing.rows:
        for entry in row.entries:
            if entry.unit != POINTS:
                sums[entry.unit] += entry.amount * ((entry.taker is not POT) - (entry.giver is not POT))
        yield from ((row.number, unit) for unit, total in sums.items() if total)


def _wrong_columns(stored: Summary, table: TableState) -> Iterator[str]:
    """Yield the columns of a summary that differ from a fresh one; without its game, the results stand as stored."""
    fresh = SummaryRow(stored.version, cast(SummaryData, stored.data), stored.fingerprint, {})
    if table.has_rules:
        computed = stored.fingerprint and fingerprint(table)  # it may be left out: `summaries.forget_texts`
        fresh = SummaryRow(table.version, _as_stored(summarise(table)), computed, {})
    yield from (name for name in COMPARED if getattr(stored, name) != getattr(fresh, name))
    try:
        fresh = fresh._replace(taken_over=summaries.settled_by_seat(table.stored))
    except LookupError:  # a settlement took over an amount of a player who has no seat there
        yield "taken_over"
        return
    if _nonzero(stored.taken_over) != _nonzero(fresh.taken_over):
        yield "taken_over"
    flags = summaries.settlement_flags(table.stored, fresh)
    yield from (name for name, value in flags.items() if getattr(stored, name) != value)


def _as_stored(data: SummaryData) -> SummaryData:
    """Convert a summary's data to what the JSON column returns."""
    stored: SummaryData = json.loads(json.dumps(data))
    return stored


def _nonzero(amounts: dict[str, int]) -> dict[str, int]:
    return {key: amount for key, amount in amounts.items() if amount}


# --- a circle ----------------------------------------------------------------------------------------------


def _check_time_zone(circle: Circle) -> Iterator[Fault]:
    if circle.time_zone is not None and not has_zone(circle):
        yield Fault("time-zone", {"circle": circle.name, "zone": circle.time_zone})


def _check_payments(circle: Circle) -> Iterator[Fault]:
    numbers = select(Payment.number).where(Payment.circle_id == circle.id).order_by(Payment.number)
    if any(number != expected for expected, number in enumerate(db.session.scalars(numbers), start=1)):
        yield Fault("payment-numbers", {"circle": circle.name})


def _check_references(circle: Circle) -> Iterator[Fault]:
    yield from (Fault(key, {"circle": circle.name} | params) for key, params in faults_of_references(circle.id))


def _check_events(circle: Circle) -> Iterator[Fault]:
    try:
        found = list(faults_of_events(circle.id))
    except DBAPIError:
        raise
    except Exception as error:  # its rows may have been damaged in any way
        yield Fault("events-fail", {"circle": circle.name, "why": _error_text(error)})
    else:
        yield from (Fault(key, {"circle": circle.name} | params) for key, params in found)


def _check_settlements(circle: Circle) -> Iterator[Fault]:
    persons = read_persons(circle)
    for settlement in db.session.scalars(select(Settlement).where(Settlement.circle_id == circle.id)):
        if not _is_correct(settlement, persons):
            yield Fault("settlement", {"circle": circle.name, "settlement": str(settlement.id)})
    for id_, _day in misdated_settlements(circle):
        yield Fault("settlement-day", {"circle": circle.name, "settlement": str(id_)})


def _check_totals(circle: Circle) -> Iterator[Fault]:
    where = {"circle": circle.name}
    try:
        wrong = periods.find_wrong_totals(circle.id)
    except Exception as error:  # a damaged summary is reported with its table
        yield Fault("totals-fail", where | {"why": _error_text(error)})
    else:
        yield from (Fault("totals", where | {"period": period or "*"}) for period in wrong)


def _is_correct(stored: Settlement, persons: Mapping[int, Player]) -> bool:
    fresh = Settlement(id=stored.id, circle_id=stored.circle_id, account=stored.account)
    try:
        recompute(fresh, persons)
    except LookupError:  # a part belongs to a player of another circle
        return False
    return (stored.unpaid, stored.is_paid, stored.is_cleared) == (fresh.unpaid, fresh.is_paid, fresh.is_cleared)


# The checks of each circle, in this order; they change nothing.
CHECKS_OF_A_CIRCLE: tuple[Callable[[Circle], Iterator[Fault]], ...] = (
    _check_time_zone,
    _check_payments,
    _check_references,
    _check_events,
    _check_settlements,
    _check_totals,
)
