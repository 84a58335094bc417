"""Recording payments that were made and taking them back; the first for something open makes its settlement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from ..currency import coin
from ..scoring.remarks import Refusal, Remark, refuse
from ..store import Browser, Circle, Part, Payment, Settlement, Summary, db
from . import tallies
from .commits import TRIES, now
from .people import persons
from .settled import open_grains, reckon, tell_tables
from .settling import (
    Account,
    Scope,
    last_number,
    left_of,
    names_in,
    open_accounts,
    open_tables,
    payments_of,
    unfinished,
)

_PART = cast(SqlTable, Part.__table__)


@dataclass(frozen=True)
class Paying:
    """A payment as it is told: for a scope, or for a settlement that was made already. `amount` is in grains."""

    account: str
    giver: int
    taker: int
    amount: int
    scope: Scope
    settlement: Settlement | None
    seen: int
    key: str


class Paid(NamedTuple):
    payment: Payment


class Overtaken(NamedTuple):
    """The writer had not seen these payments and withdrawals; nothing was recorded."""

    since: list[Payment]


def pay(circle: Circle, paying: Paying, browser: Browser) -> Paid | Overtaken | Refusal:
    """Record a payment that was made. The same one sent again is answered, not recorded again."""
    for _ in range(TRIES):
        twin = _sent_before(circle, paying.key)
        if twin is not None:
            return Paid(twin)
        last = last_number(circle)
        if paying.seen != last:
            return Overtaken(payments_of(circle, most=max(1, min(20, last - paying.seen))))
        refusal = _faults(circle, paying)
        if refusal is not None:
            return refusal
        try:
            return Paid(_record(circle, paying, browser, last + 1))
        except IntegrityError:
            db.session.rollback()
    return Overtaken(payments_of(circle, most=1))


def _sent_before(circle: Circle, key: str) -> Payment | None:
    return db.session.scalar(select(Payment).where(Payment.circle_id == circle.id, Payment.entry_key == key))


def _faults(circle: Circle, paying: Paying) -> Refusal | None:
    people = persons(circle)
    giver, taker = people.get(paying.giver), people.get(paying.taker)
    if giver is None:
        return refuse(None, [Remark("giver", "who-pays")])
    if taker is None or giver is taker:
        return refuse(None, [Remark("taker", "who-is-paid")])
    if giver.is_banker or taker.is_banker:
        return None  # who pays for others may give before he takes
    account = _account(circle, paying)
    owes, owed = -account.grains.get(giver.name, 0), account.grains.get(taker.name, 0)
    most = min(_in_reach(owes, paying.account), _in_reach(owed, paying.account))
    if paying.amount <= most:
        return None
    return refuse(None, [Remark("amount", "more-than-open", {"giver": giver.name, "taker": taker.name, "most": most})])


def _in_reach(grains: int, account: str) -> int:
    """The most that can be paid of it: whole coins, and one more for a part of a coin."""
    each = coin(account)
    return max(0, -(-grains // each) * each)


def _account(circle: Circle, paying: Paying) -> Account:
    if paying.settlement is not None:
        return left_of(paying.settlement, names_in(circle))
    return open_accounts(circle, paying.scope).get(paying.account) or Account(paying.account)


def _record(circle: Circle, paying: Paying, browser: Browser, number: int) -> Payment:
    settlement = paying.settlement or _under_way(circle, paying) or _make(circle, paying.scope, paying.account)
    payment = Payment(
        circle_id=circle.id,
        number=number,
        settlement_id=settlement.id,
        giver_id=paying.giver,
        taker_id=paying.taker,
        amount=str(paying.amount),
        browser_id=browser.id,
        at=now(),
        entry_key=paying.key,
    )
    return _kept(payment, settlement)


def _under_way(circle: Circle, paying: Paying) -> Settlement | None:
    """The one settlement that is all there is to pay, where everything is settled and nothing new has come up."""
    if not paying.scope.is_everything:
        return None
    tables = (table.summary for table in db.session.scalars(open_tables(circle, paying.scope)))
    if any(summary is not None and summary.told["account"] == paying.account for summary in tables):
        return None
    of_account = [one for one in db.session.scalars(unfinished(circle)) if one.account == paying.account]
    unpaid = [one for one in of_account if not one.is_paid]
    return unpaid[0] if len(unpaid) == 1 else None


def _make(circle: Circle, scope: Scope, account: str) -> Settlement:
    settlement = Settlement(
        circle_id=circle.id,
        account=account,
        table_id=scope.table.id if scope.table is not None else None,
        day=scope.day,
        made_at=now(),
        left={},
        is_paid=False,
        is_nought=False,
    )
    db.session.add(settlement)
    db.session.flush()  # from here on nobody else takes over: this row's payment needs the next number
    _take_over_tables(settlement, circle, scope)
    if scope.is_everything:
        _take_over_earlier(settlement, circle)
    db.session.flush()
    return settlement


def _take_over_tables(settlement: Settlement, circle: Circle, scope: Scope) -> None:
    query = open_tables(circle, scope).with_for_update(of=Summary).execution_options(populate_existing=True)
    parts = []
    for table in db.session.scalars(query):
        summary = table.summary
        if summary is None or summary.told["account"] != settlement.account:
            continue
        for seat, amount in open_grains(summary).items():
            if amount:
                parts.append(_part(settlement, summary.told["seats"][seat], amount, table=table.id))
        summary.taken = dict(summary.told["grains"])
        summary.is_taken = True
        summary.is_settled = False
        tallies.table_changed(table)
    _add(parts)


def _take_over_earlier(settlement: Settlement, circle: Circle) -> None:
    parts: list[dict[str, Any]] = []
    taken: list[dict[str, Any]] = []
    for earlier in db.session.scalars(unfinished(circle)):
        if earlier.account != settlement.account or earlier is settlement:
            continue
        parts += [_part(settlement, int(player), amount, earlier=earlier.id) for player, amount in earlier.left.items()]
        heir = earlier.heir_id if earlier.is_paid else settlement.id
        taken.append({"id": earlier.id, "heir_id": heir, "left": {}, "is_paid": True, "is_nought": True})
    _add(parts)
    if taken:
        db.session.execute(update(Settlement), taken)


def _part(
    settlement: Settlement, player: int, amount: int, *, table: int | None = None, earlier: int | None = None
) -> dict[str, Any]:
    return {
        "settlement_id": settlement.id,
        "player_id": player,
        "amount": str(amount),
        "table_id": table,
        "earlier_id": earlier,
    }


def _add(parts: list[dict[str, Any]]) -> None:
    """In one statement, however many there are: the session would ask for the number of each."""
    if parts:
        db.session.execute(insert(_PART), parts)


def withdraw(circle: Circle, number: int, browser: Browser) -> Payment | None:
    """Take back a payment that was not made after all; answers its withdrawal, None where there is no such payment."""
    payment = db.session.scalar(select(Payment).where(Payment.circle_id == circle.id, Payment.number == number))
    if payment is None or payment.withdraws is not None:
        return None
    for _ in range(TRIES):
        done = db.session.scalar(select(Payment).where(Payment.circle_id == circle.id, Payment.withdraws == number))
        if done is not None:
            return done
        try:
            return _withdraw(payment, last_number(circle) + 1, browser)
        except IntegrityError:
            db.session.rollback()
    return None


def _withdraw(payment: Payment, number: int, browser: Browser) -> Payment:
    withdrawal = Payment(
        circle_id=payment.circle_id,
        number=number,
        settlement_id=payment.settlement_id,
        giver_id=payment.giver_id,
        taker_id=payment.taker_id,
        amount=payment.amount,
        withdraws=payment.number,
        browser_id=browser.id,
        at=now(),
        entry_key=f"withdraw-{payment.number}",
    )
    return _kept(withdrawal, db.session.get_one(Settlement, payment.settlement_id))


def _kept(payment: Payment, settlement: Settlement) -> Payment:
    db.session.add(payment)
    db.session.flush()
    reckon(settlement, persons(db.session.get_one(Circle, payment.circle_id)))
    db.session.flush()
    tell_tables(settlement)
    db.session.commit()
    return payment
