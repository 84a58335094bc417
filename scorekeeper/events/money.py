"""Fees and prizes of an event: who owes what to whom, settling it, and recording that it was paid.

Every entrant owes the fee to the cashier, and the cashier owes the prizes to who has won them. What no settlement has
taken over yet is settled by a settlement of the event, so that a correction settles the difference only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from sqlalchemy import select
from werkzeug.utils import cached_property

from ..db.outcome import Done, Stale
from ..db.outcome import make_seen as hash_shown
from ..models import FEE, PRIZE, Browser, Circle, Entrant, Event, Part, Payment, Player, Settlement, db
from ..money.balances import WiderSettlement, get_names, make_unpaid_account
from ..money.confirmations import read_waiting_payments
from ..money.payment_history import read_last_number
from ..money.payments import record_for, take_over_earlier
from ..money.scopes import Scope, last_successors
from ..money.unpaid import find_coin, is_counted, is_in_cash, recompute
from ..people.players import read_persons
from ..scoring import currency as currencies
from ..scoring.currency import list_currencies, to_money, to_subunits
from ..scoring.problems import Problem
from ..scoring.settlement import Transfer, payments_via, round_to_coins
from ..site.live import touch
from ..site.time_zones import now
from .drawing import Member as EntrantRow
from .phones import write_to_event
from .prizes import Award, award, read_prizes
from .reading import EventState, read

KINDS = (FEE, PRIZE)
UNPAID, WAITING, PAID, OFFSET, FREE, CASHIER = "unpaid", "waiting", "paid", "offset", "free", "cashier"
_AMOUNT = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")

Balances = dict[int, int]  # in subunits by the person's id, above 0 for what they are owed


def fee_problems(fee: str | None, currency: str | None, circle: Circle | None = None) -> Iterator[Problem]:
    """Yield what is wrong with a fee, as it is stored, and its currency; coins count if the circle rounds to them."""
    if currency is not None and currency not in list_currencies():
        yield Problem("currency", "currency", {"found": currency[:20]})
    elif fee is not None and currency is None:
        yield Problem("currency", "missing")
    elif fee is not None and currency is not None:
        size = currencies.coin(currency, in_cash=circle is not None and is_in_cash(circle, currency))
        subunits = to_subunits(Decimal(fee)) if _AMOUNT.fullmatch(fee) else 0
        if subunits <= 0:
            yield Problem("fee", "event-amount")
        elif subunits % size != 0:
            coin_in_money = to_money(size, currencies.places(currency))
            yield Problem("fee", "event-fee-in-coins", {"coin": coin_in_money, "currency": currency})


class FeeRow(NamedTuple):
    """An entrant's fee: its state, and what is to be paid, in subunits.

    OFFSET: nothing was paid, and nothing is due any more, because of a prize or another settlement.
    """

    number: int
    person: int
    name: str
    state: str
    due: int


class WinnerRow(NamedTuple):
    person: int
    name: str
    subunits: int


@dataclass(frozen=True)
class EventMoney:
    """The money of an event as it is now, in subunits of its currency.

    `free` are the numbers of those who pay no fee. `open_` is what no settlement has taken over, by kind, `unpaid` what
    is unpaid of the event's settlements, payments that wait for a confirmation counted. `paid` is what each person has
    paid the cashier; `waiting` are those of whom a payment waits. `settlements` are the event's, oldest first.
    """

    state: EventState
    persons: Mapping[int, Player]
    cashier: Player | None
    free: frozenset[int]
    awards: tuple[Award, ...]
    open_: Mapping[str, Balances]
    unpaid: Balances
    paid: Balances
    waiting: frozenset[int]
    settlements: tuple[Settlement, ...]

    @property
    def currency(self) -> str:
        return self.state.event.currency or ""

    @property
    def fee(self) -> int:
        return _get_fee(self.state.event)

    @property
    def winners(self) -> list[WinnerRow]:
        won = add_up({person: amount} for person, amount in _won(self.state, self.awards))
        rows = [WinnerRow(person, self.persons[person].name, amount) for person, amount in won.items()]
        return sorted(rows, key=lambda row: (-row.subunits, row.name))

    @property
    def is_finished(self) -> bool:
        return self.state.is_finished

    @property
    def is_open(self) -> bool:
        return any(self.open_.values())

    def payable_by(self, person: int) -> int:
        """Return what a person owes in coins: as planned, or at the door, before prizes are known, on its own."""
        if self.is_finished and not self.is_open:
            return -self._coins.get(self.persons[person].name, 0)
        due = -(self.unpaid.get(person, 0) + self.open_[FEE].get(person, 0))  # prizes count once they are settled
        return round_to_coins({"person": due, "cashier": -due}, self._coin)["person"]

    @cached_property
    def fees(self) -> tuple[FeeRow, ...]:
        return tuple(map(self._read_fee, self.state.entrants.values())) if self.fee else ()

    def _read_fee(self, row: EntrantRow) -> FeeRow:
        person, due = row.player_id, max(0, self.payable_by(row.player_id))
        if self.cashier is not None and person == self.cashier.id:
            state = CASHIER
        elif person in self.waiting:
            state = WAITING
        elif row.number in self.free:
            state = FREE
        elif due:
            state = UNPAID
        else:
            state = PAID if self.paid.get(person, 0) > 0 else OFFSET
        return FeeRow(row.number, person, row.name, state, due)

    @property
    def plan(self) -> list[Transfer]:
        """The payments that will be due once everything is settled, each to or from the cashier."""
        return payments_via(self.cashier.name, self._coins) if self.cashier is not None else []

    @cached_property
    def _coins(self) -> dict[str, int]:
        """What will be due in coins once everything is settled, by name."""
        total = add_up((self.unpaid, *self.open_.values()))
        return round_to_coins({self.persons[person].name: amount for person, amount in total.items()}, self._coin)

    @property
    def _coin(self) -> int:
        return find_coin(self.state.event.circle, self.currency)

    @property
    def etag(self) -> str:
        shown = self.open_, self.unpaid, [settlement.token for settlement in self.settlements]
        return hash_shown(shown)


def add_up(balances: Iterable[Balances]) -> Balances:
    """Add up balances by person; those of 0 are left out."""
    total: Counter[int] = Counter()
    for each in balances:
        total.update(each)
    return {person: amount for person, amount in total.items() if amount}


def read_open_elsewhere(money: EventMoney, wider: Iterable[WiderSettlement]) -> dict[str, int]:
    """Return by name what the event's people still owe, or are owed, in settlements that took over theirs.

    In coins of the event's currency, in subunits, above 0 for what they are owed.
    """
    circle = money.state.event.circle
    took_over = [each.settlement.id for each in wider if not each.is_paid]
    ids = set(last_successors(circle, took_over).values())
    names = {money.persons[row.player_id].name for row in money.state.entrants.values()}
    if money.cashier is not None:
        names.add(money.cashier.name)
    found: Counter[str] = Counter()
    for settlement in db.session.scalars(select(Settlement).where(Settlement.id.in_(ids))):
        coins = make_unpaid_account(settlement, get_names(money.persons), read_waiting_payments(circle)).coins
        found.update({name: amount for name, amount in coins.items() if name in names and amount})
    return dict(found)


def read_money(event: Event) -> EventMoney:
    state, persons = read(event), read_persons(event.circle)
    cashier = persons.get(event.cashier_id or 0)
    settlements = _read_settlements(event)
    awards = list_awards(state) if event.finished_at is not None else ()
    free = select(Entrant.number).where(Entrant.event_id == event.id, Entrant.is_free.is_(True))
    free_numbers = frozenset(db.session.scalars(free))
    fee = _get_fee(event)
    fees = [(row.player_id, -fee) for row in state.entrants.values() if row.number not in free_numbers]
    owed = {FEE: _owe_cashier(cashier, fees), PRIZE: _owe_cashier(cashier, _won(state, awards))}
    settled = _read_settled(event, settlements, persons)
    open_ = {
        kind: add_up((owed[kind], {person: -amount for person, amount in settled[kind].items()})) for kind in KINDS
    }
    if event.finished_at is None:
        open_[PRIZE] = {}  # those that were settled before it was reopened are corrected once it is finished again
    unpaid, paid, waiting = _read_payments(event.circle, settlements, persons, cashier)
    return EventMoney(state, persons, cashier, free_numbers, awards, open_, unpaid, paid, waiting, tuple(settlements))


def list_awards(state: EventState) -> tuple[Award, ...]:
    event = state.event
    coin = find_coin(event.circle, event.currency) if event.currency else 1
    return award(read_prizes(event.prizes, []), state.standings, coin)


def _read_settlements(event: Event) -> list[Settlement]:
    of_event = select(Settlement).where(Settlement.circle_id == event.circle_id, Settlement.event_id == event.id)
    query = of_event.where(Settlement.account == (event.currency or "")).order_by(Settlement.id)
    return list(db.session.scalars(query.execution_options(populate_existing=True)))


def has_settlement(event: Event) -> bool:
    query = select(Settlement.id).where(Settlement.circle_id == event.circle_id, Settlement.event_id == event.id)
    return db.session.scalar(query.limit(1)) is not None


def _owe_cashier(cashier: Player | None, amounts: Sequence[tuple[int, int]]) -> Balances:
    if cashier is None:
        return {}
    total = sum(amount for _, amount in amounts)
    return add_up(({cashier.id: -total}, *({person: amount} for person, amount in amounts)))


def _won(state: EventState, awards: Iterable[Award]) -> list[tuple[int, int]]:
    return [(state.entrants[number].player_id, amount) for each in awards for number, amount in each.amounts.items()]


def _get_fee(event: Event) -> int:
    return to_subunits(Decimal(event.fee)) if event.fee is not None else 0


def _read_settled(
    event: Event, settlements: Iterable[Settlement], persons: Mapping[int, Player]
) -> dict[str, Counter[int]]:
    settled: dict[str, Counter[int]] = {kind: Counter() for kind in KINDS}
    ids = [settlement.id for settlement in settlements]
    query = select(Part.kind, Part.player_id, Part.amount).where(Part.event_id == event.id, Part.settlement_id.in_(ids))
    for kind, player_id, amount in db.session.execute(query):
        settled[kind or FEE][persons[player_id].id] += int(amount)
    return settled


def _read_payments(
    circle: Circle, settlements: Sequence[Settlement], persons: Mapping[int, Player], cashier: Player | None
) -> tuple[Balances, Balances, frozenset[int]]:
    """Return what is unpaid, what each has paid the cashier, and the persons whose payment waits."""
    ids = {settlement.id for settlement in settlements}
    unpaid = [{int(person): amount for person, amount in settlement.unpaid.items()} for settlement in settlements]
    waiting = [payment for payment in read_waiting_payments(circle) if payment.settlement_id in ids] if ids else []
    counted = select(Payment).where(Payment.circle_id == circle.id, Payment.settlement_id.in_(ids), is_counted())
    paid: Counter[int] = Counter()
    for payment in (*(db.session.scalars(counted) if ids else ()), *waiting):
        giver, taker = persons[payment.giver_id].id, persons[payment.taker_id].id
        if cashier is not None and taker == cashier.id:
            paid[giver] += int(payment.amount)
    for payment in waiting:
        amount = int(payment.amount)
        unpaid.append({persons[payment.giver_id].id: amount, persons[payment.taker_id].id: -amount})
    return add_up(unpaid), paid, frozenset(persons[payment.giver_id].id for payment in waiting)


# --- settling and paying ------------------------------------------------------------------------------------

MoneyOutcome = Done[None] | Stale[None] | Problem


def settle(event: Event, seen: str, by: Browser) -> MoneyOutcome:
    """Settle what is open of an event's fees and prizes, if it is what the page has shown: `seen` is its ETag."""

    def work(locked: Event) -> MoneyOutcome:
        if locked.finished_at is None:
            return Problem("event", "event-not-finished")
        money = read_money(locked)
        if money.cashier is None:
            return Problem("cashier", "no-cashier")
        if not money.is_open:
            return Done(None)
        if seen != money.etag:
            return Stale(None)
        settlement = _add_settlement(locked)
        for kind, balances in money.open_.items():
            _add_parts(settlement, kind, balances)
        take_over_earlier(settlement, locked.circle, Scope(event=locked))
        recompute(settlement, read_persons(locked.circle))
        touch(locked)
        return Done(None)

    return write_to_event(event, work, by)


def _add_settlement(event: Event) -> Settlement:
    of_event = {"circle_id": event.circle_id, "event_id": event.id, "day": event.day, "game": event.game}
    is_done = {"unpaid": {}, "is_paid": True, "is_cleared": True}
    settlement = Settlement(**of_event, account=event.currency, created_at=now(), **is_done)
    db.session.add(settlement)
    db.session.flush()
    return settlement


def _add_parts(settlement: Settlement, kind: str, balances: Balances) -> None:
    ids = {"circle_id": settlement.circle_id, "settlement_id": settlement.id, "event_id": settlement.event_id}
    for person, amount in balances.items():
        db.session.add(Part(**ids, kind=kind, player_id=person, amount=str(amount)))


@dataclass(frozen=True)
class MoneyPayment:
    """A payment as the page has shown it: `subunits` is above 0 if the person pays the cashier, else below 0."""

    person: int
    subunits: int
    key: str


def pay(event: Event, payment: MoneyPayment, by: Browser) -> MoneyOutcome:
    """Record that a person has paid the cashier what they owe, or was paid what they are owed.

    A fee that no settlement has taken over is settled with it. What is not due any more is not paid again.
    """
    return write_to_event(event, lambda locked: _pay(locked, payment, by.id), by)


def _pay(event: Event, payment: MoneyPayment, browser_id: int) -> MoneyOutcome:
    money = read_money(event)
    cashier, person = money.cashier, money.persons.get(payment.person)
    if cashier is None:
        return Problem("cashier", "no-cashier")
    if person is None or person.id == cashier.id:
        return Problem("person", "who-pays")
    keys = [_key(payment, number) for number in range(len(money.settlements) + 1)]
    query = select(Payment).where(Payment.circle_id == event.circle_id, Payment.entry_key.in_(keys))
    if earlier := list(db.session.scalars(query)):
        given = sum(int(each.amount) for each in earlier if each.giver.person.id == person.id)
        taken = sum(int(each.amount) for each in earlier if each.taker.person.id == person.id)
        return Done(None) if given - taken == payment.subunits else Stale(None)
    due = money.payable_by(person.id)
    if due == 0:
        return Done(None)
    if due != payment.subunits:
        return Stale(None)
    if fee := money.open_[FEE].get(person.id, 0):
        last = money.settlements[-1] if money.settlements else None
        # A wider settlement has perhaps taken over that.
        settlement = last if last is not None and last.successor_id is None else _add_settlement(event)
        _add_parts(settlement, FEE, {person.id: fee, cashier.id: -fee})
        recompute(settlement, read_persons(event.circle))
        db.session.flush()
    for number, (settlement, amount) in enumerate(_divide(event, person.id, due)):
        transfer = (person.id, cashier.id, amount) if due > 0 else (cashier.id, person.id, amount)
        key, following = _key(payment, number), read_last_number(event.circle) + 1
        record_for(event.circle, settlement, transfer, key, browser_id, following)
    touch(event)
    return Done(None)


def _key(payment: MoneyPayment, number: int) -> str:
    return f"{payment.key}-{number}" if number else payment.key


def _divide(event: Event, person: int, due: int) -> Iterator[tuple[Settlement, int]]:
    """Divide what a person pays, or is paid, among the event's settlements in which it is due, the oldest first."""
    sign, left = (1 if due > 0 else -1), abs(due)
    settlements = _read_settlements(event)
    for settlement in settlements:
        share = min(left, max(0, -sign * settlement.unpaid.get(str(person), 0)))
        if settlement is settlements[-1]:
            share = left
        if share:
            yield settlement, share
        left -= share


def set_free(event: Event, number: int, is_free: bool, by: Browser) -> Problem | None:
    """Set whether an entrant pays no fee; a fee that was paid already is owed to them once that is settled."""

    def work(locked: Event) -> Problem | None:
        entrant = db.session.get(Entrant, (locked.id, number), populate_existing=True)
        if entrant is not None and entrant.is_free != is_free:
            entrant.is_free = is_free
            touch(locked)
        return None

    return write_to_event(event, work, by)
