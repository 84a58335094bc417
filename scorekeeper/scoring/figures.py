"""What a game can tell of its players over the years, beside points and counters."""

from __future__ import annotations

from typing import NamedTuple


class Figure(NamedTuple):
    """Something a player did in a deal, `times` often: figures of one name are added up over deals and tables.

    `part` tells the kinds of one figure apart (the level of a contract, the rank of a clique); "" where there are none.
    Its words are `<slug>.figure.<name>`, those of a part `<slug>.figure.<name>.<part>` or, for a number, the number.
    """

    player: str
    name: str
    part: str = ""
    times: int = 1


class Feat(NamedTuple):
    """An amount worth a place among the circle's records, with who is named beside it.

    The larger is the better. Its words are `<slug>.feat.<name>`; the amount is told there as `{count}`.
    """

    name: str
    amount: int
    players: tuple[str, ...]
