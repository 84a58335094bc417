"""Names of settlements: the table, the event, the evening or the day on which everything was settled."""

from __future__ import annotations

from ...models import Settlement
from .language import name_of_game, t
from .times import day_in_words, find_evening


def name_of_settlement(settlement: Settlement, prefix: str = "of") -> str:
    """Return what was settled, in words; `prefix` begins the message's key: "of", "unpaid-from" or "moved-to"."""
    if settlement.table is not None:
        game, day = name_of_game(settlement.table), day_in_words(settlement.table.day)
        return t(f"settlement.{prefix}-table", game=game, day=day)
    if settlement.event is not None:
        return t(f"settlement.{prefix}-event", event=settlement.event.title)
    if settlement.day is not None:
        name = t(f"settlement.{prefix}-evening", day=day_in_words(settlement.day))
    else:
        name = t(f"settlement.{prefix}-everything", day=day_in_words(find_evening(settlement.created_at)))
    if settlement.game is None:
        return name
    return t("settlement.of-game", settlement=name, game=t(f"{settlement.game}.name"))
