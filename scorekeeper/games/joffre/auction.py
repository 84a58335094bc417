"""The auction of Joffre: one round from the dealer's left, each passing or bidding higher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from ...scoring.remarks import Remark
from ...scoring.standing import Standing
from ...scoring.values import Between, Player

PASS = "pass"  # noqa: S105  # a call at cards, no secret
SLAM = 12  # points, and the highest bid

Points = Annotated[int, Between(1, SLAM)]


@dataclass(frozen=True, order=True)
class Bid:
    """7 < 7 no trump < 8: ordered by points, then by kind."""

    points: int
    no_trump: bool


class Call(NamedTuple):
    player: Player
    says: Points | Literal["pass"]
    no_trump: bool = False

    @property
    def bid(self) -> Bid | None:
        return Bid(self.says, self.no_trump) if isinstance(self.says, int) else None


def bids(minimum: int) -> list[Bid]:
    """Every bid there is, lowest first."""
    return [Bid(points, no_trump) for points in range(minimum, SLAM + 1) for no_trump in (False, True)]


def stands(bid: Bid, highest: Bid | None, minimum: int, *, by_dealer: bool) -> bool:
    """Whether a bid may follow the highest so far (None: three have passed, or nobody has spoken yet).

    The dealer may equal the last bid; where nobody has bid he takes the contract at the minimum, no more.
    """
    if highest is None:
        return bid.points == minimum if by_dealer else bid.points >= minimum
    return bid >= highest if by_dealer else bid > highest


def auction_faults(standing: Standing, auction: Sequence[Call], contract: tuple[str, int, bool]) -> Iterator[Remark]:
    order = (*standing.others(standing.dealer), standing.dealer)
    callers = tuple(call.player for call in auction)
    if callers == order[:-1] and not any(call.bid for call in auction):
        # Three have passed: the dealer need not speak, for he has no choice but the kind.
        auction = [*auction, Call(standing.dealer, standing.options.minimum_bid, contract[2])]
    elif callers != order:
        yield Remark("auction", "joffre.auction-order", {"all": order})
        return
    highest: Bid | None = None
    leader: str | None = None
    for call in auction:
        by_dealer = call.player == standing.dealer
        fault = _call_fault(standing, call, highest, by_dealer=by_dealer)
        if fault is not None:
            yield fault
            return
        if call.bid is not None:
            highest, leader = call.bid, call.player
    if highest is None or (leader, highest.points, highest.no_trump) != contract:
        yield Remark("auction", "joffre.auction-leads-elsewhere", {"party": leader})


def _call_fault(standing: Standing, call: Call, highest: Bid | None, *, by_dealer: bool) -> Remark | None:
    minimum = standing.options.minimum_bid
    if call.bid is None:
        if call.no_trump:
            return Remark("auction", "joffre.pass-at-no-trump", {"party": call.player})
        if by_dealer and highest is None:
            return Remark("auction", "joffre.dealer-must-bid", {"party": call.player, "minimum": minimum})
        return None
    if stands(call.bid, highest, minimum, by_dealer=by_dealer):
        return None
    return Remark("auction", "joffre.bid-too-low", {"party": call.player, "found": call.bid.points})
