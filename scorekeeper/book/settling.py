"""Settling up: what is open, the payments that would clear it, and what settlements have taken over.

A balance is open until a settlement takes it over, which the first payment for a table, an evening or everything
makes (payments.py); from then on it is the settlement that is unpaid or paid. So a payment is always for known tables,
and a later correction of one of them is a new difference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import contains_eager, joinedload

from ..currency import coin
from ..games import games
from ..scoring.accounts import grains_of_a_counter, in_coins, through
from ..scoring.settlement import Payment as Planned
from ..scoring.settlement import settle
from ..store import Circle, Part, Payment, Player, Settlement, Summary, Table, db
from ..table import value_of
from ..tally import Tally
from . import tallies
from .people import persons
from .settled import open_grains


@dataclass(frozen=True)
class Scope:
    """What is to be settled together: one table, one evening, or (neither told) everything that is open."""

    table: Table | None = None
    day: date | None = None

    @property
    def is_everything(self) -> bool:
        return self.table is None and self.day is None


@dataclass
class Account:
    """What is open in one account, players by name; grains, above 0 for what a player is owed.

    `counters` are the open balances of each game's tables, in the unit the game is settled in.
    """

    key: str
    grains: dict[str, int] = field(default_factory=dict)
    counters: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, name: str, grains: int) -> None:
        self.grains[name] = self.grains.get(name, 0) + grains

    @property
    def coins(self) -> dict[str, int]:
        """What can be paid of it in whole coins; grains."""
        return in_coins(self.grains, coin(self.key))

    @property
    def has_a_rest(self) -> bool:
        return self.coins != self.grains

    def plan(self, banker: str | None = None) -> list[Planned]:
        """The payments that clear it, in grains: the fewest, or all through a banker."""
        return through(banker, self.coins) if banker is not None else settle(self.coins)


def names_of(people: Mapping[int, Player]) -> dict[int, str]:
    """What each of a circle's players, as `people.persons` tells them, is called now."""
    return {id_: person.name for id_, person in people.items()}


def names_in(circle: Circle) -> dict[int, str]:
    return names_of(persons(circle))


def open_accounts(circle: Circle, scope: Scope) -> dict[str, Account]:
    """What no settlement has taken over and, of everything, what earlier settlements have left unpaid."""
    accounts: dict[str, Account] = {}
    if scope.is_everything:
        tally = tallies.read(circle).tally  # first, since it may end the transaction
        names = names_in(circle)
        _add_tally(accounts, tally, names)
        for settlement in db.session.scalars(unfinished(circle)):
            account = accounts.setdefault(settlement.account, Account(settlement.account))
            for player, amount in settlement.left.items():
                account.add(names[int(player)], amount)
    else:
        names = names_in(circle)
        for table in db.session.scalars(open_tables(circle, scope)):
            _add_table(accounts, table, names)
    return dict(sorted(accounts.items(), key=lambda item: (not item[0].isupper(), item[0])))


def _add_tally(accounts: dict[str, Account], tally: Tally, names: dict[int, str]) -> None:
    for told, (grains, count) in sorted(tally.open.items()):
        key, game, player = told.split()
        account, name = accounts.setdefault(key, Account(key)), names[int(player)]
        account.add(name, grains)
        counters = account.counters.setdefault(game, {})
        counters[name] = counters.get(name, 0) + count


def _add_table(accounts: dict[str, Account], table: Table, names: dict[int, str]) -> None:
    summary = table.summary
    told = summary.told if summary is not None else {"grains": {}}
    if summary is None or not (any(told["grains"].values()) or any(summary.taken.values())):
        return
    account = accounts.setdefault(told["account"], Account(told["account"]))
    counters = account.counters.setdefault(table.game, {})
    each = grains_of_a_counter(games()[table.game], value_of(table))
    for seat, grains in open_grains(summary).items():
        name = names[told["seats"][seat]]
        account.add(name, grains)
        counters[name] = counters.get(name, 0) + grains // each


def open_tables(circle: Circle, scope: Scope) -> Select[Table]:
    query = (
        select(Table)
        .join(Table.summary)
        .where(Table.circle_id == circle.id, Summary.is_taken.is_(False))
        .options(contains_eager(Table.summary))
        .order_by(Table.id)
    )
    if scope.table is not None:
        query = query.where(Table.id == scope.table.id)
    elif scope.day is not None:
        query = query.where(Table.day == scope.day)
    return query


def unfinished(circle: Circle) -> Select[Settlement]:
    return select(Settlement).where(Settlement.circle_id == circle.id, Settlement.is_nought.is_(False))


# --- settlements and payments that were made ---------------------------------------------------------------


def settlement_of(circle: Circle, id_: int) -> Settlement | None:
    query = (
        select(Settlement)
        .where(Settlement.id == id_, Settlement.circle_id == circle.id)
        .options(joinedload(Settlement.table))
    )
    return db.session.scalar(query)


def settlements_of(circle: Circle, scope: Scope) -> list[Settlement]:
    """The settlements that took something over in this scope, the newest first."""
    query = select(Settlement).where(Settlement.circle_id == circle.id).order_by(Settlement.id.desc())
    if not scope.is_everything:
        tables = select(Table.id).where(Table.circle_id == circle.id)
        tables = tables.where(Table.id == scope.table.id if scope.table is not None else Table.day == scope.day)
        query = query.where(Settlement.id.in_(select(Part.settlement_id).where(Part.table_id.in_(tables))))
    return list(db.session.scalars(query.options(joinedload(Settlement.table)).limit(20)))


def left_of(settlement: Settlement, names: Mapping[int, str]) -> Account:
    """What is unpaid of a settlement, as an account of its own; `names` of the circle's players."""
    account = Account(settlement.account)
    for player, amount in settlement.left.items():
        account.add(names[int(player)], amount)
    return account


def payments_of(circle: Circle, *, before: int | None = None, most: int = 50) -> list[Payment]:
    """The circle's payments and withdrawals, newest first, `before` that number."""
    query = _told(select(Payment).where(Payment.circle_id == circle.id)).order_by(Payment.number.desc()).limit(most)
    return list(db.session.scalars(query if before is None else query.where(Payment.number < before)))


def payments_for(settlement: Settlement) -> list[Payment]:
    return list(
        db.session.scalars(
            _told(select(Payment).where(Payment.settlement_id == settlement.id)).order_by(Payment.number)
        )
    )


def _told(query: Select[Payment]) -> Select[Payment]:
    return query.options(
        joinedload(Payment.giver),
        joinedload(Payment.taker),
        joinedload(Payment.browser),
        joinedload(Payment.settlement),
    )


def last_number(circle: Circle) -> int:
    """The number of the circle's last payment or withdrawal; 0 before the first."""
    return db.session.scalar(select(func.max(Payment.number)).where(Payment.circle_id == circle.id)) or 0


# --- where a balance comes from ----------------------------------------------------------------------------


class Source(NamedTuple):
    """A table, another settlement or a payment, and what it adds to somebody's balance; grains."""

    grains: int
    table: Table | None = None
    seat: str | None = None  # the player's, at the table
    settlement: Settlement | None = None  # an earlier one that left it; or the later one that took it over
    payment: Payment | None = None


def sources_of(circle: Circle, scope: Scope, account: str, person: Player) -> list[Source]:
    """What a player's open balance is made of, newest first; `Account.grains` says what it comes to."""
    theirs = {id_ for id_, who in persons(circle).items() if who.id == person.id}
    found = []
    for table in db.session.scalars(open_tables(circle, scope)):
        seat = _seat(table, theirs)
        if table.summary is not None and seat is not None and table.summary.told["account"] == account:
            found.append(Source(open_grains(table.summary)[seat], table, seat))
    if scope.is_everything:
        for settlement in db.session.scalars(unfinished(circle)):
            if settlement.account == account:
                left = sum(amount for id_, amount in settlement.left.items() if int(id_) in theirs)
                found.append(Source(left, settlement=settlement))
    return [source for source in reversed(found) if source.grains]


def concerned_in(settlement: Settlement, people: Mapping[int, Player]) -> list[Player]:
    """The players whose balances it took over."""
    theirs = db.session.scalars(select(Part.player_id).where(Part.settlement_id == settlement.id).distinct())
    return sorted({people[id_] for id_ in theirs}, key=lambda person: person.name)


def parts_of(settlement: Settlement, person: Player) -> list[Source]:
    """The same of a settlement that was made: what it took over of a player, what was paid, what went to its heir."""
    circle = db.session.get_one(Circle, settlement.circle_id)
    theirs = [id_ for id_, who in persons(circle).items() if who.id == person.id]
    parts = (
        select(Part)
        .where(or_(Part.settlement_id == settlement.id, Part.earlier_id == settlement.id), Part.player_id.in_(theirs))
        .options(
            joinedload(Part.table).joinedload(Table.summary), joinedload(Part.earlier), joinedload(Part.settlement)
        )
        .order_by(Part.id.desc())
    )
    found = [_part(part, settlement, theirs) for part in db.session.scalars(parts)]
    made = payments_for(settlement)
    withdrawn = {payment.withdraws for payment in made}
    for payment in made:
        if payment.withdraws is None and payment.number not in withdrawn:
            paid = int(payment.amount)
            gave, took = payment.giver_id in theirs, payment.taker_id in theirs
            if gave != took:
                found.append(Source(paid if gave else -paid, payment=payment))
    return found


def _part(part: Part, of: Settlement, players: Collection[int]) -> Source:
    amount = int(part.amount)
    if part.earlier_id == of.id:
        return Source(-amount, settlement=part.settlement)
    return Source(amount, part.table, _seat(part.table, players), part.earlier)


def _seat(table: Table | None, players: Collection[int]) -> str | None:
    """Where one of these players sits at the table."""
    if table is None or table.summary is None:
        return None
    return next((seat for seat, id_ in table.summary.told["seats"].items() if id_ in players), None)
