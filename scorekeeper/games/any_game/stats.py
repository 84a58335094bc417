"""Statistics of any game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...api import PARTIE, Feat, Figure, Row, Standing, count_deals
from .options import CategoryDeal, Deal, Options, PlacesDeal, PointsDeal, WinnerDeal, number_places

FIGURES = ("best_of_a_deal", "points", "place")  # the last two for their averages
FEATS = ("most_points", "longest_partie")


def figures(standing: Standing[Options], row: Row) -> Iterator[Figure]:
    if not isinstance(row.fact, Deal):
        return
    scored = row.scored.values()
    best = max(scored) if standing.options.best == "highest" else min(scored)
    places = number_places(row.fact.places) if isinstance(row.fact, PlacesDeal) else {}
    for party, points in row.scored.items():
        for player in _players_of(standing, party):
            if points == best and min(scored) < max(scored):
                yield Figure(player, "best_of_a_deal")
            if places:
                yield Figure(player, "place", times=places[party])
            elif points and not isinstance(row.fact, WinnerDeal):
                yield Figure(player, "points", times=points)


def feats(standing: Standing[Options], row: Row) -> Iterator[Feat]:
    if isinstance(row.fact, PointsDeal | CategoryDeal) and (most := max(row.scored.values())) > 0:
        players = [
            player for party, points in row.scored.items() if points == most for player in _players_of(standing, party)
        ]
        yield Feat("most_points", most, tuple(players))
    if row.closings and (deals := count_deals(standing, row, PARTIE)):
        yield Feat("longest_partie", deals, standing.players)


def _players_of(standing: Standing[Options], party: str) -> Sequence[str]:
    return standing.partners(party) if standing.options.sides else (party,)
