"""Recording and withdrawing payments; the first payment for something open creates its settlement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import insert, select, update

from ..db.outcome import Conflict, Done, Stale
from ..db.transactions import get_id, write_to_circle
from ..models import SCORE, Browser, Circle, Part, Payment, Player, Settlement, db
from ..people.players import read_persons
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.settlement import round_to_coins
from ..site.occasions import notify
from ..site.time_zones import now
from ..tables.summary import open_subunits
from .balances import Account, make_account_id, make_unpaid_account, read_names, read_open_accounts
from .confirmations import PAYMENT, confirm_own, read_waiting_payments
from .payment_history import list_payments, read_last_number
from .scopes import Scope, is_settled_apart, open_summaries, uncleared_settlements
from .unpaid import cached_columns, find_coin, is_in_cash, recompute, update_settled_tables

MAX_STALE = 20  # payments shown to a writer whose page was stale

_PART = cast(SqlTable, Part.__table__)


@dataclass(frozen=True)
class PaymentRequest:
    """A payment as it was entered: for a scope, or for a settlement that exists already.

    `giver` and `taker` are player ids, `amount` is in subunits of the account. `last_number` is the last payment that
    the page showed, `key` its entry key: the same page sent twice records one payment.
    """

    account: str
    giver: int
    taker: int
    amount: int
    scope: Scope
    settlement: Settlement | None
    last_number: int
    key: str


# The number of the payment; those that the page did not show, newest first; the one recorded under the page's key.
PaymentResult = Done[int] | Stale[list[Payment]] | Conflict[Payment] | Refusal


def pay(circle: Circle, request: PaymentRequest, browser: Browser) -> PaymentResult:
    """Record a payment that was made. A request sent again returns the first result and records nothing."""
    browser_id = get_id(browser)
    return write_to_circle(
        get_id(circle), lambda locked: _pay(locked, request, browser_id), browser=browser, right=SCORE
    )


def _pay(circle: Circle, request: PaymentRequest, browser_id: int) -> PaymentResult:
    earlier = _sent_before(circle, request.key)
    if earlier is not None:
        is_same = _is_same(earlier, request, read_persons(circle))
        return Done(earlier.number) if is_same else Conflict(earlier)
    last = read_last_number(circle)
    if request.last_number != last:
        return Stale(list_payments(circle, limit=max(1, min(MAX_STALE, last - request.last_number))))
    refusal = _refusal(circle, request)
    return refusal if refusal is not None else Done(_record(circle, request, browser_id, last + 1).number)


def _sent_before(circle: Circle, key: str) -> Payment | None:
    return db.session.scalar(select(Payment).where(Payment.circle_id == circle.id, Payment.entry_key == key))


def _is_same(recorded: Payment, request: PaymentRequest, persons: Mapping[int, Player]) -> bool:
    """Return whether the request has the recorded payment's contents; players who were merged since count as one."""
    settlement = recorded.settlement
    requested = tuple(persons.get(player_id) for player_id in (request.giver, request.taker))
    if (recorded.giver.person, recorded.taker.person) != requested or int(recorded.amount) != request.amount:
        return False
    if request.settlement is not None:
        return request.settlement.id == settlement.id
    return settlement.account == request.account and request.scope.contains(settlement)


def _refusal(circle: Circle, request: PaymentRequest) -> Refusal | None:
    persons = read_persons(circle)
    giver, taker = persons.get(request.giver), persons.get(request.taker)
    if giver is None:
        return refuse(None, [Problem("giver", "who-pays")])
    if taker is None:
        return refuse(None, [Problem("taker", "who-is-paid")])
    if giver is taker:
        return refuse(None, [Problem("taker", "pays-themselves", {"giver": giver.name})])
    if request.amount <= 0:
        return refuse(None, [Problem("amount", "not-above-zero")])
    account = _account(circle, request)
    if account is not None and (giver.is_banker or taker.is_banker):
        return None  # the banker may pay out before being paid
    account = account or Account(request.account, in_cash=is_in_cash(circle, request.account))
    owes, owed = -account.due.get(giver.name, 0), account.due.get(taker.name, 0)
    # The cashier of an event may pay out before being paid, as a banker may.
    open_ = [due for person, due in ((giver, owes), (taker, owed)) if person.name not in account.guests]
    limit = min((_max_payable(due, account.coin) for due in open_), default=request.amount)
    if request.amount <= limit:
        return None
    names = {"giver": giver.name, "taker": taker.name}
    if not limit:
        return refuse(None, [Problem("amount", "nothing-open", names)])
    return refuse(None, [Problem("amount", "more-than-open", names | {"most": limit})])


def _max_payable(subunits: int, size: int) -> int:
    """Round an amount up to whole coins of this size; 0 for a negative one."""
    return max(0, -(-subunits // size) * size)


def _account(circle: Circle, request: PaymentRequest) -> Account | None:
    """Return what the payment would clear; None if games are settled apart and the request names none."""
    if request.settlement is not None:
        return make_unpaid_account(request.settlement, read_names(circle), read_waiting_payments(circle))
    scope = request.scope
    account = read_open_accounts(circle, scope).get(make_account_id(request.account, scope.game))
    if account is None and scope.game is None and is_settled_apart(circle, scope, request.account):
        return None
    return account or Account(request.account, in_cash=is_in_cash(circle, request.account))


def _record(circle: Circle, request: PaymentRequest, browser_id: int, number: int) -> Payment:
    settlement = (
        request.settlement
        or _only_settlement(circle, request)
        or _add_settlement(circle, request.scope, request.account)
    )
    transfer = request.giver, request.taker, request.amount
    return record_for(circle, settlement, transfer, request.key, browser_id, number)


def record_for(
    circle: Circle, settlement: Settlement, transfer: tuple[int, int, int], key: str, browser_id: int, number: int
) -> Payment:
    """Record a payment for a settlement; the caller holds the circle's lock and has checked it.

    `transfer` is the ids of giver and taker, and the amount in subunits; `number` is the next one of the circle.
    """
    giver, taker, amount = transfer
    payment = Payment(
        circle_id=circle.id,
        number=number,
        settlement_id=settlement.id,
        giver_id=giver,
        taker_id=taker,
        amount=str(amount),
        needs_confirmation=circle.confirms_payments,
        browser_id=browser_id,
        at=now(),
        entry_key=key,
    )
    recorded = _add_payment(payment, settlement, circle)
    if recorded.needs_confirmation:
        notify(PAYMENT, circle.id, (number,), browser_id)
    return recorded


def _only_settlement(circle: Circle, request: PaymentRequest) -> Settlement | None:
    """Return the unpaid settlement to which all belongs that is due in the request's scope, if there is one."""
    if open_summaries(circle, request.scope, request.account):
        return None
    uncleared, waiting = uncleared_settlements(circle, request.scope, request.account), _waiting_by_settlement(circle)
    due = [(each, left) for each in uncleared if any((left := _due(each, waiting)).values())]
    if len(due) != 1:
        return None
    settlement, left = due[0]
    by_person = {str(person): amount for person, amount in left.items()}
    return settlement if any(round_to_coins(by_person, find_coin(circle, request.account)).values()) else None


def _add_settlement(circle: Circle, scope: Scope, account: str) -> Settlement:
    """Create a settlement that takes over all that is open in the scope."""
    settlement = Settlement(
        circle_id=circle.id,
        account=account,
        table_id=scope.table.id if scope.table is not None else None,
        day=scope.day,
        game=scope.game if is_settled_apart(circle, scope, account) else None,
        created_at=now(),
        unpaid={},
        is_paid=False,
        is_cleared=False,
    )
    db.session.add(settlement)
    db.session.flush()
    _take_over_tables(settlement, circle, scope)
    take_over_earlier(settlement, circle, scope)
    db.session.flush()
    return settlement


def _take_over_tables(settlement: Settlement, circle: Circle, scope: Scope) -> None:
    parts = []
    for summary in open_summaries(circle, scope, settlement.account):
        for seat, amount in open_subunits(summary).items():
            if amount:
                parts.append(_part(settlement, summary.data["seats"][seat], amount, table=summary.table_id))
        summary.taken_over = dict(summary.data["grains"])
        summary.is_taken_over = True
        summary.is_settled = False
    _insert_parts(parts)


def take_over_earlier(settlement: Settlement, circle: Circle, scope: Scope) -> None:
    """Take over what earlier settlements in the scope left unpaid, but for what waits for a confirmation.

    A settlement of which only less than a coin was left counts as paid and keeps its successor.
    """
    parts: list[dict[str, Any]] = []
    cleared: list[dict[str, Any]] = []
    waiting = _waiting_by_settlement(circle)
    for earlier in uncleared_settlements(circle, scope, settlement.account):
        taken = {player: amount for player, amount in _due(earlier, waiting).items() if amount}
        if earlier is settlement or not taken:
            continue
        parts += [_part(settlement, player, amount, earlier=earlier.id) for player, amount in taken.items()]
        successor = earlier.successor_id if earlier.is_paid else settlement.id
        left = cached_columns(waiting.get(earlier.id, Counter()), find_coin(circle, settlement.account))
        cleared.append({"id": earlier.id, "circle_id": circle.id, "successor_id": successor} | left)
    _insert_parts(parts)
    if cleared:
        db.session.execute(update(Settlement), cleared)


def _due(settlement: Settlement, waiting: Mapping[int, Counter[int]]) -> dict[int, int]:
    """Return what is unpaid of a settlement by person's id, but for what waits for a confirmation."""
    left = waiting.get(settlement.id, Counter())
    due = {int(player): amount - left[int(player)] for player, amount in settlement.unpaid.items()}
    return due | {player: -amount for player, amount in left.items() if player not in due}


def _waiting_by_settlement(circle: Circle) -> dict[int, Counter[int]]:
    """Return what payments that wait for a confirmation leave unpaid, by settlement and person's id."""
    left: dict[int, Counter[int]] = {}
    for payment in read_waiting_payments(circle):
        of_settlement, amount = left.setdefault(payment.settlement_id, Counter()), int(payment.amount)
        of_settlement[payment.giver.person.id] -= amount
        of_settlement[payment.taker.person.id] += amount
    return left


def _part(
    settlement: Settlement, player: int, amount: int, *, table: int | None = None, earlier: int | None = None
) -> dict[str, Any]:
    """Return the row of a part; `player`, `table` and `earlier` are ids."""
    return {
        "circle_id": settlement.circle_id,
        "settlement_id": settlement.id,
        "player_id": player,
        "amount": str(amount),
        "table_id": table,
        "earlier_id": earlier,
    }


def _insert_parts(parts: list[dict[str, Any]]) -> None:
    """Insert the rows in one statement; the session would fetch the id of each."""
    if parts:
        db.session.execute(insert(_PART), parts)


def withdraw(circle: Circle, number: int, browser: Browser) -> Payment | None:
    """Withdraw a payment that was not made after all; return the withdrawal, or None if there is no such payment."""
    browser_id = get_id(browser)
    return write_to_circle(
        get_id(circle), lambda locked: _withdraw(locked, number, browser_id), browser=browser, right=SCORE
    )


def _withdraw(circle: Circle, number: int, browser_id: int) -> Payment | None:
    payments = select(Payment).where(Payment.circle_id == circle.id)
    payment = db.session.scalar(payments.where(Payment.number == number, Payment.withdraws.is_(None)))
    if payment is None:
        return None
    earlier = db.session.scalar(payments.where(Payment.withdraws == number))
    if earlier is not None:
        return earlier
    withdrawal = Payment(
        circle_id=circle.id,
        number=read_last_number(circle) + 1,
        settlement_id=payment.settlement_id,
        giver_id=payment.giver_id,
        taker_id=payment.taker_id,
        amount=payment.amount,
        withdraws=number,
        browser_id=browser_id,
        at=now(),
    )
    return _add_payment(withdrawal, payment.settlement, circle)


def _add_payment(payment: Payment, settlement: Settlement, circle: Circle) -> Payment:
    """Add a payment or withdrawal and update the caches that depend on it."""
    db.session.add(payment)
    db.session.flush()
    if payment.needs_confirmation:
        confirm_own(payment)
    recompute(settlement, read_persons(circle))
    db.session.flush()
    update_settled_tables(settlement)
    return payment
