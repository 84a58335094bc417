"""What Joffre tells of its players: contracts by what was bid, slams, and the two cards that count."""

from __future__ import annotations

from collections.abc import Iterator

from ...scoring.figures import Feat, Figure
from ...scoring.sides import other_side
from ...scoring.standing import PARTIE, Row, Standing
from .ledger import Contract, Deal

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


def figures(standing: Standing, row: Row) -> Iterator[Figure]:
    """A contract is its bidder's own; what is done in defence, and the cards taken, are both partners'."""
    deal = row.fact
    if not isinstance(deal, Deal):
        return
    bidder, made = deal.contract.player, _is_made(row)
    yield Figure(bidder, "contract_made" if made else "contract_failed", _bid(deal.contract))
    if deal.is_slam:
        yield Figure(bidder, "slam_made" if made else "slam_failed")
    if not made:
        yield from _of_both(standing, other_side(standing.side_of(bidder)), "defended")
    yield from _of_both(standing, deal.five_of_hearts, "five_of_hearts")
    yield from _of_both(standing, deal.three_of_spades, "three_of_spades")


def _is_made(row: Row) -> bool:
    """What became of the contract is a deal's first mark, which is never 0."""
    return row.entries[0].reason in ("contract_made", "slam_made")


def _bid(contract: Contract) -> str:
    return f"{contract.points}-no-trump" if contract.no_trump else str(contract.points)


def _of_both(standing: Standing, side: str, name: str) -> list[Figure]:
    return [Figure(player, name) for player in standing.partners(side)]


def feats(standing: Standing, row: Row) -> Iterator[Feat]:
    deal = row.fact
    if isinstance(deal, Deal):
        contract = deal.contract
        if _is_made(row):
            # Two feats, since 7 at no trump is more than 7 and less than 8: one number cannot rank both kinds.
            kind = "highest_no_trump_made" if contract.no_trump else "highest_contract_made"
            yield Feat(kind, contract.points, (contract.player,))
        for side, points in row.scored.items():
            if points > 0:
                yield Feat("most_in_a_deal", points, standing.partners(side))
    if any(closing.kind == PARTIE for closing in row.closings) and (deals := _deals_so_far(standing, row)):
        yield Feat("longest_partie", deals, standing.players)


def _deals_so_far(standing: Standing, row: Row) -> int:
    return sum(isinstance(earlier.fact, Deal) for earlier in standing.rows[: row.number])
