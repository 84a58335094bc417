"""What settlements have taken over, what of it is unpaid, and so which tables are settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, and_, select, update

from ..currency import coin
from ..scoring.accounts import in_coins
from ..store import Circle, Part, Payment, Player, Settlement, Summary, Table, db


def open_grains(summary: Any) -> dict[str, int]:
    """By seat, what no settlement has taken over; it sums to 0. Of a summary, or of a row that tells the same."""
    return {seat: amount - summary.taken.get(seat, 0) for seat, amount in summary.told["grains"].items()}


def owing(table_id: int) -> bool:
    """Whether a settlement that took something over from the table, or one that inherited it, is unpaid."""
    circle = select(Table.circle_id).where(Table.id == table_id).scalar_subquery()
    took = set(db.session.scalars(select(Part.settlement_id).where(Part.table_id == table_id).distinct()))
    return any(line.owes for id_, line in _lines(circle).items() if id_ in took)


def reckon(settlement: Settlement, people: Mapping[int, Player]) -> None:
    """Work out again what is left of it, from its parts, what later ones took over, and its payments.

    `people` says who each of the circle's players is.
    """
    left = _left(Settlement.id == settlement.id, people).get(settlement.id, {})
    for name, value in _told(left, settlement.account).items():
        setattr(settlement, name, value)


def reckon_all(circle: Circle, people: Mapping[int, Player]) -> None:
    """The same for every settlement of a circle, where players turned out to be one, or two after all.

    Settlements that the session has read before stay as they were read until it commits.
    """
    theirs = Settlement.circle_id == circle.id
    left = _left(theirs, people)
    accounts = db.session.execute(select(Settlement.id, Settlement.account).where(theirs)).all()
    if accounts:
        rows = [{"id": id_} | _told(left.get(id_, {}), account) for id_, account in accounts]
        db.session.execute(update(Settlement), rows)
        _tell_tables(circle.id)


def _left(which: ColumnElement[bool], people: Mapping[int, Player]) -> dict[int, dict[int, int]]:
    """What is unpaid of these settlements, by settlement and person; grains."""
    left: dict[int, dict[int, int]] = {}

    def add(settlement: int, player: int, amount: int) -> None:
        of_this, person = left.setdefault(settlement, {}), people[player].id
        of_this[person] = of_this.get(person, 0) + amount

    ids = select(Settlement.id).where(which)
    for part in db.session.scalars(select(Part).where(Part.settlement_id.in_(ids))):
        add(part.settlement_id, part.player_id, int(part.amount))
    for part in db.session.scalars(select(Part).where(Part.earlier_id.in_(ids))):
        add(cast(int, part.earlier_id), part.player_id, -int(part.amount))
    for payment in db.session.scalars(select(Payment).where(Payment.settlement_id.in_(ids))):
        paid = int(payment.amount) if payment.withdraws is None else -int(payment.amount)
        add(payment.settlement_id, payment.giver_id, paid)
        add(payment.settlement_id, payment.taker_id, -paid)
    return left


def _told(left: Mapping[int, int], account: str) -> dict[str, Any]:
    """What a settlement of which this is left says of itself."""
    open_ = {str(player): amount for player, amount in left.items() if amount}
    is_paid = not any(in_coins(open_, coin(account)).values())
    return {"left": open_, "is_nought": not open_, "is_paid": is_paid}


def tell_tables(settlement: Settlement) -> None:
    """Tell the summaries of the tables that it, or one whose heir it is, took over whether they are settled now."""
    _tell_tables(settlement.circle_id, settlement.id)


def _tell_tables(circle_id: int, settlement: int | None = None) -> None:
    lines = _lines(circle_id)
    touched = [id_ for id_, line in lines.items() if settlement is None or settlement in line.ids]
    owing_ones = [id_ for id_, line in lines.items() if line.owes]
    theirs = select(Part.table_id).where(Part.settlement_id.in_(touched), Part.table_id.is_not(None))
    owed = select(Part.table_id).where(Part.settlement_id.in_(owing_ones), Part.table_id.is_not(None))
    db.session.execute(
        update(Summary)
        .where(Summary.table_id.in_(theirs))
        .values(is_settled=and_(Summary.is_taken, Summary.table_id.not_in(owed)))
        .execution_options(synchronize_session=False)
    )


class _Line(NamedTuple):
    """A settlement, its heir, the heir's heir, and so on; and whether any of them is unpaid."""

    ids: list[int]
    owes: bool


def _lines(circle: Any) -> dict[int, _Line]:
    """Of each settlement of a circle, which is told by its id or a query for it."""
    rows = db.session.execute(
        select(Settlement.id, Settlement.is_paid, Settlement.heir_id).where(Settlement.circle_id == circle)
    ).all()
    heirs = {id_: heir for id_, _, heir in rows}
    unpaid = {id_ for id_, is_paid, _ in rows if not is_paid}
    lines = {id_: _line(id_, heirs) for id_ in heirs}
    return {id_: _Line(line, not unpaid.isdisjoint(line)) for id_, line in lines.items()}


def _line(settlement: int, heirs: dict[int, int | None]) -> list[int]:
    line: list[int] = []
    at: int | None = settlement
    while at is not None and at not in line:
        line.append(at)
        at = heirs.get(at)
    return line
