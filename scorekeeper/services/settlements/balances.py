"""Open balances, the payments that would clear them, and the settlements that have been made.

A balance is open until a settlement takes it over. A settlement is created by the first payment for a table, an
evening or everything (payments.py); from then on the settlement is unpaid or paid, not its tables. So a payment
always belongs to a fixed set of tables, and a later correction of one of them opens a new difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import contains_eager, joinedload

from ...currency import coin
from ...games import games
from ...models import Circle, Confirmation, Part, Payment, Player, Settlement, Summary, Table, db
from ...scoring.accounts import payments_via, round_to_coins, subunits_per_counter
from ...scoring.settlement import Transfer, settle
from ...stats.totals import Totals
from ...tables.state import value_of
from ..caches import period_totals
from ..people import persons_by_player_id
from .confirmations import waiting_payments
from .queries import open_subunits

MAX_SETTLEMENTS = 20  # listed on a page


@dataclass(frozen=True)
class Scope:
    """The tables that are settled together: one table, one evening, or everything that is open if both are None."""

    table: Table | None = None
    day: date | None = None

    @property
    def is_everything(self) -> bool:
        """True if the scope is neither a table nor an evening."""
        return self.table is None and self.day is None


@dataclass
class Account:
    """The open balances of one account, by the players' names.

    `key` is a currency or a game's slug. `subunits`: the balances in subunits of the account, above 0 for what a
    player is owed. `counters`: what of them comes from each game's tables, in the unit the game is settled in.
    `waiting`: what payments that wait for a confirmation will add to the balances; plans leave them out.
    """

    key: str
    subunits: dict[str, int] = field(default_factory=dict)
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, subunits: int) -> None:
        """Add an amount to a player's balance."""
        self.subunits[name] = self.subunits.get(name, 0) + subunits

    def add_waiting(self, payments: Iterable[Payment]) -> None:
        """Add payments that wait for a confirmation."""
        for payment in payments:
            amount = int(payment.amount)
            for person, change in ((payment.giver.person, amount), (payment.taker.person, -amount)):
                self.waiting[person.name] = self.waiting.get(person.name, 0) + change

    @property
    def due(self) -> dict[str, int]:
        """The balances as they will be once all that waits is confirmed, in subunits."""
        names = (*self.subunits, *(name for name in self.waiting if name not in self.subunits))
        return {name: self.subunits.get(name, 0) + self.waiting.get(name, 0) for name in names}

    @property
    def coins(self) -> dict[str, int]:
        """The part of what is due that can be paid in whole coins, in subunits."""
        return round_to_coins(self.due, coin(self.key))

    @property
    def has_remainder(self) -> bool:
        """True if a part of what is due is less than a coin."""
        return self.coins != self.due

    def plan(self, banker: str | None = None) -> list[Transfer]:
        """Plan the payments that clear the account: as few as possible, or all through the banker if there is one."""
        return payments_via(banker, self.coins) if banker is not None else settle(self.coins)


def names_of(persons: Mapping[int, Player]) -> dict[int, str]:
    """Return each player's current name by player id; `persons` is the result of `persons_by_player_id`."""
    return {player_id: person.name for player_id, person in persons.items()}


def names_in(circle: Circle) -> dict[int, str]:
    """Return the current name of each of the circle's players by player id."""
    return names_of(persons_by_player_id(circle))


def open_accounts(circle: Circle, scope: Scope) -> dict[str, Account]:
    """Return the scope's open accounts by key, currencies first.

    They hold what no settlement has taken over and, if the scope is everything, what earlier settlements left unpaid.
    """
    accounts: dict[str, Account] = {}
    if scope.is_everything:
        totals = period_totals.read(circle).totals
        names = names_in(circle)
        _add_totals(accounts, totals, names)
        for settlement in db.session.scalars(uncleared_settlements(circle)):
            account = accounts.setdefault(settlement.account, Account(settlement.account))
            for player_id, amount in settlement.unpaid.items():
                account.add(names[int(player_id)], amount)
        for payment in waiting_payments(circle):
            key = payment.settlement.account
            accounts.setdefault(key, Account(key)).add_waiting([payment])
    else:
        names = names_in(circle)
        for table in db.session.scalars(open_tables(circle, scope)):
            _add_table(accounts, table, names)
    return dict(sorted(accounts.items(), key=lambda item: (not item[0].isupper(), item[0])))


def _add_totals(accounts: dict[str, Account], totals: Totals, names: dict[int, str]) -> None:
    for key, (subunits, counters) in sorted(totals.unsettled.items()):
        account_key, game, player_id = key.split()
        account, name = accounts.setdefault(account_key, Account(account_key)), names[int(player_id)]
        account.add(name, subunits)
        of_game = account.counters.setdefault(game, {})
        of_game[name] = of_game.get(name, 0) + counters


def _add_table(accounts: dict[str, Account], table: Table, names: dict[int, str]) -> None:
    summary = table.summary
    if summary is None:
        return
    key = summary.data["account"]
    account = accounts.setdefault(key, Account(key))
    of_game = account.counters.setdefault(table.game, {})
    per_counter = subunits_per_counter(games()[table.game], value_of(table))
    for seat, subunits in open_subunits(summary).items():
        name = names[summary.data["seats"][seat]]
        account.add(name, subunits)
        of_game[name] = of_game.get(name, 0) + subunits // per_counter


def open_tables(circle: Circle, scope: Scope) -> Select[Table]:
    """Select the scope's tables that no settlement has taken over completely, with their summaries."""
    query = (
        select(Table)
        .join(Table.summary)
        .where(Table.circle_id == circle.id, Summary.is_taken_over.is_(False))
        .options(contains_eager(Table.summary))
        .order_by(Table.id)
    )
    if scope.table is not None:
        query = query.where(Table.id == scope.table.id)
    elif scope.day is not None:
        query = query.where(Table.day == scope.day)
    return query


def uncleared_settlements(circle: Circle) -> Select[Settlement]:
    """Select the circle's settlements of which anything is unpaid, less than a coin included."""
    return select(Settlement).where(Settlement.circle_id == circle.id, Settlement.is_cleared.is_(False))


# --- settlements and payments that were made ---------------------------------------------------------------


def settlement_of(circle: Circle, id_: int) -> Settlement | None:
    """Return the circle's settlement with this id, with its table."""
    query = (
        select(Settlement)
        .where(Settlement.id == id_, Settlement.circle_id == circle.id)
        .options(joinedload(Settlement.table))
    )
    return db.session.scalar(query)


def settlements_of(circle: Circle, scope: Scope) -> list[Settlement]:
    """List the newest settlements that took over something in this scope, newest first."""
    query = select(Settlement).where(Settlement.circle_id == circle.id).order_by(Settlement.id.desc())
    if not scope.is_everything:
        tables = select(Table.id).where(Table.circle_id == circle.id)
        tables = tables.where(Table.id == scope.table.id if scope.table is not None else Table.day == scope.day)
        query = query.where(Settlement.id.in_(select(Part.settlement_id).where(Part.table_id.in_(tables))))
    return list(db.session.scalars(query.options(joinedload(Settlement.table)).limit(MAX_SETTLEMENTS)))


def unpaid_account(settlement: Settlement, names: Mapping[int, str], waiting: Iterable[Payment] = ()) -> Account:
    """Return what is unpaid of a settlement as an account.

    `names` are those of the circle's players by id, `waiting` its payments that wait for a confirmation.
    """
    account = Account(settlement.account)
    account.add_waiting(payment for payment in waiting if payment.settlement_id == settlement.id)
    for player_id, amount in settlement.unpaid.items():
        account.add(names[int(player_id)], amount)
    return account


def payments_of(circle: Circle, *, before: int | None = None, limit: int = 50) -> list[Payment]:
    """List the circle's payments and withdrawals, newest first; with `before`, those with a lower number."""
    payments = select(Payment).where(Payment.circle_id == circle.id)
    query = _with_details(payments).order_by(Payment.number.desc()).limit(limit)
    return list(db.session.scalars(query if before is None else query.where(Payment.number < before)))


def payments_for(settlement: Settlement) -> list[Payment]:
    """List the payments and withdrawals of a settlement, oldest first."""
    payments = select(Payment).where(Payment.settlement_id == settlement.id)
    return list(db.session.scalars(_with_details(payments).order_by(Payment.number)))


def _with_details(payments: Select[Payment]) -> Select[Payment]:
    return payments.options(
        joinedload(Payment.giver),
        joinedload(Payment.taker),
        joinedload(Payment.browser),
        joinedload(Payment.settlement),
        joinedload(Payment.confirmation).joinedload(Confirmation.browser),
    )


def last_number(circle: Circle) -> int:
    """Return the number of the circle's last payment or withdrawal; 0 before the first."""
    return db.session.scalar(select(func.max(Payment.number)).where(Payment.circle_id == circle.id)) or 0


# --- where a balance comes from ----------------------------------------------------------------------------


class BalanceSource(NamedTuple):
    """A table, a settlement or a payment, and the subunits it adds to a player's balance.

    `seat` is the player's seat at the table. `settlement` is an earlier one that left the amount unpaid, or the later
    one that took it over.
    """

    subunits: int
    table: Table | None = None
    seat: str | None = None
    settlement: Settlement | None = None
    payment: Payment | None = None


def sources_of(circle: Circle, scope: Scope, account: str, person: Player) -> list[BalanceSource]:
    """List what a person's open balance in an account is the sum of, newest first."""
    player_ids = _player_ids(circle, person)
    sources = []
    for table in db.session.scalars(open_tables(circle, scope)):
        seat = _seat(table, player_ids)
        if table.summary is not None and seat is not None and table.summary.data["account"] == account:
            sources.append(BalanceSource(open_subunits(table.summary)[seat], table, seat))
    if scope.is_everything:
        for settlement in db.session.scalars(uncleared_settlements(circle)):
            if settlement.account == account:
                left = sum(amount for player_id, amount in settlement.unpaid.items() if int(player_id) in player_ids)
                sources.append(BalanceSource(left, settlement=settlement))
    return [source for source in reversed(sources) if source.subunits]


def _player_ids(circle: Circle, person: Player) -> list[int]:
    """Return the ids of the person's players: their own, and those of the players merged into them."""
    persons = persons_by_player_id(circle)
    return [player_id for player_id, other in persons.items() if other.id == person.id]


def players_in(settlement: Settlement, persons: Mapping[int, Player]) -> list[Player]:
    """List the persons whose balances a settlement took over, by name; `persons` by player id."""
    player_ids = db.session.scalars(select(Part.player_id).where(Part.settlement_id == settlement.id).distinct())
    return sorted({persons[player_id] for player_id in player_ids}, key=lambda person: person.name)


def parts_of(settlement: Settlement, person: Player) -> list[BalanceSource]:
    """List what a person's balance in a settlement is the sum of.

    These are the parts it took over, newest first, with those that a later settlement took over from it; then the
    payments that count.
    """
    player_ids = _player_ids(db.session.get_one(Circle, settlement.circle_id), person)
    is_of_settlement = or_(Part.settlement_id == settlement.id, Part.earlier_id == settlement.id)
    parts = (
        select(Part)
        .where(is_of_settlement, Part.player_id.in_(player_ids))
        .options(
            joinedload(Part.table).joinedload(Table.summary), joinedload(Part.earlier), joinedload(Part.settlement)
        )
        .order_by(Part.id.desc())
    )
    sources = [_part(part, settlement, player_ids) for part in db.session.scalars(parts)]
    return sources + _payment_sources(payments_for(settlement), player_ids)


def _part(part: Part, of: Settlement, player_ids: Collection[int]) -> BalanceSource:
    amount = int(part.amount)
    if part.earlier_id == of.id:
        return BalanceSource(-amount, settlement=part.settlement)
    return BalanceSource(amount, part.table, _seat(part.table, player_ids), part.earlier)


def _payment_sources(payments: list[Payment], player_ids: Collection[int]) -> list[BalanceSource]:
    withdrawn = {payment.withdraws for payment in payments}
    sources = []
    for payment in payments:
        if payment.withdraws is None and payment.is_confirmed and payment.number not in withdrawn:
            amount = int(payment.amount)
            gave, took = payment.giver_id in player_ids, payment.taker_id in player_ids
            if gave != took:
                sources.append(BalanceSource(amount if gave else -amount, payment=payment))
    return sources


def _seat(table: Table | None, player_ids: Collection[int]) -> str | None:
    """Return the seat of one of these players at the table."""
    if table is None or table.summary is None:
        return None
    return next((seat for seat, player_id in table.summary.data["seats"].items() if player_id in player_ids), None)
