"""Statistics of Joffre: contracts by bid, slams, and the two cards that count."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import PARTIE, Feat, Figure, Row, Standing, count_deals, other_side
from .rules import Contract, Deal, Options, is_slam

FIGURES = (
    "contract_made",
    "contract_failed",
    "slam_made",
    "slam_failed",
    "defended",
    "five_of_hearts",
    "three_of_spades",
)
FEATS = ("highest_contract_made", "highest_no_trump_made", "most_in_a_deal", "longest_partie")


def figures(standing: Standing[Options], row: Row) -> Iterator[Figure]:
    deal = row.fact
    if not isinstance(deal, Deal):
        return
    bidder, made = deal.contract.player, _is_made(row)
    yield Figure(bidder, "contract_made" if made else "contract_failed", _bid(deal.contract))
    if is_slam(standing.options, deal.contract.points):
        yield Figure(bidder, "slam_made" if made else "slam_failed")
    if not made:
        yield from _for_partners(standing, other_side(standing.side_of(bidder)), "defended")
    yield from _for_partners(standing, deal.five_of_hearts, "five_of_hearts")
    yield from _for_partners(standing, deal.three_of_spades, "three_of_spades")


def _is_made(row: Row) -> bool:
    """Return whether the contract was made. The first entry of a deal is the mark for it, which is never 0."""
    return row.entries[0].reason in ("contract_made", "slam_made")


def _bid(contract: Contract) -> str:
    return f"{contract.points}-no-trump" if contract.no_trump else str(contract.points)


def _for_partners(standing: Standing[Options], side: str, name: str) -> list[Figure]:
    return [Figure(player, name) for player in standing.partners(side)]


def feats(standing: Standing[Options], row: Row) -> Iterator[Feat]:
    deal = row.fact
    if isinstance(deal, Deal):
        contract = deal.contract
        if _is_made(row):
            # Two feats, since one number cannot rank both kinds: 7 no trump is above 7 and below 8.
            name = "highest_no_trump_made" if contract.no_trump else "highest_contract_made"
            yield Feat(name, contract.points, (contract.player,))
        for side, points in row.scored.items():
            if points > 0:
                yield Feat("most_in_a_deal", points, standing.partners(side))
    if row.closings and (deals := count_deals(standing, row, PARTIE)):
        yield Feat("longest_partie", deals, standing.players)
