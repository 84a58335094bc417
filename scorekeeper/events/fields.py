"""Parts of an event's standings that are a ranking of their own: groups, or the two directions of a movement."""

from __future__ import annotations

from collections.abc import Sequence

from .drawing import GROUPS, PlayedRound
from .standings import StandingRow

DIRECTIONS = ("ns", "ew")


def split_fields(rows: Sequence[StandingRow], rounds: Sequence[PlayedRound]) -> dict[str, tuple[StandingRow, ...]]:
    """Return the rows of each field, with ranks among themselves; empty if all compete with each other.

    The fields are the groups, if there are members of both; or North–South and East–West, if nobody has changed
    direction in several rounds: then each direction has its own winner.
    """
    fields = {group: [row for row in rows if row.group == group] for group in GROUPS}
    if not all(fields.values()):
        fields = _directions(rows, rounds)
    return {field: _ranked(of_field) for field, of_field in fields.items()} if all(fields.values()) else {}


def _directions(rows: Sequence[StandingRow], rounds: Sequence[PlayedRound]) -> dict[str, list[StandingRow]]:
    sides: dict[int, set[int]] = {}
    for played in rounds:
        for table in played.tables:
            for side, pair in enumerate(table.pairs):
                for number in pair:
                    sides.setdefault(number, set()).add(side)
    if len(rounds) < 2 or any(len(found) > 1 for found in sides.values()):
        return {field: [] for field in DIRECTIONS}
    return {
        field: [row for row in rows if side in sides.get(row.numbers[0], ())] for side, field in enumerate(DIRECTIONS)
    }


def _ranked(rows: Sequence[StandingRow]) -> tuple[StandingRow, ...]:
    """Rank rows among themselves; who was equal to the row before is so still."""
    ranked: list[StandingRow] = []
    for place, row in enumerate(rows, start=1):
        is_equal = place > 1 and rows[place - 2].rank == row.rank
        ranked.append(row._replace(rank=ranked[-1].rank if is_equal else place))
    return tuple(ranked)
