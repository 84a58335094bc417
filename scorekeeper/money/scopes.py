"""Keys for what is settled, in addresses and forms: all, day:<date> or table:<token>."""

from __future__ import annotations

from datetime import date
from typing import Any

from flask import abort, url_for

from ..limits import find_day_problem, parse_day
from ..models import Circle, Event, Table
from ..site.language import day_in_words, name_of_game, t
from ..tables import access
from ..tables.state import TableState
from .ledger import BOX, EVERYTHING, Scope

ALL = "all"  # the key of everything
BOX_KEY = "box"  # the cash box in addresses and forms: its page, and as giver or taker; in the ledger, it is `BOX`


def parse_key_or_404(circle: Circle, key: str) -> Scope:
    """Return the scope that a key names; 404 if it is not in this circle."""
    kind, _, value = key.partition(":")
    if kind == "day":
        day = parse_day(value)
        return Scope(day=day) if day is not None and find_day_problem(day) is None else abort(404)
    if kind == "table":
        table = access.get_table_or_404(value).stored
        return Scope(table=table.id) if table.circle_id == circle.id else abort(404)
    return EVERYTHING if key == ALL else abort(404)


def make_wider_key(scope: Scope) -> str:
    """Return the key of an evening or of everything."""
    return f"day:{scope.day}" if scope.day is not None else ALL


def find_table(key: str) -> TableState | None:
    kind, _, token = key.partition(":")
    return access.get_table_or_404(token) if kind == "table" else None


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
