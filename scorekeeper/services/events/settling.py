"""Settling the fees and prizes of an event, and recording that they were paid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import insert, select, update

from ...db.clock import now
from ...db.transactions import get_id
from ...models import FEE, Browser, Circle, Entrant, Event, Part, Payment, Settlement, db
from ...scoring.problems import Problem
from ..circles.players import read_persons
from ..invalidation import touch
from ..money.payment_history import read_last_number
from ..money.payments import record_for, take_over_earlier
from ..money.scopes import Scope
from ..money.unpaid import recompute
from ..outcome import Done, Stale
from .money import Balances, EventMoney, read_money
from .writing import write_to_event

MoneyOutcome = Done[None] | Stale[None] | Problem


# --- settling ----------------------------------------------------------------------------------------------


def settle(event: Event, seen: str, by: Browser) -> MoneyOutcome:
    """Settle what is open of an event's fees and prizes, if it is what the page has shown: `seen` is its mark.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    return write_to_event(event, lambda locked: _settle(locked, seen), by)


def _settle(event: Event, seen: str) -> MoneyOutcome:
    if event.finished_at is None:
        return Problem("event", "event-not-finished")
    money = read_money(event)
    if money.cashier is None:
        return Problem("cashier", "no-cashier")
    if not money.is_open:
        return Done(None)
    if seen != money.mark:
        return Stale(None)
    settlement = _add_settlement(event)
    _add_parts(settlement, [(kind, balances) for kind, balances in money.open_.items()])
    take_over_earlier(settlement, event.circle, Scope(event=event))
    _recompute(settlement)
    touch(event)
    return Done(None)


def _add_settlement(event: Event) -> Settlement:
    settlement = Settlement(
        circle_id=event.circle_id,
        account=event.currency,
        event_id=event.id,
        day=event.day,
        game=event.game,
        created_at=now(),
        unpaid={},
        is_paid=True,
        is_cleared=True,
    )
    db.session.add(settlement)
    db.session.flush()
    return settlement


def _add_parts(settlement: Settlement, balances: list[tuple[str, Balances]]) -> None:
    ids = {"circle_id": settlement.circle_id, "settlement_id": settlement.id, "event_id": settlement.event_id}
    rows = [
        {**ids, "kind": kind, "player_id": person, "amount": str(amount)}
        for kind, of_kind in balances
        for person, amount in of_kind.items()
    ]
    if rows:
        db.session.execute(insert(Part), rows)


def _recompute(settlement: Settlement) -> None:
    circle = db.session.get_one(Circle, settlement.circle_id)
    recompute(settlement, read_persons(circle))
    db.session.flush()


# --- payments ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MoneyPayment:
    """A payment between a person and the cashier.

    `subunits` is above 0 if the person pays the cashier, and below 0 if the cashier pays them, as the page has shown
    it. `key` is the page's entry key.
    """

    person: int
    subunits: int
    key: str


def pay(event: Event, payment: MoneyPayment, by: Browser) -> MoneyOutcome:
    """Record that a person has paid the cashier what they owe, or was paid what they are owed.

    A fee that no settlement has taken over is settled with it. What is not due any more is not paid again.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    browser_id = get_id(by)
    return write_to_event(event, lambda locked: _pay(locked, payment, browser_id), by)


def _pay(event: Event, payment: MoneyPayment, browser_id: int) -> MoneyOutcome:
    money = read_money(event)
    cashier, person = money.cashier, money.persons.get(payment.person)
    if cashier is None:
        return Problem("cashier", "no-cashier")
    if person is None or person.id == cashier.id:
        return Problem("person", "who-pays")
    keys = [_key(payment, number) for number in range(len(money.settlements) + 1)]
    earlier = _recorded_with(event, keys)
    if earlier:
        return Done(None) if _paid_by(person.id, earlier) == payment.subunits else Stale(None)
    due = money.payable_by(person.id)
    if due == 0:
        return Done(None)
    if due != payment.subunits:
        return Stale(None)
    fee = money.open_[FEE].get(person.id, 0)
    if fee:
        _settle_fee(event, money, person.id, fee)
    for number, (settlement, amount) in enumerate(_shares(event, money, person.id, due)):
        transfer = (person.id, cashier.id, amount) if due > 0 else (cashier.id, person.id, amount)
        record_for(
            event.circle, settlement, transfer, _key(payment, number), browser_id, read_last_number(event.circle) + 1
        )
    touch(event)
    return Done(None)


def _key(payment: MoneyPayment, number: int) -> str:
    """Return the key of one of the payments that a payment is divided into."""
    return f"{payment.key}-{number}" if number else payment.key


def _recorded_with(event: Event, keys: list[str]) -> list[Payment]:
    query = select(Payment).where(Payment.circle_id == event.circle_id, Payment.entry_key.in_(keys))
    return list(db.session.scalars(query))


def _paid_by(person: int, payments: list[Payment]) -> int:
    """Return what a person gave in these payments, less what they took."""
    given = sum(int(each.amount) for each in payments if each.giver.person.id == person)
    return given - sum(int(each.amount) for each in payments if each.taker.person.id == person)


def _settle_fee(event: Event, money: EventMoney, person: int, fee: int) -> None:
    """Add a person's fee to the last settlement of the event, unless a wider one has taken over that."""
    last = money.settlements[-1] if money.settlements else None
    settlement = last if last is not None and last.successor_id is None else _add_settlement(event)
    cashier = money.cashier
    if cashier is not None:
        _add_parts(settlement, [(FEE, {person: fee, cashier.id: -fee})])
    _recompute(settlement)


def _shares(event: Event, money: EventMoney, person: int, due: int) -> Iterator[tuple[Settlement, int]]:
    """Divide what a person pays, or is paid, among the event's settlements in which it is due, the oldest first."""
    sign, left = (1 if due > 0 else -1), abs(due)
    query = select(Settlement).where(Settlement.circle_id == event.circle_id, Settlement.event_id == event.id)
    of_account = query.where(Settlement.account == money.currency).order_by(Settlement.id)
    settlements = list(db.session.scalars(of_account.execution_options(populate_existing=True)))
    for settlement in settlements:
        share = min(left, max(0, -sign * settlement.unpaid.get(str(person), 0)))
        if settlement is settlements[-1]:
            share = left
        if share:
            yield settlement, share
        left -= share


# --- fees that are waived ----------------------------------------------------------------------------------


def set_free(event: Event, number: int, is_free: bool, by: Browser) -> Problem | None:
    """Set whether an entrant pays no fee; a fee that was paid already is owed to them once that is settled."""

    def work(locked: Event) -> Problem | None:
        of_event = update(Entrant).where(Entrant.event_id == locked.id)
        changed = db.session.execute(
            of_event.where(Entrant.number == number, Entrant.is_free.is_not(is_free)).values(is_free=is_free)
        )
        if changed.rowcount:  # type: ignore[attr-defined]  # of a CursorResult
            touch(locked)
        return None

    return write_to_event(event, work, by)
