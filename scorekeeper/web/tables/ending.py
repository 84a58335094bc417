"""The end of a contest or of a table, as its page tells it until the next deal is recorded."""

from __future__ import annotations

from typing import NamedTuple

from ...stats.endings import Ending, find_ending, find_leaders, is_broken_off
from ...tables.state import TableState
from . import recap
from .table import blueprint


class ClosedTable(NamedTuple):
    """How a closed table has ended: `winners` are labels, and none if nobody is ahead; `lines` say it in full."""

    winners: tuple[str, ...]
    is_broken_off: bool
    lines: list[str]


@blueprint.app_template_global()
def find_table_ending(table: TableState) -> Ending | None:
    """Return the end of a contest that the table's last deal has brought, if the table goes on."""
    return find_ending(table.game, table.standing) if not table.is_closed else None


@blueprint.app_template_global()
def shows_next_contest(table: TableState) -> bool:
    """Return whether the scores of a closed table are those of a contest that nobody has begun, such as a rubber."""
    standing = table.standing
    return table.is_closed and bool(standing.rows) and not standing.is_finished and not any(standing.scores.values())


@blueprint.app_template_global()
def closed_table(table: TableState) -> ClosedTable | None:
    """Return how a closed table has ended; None if it is open, or nothing was played at it."""
    if not table.is_closed or not table.standing.rows:
        return None
    winners = tuple(find_leaders(table.game, table.standing, table.result.subunits))
    lines = [line for line in recap.outcome(table.stored) if line]
    return ClosedTable(winners, is_broken_off(table.game, table.standing), lines)
