"""Partners and opponents of single deals, in games whose partners change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import NotRequired, TypedDict

from ..scoring.game import AnyGame
from ..scoring.standing import AnyStanding, Row

_LABEL = re.compile(r"\((\d+)\)|(\d)")


def join_labels(labels: Iterable[str]) -> str:
    """Write labels together."""
    return "".join(label if len(label) == 1 else f"({label})" for label in labels)


def split_labels(text: str) -> list[str]:
    """Return the labels that `join_labels` has written."""
    return [longer or digit for longer, digit in _LABEL.findall(text)]


WonLost = list[int]  # two counts of deals


class PairsData(TypedDict):
    """Counts by pair of people, written together such as "13", the lower label first.

    - `partners`: deals won and lost together.
    - `opponents`: deals in which the first did better, and in which the second did.
    - `sat_out`: by label, deals in which somebody who sat at the table was on no side. An earlier version left it out.
    """

    partners: dict[str, WonLost]
    opponents: dict[str, WonLost]
    sat_out: NotRequired[dict[str, int]]


def count_pairs(
    game: AnyGame, standing: AnyStanding, rows: Iterable[Row], previous: PairsData | None
) -> PairsData | None:
    """Return the pairs of the rows, added to the previous ones; None for games whose partners do not change.

    In a deal a side does better than another if its players won more together.
    """
    if game.deal_sides is None:
        return None
    partners = {pair: counts.copy() for pair, counts in previous["partners"].items()} if previous else {}
    opponents = {pair: counts.copy() for pair, counts in previous["opponents"].items()} if previous else {}
    sat_out: Counter[str] = Counter(previous.get("sat_out", {})) if previous else Counter()
    for row in rows:
        if game.is_played(row.fact):
            sides = [tuple(side) for side in game.deal_sides(standing.seated_as(row), row)]
            _count_deal(sides, row, partners, opponents)
            sat_out.update(set(row.players).difference(*sides) if sides else ())
    return {"partners": partners, "opponents": opponents, "sat_out": dict(sat_out)}


def _count_deal(
    sides: list[tuple[str, ...]], row: Row, partners: dict[str, WonLost], opponents: dict[str, WonLost]
) -> None:
    points = [sum(row.scored[player] for player in side) for side in sides]
    for index, side in enumerate(sides):
        others = [other for place, other in enumerate(points) if place != index]
        won, lost = all(points[index] > other for other in others), any(points[index] < other for other in others)
        for first, second in combinations(sorted(side, key=int), 2):
            _add(partners, first, second, won and bool(others), lost)
    for (side, own), (other_side, other) in combinations(list(zip(sides, points, strict=True)), 2):
        for player in side:
            for opponent in other_side:
                if int(player) < int(opponent):
                    _add(opponents, player, opponent, own > other, own < other)
                else:
                    _add(opponents, opponent, player, other > own, other < own)


def _add(pairs: dict[str, WonLost], first: str, second: str, won: bool, lost: bool) -> None:
    counts = pairs.setdefault(join_labels((first, second)), [0, 0])
    counts[0] += won
    counts[1] += lost
