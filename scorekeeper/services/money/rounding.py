"""The choice between cash, rounded to the smallest coin, and transfers, to the cent, for each currency of a circle."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CompoundSelect, select, union

from ...currency import has_larger_coins
from ...db.transactions import get_id, write_to_circle
from ...models import Browser, Circle, Event, Settlement, Table, db
from ...models.rights import HOST
from ...scoring.accounts import is_currency
from ...scoring.problems import Problem
from ..circles.players import read_persons
from .unpaid import recompute_all


def list_used_currencies(circle: Circle) -> list[str]:
    """List the currencies of the circle's tables, events and settlements, in order of code."""
    used: CompoundSelect[Any] = union(
        select(Table.value_currency).where(Table.circle_id == circle.id),
        select(Settlement.account).where(Settlement.circle_id == circle.id),
        select(Event.currency).where(Event.circle_id == circle.id),
    )
    return sorted(code for code in db.session.scalars(used) if code is not None and is_currency(code))


def currencies_to_choose(circle: Circle) -> list[str]:
    """List the currencies of the circle of which less can be transferred than paid in coins, in order of code."""
    found = {*list_used_currencies(circle), *circle.transferred.split()}
    return sorted(filter(has_larger_coins, found))


def set_in_cash(circle: Circle, currency: str, in_cash: bool, by: Browser | None = None) -> Problem | None:
    """Set whether amounts in a currency are rounded to its smallest coin.

    Payments stay as they are. What is left of settlements counts as paid, or not, by the new choice. Returns a problem
    if there is nothing to choose in the currency.
    """

    def change(locked: Circle) -> Problem | None:
        if currency not in currencies_to_choose(locked):
            return Problem("currency", "not-among-choices")
        kept = {*locked.transferred.split()} - {currency}
        locked.transferred = " ".join(sorted(kept if in_cash else kept | {currency}))
        recompute_all(locked, read_persons(locked))
        return None

    return write_to_circle(get_id(circle), change, browser=by, right=HOST)
