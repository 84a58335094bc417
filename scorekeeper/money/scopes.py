"""Keys for what is settled, in addresses and forms: all, day:<date> or table:<token>."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

from flask import abort, url_for

from ..limits import find_day_problem, parse_day
from ..models import Circle, Event, Table
from ..site.language import day_in_words, name_of_game, t
from ..tables import access
from ..tables.state import TableState
from .ledger import BOX, EVERYTHING, Scope

ALL = "all"  # the key of everything
BOX_KEY = "box"  # the cash box in addresses and forms: its page, and as giver or taker; in the ledger, it is `BOX`


class KeyedScope(NamedTuple):
    """A scope with its key, and with its table if it is that of one."""

    key: str
    scope: Scope
    table: TableState | None = None


def parse_key_or_404(circle: Circle, key: str) -> KeyedScope:
    """Return the scope that a key names; 404 if it is not in this circle."""
    kind, _, value = key.partition(":")
    if kind == "day":
        day = parse_day(value)
        return KeyedScope(key, Scope(day=day)) if day is not None and find_day_problem(day) is None else abort(404)
    if kind == "table":
        table = access.get_table_or_404(value)
        stored = table.stored
        return KeyedScope(key, Scope(table=stored.id), table) if stored.circle_id == circle.id else abort(404)
    return KeyedScope(ALL, EVERYTHING) if key == ALL else abort(404)


def make_wider_key(scope: Scope) -> str:
    """Return the key of an evening or of everything."""
    return f"day:{scope.day}" if scope.day is not None else ALL


def make_url(circle_token: str, key: str, of: str = "", **query: str | None) -> str:
    """Return the address of the page that a key names. `of` is the key of what the page showed.

    A table's or an evening's page shows the wider scope in which it is paid, unless `of` says that it showed its own.
    """
    kind, _, value = key.partition(":")
    values: dict[str, Any] = query | {"only": "yes" if of == key and kind in ("table", "day") else None}
    if kind == "table":
        return url_for("money.of_table", token=value, **values)
    if kind == "day":
        return url_for("money.evening", circle_token=circle_token, day=value, **values)
    endpoint = "statements.cash_box" if kind == BOX_KEY else "money.everything"
    return url_for(endpoint, circle_token=circle_token, **values)


def name_purpose(table: Table | None, event: Event | None, day: date | None) -> str:
    if table is not None:
        return f"{name_of_game(table)}, {day_in_words(table.day)}"
    if event is not None:
        return event.title
    return day_in_words(day) if day is not None else t("settlement.everything")


def party_in_words(name: str, *, is_first: bool = False) -> str:
    """Name a person or the cash box; `is_first`: at the start of a sentence."""
    return t("cash-box.party.first" if is_first else "cash-box.party") if name == BOX else name
