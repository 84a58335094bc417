"""Reading a circle's entries: of its tables, of other features, and of its payments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, func, or_, select, true, tuple_
from sqlalchemy.orm import joinedload

from ..db.outcome import make_seen
from ..games import games
from ..models import EXPENSE, INCOME, SEATED, Circle, Confirmation, Event, Payment, Revision, Seat, Summary, Table, db
from ..people.reading import read_persons
from ..site.features import features
from ..tables.reading import read_states
from ..tables.revisions import ANNOUNCE, CLOSE, COUNT, NEW_KINDS, REOPEN
from ..tables.state import TableState
from ..tables.writing import build_summary
from .ledger import (
    BOX,
    EVERYTHING,
    PAYMENT,
    TABLE,
    Account,
    Balances,
    LedgerEntry,
    Scope,
    Settled,
    add_up,
    find_settled,
    read_accounts,
)

_BY_DAY = attrgetter("paid_on", "number")
_NO_TIME = datetime(1970, 1, 1)
MAX_UNSEEN = 20  # payments shown to a writer whose page was stale


class TableSource(NamedTuple):
    """What a line of a statement says of a table; `seats` are the labels of the seats by the names of their people."""

    token: str
    game: str
    house_rules: dict[str, Any]
    seats: dict[str, str]


@dataclass(frozen=True)
class Ledger:
    """All entries of a circle, and the banker's name. Payments that wait for a confirmation are only in `waiting`."""

    circle: Circle
    banker: str | None
    entries: Sequence[LedgerEntry]
    waiting: Sequence[LedgerEntry]

    def read_accounts(self, scope: Scope, *, in_cash: bool = True) -> dict[str, Account]:
        found, waiting = (filter(scope.contains, entries) for entries in (self.entries, self.waiting))
        return read_accounts(found, waiting, in_cash=in_cash)

    @cached_property
    def tables(self) -> dict[int, TableSource]:
        """The tables of the circle by id, for lines about their entries."""
        persons = read_persons(self.circle)
        query = select(Table.id, Table.token, Table.game, Table.house_rules, Summary.owed).join(Table.summary)
        found = {}
        for id_, token, game, house_rules, owed in db.session.execute(query.where(Table.circle_id == self.circle.id)):
            seats = {persons[player_id].name: seat for seat, (player_id, _) in owed.items()}
            found[id_] = TableSource(token, game, house_rules, seats)
        return found

    @cached_property
    def settled(self) -> Settled:
        """What is settled.

        Once everything was paid, the other tables stay settled if play goes on at one of them: what that one came to
        before the payment and what was added since count as entries of their own.
        """
        settled = find_settled(self.entries)
        paid = [entry for entry in self.entries if entry.is_for_everything and not settled.contains(entry)]
        changes = list(_read_changes(self.circle, paid)) if paid else []
        if not changes:
            return settled
        changed = {entry.table for entry in changes}
        unchanged = (entry for entry in self.entries if entry.kind != TABLE or entry.table not in changed)
        return find_settled([*unchanged, *changes])

    def is_settled(self, scope: Scope) -> bool:
        """Return whether all that a scope contains is settled; False if it contains nothing."""
        found = [entry for entry in self.entries if scope.contains(entry)]
        return bool(found) and all(map(self.settled.contains, found))

    def find_unsettled_tables(self) -> set[int]:
        """Return the ids of the tables that are not settled."""
        return {each.table for each in self.entries if each.table is not None and not self.settled.contains(each)}

    def find_scope_of_payment(self, scope: Scope) -> Scope:
        """Return in which scope a table or an evening is paid: in itself, or in a wider one.

        It is the widest scope for which a payment that covers it was made, so that nobody pays twice. An example: Anna
        owes Ben 5 for a table, and has paid him 3 for the whole evening. By its own entries, the table still needs 5.
        Together with the evening, Anna owes 2: so the table is paid in its evening, and with everything if she has paid
        for everything. Payments that wait for a confirmation count as well: what they cover is not due again.
        """
        covering = self._list_covering(scope, (*self.entries, *self.waiting))
        wider = {entry.evening for entry in covering if not scope.contains(entry)}
        if not wider:
            return scope
        return EVERYTHING if None in wider else Scope(day=wider.pop())

    def find_due_scope(self, scope: Scope) -> Scope | None:
        """Return the scope in which payments for a scope are planned; None for a settled table or evening."""
        if scope == EVERYTHING:
            return scope
        return None if self.is_settled(scope) else self.find_scope_of_payment(scope)

    def has_older_open(self, scope: Scope) -> bool:
        """Return whether something else of the people in a scope is open, of its evening or an earlier one."""
        inside = [entry for entry in self.entries if scope.contains(entry)]
        people = {name for entry in inside for name in entry.amounts}
        last = max((entry.evening for entry in inside if entry.evening is not None), default=date.max)
        return any(
            not self.settled.contains(entry)
            for entry in self.entries
            if entry.kind != PAYMENT and not scope.contains(entry) and entry.evening is not None
            if entry.evening <= last and not people.isdisjoint(entry.amounts)
        )

    def list_people(self, scope: Scope) -> set[str]:
        """List those whose balances a scope changes; if it has no entries, those who sit at its corrected tables.

        For a correction can leave a table with nothing that is owed, although payments for everything have paid it.
        """
        people = {name for entry in self.entries if scope.contains(entry) for name in entry.amounts}
        if people or scope == EVERYTHING:
            return people
        of_corrections = Revision.circle_id == self.circle.id, Revision.kind.not_in(NEW_KINDS)
        corrected = select(Revision.table_id).where(*of_corrections)
        query = select(Seat.player_id).join(Table, Table.id == Seat.table_id).where(Table.circle_id == self.circle.id)
        seated = db.session.scalars(query.where(_is_in(scope), Table.id.in_(corrected))).all()
        persons = read_persons(self.circle) if seated else {}
        return {persons[player_id].name for player_id in seated}

    def find_last_payment_at(self, table: Table) -> datetime | None:
        """Return when the last payment that covers a table was recorded; None if there is none."""
        covering = self._list_covering(Scope(table=table.id), self.entries)
        return covering[-1].at if covering else None

    def _list_covering(self, scope: Scope, entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
        """List the payments among these entries that may have paid what the tables of a scope owe.

        They are payments of its people, for the scope, its evening or everything, in the units of its tables, since the
        first of these was opened. Payments to or from the cash box are not among them: tables owe it nothing.
        """
        tables = _read_tables_in(self.circle, scope)
        accounts = {table.summary.account for table in tables if table.summary is not None}
        begun = min((table.opened_at for table in tables), default=_NO_TIME)
        wider = {None, *(table.day for table in tables)}
        found = [
            entry
            for entry in entries
            if _is_between_people(entry) and entry.event is None and entry.account in accounts and entry.at >= begun
            if scope.contains(entry) or (entry.table is None and entry.evening in wider)
        ]
        people = self.list_people(scope) if found else set()
        return [entry for entry in found if not people.isdisjoint(entry.amounts)]


def _is_between_people(entry: LedgerEntry) -> bool:
    return entry.kind == PAYMENT and not entry.is_with_box


def read_ledger(circle: Circle) -> Ledger:
    persons = read_persons(circle)
    names = {id_: person.name for id_, person in persons.items()}
    banker = next((person.name for person in persons.values() if person.is_banker), None)
    entries = list(_read_tables(circle, names))
    for feature in features():
        entries += feature.list_entries(circle, names)
    waiting: list[LedgerEntry] = []
    for entry, is_waiting in _read_payments(circle, names):
        (waiting if is_waiting else entries).append(entry)
    return Ledger(circle, banker, entries, waiting)


def _read_tables(circle: Circle, names: dict[int, str]) -> Iterable[LedgerEntry]:
    query = select(Table.id, Table.day, Table.opened_at, Summary.account, Summary.owed).join(Table.summary)
    for id_, day, at, account, owed in db.session.execute(query.where(Table.circle_id == circle.id).order_by(Table.id)):
        if owed:
            amounts = {names[player_id]: amount for player_id, amount in owed.values()}
            yield LedgerEntry(TABLE, account, amounts, at=at, day=day, table=id_, evening=day)


def _read_changes(circle: Circle, paid: Sequence[LedgerEntry]) -> Iterator[LedgerEntry]:
    """Yield what was added to tables up to, between and after these payments, of tables with deals after one."""
    paid_at = _find_paid_at(circle, paid)
    if not paid_at:
        return
    persons = read_persons(circle)
    tables = db.session.scalars(select(Table).where(Table.id.in_(paid_at)).options(SEATED)).all()
    for id_, table in read_states(circle.id, tables).items():
        versions = {sum(row.at <= at for row in table.revisions) for at in paid_at[id_]}
        before: Balances = {}
        for version in sorted({*versions, table.version} - {0}):
            summary = build_summary(table.at_version(version))
            amounts = {persons[player_id].name: amount for player_id, amount in summary.owed.values()}
            change = add_up([amounts, {name: -amount for name, amount in before.items()}])
            at = table.revisions[version - 1].at
            day = table.stored.day
            yield LedgerEntry(TABLE, summary.account, change, at, day, table=id_, evening=day)
            before = amounts


def _find_paid_at(circle: Circle, paid: Sequence[LedgerEntry]) -> dict[int, list[datetime]]:
    """Return by a table's id when payments in its unit were made between its opening and its last change."""
    query = (
        select(Table.id, Table.opened_at, Summary.account, func.max(Revision.at))
        .join(Table.summary)
        .join(Revision, Revision.table_id == Table.id)
        .where(Table.circle_id == circle.id, Table.game.in_(games()))
        .where(Revision.at > paid[0].at, Revision.kind.not_in((ANNOUNCE, COUNT, CLOSE, REOPEN)))
        .group_by(Table.id, Summary.account)
    )
    found = {}
    for id_, opened_at, account, last in db.session.execute(query):
        times = [payment.at for payment in paid if payment.account == account and opened_at < payment.at < last]
        if times:
            found[id_] = times
    return found


def _read_tables_in(circle: Circle, scope: Scope) -> Sequence[Table]:
    """List the tables of a table's or an evening's scope."""
    query = select(Table).where(Table.circle_id == circle.id, _is_in(scope)).options(joinedload(Table.summary))
    return db.session.scalars(query).all()


def _is_in(scope: Scope) -> ColumnElement[bool]:
    """Return the condition that a table is in a table's or an evening's scope, or in that of everything."""
    if scope.table is not None:
        return Table.id == scope.table
    return Table.day == scope.day if scope.day is not None else true()


def read_corrected(ledger: Ledger, scope: Scope) -> Iterable[TableState]:
    """Return the tables of a scope that were corrected since the last payment, without those that are settled."""
    paid_at = max((entry.at for entry in ledger.entries if _is_between_people(entry)), default=None)
    if paid_at is None:
        return ()
    conditions = (Revision.circle_id == ledger.circle.id, Revision.kind.not_in(NEW_KINDS), Revision.at > paid_at)
    ids = set(db.session.scalars(select(Revision.table_id).where(*conditions)))
    ids -= {entry.table for entry in ledger.entries} - ledger.find_unsettled_tables()
    query = select(Table).where(Table.id.in_(ids), _is_in(scope), Table.opened_at < paid_at, Table.game.in_(games()))
    return read_states(ledger.circle.id, db.session.scalars(query).all()).values() if ids else ()


def _read_payments(circle: Circle, names: dict[int, str]) -> Iterable[tuple[LedgerEntry, bool]]:
    """Yield the entries of payments that were not taken back, and whether they wait for a confirmation."""
    is_waiting = and_(Payment.needs_confirmation, Confirmation.payment_id.is_(None))
    belongs_to = Payment.table_id, Payment.event_id, func.coalesce(Payment.evening, Table.day, Event.day)
    columns = Payment.token, Payment.giver_id, Payment.taker_id, Payment.amount, is_waiting
    query = (
        select(*columns, Payment.account, Payment.at, Payment.paid_on, *belongs_to)
        .outerjoin(Payment.table)
        .outerjoin(Payment.event)
        .outerjoin(Payment.confirmation)
        .where(Payment.circle_id == circle.id, Payment.withdrawn_at.is_(None))
        .where(Payment.kind.not_in((EXPENSE, INCOME)))  # in which the cash box alone takes part
        .order_by(Payment.number)
    )
    for token, giver, taker, amount, waits, account, at, day, table, event, evening in db.session.execute(query):
        parties = [BOX if player_id is None else names[player_id] for player_id in (giver, taker)]
        # Between two players who were merged since, nothing is owed.
        amounts = dict(zip(parties, (amount, -amount), strict=True)) if parties[0] != parties[1] else {}
        entry = LedgerEntry(
            PAYMENT, account, amounts, at, day, table=table, event=event, evening=evening, payment=token
        )
        yield entry, bool(waits)


# --- payments ----------------------------------------------------------------------------------------------


def list_payments(circle: Circle, *conditions: ColumnElement[bool]) -> list[Payment]:
    """List the circle's payments with their details, oldest first."""
    return list(db.session.scalars(_select_payments(circle).where(*conditions).order_by(Payment.number)))


def list_latest_payments(circle: Circle, most: int, before: int | None = None) -> list[Payment]:
    """List payments, the latest day first: of all, or of those that follow the one with the number `before`."""
    query = _select_payments(circle)
    if before is not None:
        day = select(Payment.paid_on).where(Payment.circle_id == circle.id, Payment.number == before).scalar_subquery()
        query = query.where(tuple_(Payment.paid_on, Payment.number) < tuple_(day, before))
    return list(db.session.scalars(query.order_by(Payment.paid_on.desc(), Payment.number.desc()).limit(most)))


def is_sent_under(key: str) -> ColumnElement[bool]:
    """Return the condition for the payment that was recorded under this key, or for all that one tap has recorded."""
    return or_(Payment.entry_key == key, Payment.entry_key.startswith(f"{key}-", autoescape=True))


def list_valid_payments(circle: Circle, key: str) -> list[Payment]:
    """List the payments that were sent under this key, and not taken back."""
    return list_payments(circle, is_sent_under(key), Payment.withdrawn_at.is_(None))


def list_box_payments(circle: Circle) -> list[Payment]:
    """List what was paid into the cash box or out of it, expenses and income too, and was not taken back, by day."""
    in_box = or_(Payment.giver_id.is_(None), Payment.taker_id.is_(None))
    return sorted(list_payments(circle, in_box, Payment.withdrawn_at.is_(None)), key=_BY_DAY)


def list_payments_of(circle: Circle, entries: Iterable[LedgerEntry]) -> list[Payment]:
    tokens = [entry.payment for entry in entries if entry.payment is not None]
    return sorted(list_payments(circle, Payment.token.in_(tokens)), key=_BY_DAY) if tokens else []


def find_payment(circle: Circle, token: str) -> Payment | None:
    return db.session.scalar(_select_payments(circle).where(Payment.token == token))


def _select_payments(circle: Circle) -> Select[Payment]:
    of_payment = Payment.giver, Payment.taker, Payment.table, Payment.event, Payment.membership, Payment.withdrawn_by
    confirmed = joinedload(Payment.confirmation).joinedload(Confirmation.membership)
    return select(Payment).where(Payment.circle_id == circle.id).options(*map(joinedload, of_payment), confirmed)


def find_sent(circle: Circle, key: str) -> Payment | None:
    """Return the payment that was recorded under this key of a page."""
    return db.session.scalar(select(Payment).where(Payment.circle_id == circle.id, Payment.entry_key == key))


def build_seen(circle: Circle) -> str:
    """Return what a form says of the payments that its page has shown: the last one, and those that were taken back."""
    numbers = select(Payment.number).where(Payment.circle_id == circle.id, Payment.withdrawn_at.is_not(None))
    last = select(Payment.token).where(Payment.circle_id == circle.id).order_by(Payment.number.desc()).limit(1)
    withdrawn = make_seen(*db.session.scalars(numbers.order_by(Payment.number)))
    return f"{db.session.scalar(last) or ''}.{withdrawn}"


def list_unseen(circle: Circle, seen: str) -> list[Payment]:
    """List the newest payments that a page has not shown; none if one that it has shown was changed since."""
    token = seen.partition(".")[0]
    shown = db.session.scalar(select(Payment.number).where(Payment.circle_id == circle.id, Payment.token == token)) or 0
    return list_payments(circle, Payment.number > shown)[-MAX_UNSEEN:]
