"""Statistics of Quarante de rois: cliques and card points."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import PARTIE, SIDES, Feat, Figure, Row, Standing, count_deals, share_of
from .rules import CARD_POINTS, Deal, Options

FIGURES = ("clique", "card_points")
FEATS = ("best_clique", "most_in_a_deal", "longest_partie")


def figures(standing: Standing[Options], row: Row) -> Iterator[Figure]:
    deal = row.fact
    if not isinstance(deal, Deal):
        return
    if deal.clique is not None:
        yield Figure(deal.clique.player, "clique", f"{deal.clique.rank}-{deal.clique.count}")
    for side in SIDES:
        if points := share_of(side, deal.card_points, CARD_POINTS):
            for player in standing.partners(side):
                yield Figure(player, "card_points", times=points)


def feats(standing: Standing[Options], row: Row) -> Iterator[Feat]:
    deal = row.fact
    if isinstance(deal, Deal):
        if deal.clique is not None:
            yield Feat("best_clique", deal.clique.points, (deal.clique.player,))
        for side, points in row.scored.items():
            if points:
                yield Feat("most_in_a_deal", points, standing.partners(side))
    if row.closings and (deals := count_deals(standing, row, PARTIE)):
        yield Feat("longest_partie", deals, standing.players)
