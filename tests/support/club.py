"""A circle whose tables and payments are entered through the services, for quick tests without pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from itertools import count
from typing import Any

from scorekeeper.circles.lifecycle import find_or_add_scoring_membership
from scorekeeper.circles.phones import find_link, join, unseal_link_secrets
from scorekeeper.db.outcome import Done
from scorekeeper.games import games
from scorekeeper.models import Circle, Membership, Payment, Player, Table, db, new_secret
from scorekeeper.money.ledger import EVERYTHING, Scope
from scorekeeper.money.payments import ChangeResult, PaymentRequest, PaymentResult, record
from scorekeeper.money.reading import build_seen, read_ledger
from scorekeeper.people.writing import merge
from scorekeeper.tables.details import change_details, read_details
from scorekeeper.tables.opening import Opening, open_table
from scorekeeper.tables.reading import read_table
from scorekeeper.tables.revisions import Change
from scorekeeper.tables.state import TableState
from scorekeeper.tables.writing import Recorded, write

from ..tables.states import transfer

GAME = "whist"  # for four, in sides, and settled in fiches
NAMES = ("Anne", "Bruno", "Chloé", "David")
EUROS = {"currency": "EUR", "unit": "fiche", "amount": "0.25"}
FRANCS = {"currency": "CHF", "unit": "fiche", "amount": "0.01"}  # a fiche is a fifth of the smallest coin
CENT, FICHE = 90_000, 2_250_000  # in subunits: a cent, and a fiche worth 25 of them
CENTIME, FIVE_CENTIMES = 90_000, 450_000  # the same of francs, whose smallest coin has five centimes
DAY, NEXT_DAY = date(2026, 11, 20), date(2026, 11, 21)
AT = datetime(2026, 11, 20, 21)

Transfer = tuple[str, str, int]  # giver, taker, fiches


class Club:
    """A circle of four, with one phone that scores. Every table begins with the seats in the order of `NAMES`."""

    def __init__(self) -> None:
        self.secret = new_secret()
        membership = find_or_add_scoring_membership(self.secret, "")
        self.links = unseal_link_secrets(membership, self.secret)
        self.id, self.membership_id = membership.circle_id, membership.id
        self._keys = count(1)

    @property
    def circle(self) -> Circle:
        return db.session.get_one(Circle, self.id)

    @property
    def membership(self) -> Membership:
        return db.session.get_one(Membership, self.membership_id)

    def player(self, name: str) -> Player:
        return db.session.scalars(db.select(Player).filter_by(circle_id=self.id, name=name)).one()

    def join(self, right: str, device_secret: str | None = None) -> str:
        """Let another device, by default a new one, join by a link; return the device's secret."""
        link, secret = find_link(self.circle.token, self.links[right]), device_secret or new_secret()
        assert link is not None
        assert join(link, self.links[right], secret)
        return secret

    def merge(self, name: str, into: str) -> None:
        assert merge(self.player(name), self.player(into)) is None

    # --- tables

    def table(
        self,
        *transfers: Transfer,
        game: str = GAME,
        names: tuple[str, ...] = NAMES,
        value: dict[str, str] | None = None,
        day: date = DAY,
        **house_rules: Any,
    ) -> Table:
        """Open a table on an evening, at which nothing happens but these transfers of fiches."""
        opening = Opening(games()[game], names, names[0], house_rules, value)
        opened = open_table(opening, f"table {next(self._keys)}", self.membership)
        assert isinstance(opened, Done)
        table = db.session.scalars(db.select(Table).filter_by(token=opened.value)).one()
        details = read_details(table)
        assert isinstance(change_details(table, replace(details, day=day), details.seen, self.membership), Done)
        self.record(table, *transfers)
        return table

    def read(self, table: Table) -> TableState:
        found = read_table(self.secret, table.token)
        assert found is not None
        return found[0]

    def record(self, table: Table, *transfers: Transfer) -> None:
        state = self.read(table)
        seats = {name: seat for seat, name in state.names.items()}
        for giver, taker, fiches in transfers:
            state = self.write(state, transfer(seats[giver], seats[taker], fiches)).table

    def write(self, table: TableState, change: Change, key: str | None = None) -> Recorded:
        """Write a change that must be recorded."""
        answer = write(table, [change], table.seen, key or f"entry {next(self._keys)}", self.membership)
        assert isinstance(answer, Done)
        return answer.value

    # --- money

    def try_to_pay(
        self, giver: str | None, taker: str | None, amount: int, scope: Scope = EVERYTHING, **fields: Any
    ) -> PaymentResult:
        """Record a payment in counters, or in the currency `account`; None is the cash box."""
        giver_id, taker_id = (self.player(name).id if name is not None else None for name in (giver, taker))
        seen = fields.pop("seen", build_seen(self.circle))
        usual = {"account": GAME, "key": f"payment {next(self._keys)}", "giver": giver_id, "taker": taker_id}
        return record(self.circle, PaymentRequest(**usual | fields, amount=amount, scope=scope), seen, self.membership)

    def pay(
        self, giver: str | None, taker: str | None, amount: int, scope: Scope = EVERYTHING, **fields: Any
    ) -> Payment:
        paid = self.try_to_pay(giver, taker, amount, scope, **fields)
        assert isinstance(paid, Done), paid
        return paid.value[0]

    def balances(self, scope: Scope = EVERYTHING) -> dict[str, dict[str, int]]:
        """Return what is open, in subunits, by account and name."""
        return {key: account.open for key, account in read_ledger(self.circle).read_accounts(scope).items()}

    def is_settled(self, table: Table) -> bool:
        return table.id not in read_ledger(self.circle).find_unsettled_tables()

    def payments(self) -> list[Payment]:
        query = db.select(Payment).filter_by(circle_id=self.id).order_by(Payment.number)
        return list(db.session.scalars(query.execution_options(populate_existing=True)))


def change_payment(
    payment: Payment, change: Callable[[Payment, str, Membership], ChangeResult], by: Membership
) -> None:
    """Confirm a payment as it is now, take it back, or put it back."""
    assert isinstance(change(payment, payment.state, by), Done)
