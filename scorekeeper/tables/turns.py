"""When people take turns at a table: after each deal, or after each closing of one kind."""

from __future__ import annotations

from collections.abc import Sequence

from ..scoring.adjustments import Agreement, Misdeal
from ..scoring.game import AnyGame
from ..scoring.standing import PARTIE
from ..scoring.substitutions import SeatChange
from .state import ScoredDeal, TableState

DEAL = "deal"


def list_units(game: AnyGame) -> tuple[str, ...]:
    """Return after what people can take turns at a table of a game. After a partie comes the next table."""
    return (DEAL, *(kind for kind in game.ends if kind != PARTIE))


def split_turns(table: TableState) -> list[list[ScoredDeal]]:
    """Return a table's items by turn, without withdrawn ones; the last turn has not ended, and may have no items.

    At a table at which nobody takes turns, and without the rules of its game, there is only that one.
    """
    turns: list[list[ScoredDeal]] = [[]]
    for item in table.scored_deals:
        if not item.deal.is_withdrawn:
            turns[-1].append(item)
            if _ends_turn(table, item):
                turns.append([])
    return turns


def _ends_turn(table: TableState, item: ScoredDeal) -> bool:
    unit = table.stored.turns
    if unit is None or item.row is None:
        return False
    if unit == DEAL:
        return is_deal(item) and not table.game.is_going_on(item.row.fact)
    return any(closing.kind == unit for closing in item.row.closings)


def is_deal(item: ScoredDeal) -> bool:
    """Return whether an item is a deal, also one that everybody passed."""
    return item.row is not None and not isinstance(item.row.fact, SeatChange | Misdeal | Agreement)


def is_between_turns(turns: Sequence[Sequence[ScoredDeal]]) -> bool:
    """Return whether a turn has ended and nothing has been played since, and nobody has taken a seat."""
    since = turns[-1]
    has_changed = any(item.row is not None and isinstance(item.row.fact, SeatChange) for item in since)
    return len(turns) > 1 and not has_changed and not any(map(is_deal, since))
