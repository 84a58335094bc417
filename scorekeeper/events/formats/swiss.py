"""Swiss: in each round, pairs with scores close to each other meet, and nobody meets the same pair again.

The round is one without rematches whose opponents are closest in rank: with the least sum of squared differences. Pairs
with equal scores have equal ranks; chance orders them. With an odd number of pairs, the lowest-ranked pair that has not
sat out yet sits out.
"""

from __future__ import annotations

from ..drawing import EventRound, RoundDraw
from ..even_draws import PairDraw
from ..scoring import find_scoring
from ..standings import standings
from .base import Format

LOWEST = 10**8  # what it costs that a better pair sits out; more than any distance between those who meet

_SCORINGS = ("parties", "difference", "total", "tricks", "matchpoints")


def draw_round(draw: RoundDraw) -> EventRound:
    pairs = PairDraw(draw)
    places = _places(draw, pairs.pairs)
    order = sorted(pairs.random.sample(pairs.pairs, len(pairs.pairs)), key=places.__getitem__)
    return pairs.round(
        order,
        lambda first, second: (places[first] - places[second]) ** 2,
        lambda pair: LOWEST * (len(order) - places[pair]),
    )


def _places(draw: RoundDraw, pairs: list[int]) -> dict[int, int]:
    """Return for each pair how many others have a better score."""
    scoring = find_scoring(draw.scoring or _SCORINGS[0]).under(draw.lowest_wins)
    rows = standings(draw.members, draw.earlier, scoring, 2, sitting_out=draw.sitting_out or scoring.sitting_out)
    scores = {
        (row.numbers[0] + 1) // 2: scoring.with_more_better(row.score) if row.share is None else row.share
        for row in rows
    }
    ranked = sorted((scores.get(pair, 0) for pair in pairs), reverse=True)
    return {pair: ranked.index(scores.get(pair, 0)) for pair in pairs}


FORMAT = Format(
    "swiss",
    draw_round,
    members=2,
    scorings=_SCORINGS,
)
