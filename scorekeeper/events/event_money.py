"""Fees and prizes of an event: who owes them to the cash box or is owed them by it, and recording that they were paid.

Fees are owed once the first round is drawn, prizes once the event is finished. What was paid before is an advance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, and_, or_, select

from ..db.outcome import Done, Stale
from ..limits import MAX_PRIZE_AMOUNT
from ..models import Circle, DrawnRound, Entrant, Event, Membership, Payment, Player, db
from ..money.ledger import (
    BOX,
    PAYMENT,
    Account,
    LedgerEntry,
    Scope,
    Source,
    add_up,
    clamp,
    read_accounts,
)
from ..money.payments import PaymentRequest, find_limit_problem, record_locked
from ..money.reading import find_sent, list_payments, read_ledger
from ..people.reading import find_cashier, read_persons
from ..scoring import currency as currencies
from ..scoring.currency import to_money, to_subunits
from ..scoring.problems import Problem, refuse
from .drawing import Member
from .live import touch_event
from .phones import Outcome, writing_to_event
from .prizes import Award, award, read_prizes
from .reading import EventState, read_state

FEE, PRIZE = "fee", "prize"  # kinds of entries
UNPAID, PART, WAITING, PAID, OFFSET, FREE = "unpaid", "part", "waiting", "paid", "offset", "free"
_AMOUNT = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")


def find_amount_problem(field: str, stored: str, currency: str) -> Problem | None:
    """Return what is wrong with a fee or the amount of a prize: it must be payable in coins."""
    amount = Decimal(stored if _AMOUNT.fullmatch(stored) else 0)
    if not 0 < amount <= MAX_PRIZE_AMOUNT:
        return Problem(field, "event-amount")
    coin = currencies.coin(currency)
    if to_subunits(amount) % coin == 0:
        return None
    coin_in_money = to_money(coin, currencies.decimal_places(currency))
    return Problem(field, "event-fee-in-coins", {"coin": coin_in_money, "currency": currency})


# --- entries -----------------------------------------------------------------------------------------------


def list_entries_of_events(circle: Circle, names: Mapping[int, str]) -> Iterator[LedgerEntry]:
    return _read_entries(circle, names, Event.id.in_(_select_drawn(circle)))


def _select_drawn(circle: Circle) -> Select[int]:
    return select(DrawnRound.event_id).where(DrawnRound.circle_id == circle.id, DrawnRound.number == 1)


def _list_coming_fees(event: Event, names: Mapping[int, str]) -> Iterator[LedgerEntry]:
    """Yield the fees of events before this one that are not owed yet: an advance is for them first."""
    is_before = or_(Event.day < event.day, and_(Event.day == event.day, Event.id < event.id))
    is_coming = Event.id.not_in(_select_drawn(event.circle))
    return _read_entries(event.circle, names, Event.currency == event.currency, is_before, is_coming)


def _read_entries(circle: Circle, names: Mapping[int, str], *conditions: ColumnElement[bool]) -> Iterator[LedgerEntry]:
    query = select(Event).where(Event.circle_id == circle.id, Event.currency.is_not(None), *conditions)
    events = db.session.scalars(query.order_by(Event.day, Event.id)).all()
    payers: dict[int, list[int]] = {event.id: [] for event in events}
    if events:
        entrants = select(Entrant.event_id, Entrant.player_id).where(Entrant.event_id.in_(payers))
        for event_id, player_id in db.session.execute(entrants.where(Entrant.is_free.is_(False))):
            payers[event_id].append(player_id)
    for event in events:
        yield from _list_entries(event, payers[event.id], names)


def _list_entries(event: Event, payers: Iterable[int], names: Mapping[int, str]) -> Iterator[LedgerEntry]:
    fee = _get_fee(event)
    for kind, owed in ((FEE, [(player, -fee) for player in payers]), (PRIZE, _list_prizes_won(event))):
        amounts = Counter({BOX: -sum(amount for _, amount in owed)})
        for player, amount in owed:
            amounts[names[player]] += amount
        if any(amounts.values()):
            yield LedgerEntry(
                kind,
                event.currency or "",
                amounts,
                at=event.created_at,
                day=event.day,
                event=event.id,
                evening=event.day,
                source=Source("events.show", event.token, event.title),
            )


def _list_prizes_won(event: Event) -> list[tuple[int, int]]:
    """Return who has won money at a finished event, and how much, as often as they have won."""
    if event.finished_at is None or not any("amount" in prize for prize in event.prizes):
        return []
    state = read_state(event)
    won = [item for each in list_awards(state) for item in each.amounts.items()]
    return [(state.entrants[number].player_id, amount) for number, amount in won]


def list_awards(state: EventState) -> tuple[Award, ...]:
    event = state.event
    return award(read_prizes(event.prizes, []), state.standings, currencies.coin(event.currency or ""))


def _get_fee(event: Event) -> int:
    return to_subunits(Decimal(event.fee)) if event.fee is not None else 0


def has_payments(event: Event) -> bool:
    query = select(Payment.id).where(Payment.circle_id == event.circle_id, Payment.event_id == event.id)
    return db.session.scalar(query.limit(1)) is not None


# --- what a page shows of them -----------------------------------------------------------------------------


class FeeRow(NamedTuple):
    """An entrant's fee: its state, what is to be paid, in subunits, and the last payment, if there is one.

    PART: something was paid, and something is due. OFFSET: nothing was paid for the event, and nothing is due any more,
    because of a prize or another payment.
    """

    number: int
    person: Player
    state: str
    due: int
    payment: Payment | None


@dataclass(frozen=True)
class EventMoney:
    """The money of an event as it is now, in subunits of its currency."""

    state: EventState
    persons: Mapping[int, Player]
    free: frozenset[int]  # the numbers of those who pay no fee
    own: Account  # of the event alone
    whole: Account  # of the circle
    paid_for_all: Mapping[str, int]  # by whom, for the evening or for everything, since the first draw
    payments: Mapping[int, Payment]  # the last one of each person to the cash box for the event

    @property
    def currency(self) -> str:
        return self.state.event.currency or ""

    @property
    def fee(self) -> int:
        return _get_fee(self.state.event)

    @property
    def cashier(self) -> Player | None:
        return find_cashier(self.persons.values())

    @property
    def winners(self) -> list[tuple[str, int]]:
        """The names of those who have won money, and how much; who has won most comes first."""
        prizes = add_up(entry.amounts for entry in self.own.entries if entry.kind == PRIZE)
        won = [(name, amount) for name, amount in prizes.items() if name != BOX and amount]
        return sorted(won, key=lambda each: (-each[1], each[0]))

    def payable_by(self, name: str) -> int:
        """Return what a person owes the cash box for the event, below 0 for what it owes them.

        Never more than their balance with the cash box in all, including payments for everything. Of such a payment
        since the first draw, what no other event explains was for this one. An example: Bruno has paid a fee of 5 and
        was paid a prize of 20, at once for everything: he got 15. Another has won after a correction: Bruno owes 20.
        """
        own, whole = (-account.due_with_box.get(name, 0) for account in (self.own, self.whole))
        paid = -self.paid_for_all.get(name, 0)
        due = own + clamp(paid, whole - own)
        return clamp(due, whole)

    @cached_property
    def fees(self) -> tuple[FeeRow, ...]:
        return tuple(map(self._read_fee, self.state.entrants.values())) if self.fee else ()

    def _read_fee(self, entrant: Member) -> FeeRow:
        person = self.persons[entrant.player_id]
        due = max(0, self.payable_by(person.name))
        if any(person.name in entry.amounts for entry in self.own.waiting):
            state = WAITING
        elif entrant.number in self.free:
            state = FREE
        else:
            has_paid = self.own.paid.get(person.name, 0) > 0
            state = (PART if has_paid else UNPAID) if due else PAID if has_paid else OFFSET
        return FeeRow(entrant.number, person, state, due, self.payments.get(person.id))

    @property
    def payable(self) -> list[tuple[Player, int]]:
        """Everybody who owes the cash box for the event, or is owed by it, with the amount, by name."""
        people = sorted({person.name: person for person in self.persons.values()}.items())
        return [(person, due) for name, person in people if (due := self.payable_by(name))]


def read_money(event: Event) -> EventMoney:
    state = read_state(event)
    ledger, persons = read_ledger(event.circle), read_persons(event.circle)
    names = {id_: person.name for id_, person in persons.items()}
    payers = [entrant.player_id for entrant in event.entrants if not entrant.is_free]
    scope = Scope(event=event.id)
    own = list(_list_entries(event, payers, names))
    others = [entry for entry in ledger.entries if entry.kind == PAYMENT or not scope.contains(entry)]
    others += _list_coming_fees(event, names)
    paid = [entry for entry in others if scope.contains(entry)]
    waiting = [entry for entry in ledger.waiting if scope.contains(entry)]
    made = list_payments(event.circle, Payment.event_id == event.id, Payment.withdrawn_at.is_(None))
    return EventMoney(
        state,
        persons=persons,
        free=frozenset(entrant.number for entrant in event.entrants if entrant.is_free),
        own=_read_account(event, [*own, *paid], waiting),
        whole=_read_account(event, [*own, *others], ledger.waiting),
        paid_for_all=add_up(entry.amounts for entry in ledger.entries if _may_be_for_event(state, entry)),
        payments={payment.giver.person.id: payment for payment in made if payment.giver is not None},
    )


def _may_be_for_event(state: EventState, entry: LedgerEntry) -> bool:
    """Return whether an entry is a payment with the cash box, since the first draw, for the evening or everything."""
    event = state.event
    if not state.drawn or entry.kind != PAYMENT or not entry.is_with_box or entry.account != event.currency:
        return False
    is_for_all = entry.table is None and entry.event is None and entry.evening in (None, event.day)
    return is_for_all and entry.at >= state.drawn[0].drawn_at


def _read_account(event: Event, entries: Iterable[LedgerEntry], waiting: Iterable[LedgerEntry]) -> Account:
    key = event.currency or ""
    return read_accounts(entries, waiting).get(key) or Account(key, ())


# --- paying ------------------------------------------------------------------------------------------------


def pay(event: Event, person_id: int, subunits: int, key: str, by: Membership) -> Outcome:
    """Record that a person has paid the cash box what they owe, or was paid what they are owed.

    `subunits` is what the page has shown: above 0 if the person pays, else below 0. What is not due any more is not
    paid again.
    """
    with writing_to_event(event, by):
        money = read_money(event)
        person = money.persons.get(person_id)
        if person is None:
            return refuse([Problem("person", "who-pays")])
        if earlier := find_sent(event.circle, key):
            given = earlier.amount * (1 if earlier.giver_id is not None else -1)
            party = earlier.giver or earlier.taker
            is_same = party is not None and party.person is person and given == subunits
            return Done(None) if is_same else Stale(None)
        due = money.payable_by(person.name)
        if due == 0:
            return Done(None)
        if due != subunits:
            return Stale(None)
        if problem := find_limit_problem(event.circle, 1):
            return refuse([problem])
        giver, taker = (person.id, None) if due > 0 else (None, person.id)
        request = PaymentRequest(money.currency, giver, taker, abs(due), key, scope=Scope(event=event.id))
        record_locked(event.circle, request, by.id)
        touch_event(event)
        return Done(None)


def waive_fee(event: Event, number: int, is_free: bool, by: Membership) -> Outcome:
    """Set whether an entrant pays no fee: one that was paid already is owed to them once that is settled."""
    with writing_to_event(event, by):
        entrant = db.session.get(Entrant, (event.id, number), populate_existing=True)
        if entrant is not None and entrant.is_free != is_free:
            entrant.is_free = is_free
            touch_event(event)
        return Done(None)
