"""The auction of Joffre: one round from the dealer's left, in which each player passes or bids higher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, NamedTuple, Protocol

from ...api import AnyStanding, Player, Problem, Range

PASS = "pass"  # noqa: S105  # a call in the auction, not a password
SLAM = 12  # points, and the highest bid

Points = Annotated[int, Range(1, SLAM)]


class AuctionOptions(Protocol):
    """The house rules of the auction."""

    @property
    def minimum_bid(self) -> int: ...
    @property
    def after_three_passes(self) -> Literal["minimum", "free"]: ...


class Bid(NamedTuple):
    """A bid. Bids are ordered by points, then by kind: 7 < 7 no trump < 8."""

    points: int
    no_trump: bool


class Call(NamedTuple):
    """A call in the auction: a bid or a pass."""

    player: Player
    says: Points | Literal["pass"]
    no_trump: bool = False

    @property
    def bid(self) -> Bid | None:
        """The bid, or None for a pass."""
        return Bid(self.says, self.no_trump) if isinstance(self.says, int) else None


def bids(minimum: int) -> list[Bid]:
    """Return all bids from `minimum` points on, lowest first."""
    return [Bid(points, no_trump) for points in range(minimum, SLAM + 1) for no_trump in (False, True)]


def is_valid_bid(options: AuctionOptions, bid: Bid, highest: Bid | None, *, by_dealer: bool) -> bool:
    """Return whether a bid may follow the highest so far, which is None if there is none yet.

    The dealer may equal the highest bid. If nobody has bid, the dealer must take the contract: at the minimum, or
    freely if the house rules say so.
    """
    if highest is not None:
        return bid >= highest if by_dealer else bid > highest
    if by_dealer and options.after_three_passes == "minimum":
        return bid.points == options.minimum_bid
    return bid.points >= options.minimum_bid


def auction_problems(
    standing: AnyStanding, auction: Sequence[Call], contract: tuple[str, int, bool]
) -> Iterator[Problem]:
    """Check the order of the calls, each bid, and that the auction leads to the contract (player, points, no trump)."""
    order = (*standing.others(standing.dealer), standing.dealer)
    callers = tuple(call.player for call in auction)
    if callers == order[:-1] and not any(call.bid for call in auction):
        # Three have passed, so the dealer has taken the contract. The dealer's call may be omitted.
        is_free = standing.options.after_three_passes == "free"
        auction = [
            *auction,
            Call(standing.dealer, contract[1] if is_free else standing.options.minimum_bid, contract[2]),
        ]
    elif callers != order:
        yield Problem("auction", "joffre.auction-order", {"all": order})
        return
    highest: Bid | None = None
    leader: str | None = None
    for call in auction:
        by_dealer = call.player == standing.dealer
        problem = _call_problem(standing, call, highest, by_dealer=by_dealer)
        if problem is not None:
            yield problem
            return
        if call.bid is not None:
            highest, leader = call.bid, call.player
    if highest is None or (leader, highest.points, highest.no_trump) != contract:
        yield Problem("auction", "joffre.auction-leads-elsewhere", {"party": leader})


def _call_problem(standing: AnyStanding, call: Call, highest: Bid | None, *, by_dealer: bool) -> Problem | None:
    options: AuctionOptions = standing.options
    minimum, is_free = options.minimum_bid, options.after_three_passes == "free"
    key = "joffre.dealer-must-bid-freely" if is_free else "joffre.dealer-must-bid"
    must_bid = Problem("auction", key, {"party": call.player, "minimum": minimum})
    if call.bid is None:
        if call.no_trump:
            return Problem("auction", "joffre.pass-at-no-trump", {"party": call.player})
        return must_bid if by_dealer and highest is None else None
    if is_valid_bid(options, call.bid, highest, by_dealer=by_dealer):
        return None
    if highest is not None:
        return Problem("auction", "joffre.bid-too-low", {"party": call.player, "found": call.bid.points})
    if by_dealer:
        return must_bid
    return Problem("auction", "joffre.below-minimum", {"found": call.bid.points, "minimum": minimum})
