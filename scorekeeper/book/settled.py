"""What settlements have taken over, what of it is unpaid, and so which tables are settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import and_, select, update

from ..currency import coin
from ..scoring.accounts import in_coins
from ..store import Circle, Part, Payment, Player, Settlement, Summary, db


def open_grains(summary: Any) -> dict[str, int]:
    """By seat, what no settlement has taken over; it sums to 0. Of a summary, or of a row that tells the same."""
    return {seat: amount - summary.taken.get(seat, 0) for seat, amount in summary.told["grains"].items()}


def owing(table_id: int) -> bool:
    """Whether a settlement that took something over from the table, or one that inherited it, is unpaid."""
    first = db.session.scalars(select(Part.settlement_id).where(Part.table_id == table_id).distinct())
    ids = set(first)
    while ids:
        found = db.session.execute(select(Settlement.is_paid, Settlement.heir_id).where(Settlement.id.in_(ids))).all()
        if not all(is_paid for is_paid, _ in found):
            return True
        ids = {heir for _, heir in found if heir is not None}
    return False


def reckon(settlement: Settlement, people: Mapping[int, Player]) -> None:
    """Work out again what is left of it, from its parts, what later ones took over, and its payments.

    `people` says who each of the circle's players is.
    """
    left: dict[int, int] = {}

    def add(player: int, amount: int) -> None:
        person = people[player].id
        left[person] = left.get(person, 0) + amount

    for part in db.session.scalars(select(Part).where(Part.settlement_id == settlement.id)):
        add(part.player_id, int(part.amount))
    for part in db.session.scalars(select(Part).where(Part.earlier_id == settlement.id)):
        add(part.player_id, -int(part.amount))
    for payment in db.session.scalars(select(Payment).where(Payment.settlement_id == settlement.id)):
        sign = 1 if payment.withdraws is None else -1
        add(payment.giver_id, sign * int(payment.amount))
        add(payment.taker_id, -sign * int(payment.amount))
    settlement.left = {str(player): amount for player, amount in left.items() if amount}
    settlement.is_nought = not settlement.left
    settlement.is_paid = not any(in_coins(settlement.left, coin(settlement.account)).values())


def reckon_all(circle: Circle, people: Mapping[int, Player]) -> None:
    """The same for every settlement of a circle, where players turned out to be one, or two after all."""
    for settlement in db.session.scalars(select(Settlement).where(Settlement.circle_id == circle.id)):
        reckon(settlement, people)
        db.session.flush()
        tell_tables(settlement)


def tell_tables(settlement: Settlement) -> None:
    """Tell the summaries of the tables that it, or one whose heir it is, took over whether they are settled now."""
    circle = db.session.execute(
        select(Settlement.id, Settlement.is_paid, Settlement.heir_id).where(
            Settlement.circle_id == settlement.circle_id, Settlement.account == settlement.account
        )
    ).all()
    heirs = {id_: heir for id_, _, heir in circle}
    unpaid = {id_ for id_, is_paid, _ in circle if not is_paid}
    touched = [id_ for id_ in heirs if settlement.id in _line(id_, heirs)]
    owing_ones = [id_ for id_ in heirs if unpaid.intersection(_line(id_, heirs))]
    theirs = select(Part.table_id).where(Part.settlement_id.in_(touched), Part.table_id.is_not(None))
    owed = select(Part.table_id).where(Part.settlement_id.in_(owing_ones), Part.table_id.is_not(None))
    db.session.execute(
        update(Summary)
        .where(Summary.table_id.in_(theirs))
        .values(is_settled=and_(Summary.is_taken, Summary.table_id.not_in(owed)))
        .execution_options(synchronize_session=False)
    )


def _line(settlement: int, heirs: dict[int, int | None]) -> Iterable[int]:
    """It, its heir, the heir's heir, and so on."""
    line = []
    at: int | None = settlement
    while at is not None and at not in line:
        line.append(at)
        at = heirs.get(at)
    return line
