"""Statistics of any game."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import PARTIE, Feat, Figure, Row, Standing
from .facts import Deal
from .options import Options

FIGURES = ("best_of_a_deal",)
FEATS = ("longest_partie",)


def figures(standing: Standing[Options], row: Row) -> Iterator[Figure]:
    """Yield the figures of a row: who did best in the deal, unless all did equally well."""
    points = row.scored.values()
    if not isinstance(row.fact, Deal) or min(points) == max(points):
        return
    best = max(points) if standing.options.best == "highest" else min(points)
    for party in (party for party, scored in row.scored.items() if scored == best):
        for player in standing.partners(party) if standing.options.sides else (party,):
            yield Figure(player, "best_of_a_deal")


def feats(standing: Standing[Options], row: Row) -> Iterator[Feat]:
    """Yield the feats of a row: how long a game was."""
    if any(closing.kind == PARTIE for closing in row.closings):
        deals = sum(isinstance(earlier.fact, Deal) for earlier in standing.rows[: row.number])
        if deals:
            yield Feat("longest_partie", deals, standing.players)
