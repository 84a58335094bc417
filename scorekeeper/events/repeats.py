"""What a draw repeats, for the director to see."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from .drawing import PlayedRound, list_pairs
from .history import History
from .schedule import EventRound, Pair, Table, ordered

PAIRS = 2  # the members of a format for pairs
IDEAL = 2  # how often players without fixed partners should be opponents


class Repeats(NamedTuple):
    """How uneven a round is.

    Attributes:
        partners: how many pairs of partners have been partners before; always 0 where partners stay together.
        opponents: how many pairs meet a pair again, or forts visit a fort again; without fixed partners, how many two
            players are opponents for more than the second time.
        sits_out: how many sit out who have before.
    """

    partners: int = 0
    opponents: int = 0
    sits_out: int = 0


def count_repeats(of_round: EventRound, earlier: Sequence[PlayedRound], members: int) -> Repeats:
    """Return what a round repeats of the earlier ones; `members` is the format's."""
    history = History(earlier)
    sits_out = sum(number in history.sat_out for number in of_round.sits_out)
    if members > 1:
        met = {_meeting(table, members) for table in list_pairs(tuple(earlier))}
        return Repeats(0, sum(_meeting(table, members) in met for table in of_round.tables), sits_out)
    partners = sum(ordered(pair) in history.partners for table in of_round.tables for pair in table)
    twos = (ordered(two) for table in of_round.tables for two in product(*table))
    return Repeats(partners, sum(history.opponents[two] >= IDEAL for two in twos), sits_out)


def _meeting(table: Table, members: int) -> Pair:
    """Return the pairs at a table, the lower one first; of forts, the one at home first."""
    first, second = ((pair[0] - 1) // members for pair in table)
    return (first, second) if members > PAIRS else ordered((first, second))
