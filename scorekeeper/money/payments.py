"""Every write to payments: lock the circle, read, check what was seen, insert, commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from sqlalchemy import func, select

from ..db.outcome import Done, Stale, make_seen
from ..db.transactions import RightRevokedError, get_id, writing_to_circle
from ..limits import MAX_PAYMENTS
from ..models import (
    CASH,
    HOST,
    PAYMENT,
    SCORE,
    TRANSFER,
    WATCH,
    Circle,
    Confirmation,
    Membership,
    Payment,
    Player,
    Table,
    db,
    may,
    now,
)
from ..people.reading import find_cashier, read_memberships_by_person, read_owner, read_persons
from ..scoring.currency import has_larger_coins, is_currency
from ..scoring.problems import Problem, Refusal, refuse
from ..site.amounts import format_amount
from ..site.live import touch_tables
from ..site.occasions import Kind, Notice, notify
from ..site.time_zones import find_evening
from .ledger import BOX, EVERYTHING, Scope
from .reading import Ledger, build_seen, find_sent, is_sent_under, list_payments, list_unseen, read_ledger

PAYMENT_NOTICE = "payment"  # the kind of notice for a payment that waits


@dataclass(frozen=True)
class PaymentRequest:
    """A payment as it was entered, by the columns of `Payment`.

    A giver or taker of None is the cash box; for an expense or an income, both are None. `amount` is above 0; of a
    payment that `is_planned`, at most what is open between the two.
    """

    account: str
    giver: int | None
    taker: int | None
    amount: int
    key: str
    kind: str = PAYMENT
    paid_on: date | None = None  # None for today
    method: str | None = None
    note: str = ""
    scope: Scope = EVERYTHING
    is_planned: bool = False


PaymentResult = Done[list[Payment]] | Stale[list[Payment]] | Refusal  # Stale: with those that the page did not show


def record(circle: Circle, request: PaymentRequest, seen: str, membership: Membership) -> PaymentResult:
    """Record a payment that was made. A request sent again returns the first result and records nothing."""
    with writing_to_circle(get_id(circle), membership=membership, right=SCORE) as locked:
        earlier = find_sent(locked, request.key)
        if earlier is not None:
            return Done([earlier]) if _is_same(locked, earlier, request) else Stale([earlier])
        if seen != build_seen(locked):
            return Stale(list_unseen(locked, seen))
        if problem := _find_problem(locked, request):
            return refuse([problem])
        return Done([record_locked(locked, request, get_id(membership))])


def record_plan(
    circle: Circle, scope: Scope, shown: str, seen: str, key: str, membership: Membership, *, in_cash: bool = True
) -> PaymentResult:
    """Record all payments that are due in a scope: everybody has paid.

    `shown` is the hash of the plan on the page, `seen` says which payments the page knew. Both are compared, since a
    payment in another scope can leave the plan as it was. If the plan has changed without a payment, because a deal was
    corrected, the result is `Stale([])`.
    """
    with writing_to_circle(get_id(circle), membership=membership, right=SCORE) as locked:
        batch = make_seen(key, shown, scope, in_cash)  # so that only the same plan, sent again, is found
        if sent := list_payments(locked, is_sent_under(batch)):
            return Done(sent)
        if seen != build_seen(locked):
            return Stale(list_unseen(locked, seen))
        plan = list_planned(read_ledger(locked), scope, in_cash=in_cash)
        if hash_plan(plan) != shown:
            return Stale([])
        if problem := find_limit_problem(locked, len(plan)):
            return refuse([problem])
        parties: dict[str, int | None] = {person.name: person.id for person in read_persons(locked).values()}
        parties[BOX] = None
        requests = (
            PaymentRequest(
                account=each.account,
                giver=parties[each.giver],
                taker=parties[each.taker],
                amount=each.amount,
                key=f"{batch}-{number}",
                method=find_method(each.account, in_cash=in_cash),
                scope=scope,
            )
            for number, each in enumerate(plan)
        )
        return Done([record_locked(locked, each, get_id(membership)) for each in requests])


class AccountTransfer(NamedTuple):
    """A payment in an account, planned or made; giver and taker are names, or `BOX`."""

    account: str
    giver: str
    taker: str
    amount: int  # subunits


def list_planned(ledger: Ledger, scope: Scope, *, in_cash: bool = True) -> list[AccountTransfer]:
    accounts = ledger.read_accounts(scope, in_cash=in_cash).values()
    return [AccountTransfer(account.key, *payment) for account in accounts for payment in account.plan(ledger.banker)]


def find_method(account: str, *, in_cash: bool) -> str | None:
    """Return how a plan's payments are made; None where they have the same amounts either way.

    In francs, whose smallest coin is 5 centimes, 12.03 is paid as 12.05 in cash, and as 12.03 by transfer.
    """
    return (CASH if in_cash else TRANSFER) if is_currency(account) and has_larger_coins(account) else None


def hash_plan(plan: Iterable[AccountTransfer]) -> str:
    return make_seen(*plan)


def _is_same(circle: Circle, recorded: Payment, request: PaymentRequest) -> bool:
    """Return whether the request has the recorded payment's contents; players who were merged since count as one."""
    persons = read_persons(circle)
    parties = [persons[id_].id if id_ in persons else id_ for id_ in (request.giver, request.taker)]
    stored = [persons[id_].id if id_ is not None else None for id_ in (recorded.giver_id, recorded.taker_id)]
    scope = Scope(recorded.table_id, recorded.event_id, recorded.evening)
    was = [recorded.kind, recorded.account, recorded.amount, recorded.method, recorded.note or "", scope]
    wanted = [request.kind, request.account, request.amount, request.method, request.note, request.scope]
    return parties == stored and was == wanted and request.paid_on in (None, recorded.paid_on)


def _find_problem(circle: Circle, request: PaymentRequest) -> Problem | None:
    persons = read_persons(circle)
    giver, taker = (persons[id_] if id_ is not None else None for id_ in (request.giver, request.taker))
    if request.kind == PAYMENT and giver is taker:
        return Problem("taker", "pays-themselves", {"giver": giver.name if giver is not None else ""})
    return find_limit_problem(circle, 1) or (_find_excess(circle, request) if request.is_planned else None)


def _find_excess(circle: Circle, request: PaymentRequest) -> Problem | None:
    """Return the problem if more was entered for a planned payment than is open."""
    names: dict[int | None, str] = {id_: person.name for id_, person in read_persons(circle).items()}
    names[None] = BOX
    wanted = (request.account, names[request.giver], names[request.taker])
    plan = list_planned(read_ledger(circle), request.scope, in_cash=request.method != TRANSFER)
    open_ = sum(each.amount for each in plan if (each.account, each.giver, each.taker) == wanted)
    if request.amount <= open_:
        return None
    return Problem("amount", "more-than-open", {"open": format_amount(request.account, open_)})


def find_limit_problem(circle: Circle, more: int) -> Problem | None:
    """Return the problem if the circle may not have this number of further payments."""
    recorded = db.session.scalar(select(func.count()).where(Payment.circle_id == circle.id)) or 0
    is_full = recorded + more > MAX_PAYMENTS
    return Problem("amount", "too-many-payments", {"most": MAX_PAYMENTS}) if is_full else None


def record_locked(circle: Circle, request: PaymentRequest, membership_id: int) -> Payment:
    """Record a payment; the caller holds the circle's lock and has checked it."""
    moment = now()
    scope = request.scope
    last = db.session.scalar(select(func.max(Payment.number)).where(Payment.circle_id == circle.id)) or 0
    payment = Payment(
        circle_id=circle.id,
        number=last + 1,
        kind=request.kind,
        account=request.account,
        giver_id=request.giver,
        taker_id=request.taker,
        amount=request.amount,
        paid_on=request.paid_on or find_evening(moment, circle.time_zone),
        method=request.method,
        note=request.note or None,
        table_id=scope.table,
        event_id=scope.event,
        evening=scope.day,
        needs_confirmation=circle.confirms_payments and request.kind == PAYMENT,
        membership_id=membership_id,
        at=moment,
        entry_key=request.key,
    )
    db.session.add(payment)
    db.session.flush()
    if payment.needs_confirmation:
        owner = read_owner(payment.membership)
        receiver = find_receiver(circle, payment)
        if owner is not None and owner is receiver:
            _confirm_locked(payment, membership_id)
        else:
            notify(PAYMENT_NOTICE, circle.id, (payment.number,), membership_id)
    _touch_open_tables(circle, payment)
    return payment


def _touch_open_tables(circle: Circle, payment: Payment) -> None:
    """Notify the followers of the open tables that a payment is about: their pages say what is to be paid."""
    about = Table.id == payment.table_id if payment.table_id is not None else Table.day == payment.paid_on
    query = select(Table.id).where(Table.circle_id == circle.id, about, Table.closed_at.is_(None))
    touch_tables(circle.id, db.session.scalars(query).all())


# --- what becomes of a payment later -----------------------------------------------------------------------


# Stale if the payment's state is no longer `seen`, which the page has shown; Done if it is as wanted already.
ChangeResult = Done[Payment] | Stale[Payment] | Refusal


def confirm(payment: Payment, seen: str, membership: Membership) -> ChangeResult:
    """Confirm that a payment arrived, if it waits for that. One that counts already stays as it is."""
    with writing_to_circle(payment.circle_id, membership=membership, right=WATCH) as locked:
        if payment.withdrawn_at is not None or (payment.is_waiting and seen != payment.state):
            return Stale(payment)
        if payment.number not in list_confirmable(locked, membership, [payment]):
            receiver = find_receiver(locked, payment)
            if receiver is None:
                return refuse([Problem("payment", "only-a-host")])
            return refuse([Problem("payment", "not-the-receiver", {"who": receiver.name})])
        if payment.is_waiting:
            _confirm_locked(payment, membership.id)
            _touch_open_tables(locked, payment)
        return Done(payment)


def withdraw(payment: Payment, seen: str, membership: Membership) -> ChangeResult:
    """Withdraw a payment. Whoever may confirm it while it waits may do so without the right to score.

    Raises RightRevokedError without either right.
    """
    with writing_to_circle(payment.circle_id, membership=membership, right=WATCH) as locked:
        if payment.withdrawn_at is not None:
            return Done(payment)
        is_confirmable = payment.is_waiting and bool(list_confirmable(locked, membership, [payment]))
        if not is_confirmable and not may(membership.right, SCORE):
            raise RightRevokedError
        if seen != payment.state:
            return Stale(payment)
        payment.withdrawn_at = now()
        payment.withdrawn_by_id = membership.id
        _touch_open_tables(locked, payment)
        return Done(payment)


def restore(payment: Payment, seen: str, membership: Membership) -> ChangeResult:
    """Put back a payment that was taken back."""
    with writing_to_circle(payment.circle_id, membership=membership, right=SCORE) as locked:
        if payment.withdrawn_at is not None:
            if seen != payment.state:
                return Stale(payment)
            payment.withdrawn_at = payment.withdrawn_by_id = None
            _touch_open_tables(locked, payment)
        return Done(payment)


def find_receiver(circle: Circle, payment: Payment) -> Player | None:
    """Return who says that a payment arrived: its taker, or the cashier for the cash box."""
    if payment.taker is not None:
        return payment.taker.person
    return find_cashier(read_persons(circle).values())


def _confirm_locked(payment: Payment, membership_id: int) -> None:
    payment.confirmation = Confirmation(
        circle_id=payment.circle_id, payment_id=payment.id, membership_id=membership_id, at=now()
    )
    db.session.flush()


def list_confirmable(circle: Circle, membership: Membership, payments: Sequence[Payment]) -> set[int]:
    """Return the numbers of the payments that a phone may confirm: those to its own person.

    A host may also confirm those to people who have no phone.
    """
    own = read_owner(membership)
    found: set[int] = set()
    with_phone = read_memberships_by_person(circle) if may(membership.right, HOST) else None
    for payment in payments:
        receiver = find_receiver(circle, payment)
        is_own = own is not None and own is receiver
        if is_own or (with_phone is not None and (receiver is None or receiver.id not in with_phone)):
            found.add(payment.number)
    return found


def list_waiting(circle: Circle) -> list[Payment]:
    conditions = Payment.needs_confirmation.is_(True), Payment.withdrawn_at.is_(None), ~Payment.confirmation.has()
    return list_payments(circle, *conditions)


def count_waiting_for(membership: Membership) -> int:
    """Return how many payments wait for the confirmation of the phone's person; 0 if the circle asks for none."""
    owner = read_owner(membership) if membership.circle.confirms_payments else None
    if owner is None:
        return 0
    return sum(find_receiver(membership.circle, payment) is owner for payment in list_waiting(membership.circle))


def _find_notices(circle: Circle, number: int) -> Iterator[Notice]:
    for payment in list_waiting(circle):
        receiver = find_receiver(circle, payment)
        if payment.number == number and receiver is not None:
            yield Notice({"circle_token": circle.token}, receiver.id)


WAITING_PAYMENT = Kind(PAYMENT_NOTICE, "money.everything", _find_notices)
