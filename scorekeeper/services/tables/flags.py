"""Flags: deals and payments that somebody has doubts about, to be looked at before settling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Select, and_, bindparam, func, or_, select
from sqlalchemy.orm import aliased, joinedload

from ...db.clock import now
from ...db.transactions import get_id, write_to_circle
from ...limits import MAX_COMMENT, MAX_OPEN_FLAGS
from ...models import Browser, Circle, Flag, Part, Payment, Revision, Settlement, Table, db
from ...models.rights import SCORE, WATCH
from ...push.occasions import FLAG, Occasion, notify
from ...scoring.problems import Problem, Refusal, refuse
from ...tables.state import TableState
from ..invalidation import touch_tables
from ..money.scopes import Scope, tables_in
from ..outcome import Conflict, Done

PAGE_SIZE = 50


@dataclass(frozen=True)
class FlagRequest:
    """A flag as it was entered: on the deal of a table, by its id, or on the circle's payment with that number.

    `key` is the page's entry key: the same page sent twice adds one flag.
    """

    comment: str
    key: str
    table_id: int | None = None
    deal: int | None = None
    payment: int | None = None

    @property
    def target(self) -> tuple[int | None, int | None, int | None]:
        """The deal or payment that is flagged."""
        return self.table_id, self.deal, self.payment


def add(circle: Circle, request: FlagRequest, browser: Browser) -> Done[Flag] | Conflict[Flag] | Refusal | None:
    """Flag a deal or a payment; return None if there is no such one. A request sent again adds nothing.

    Raises:
        CircleErasedError: there is no such circle any more.
        AccessRevokedError: the browser's access ended meanwhile.
    """
    browser_id = get_id(browser)
    return write_to_circle(
        get_id(circle), lambda locked: _add(locked, request, browser_id), browser=browser, right=WATCH
    )


def _add(circle: Circle, request: FlagRequest, browser_id: int) -> Done[Flag] | Conflict[Flag] | Refusal | None:
    of_circle = select(Flag).where(Flag.circle_id == circle.id)
    earlier = db.session.scalar(of_circle.where(Flag.entry_key == request.key))
    if earlier is not None:
        is_same = (earlier.table_id, earlier.deal, earlier.payment) == request.target
        return Done(earlier) if is_same and earlier.comment == request.comment else Conflict(earlier)
    if not _has_target(circle, request):
        return None
    problem = _problem(circle, request.comment)
    if problem is not None:
        return refuse(None, [problem])
    flag = Flag(
        circle_id=circle.id,
        number=(db.session.scalar(select(func.max(Flag.number)).where(Flag.circle_id == circle.id)) or 0) + 1,
        table_id=request.table_id,
        deal=request.deal,
        payment=request.payment,
        comment=request.comment,
        browser_id=browser_id,
        at=now(),
        entry_key=request.key,
    )
    db.session.add(flag)
    db.session.flush()
    _announce(flag)
    if flag.deal is not None:
        notify(Occasion(FLAG, circle.id, (flag.number,), browser_id))
    return Done(flag)


def _has_target(circle: Circle, request: FlagRequest) -> bool:
    payment = select(Payment.id).where(Payment.circle_id == circle.id, Payment.number == request.payment)
    deal = (
        select(Table.id)
        .join(Table.revisions)
        .where(Table.circle_id == circle.id, Table.id == request.table_id, Revision.deal == request.deal)
    )
    target = deal if request.payment is None else payment.where(Payment.withdraws.is_(None))
    return db.session.scalar(target.limit(1)) is not None


def _problem(circle: Circle, comment: str) -> Problem | None:
    if not comment:
        return Problem("comment", "flag-blank")
    if len(comment) > MAX_COMMENT:
        return Problem("comment", "flag-long", {"most": MAX_COMMENT})
    opened = select(func.count()).where(Flag.circle_id == circle.id, Flag.resolved_at.is_(None))
    if (db.session.scalar(opened) or 0) >= MAX_OPEN_FLAGS:
        return Problem("comment", "many-flags", {"most": MAX_OPEN_FLAGS})
    return None


def find_numbered(circle: Circle, number: int) -> Flag | None:
    """Return the circle's flag with this number."""
    return db.session.scalar(select(Flag).where(Flag.circle_id == circle.id, Flag.number == number))


def resolve(circle: Circle, number: int, browser: Browser) -> Flag | None:
    """Resolve a flag, which stays in the list; return None if there is no such one. Once is enough.

    Raises:
        CircleErasedError: there is no such circle any more.
        AccessRevokedError: the browser's access ended meanwhile.
        RightRevokedError: it may no longer score.
    """
    browser_id = get_id(browser)

    def work(locked: Circle) -> Flag | None:
        flag = db.session.scalar(select(Flag).where(Flag.circle_id == locked.id, Flag.number == number))
        if flag is not None and flag.resolved_at is None:
            flag.resolved_at, flag.resolved_by_id = now(), browser_id
            db.session.flush()
            _announce(flag)
        return flag

    return write_to_circle(get_id(circle), work, browser=browser, right=SCORE)


def _announce(flag: Flag) -> None:
    """Announce a change of a deal's flags to those who follow its table."""
    if flag.table_id is not None:
        touch_tables(flag.circle_id, [flag.table_id], counted=0)


# --- lists -------------------------------------------------------------------------------------------------


class FlagRow(NamedTuple):
    """A flag with what has become of its deal or payment.

    Attributes:
        is_withdrawn: the deal or the payment does not count any more.
        is_changed: the deal's facts were changed after it was flagged.
        about: the flagged payment; None for a deal.
    """

    flag: Flag
    is_withdrawn: bool
    is_changed: bool
    about: Payment | None


def list_flags(circle: Circle, *, before: int | None = None) -> list[FlagRow]:
    """List a page of the circle's flags, newest first; with `before`, those with a lower number."""
    query = _flags(circle).limit(PAGE_SIZE)
    return _rows(query if before is None else query.where(Flag.number < before))


def open_flags(circle: Circle, scope: Scope, settlement: Settlement | None = None) -> list[FlagRow]:
    """List the open flags on what a scope contains, or a settlement: its tables, and payments that settled them."""
    query = _flags(circle).where(Flag.resolved_at.is_(None))
    if settlement is not None:
        parts = select(Part.table_id).where(Part.circle_id == circle.id, Part.settlement_id == settlement.id)
        tables = parts.where(Part.table_id.is_not(None))
        settlements = select(Settlement.id).where(Settlement.circle_id == circle.id, Settlement.id == settlement.id)
    elif scope.is_everything:
        return _rows(query)
    else:
        tables = select(Table.id).where(tables_in(circle, scope))
        settlements = select(Part.settlement_id).where(Part.circle_id == circle.id, Part.table_id.in_(tables))
    payments = select(Payment.number).where(Payment.circle_id == circle.id, Payment.settlement_id.in_(settlements))
    return _rows(query.where(or_(Flag.table_id.in_(tables), Flag.payment.in_(payments))))


def flags_on_deal(table: Table, deal: int) -> list[Flag]:
    """List the flags on a deal, oldest first."""
    at_table = select(Flag).where(Flag.circle_id == table.circle_id, Flag.table_id == table.id)
    query = at_table.where(Flag.deal == deal).order_by(Flag.number)
    return list(db.session.scalars(query.options(joinedload(Flag.browser), joinedload(Flag.resolved_by))))


class TableFlags(NamedTuple):
    """The ids of a table's deals with an open flag, and how often flags and confirmations have changed there."""

    deals: set[int]
    changes: int


_AT_TABLE = select(Flag.deal, Flag.resolved_at).where(
    Flag.circle_id == bindparam("circle"), Flag.table_id == bindparam("table")
)


def flags_at(table: Table | TableState) -> TableFlags:
    """Return which deals of a table are flagged."""
    rows = db.session.execute(_AT_TABLE, {"circle": table.circle_id, "table": table.id}).all()
    resolved = sum(resolved_at is not None for _, resolved_at in rows)
    is_open = {deal for deal, resolved_at in rows if deal is not None and resolved_at is None}
    changed = (table.stored if isinstance(table, TableState) else table).confirmation_changes
    return TableFlags(is_open, len(rows) + resolved + changed)


_FLAGGED = select(Flag.deal).where(
    Flag.circle_id == bindparam("circle"), Flag.table_id == bindparam("table"), Flag.resolved_at.is_(None)
)


def flagged_deals(circle_id: int, table_id: int) -> frozenset[int | None]:
    """Return the ids of a table's deals with an open flag."""
    return frozenset(db.session.scalars(_FLAGGED, {"circle": circle_id, "table": table_id}))


def _flags(circle: Circle) -> Select[Flag, Revision, Payment, int]:
    """Select a circle's flags with the last revision of each deal, and each payment and its withdrawal's id."""
    withdrawal, later = aliased(Payment), aliased(Revision)
    last = (
        select(func.max(later.number))
        .where(later.circle_id == Flag.circle_id, later.table_id == Flag.table_id, later.deal == Flag.deal)
        .correlate(Flag)
        .scalar_subquery()
    )
    return (
        select(Flag, Revision, Payment, withdrawal.id)
        .select_from(Flag)
        .outerjoin(
            Revision,
            and_(Revision.circle_id == Flag.circle_id, Revision.table_id == Flag.table_id, Revision.number == last),
        )
        .outerjoin(Payment, and_(Payment.circle_id == Flag.circle_id, Payment.number == Flag.payment))
        .outerjoin(withdrawal, and_(withdrawal.circle_id == Flag.circle_id, withdrawal.withdraws == Flag.payment))
        .where(Flag.circle_id == circle.id)
        .order_by(Flag.number.desc())
        .options(joinedload(Flag.table), joinedload(Flag.browser), joinedload(Flag.resolved_by))
        .options(*(joinedload(column) for column in (Payment.giver, Payment.taker, Payment.settlement)))
    )


def _rows(query: Select[Flag, Revision, Payment, int]) -> list[FlagRow]:
    return [
        FlagRow(
            flag,
            is_withdrawn=withdrawn is not None or (revision is not None and revision.body is None),
            is_changed=revision is not None and revision.at > flag.at,
            about=payment,
        )
        for flag, revision, payment, withdrawn in db.session.execute(query)
    ]
