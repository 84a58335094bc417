"""Joffre (Kaiser): the facts of a deal and what follows from them, in the order of the rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ...scoring.game import Check
from ...scoring.ledger import Entry, mark
from ...scoring.remarks import Remark
from ...scoring.sides import EW, NS, SIDES, held_by, other_side, sum_faults
from ...scoring.standing import PARTIE, Closing, Standing, paid_from_the_left
from ...scoring.values import MOST, Between, Player, Side
from .auction import SLAM, Call, Points, auction_faults

TRICKS = 8
FIVE_OF_HEARTS = 5  # points
THREE_OF_SPADES = -3  # points
POINTS_OF_A_DEAL = TRICKS + FIVE_OF_HEARTS + THREE_OF_SPADES  # both sides together

REASONS = ("contract_made", "contract_failed", "slam_made", "slam_failed", "defence", "stake")


@dataclass(frozen=True)
class Options:
    minimum_bid: Annotated[int, Between(1, 7)] = 5
    target: Annotated[int, Between(1, MOST)] = 41
    win: Literal["bidder", "either"] = "bidder"
    minus_target_loses: bool = False
    stake: Annotated[int, Between(0, MOST)] = 0


@dataclass(frozen=True)
class Contract:
    player: Player
    points: Points
    no_trump: bool = False


@dataclass(frozen=True)
class Deal:
    contract: Contract
    tricks: dict[Side, Annotated[int, Between(0, TRICKS)]]
    five_of_hearts: Side
    three_of_spades: Side
    auction: tuple[Call, ...] | None = None

    def tricks_of(self, side: str) -> int:
        return held_by(side, self.tricks, TRICKS)

    def points_of(self, side: str) -> int:
        """The side's part of the ten points of the deal, −2 to 12."""
        points = self.tricks_of(side)
        if self.five_of_hearts == side:
            points += FIVE_OF_HEARTS
        if self.three_of_spades == side:
            points += THREE_OF_SPADES
        return points

    @property
    def is_slam(self) -> bool:
        return self.contract.points == SLAM


def bid_faults(standing: Standing, deal: Deal) -> list[Remark]:
    bid, minimum = deal.contract.points, standing.options.minimum_bid
    if bid >= minimum:
        return []
    return [Remark("contract.points", "joffre.below-minimum", {"found": bid, "minimum": minimum})]


def tricks_faults(_standing: Standing, deal: Deal) -> list[Remark]:
    return sum_faults("tricks", deal.tricks, TRICKS)


def five_faults(_standing: Standing, deal: Deal) -> list[Remark]:
    return _card_faults(deal, "five_of_hearts", deal.five_of_hearts)


def three_faults(_standing: Standing, deal: Deal) -> list[Remark]:
    return _card_faults(deal, "three_of_spades", deal.three_of_spades)


def _card_faults(deal: Deal, card: str, side: str) -> list[Remark]:
    return [] if deal.tricks_of(side) else [Remark(card, "joffre.card-without-a-trick", {"party": side})]


def told_auction_faults(standing: Standing, deal: Deal) -> Iterable[Remark]:
    if deal.auction is None:
        return ()
    contract = deal.contract
    return auction_faults(standing, deal.auction, (contract.player, contract.points, contract.no_trump))


CHECKS = (
    Check(("contract",), bid_faults),
    Check(("tricks",), tricks_faults),
    Check(("tricks", "five_of_hearts"), five_faults),
    Check(("tricks", "three_of_spades"), three_faults),
    Check(("contract", "auction"), told_auction_faults),
)


def score(standing: Standing, deal: Deal) -> list[Entry]:
    contract = deal.contract
    bidders = standing.side_of(contract.player)
    points = deal.points_of(bidders)
    factor = 2 if contract.no_trump else 1
    if points >= contract.points:
        result = mark(bidders, points * factor, "slam_made" if deal.is_slam else "contract_made")
    else:
        result = mark(bidders, -contract.points * factor, "slam_failed" if deal.is_slam else "contract_failed")
    return [result, mark(other_side(bidders), POINTS_OF_A_DEAL - points, "defence")]


def reckon(deal: Deal, entry: Entry) -> dict[str, int]:
    if entry.taker is None or entry.reason not in REASONS or entry.reason == "stake":
        return {}
    factor = 2 if deal.contract.no_trump else 1
    if entry.reason.endswith("_failed"):
        return {"bid": deal.contract.points, "factor": factor}
    return {
        "tricks": deal.tricks_of(entry.taker),
        "five": FIVE_OF_HEARTS if deal.five_of_hearts == entry.taker else 0,
        "three": THREE_OF_SPADES if deal.three_of_spades == entry.taker else 0,
        "factor": 1 if entry.reason == "defence" else factor,
    }


def close(standing: Standing) -> Closing | None:
    if standing.is_finished:
        return None
    fact = standing.rows[-1].fact
    winner = _winner_by_cards(standing, fact) if isinstance(fact, Deal) else None
    winner = winner or _winner_by_the_others_fall(standing)
    if winner is None:
        return None
    return Closing(PARTIE, winner, {}, paid_from_the_left(standing, winner, standing.options.stake, "stake"))


def _winner_by_cards(standing: Standing, deal: Deal) -> str | None:
    scores, target = standing.scores, standing.options.target
    if scores[NS] < target and scores[EW] < target and not deal.is_slam:
        return None
    bidders = standing.side_of(deal.contract.player)
    made = deal.points_of(bidders) >= deal.contract.points
    if deal.is_slam:
        return bidders if made else other_side(bidders)
    if standing.options.win == "either":
        return next((side for side in (bidders, other_side(bidders)) if scores[side] >= target), None)
    return bidders if made and scores[bidders] >= target else None


def _winner_by_the_others_fall(standing: Standing) -> str | None:
    if not standing.options.minus_target_loses:
        return None
    fallen = [side for side in SIDES if standing.scores[side] <= -standing.options.target]
    return other_side(fallen[0]) if fallen else None


def report(standing: Standing) -> dict[str, Any]:
    return {"winner": standing.winner}
