"""Who meets whom at the least cost: a perfect matching, by networkx.

Anybody could meet anybody, but a matching of all with all takes minutes for a thousand. So those who are near each
other in the given order are matched first, and more are added only while the search finds no good matching.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

NEAR = 20  # so far apart in the order are those who are matched at first
FURTHER = 5  # times further at each further try

T = TypeVar("T", bound=Hashable)


def match(players: Sequence[T], cost: Callable[[T, T], int], high_cost: int) -> list[tuple[T, T]]:
    """Match an even number of players, or of pairs or forts; return the meetings in order of the first of each.

    cost: the cost of a meeting, 0 or more. The sum is the least possible, at least among those near each other.
    high_cost: the cost of a meeting from which on those further away are tried, too; the sum is then the least of all.
    """
    import networkx  # noqa: PLC0415  # takes a tenth of a second, and few requests draw a round

    near, last = NEAR, len(players) - 1
    while True:
        costs = {
            (first, second): cost(players[first], players[second])
            for first in range(last)
            for second in (*range(first + 1, min(first + near + 1, last)), last)  # the last one is near to all
        }
        graph, most = networkx.Graph(), max(costs.values()) + 1
        graph.add_weighted_edges_from((first, second, most - each) for (first, second), each in costs.items())
        matching = networkx.max_weight_matching(graph, maxcardinality=True)
        matched = sorted((min(meeting), max(meeting)) for meeting in matching)
        is_whole = 2 * len(matched) == len(players) and all(costs[meeting] < high_cost for meeting in matched)
        if is_whole or near >= len(players):
            return [(players[first], players[second]) for first, second in matched]
        near *= FURTHER
