"""Unpaid rests of settlements: their cached columns, and those of the summaries of the tables they took over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, Select, and_, exists, or_, select, update
from sqlalchemy.orm import aliased

from ..models import Circle, Confirmation, Part, Payment, Player, Settlement, Summary, Table, db
from ..scoring import currency
from ..scoring.settlement import round_to_coins
from ..site.live import touch_tables
from ..tables.state import TableState


def is_in_cash(circle: Circle | int, account: str) -> bool:
    """Return whether a circle, or that with this id, rounds amounts in an account to its smallest coin."""
    found = circle if isinstance(circle, Circle) else db.session.get_one(Circle, circle)
    return account not in found.transferred.split()


def find_coin(circle: Circle | int, account: str) -> int:
    """Return the smallest amount that can be paid in an account of the circle, in subunits."""
    return currency.coin(account, in_cash=is_in_cash(circle, account))


_WITHDRAWAL = aliased(Payment)
_IS_STANDING = and_(
    Payment.withdraws.is_(None),
    ~exists().where(_WITHDRAWAL.circle_id == Payment.circle_id, _WITHDRAWAL.withdraws == Payment.number),
)
_IS_CONFIRMED = exists().where(Confirmation.payment_id == Payment.id)


def is_counted() -> ColumnElement[bool]:
    """Build the condition that a payment counts: it was not withdrawn, and is confirmed if it has to be.

    It selects no withdrawals: those of payments that do not count must not count either.
    """
    return and_(_IS_STANDING, or_(Payment.needs_confirmation.is_(False), _IS_CONFIRMED))


def is_waiting() -> ColumnElement[bool]:
    """Build the condition that a payment waits for its receiver's confirmation."""
    return and_(_IS_STANDING, Payment.needs_confirmation.is_(True), ~_IS_CONFIRMED)


def has_unpaid_settlement(table: Table | TableState) -> bool:
    """Return whether a settlement that took over a part of the table, or a successor of it, is unpaid."""
    of_table = select(Part.settlement_id).where(Part.table_id == table.id)
    return not find_unpaid_chains(table.circle_id).isdisjoint(db.session.scalars(of_table.distinct()))


def recompute(settlement: Settlement, persons: Mapping[int, Player]) -> None:
    """Set a settlement's cached columns from its parts, what later settlements took over, and its payments.

    `persons` are those of the circle's players by player id.
    """
    unpaid = _unpaid(settlement.circle_id, Settlement.id == settlement.id, persons).get(settlement.id, {})
    for column, value in cached_columns(unpaid, find_coin(settlement.circle_id, settlement.account)).items():
        setattr(settlement, column, value)


def recompute_all(circle: Circle, persons: Mapping[int, Player]) -> None:
    """Set the cached columns of all of a circle's settlements, and of its tables' summaries, after a merge.

    Settlements that the session has loaded keep their old values until it commits.
    """
    in_circle = Settlement.circle_id == circle.id
    unpaid = _unpaid(circle.id, in_circle, persons)
    accounts = db.session.execute(select(Settlement.id, Settlement.account).where(in_circle)).all()
    if accounts:
        rows = [
            {"id": id_, "circle_id": circle.id} | cached_columns(unpaid.get(id_, {}), find_coin(circle, account))
            for id_, account in accounts
        ]
        db.session.execute(update(Settlement), rows)
        _update_settled_tables(circle.id)


def _unpaid(circle_id: int, which: ColumnElement[bool], persons: Mapping[int, Player]) -> dict[int, dict[int, int]]:
    """Return what is unpaid of these of a circle's settlements, in subunits by settlement id and the person's id."""
    unpaid: dict[int, dict[int, int]] = {}

    def add(settlement_id: int, player_id: int, amount: int) -> None:
        balances, person_id = unpaid.setdefault(settlement_id, {}), persons[player_id].id
        balances[person_id] = balances.get(person_id, 0) + amount

    ids = select(Settlement.id).where(Settlement.circle_id == circle_id, which)
    parts = select(Part.settlement_id, Part.player_id, Part.amount).where(Part.circle_id == circle_id)
    for settlement_id, player_id, amount in db.session.execute(parts.where(Part.settlement_id.in_(ids))):
        add(settlement_id, player_id, int(amount))
    taken_over = select(Part.earlier_id, Part.player_id, Part.amount).where(Part.circle_id == circle_id)
    for earlier_id, player_id, amount in db.session.execute(taken_over.where(Part.earlier_id.in_(ids))):
        add(cast(int, earlier_id), player_id, -int(amount))
    payments = select(Payment.settlement_id, Payment.giver_id, Payment.taker_id, Payment.amount)
    payments = payments.where(Payment.circle_id == circle_id, Payment.settlement_id.in_(ids), is_counted())
    for settlement_id, giver_id, taker_id, amount in db.session.execute(payments):
        add(settlement_id, giver_id, int(amount))
        add(settlement_id, taker_id, -int(amount))
    return unpaid


def cached_columns(unpaid: Mapping[int, int], size: int) -> dict[str, Any]:
    """Return the cached columns of a settlement from its unpaid balances by person; `size` is a coin's."""
    stored = {str(player_id): amount for player_id, amount in unpaid.items() if amount}
    is_paid = not any(round_to_coins(stored, size).values())
    return {"unpaid": stored, "is_cleared": not stored, "is_paid": is_paid}


def update_settled_tables(settlement: Settlement) -> None:
    """Update `is_settled` in the summaries of the tables that a settlement, or a predecessor of it, took over.

    Also notify the followers of those that are open, since their pages say what is to be paid.
    """
    tables = _update_settled_tables(settlement.circle_id, settlement.id)
    of_circle = (Table.circle_id == settlement.circle_id, Table.id.in_(tables))
    open_tables = db.session.scalars(select(Table.id).where(*of_circle, Table.closed_at.is_(None)))
    touch_tables(settlement.circle_id, open_tables.all())


def _update_settled_tables(circle_id: int, settlement_id: int | None = None) -> Select[int | None]:
    """Update the tables of one settlement and its predecessors, or with None those of all the circle's settlements.

    Returns:
        The query of the tables' ids.
    """
    chains = _Chains.read(circle_id)
    affected = chains.accounts.keys() if settlement_id is None else chains.with_earlier([settlement_id])
    tables = select(Part.table_id).where(Part.circle_id == circle_id, Part.table_id.is_not(None))
    affected_tables = tables.where(Part.settlement_id.in_(affected))
    unpaid_tables = tables.where(Part.settlement_id.in_(chains.with_earlier(chains.unpaid)))
    db.session.execute(
        update(Summary)
        .where(Summary.circle_id == circle_id, Summary.table_id.in_(affected_tables))
        .values(is_settled=and_(Summary.is_taken_over, Summary.table_id.not_in(unpaid_tables)))
        .execution_options(synchronize_session=False)
    )
    return affected_tables


def find_unpaid_chains(circle_id: int) -> set[int]:
    """Return the ids of a circle's settlements that are unpaid, or whose unpaid rest is still unpaid elsewhere."""
    chains = _Chains.read(circle_id)
    return chains.with_earlier(chains.unpaid)


class _Chains(NamedTuple):
    """A circle's settlements: their accounts, which are unpaid, and from which each took over a coin or more."""

    accounts: dict[int, str]
    unpaid: set[int]
    earlier: dict[int, set[int]]

    @classmethod
    def read(cls, circle_id: int) -> _Chains:
        rows = db.session.execute(
            select(Settlement.id, Settlement.is_paid, Settlement.account).where(Settlement.circle_id == circle_id)
        ).all()
        accounts = {id_: account for id_, _, account in rows}
        unpaid = {id_ for id_, is_paid, _ in rows if not is_paid}
        return cls(accounts, unpaid, _earlier_settlements(circle_id, accounts))

    def with_earlier(self, settlement_ids: Iterable[int]) -> set[int]:
        """Return these settlements, those from which they took over what was unpaid, those before, and so on."""
        found, waiting = set[int](), [*settlement_ids]
        while waiting:
            id_ = waiting.pop()
            if id_ not in found:
                found.add(id_)
                waiting += self.earlier.get(id_, ())
        return found


def _earlier_settlements(circle_id: int, accounts: Mapping[int, str]) -> dict[int, set[int]]:
    """Return from which settlements each took over a coin or more."""
    query = (
        select(Part.earlier_id, Part.settlement_id, Part.player_id, Part.amount)
        .join(Part.settlement)
        .where(Settlement.circle_id == circle_id, Part.earlier_id.is_not(None))
    )
    amounts: dict[tuple[int, int], dict[str, int]] = {}
    for earlier, later, player, amount in db.session.execute(query):
        taken = amounts.setdefault((cast(int, earlier), later), {})
        taken[str(player)] = taken.get(str(player), 0) + int(amount)
    found: dict[int, set[int]] = {}
    for (earlier, later), taken in amounts.items():
        if any(round_to_coins(taken, find_coin(circle_id, accounts[later])).values()):
            found.setdefault(later, set()).add(earlier)
    return found
