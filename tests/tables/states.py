"""Tables without a database: their state after these changes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scorekeeper.games import games
from scorekeeper.models import Player, Seat, Table
from scorekeeper.tables.revisions import RECORD, Change
from scorekeeper.tables.state import TableState

NAMES = ("Anne", "Bruno", "Chloé", "David")
AT = datetime(2026, 11, 20, 21)


def table_row(game: str = "whist", **columns: Any) -> Table:
    names = NAMES[: games()[game].player_counts[0]]
    seats = [
        Seat(label=str(seat), player_id=seat, player=Player(id=seat, name=name))
        for seat, name in enumerate(names, start=1)
    ]
    row = {"id": 1, "token": "t", "game": game, "house_rules": {}, "dealer": "1", "has_stakes": True, "seats": seats}
    return Table(**row | columns)


def table_state(*changes: Change, **columns: Any) -> TableState:
    revisions = [change.to_row(number, 1, AT, f"{number}") for number, change in enumerate(changes, start=1)]
    return TableState(table_row(**columns), revisions)


def record(body: dict[str, Any]) -> Change:
    return Change(RECORD, body=body)


def transfer(giver: str, taker: str, fiches: int) -> Change:
    return record({"adjustment": {"from": giver, "to": taker, "fiches": fiches}})


def points(amount: int) -> Change:
    return record({"adjustment": {"to": "ns", "points": amount}})
