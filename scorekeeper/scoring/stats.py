"""Statistics that a game adds to points and counters."""

from __future__ import annotations

from typing import NamedTuple


class Figure(NamedTuple):
    """Something a player did in a deal, counted over deals and tables.

    `part` divides a figure, for example by the level of a contract; it is "" if there is no division. `times` is how
    often it happened, or a number that is added up for its average. Message keys are `<slug>.figure.<name>` and
    `<slug>.figure.<name>.<part>`; a numeric part is shown as it is.
    """

    player: str
    name: str
    part: str = ""
    times: int = 1


class Feat(NamedTuple):
    """An amount that may become one of the circle's records, and the players to name. Larger is better.

    The message key is `<slug>.feat.<name>`, with the amount as `{count}`.
    """

    name: str
    amount: int
    players: tuple[str, ...]
