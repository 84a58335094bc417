"""Scopes of settlements: a table, an event, an evening or everything, and what belongs to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, false, or_, select
from sqlalchemy.orm import aliased, contains_eager, joinedload

from ..models import Circle, Event, Part, RoundTable, Settlement, Summary, Table, db
from ..scoring.currency import is_currency


@dataclass(frozen=True)
class Scope:
    """The tables that are settled together: one table, one evening, or all if both are None.

    With `game`, only the money of that game's tables. With `event`, no tables: the fees and prizes of one event.
    """

    table: Table | None = None
    day: date | None = None
    game: str | None = None
    event: Event | None = None

    @property
    def is_everything(self) -> bool:
        """True if the scope is neither a table, an event nor an evening."""
        return self.table is None and self.day is None and self.event is None

    def contains(self, settlement: Settlement) -> bool:
        """Return whether a settlement was made for this scope or a part of it."""
        if self.game is not None and get_game(settlement) != self.game:
            return False
        if self.table is not None:
            return settlement.table_id == self.table.id
        if self.event is not None:
            return settlement.event_id == self.event.id
        day = settlement.table.day if settlement.table is not None else settlement.day
        return self.day is None or day == self.day


def get_game(settlement: Settlement) -> str | None:
    """Return the game that a settlement was made for; None if it may be of several."""
    return settlement.table.game if settlement.table is not None else settlement.game


def is_settled_apart(circle: Circle, scope: Scope, account: str) -> bool:
    """Return whether a scope's games are settled apart in an account: in money, if the circle wants it.

    Settlements keep what they took over: those of several games are paid on their own once games are settled apart.
    """
    is_apart = scope.game is not None or not circle.settles_games_together
    return is_apart and scope.table is None and scope.event is None and is_currency(account)


def _is_taken_over(circle: Circle, scope: Scope, wanted: str | None, account: str, game: str | None) -> bool:
    """Return whether a settlement of the scope in the account `wanted` takes over balances in `account` of this game.

    The game is None if they are of several. All balances are taken over if no account is wanted.
    """
    if wanted is None:
        return True
    return account == wanted and (game == scope.game or not is_settled_apart(circle, scope, wanted))


# --- conditions --------------------------------------------------------------------------------------------


def tables_in(circle: Circle, scope: Scope) -> ColumnElement[bool]:
    """Build the condition that a table is in the scope, whatever its game."""
    in_circle = Table.circle_id == circle.id
    if scope.table is not None:
        return and_(in_circle, Table.id == scope.table.id)
    if scope.event is not None:
        return and_(in_circle, false())
    return in_circle if scope.day is None else and_(in_circle, Table.day == scope.day)


def is_contained(circle: Circle, scope: Scope) -> ColumnElement[bool]:
    """Build the condition that a settlement was made for the scope or a part of it, whatever its game."""
    in_circle = Settlement.circle_id == circle.id
    if scope.table is not None:
        return and_(in_circle, Settlement.table_id == scope.table.id)
    if scope.event is not None:
        return and_(in_circle, Settlement.event_id == scope.event.id)
    if scope.day is None:
        return in_circle
    tables = select(Table.id).where(tables_in(circle, scope))
    return and_(in_circle, or_(Settlement.day == scope.day, Settlement.table_id.in_(tables)))


# --- what is in a scope ------------------------------------------------------------------------------------


def open_summaries(circle: Circle, scope: Scope, account: str | None = None) -> list[Summary]:
    """List the summaries of the scope's tables that no settlement has taken over completely, with their tables.

    With `account`, those that a settlement of the scope in this account takes over.
    """
    query = (
        select(Summary)
        .join(Summary.table)
        .where(tables_in(circle, scope), Summary.is_taken_over.is_(False))
        .options(contains_eager(Summary.table))
        .order_by(Table.id)
    )
    return [
        summary
        for summary in db.session.scalars(query)
        if _is_taken_over(circle, scope, account, summary.data["account"], summary.table.game)
    ]


def events_in(circle: Circle, scope: Scope) -> list[Event]:
    """List the events at whose tables something was won that no settlement has taken over completely."""
    open_at = (
        select(RoundTable.event_id)
        .join(Summary, Summary.table_id == RoundTable.table_id)
        .join(Table, Table.id == Summary.table_id)
        .where(RoundTable.circle_id == circle.id, tables_in(circle, scope), Summary.is_taken_over.is_(False))
    )
    events = select(Event).where(Event.circle_id == circle.id, Event.id.in_(open_at))
    return list(db.session.scalars(events.order_by(Event.day, Event.id)))


def uncleared_settlements(circle: Circle, scope: Scope, account: str | None = None) -> list[Settlement]:
    """List the settlements in the scope of which anything is unpaid, less than a coin included.

    With `account`, those that a settlement of the scope in this account takes over.
    """
    query = (
        select(Settlement)
        .where(is_contained(circle, scope), Settlement.is_cleared.is_(False))
        .options(joinedload(Settlement.table))
        .order_by(Settlement.id)
    )
    return [
        settlement
        for settlement in db.session.scalars(query)
        if _is_taken_over(circle, scope, account, settlement.account, get_game(settlement))
    ]


def games_of_tables(circle: Circle, scope: Scope) -> dict[int, str]:
    """Return the game of each table in the scope by its id."""
    query = select(Table.id, Table.game).where(tables_in(circle, scope))
    return {row.id: row.game for row in db.session.execute(query)}


def games_of_settlements(circle: Circle, scope: Scope) -> dict[int, str | None]:
    """Return the game of each settlement in the scope by its id; None if it may be of several."""
    table = aliased(Table)
    query = (
        select(Settlement.id, Settlement.game, table.game)
        .outerjoin(Settlement.table.of_type(table))
        .where(is_contained(circle, scope))
    )
    return {id_: game or game_of_table for id_, game, game_of_table in db.session.execute(query)}


# --- through whom the fees and prizes of events are paid while they are open in the circle: the event's cashier


class EventDebts(NamedTuple):
    """The settlement in which fees and prizes of an event are open, its cashier and its guests by player id."""

    settlement_id: int
    cashier: int
    guests: frozenset[int]


def open_events(circle: Circle, uncleared: Collection[int]) -> Iterator[EventDebts]:
    """Yield the events of which anything is open in these settlements, also if these have taken it over."""
    if not uncleared:
        return
    of_events = (
        select(Settlement.id, Event.cashier_id)
        .join(Settlement.event)
        .where(Settlement.circle_id == circle.id, Event.cashier_id.is_not(None))
        .order_by(Settlement.id)
    )
    cashiers = {id_: cashier for id_, cashier in db.session.execute(of_events) if cashier is not None}
    for id_, last in last_successors(circle, cashiers).items():
        if last in uncleared:
            guests = select(Part.player_id).where(Part.circle_id == circle.id, Part.settlement_id == id_)
            yield EventDebts(last, cashiers[id_], frozenset(db.session.scalars(guests)))


def last_successors(circle: Circle, ids: Collection[int]) -> dict[int, int]:
    """Return the settlement in which what was unpaid of each of these settlements is now."""
    last = {id_: id_ for id_ in ids}
    waiting = set(ids)
    while waiting:
        query = select(Settlement.id, Settlement.successor_id).where(
            Settlement.circle_id == circle.id, Settlement.id.in_(waiting), Settlement.successor_id.is_not(None)
        )
        found = {id_: successor for id_, successor in db.session.execute(query) if successor is not None}
        last = {id_: found.get(now, now) for id_, now in last.items()}
        waiting = set(found.values())
    return last
