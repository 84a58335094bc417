"""Confirmations: a payment that needs one counts once its receiver has confirmed that it arrived.

Whether payments need one is set for a circle; a payment keeps what was set when it was recorded. If no phone with
access is the receiver's, a host may confirm on their behalf. What did not arrive is withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import func, or_, select
from sqlalchemy.orm import joinedload

from ..db.transactions import RightRevokedError, get_id, write_to_circle
from ..models import HOST, WATCH, Browser, Circle, Confirmation, Payment, Player, db, may
from ..people.players import read_browsers_by_person, read_owner, read_persons
from ..site.occasions import Kind, Notice
from ..site.time_zones import now
from .unpaid import is_waiting, recompute, update_settled_tables

PAYMENT = "payment"  # the kind of notice for a payment that waits


def confirm(circle: Circle, number: int, browser: Browser) -> str | None:
    """Confirm that a payment arrived; return the token of its settlement, or None if the circle has no such payment.

    A payment that is confirmed already, that needs no confirmation, or that was withdrawn stays as it is.
    """
    browser_id = get_id(browser)
    return write_to_circle(
        get_id(circle), lambda locked: _confirm(locked, number, browser_id), browser=browser, right=WATCH
    )


def _confirm(circle: Circle, number: int, browser_id: int) -> str | None:
    payment = db.session.scalar(
        select(Payment).where(Payment.circle_id == circle.id, Payment.number == number, Payment.withdraws.is_(None))
    )
    if payment is None:
        return None
    if not confirmable(circle, db.session.get_one(Browser, browser_id), [payment]):
        raise RightRevokedError
    is_it = (Payment.circle_id == circle.id, Payment.id == payment.id)
    if db.session.scalar(select(Payment.id).where(*is_it, is_waiting())) is not None:
        db.session.add(Confirmation(circle_id=circle.id, payment_id=payment.id, browser_id=browser_id, at=now()))
        db.session.flush()
        recompute(payment.settlement, read_persons(circle))
        db.session.flush()
        update_settled_tables(payment.settlement)
    return payment.settlement.token


def confirmable(circle: Circle, browser: Browser, payments: Iterable[Payment]) -> set[int]:
    """Return the numbers of those of the payments that this browser may confirm.

    They are those to the browser's own player and, for a host, those to people without a phone in the circle.
    """
    payments = list(payments)
    own = read_owner(browser)
    allowed = {payment.number for payment in payments if own is not None and payment.taker.person.id == own.id}
    if len(allowed) < len(payments) and may(browser.right, HOST):
        with_phone = read_browsers_by_person(circle)
        allowed |= {payment.number for payment in payments if payment.taker.person.id not in with_phone}
    return allowed


def confirm_own(payment: Payment) -> None:
    """Confirm a new payment that its receiver's own phone has recorded. The caller computes the caches."""
    owner = read_owner(payment.browser)
    if owner is not None and owner.id == payment.taker.person.id:
        ids = {"circle_id": payment.circle_id, "payment_id": payment.id, "browser_id": payment.browser_id}
        db.session.add(Confirmation(**ids, at=payment.at))
        db.session.flush()


def payment_numbered(circle: Circle, number: int) -> Payment | None:
    """Return the circle's payment or withdrawal with this number."""
    return db.session.scalar(select(Payment).where(Payment.circle_id == circle.id, Payment.number == number))


def read_waiting_payments(circle: Circle) -> list[Payment]:
    """List the circle's payments that wait for a confirmation, oldest first."""
    details = (Payment.giver, Payment.taker, Payment.browser, Payment.settlement)
    query = select(Payment).where(Payment.circle_id == circle.id, is_waiting())
    return list(db.session.scalars(query.options(*map(joinedload, details)).order_by(Payment.number)))


def count_waiting_for(browser: Browser) -> int:
    """Return how many payments wait for the confirmation of the browser's player; 0 if the circle asks for none."""
    if browser.player_id is None or not browser.circle.confirms_payments:
        return 0
    in_circle = Player.circle_id == browser.circle_id
    own = select(func.coalesce(Player.person_id, Player.id)).where(in_circle, Player.id == browser.player_id)
    person = own.scalar_subquery()
    players = select(Player.id).where(in_circle, or_(Player.id == person, Player.person_id == person))
    query = select(func.count()).select_from(Payment).where(Payment.circle_id == browser.circle_id)
    return db.session.scalar(query.where(Payment.taker_id.in_(players), is_waiting())) or 0


def _find_notices(circle: Circle, number: int) -> Iterator[Notice]:
    """Yield the receiver of a payment that waits for a confirmation."""
    for payment in read_waiting_payments(circle):
        if payment.number == number:
            yield Notice({"name": circle.name}, payment.taker.person.id)


WAITING_PAYMENT = Kind(PAYMENT, "settlements.everything", _find_notices)
