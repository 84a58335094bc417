"""The rules of Joffre: the facts of a deal and its scoring, in the order of rules.en.md beside this file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, NamedTuple

from ... import api

# --- the auction -------------------------------------------------------------------------------------------------

PASS = "pass"  # noqa: S105  # a call in the auction, not a password
SLAM = 12  # points, and the highest bid

Points = Annotated[int, api.Range(1, SLAM)]


class Bid(NamedTuple):
    """A bid. Bids are ordered by points, then by kind: 7 < 7 no trump < 8."""

    points: int
    no_trump: bool


class Call(NamedTuple):
    player: api.Player
    says: Points | Literal["pass"]
    no_trump: bool = False

    @property
    def bid(self) -> Bid | None:
        return Bid(self.says, self.no_trump) if isinstance(self.says, int) else None


def bids(minimum: int) -> list[Bid]:
    return [Bid(points, no_trump) for points in range(minimum, SLAM + 1) for no_trump in (False, True)]


def is_valid_bid(options: Options, bid: Bid, highest: Bid | None, *, by_dealer: bool) -> bool:
    """Return whether a player may make a bid after `highest`.

    The dealer may equal it. If nobody has bid, the dealer must: the minimum, or under a house rule any bid.
    """
    if highest is not None:
        return bid >= highest if by_dealer else bid > highest
    if by_dealer and options.after_three_passes == "minimum":
        return bid.points == options.minimum_bid
    return bid.points >= options.minimum_bid


def auction_problems(standing: api.Standing[Options], deal: Deal) -> Iterator[api.Problem]:
    if deal.auction is None:
        return
    auction, contract = deal.auction, deal.contract
    order = (*standing.others(standing.dealer), standing.dealer)
    callers = tuple(call.player for call in auction)
    if callers == order[:-1] and not any(call.bid for call in auction):
        # Three have passed, so the dealer has taken the contract. The dealer's call may be omitted.
        is_free = standing.options.after_three_passes == "free"
        points = contract.points if is_free else standing.options.minimum_bid
        auction += (Call(standing.dealer, points, contract.no_trump),)
    elif callers != order:
        yield api.Problem("auction", "joffre.auction-order", {"all": order})
        return
    highest: Bid | None = None
    leader: str | None = None
    for call in auction:
        problem = _call_problem(standing, call, highest)
        if problem is not None:
            yield problem
            return
        if call.bid is not None:
            highest, leader = call.bid, call.player
    if (leader, highest) != (contract.player, (contract.points, contract.no_trump)):
        yield api.Problem("auction", "joffre.auction-leads-elsewhere", {"party": leader})


def _call_problem(standing: api.Standing[Options], call: Call, highest: Bid | None) -> api.Problem | None:
    options, by_dealer = standing.options, call.player == standing.dealer
    minimum = options.minimum_bid
    key = "joffre.dealer-must-bid-freely" if options.after_three_passes == "free" else "joffre.dealer-must-bid"
    must_bid = api.Problem("auction", key, {"party": call.player, "minimum": minimum})
    if call.bid is None:
        if call.no_trump:
            return api.Problem("auction", "joffre.pass-at-no-trump", {"party": call.player})
        return must_bid if by_dealer and highest is None else None
    if is_valid_bid(options, call.bid, highest, by_dealer=by_dealer):
        return None
    if highest is not None:
        return api.Problem("auction", "joffre.bid-too-low", {"party": call.player, "found": call.bid.points})
    if by_dealer:
        return must_bid
    return api.Problem("auction", "joffre.below-minimum", {"found": call.bid.points, "minimum": minimum})


# --- a deal ------------------------------------------------------------------------------------------------------

TRICKS = 8
FIVE_OF_HEARTS = 5  # points
THREE_OF_SPADES = -3  # points
SHARED_POINTS = TRICKS + FIVE_OF_HEARTS + THREE_OF_SPADES  # of a deal, by both sides
_MOST = 2 * SLAM  # made or failed without trumps
POINTS_OF_DEAL = api.Range(-_MOST, _MOST), api.Range(-_MOST - 1, _MOST + THREE_OF_SPADES + 1)

NEAR_TARGET = 5  # points short of the target, from which a side may have to bid to score

REASONS = ("contract_made", "contract_failed", "slam_made", "slam_failed", "defence", "near_target", "stake")


@dataclass(frozen=True)
class Options:
    minimum_bid: Annotated[int, api.Range(1, 7)] = 5
    after_three_passes: Literal["minimum", "free"] = "minimum"
    target: Annotated[int, api.Range(1, api.MAX_AMOUNT)] = 41
    win: Literal["bidder", "either"] = "bidder"
    near_target: Literal["scores", "held"] = "scores"
    minus_target_loses: bool = False
    slam: Literal["wins", "scores"] = "wins"
    stake: Annotated[int, api.Range(0, api.MAX_AMOUNT)] = 0


@dataclass(frozen=True)
class Contract:
    player: api.Player
    points: Points
    no_trump: bool = False


@dataclass(frozen=True)
class Deal:
    """The facts of a deal. The cards' fields name the side that took them."""

    contract: Contract
    tricks: dict[api.Side, Annotated[int, api.Range(0, TRICKS)]]
    five_of_hearts: api.Side
    three_of_spades: api.Side
    auction: tuple[Call, ...] | None = None

    def tricks_of(self, side: str) -> int:
        return api.share_of(side, self.tricks, TRICKS)

    def points_of(self, side: str) -> int:
        """Return the side's share of the ten points of the deal, from −2 to 12."""
        five = FIVE_OF_HEARTS if self.five_of_hearts == side else 0
        three = THREE_OF_SPADES if self.three_of_spades == side else 0
        return self.tricks_of(side) + five + three


def is_slam(options: Options, bid: int) -> bool:
    return bid == SLAM and options.slam == "wins"


def bid_problems(standing: api.Standing[Options], deal: Deal) -> Iterator[api.Problem]:
    bid, minimum = deal.contract.points, standing.options.minimum_bid
    if bid < minimum:
        yield api.Problem("contract.points", "joffre.below-minimum", {"found": bid, "minimum": minimum})


def tricks_problems(_standing: api.Standing[Options], deal: Deal) -> list[api.Problem]:
    return api.sum_problems("tricks", deal.tricks, TRICKS)


def card_problems(card: str, _standing: api.Standing[Options], deal: Deal) -> Iterator[api.Problem]:
    side = getattr(deal, card)
    if not deal.tricks_of(side):
        yield api.Problem(card, "joffre.card-without-a-trick", {"party": side})


CHECKS = (
    api.Check(("contract",), bid_problems),
    api.Check(("tricks",), tricks_problems),
    api.Check(("tricks", "five_of_hearts"), partial(card_problems, "five_of_hearts")),
    api.Check(("tricks", "three_of_spades"), partial(card_problems, "three_of_spades")),
    api.Check(("contract", "auction"), auction_problems),
)


def score(standing: api.Standing[Options], deal: Deal) -> Iterator[api.Entry]:
    contract = deal.contract
    bidders = standing.side_of(contract.player)
    defenders = api.other_side(bidders)
    points = deal.points_of(bidders)
    factor = 2 if contract.no_trump else 1
    kind = "slam" if is_slam(standing.options, contract.points) else "contract"
    if points >= contract.points:
        yield api.mark(bidders, points * factor, f"{kind}_made")
    else:
        yield api.mark(bidders, -contract.points * factor, f"{kind}_failed")
    defended = SHARED_POINTS - points
    is_near = standing.scores[defenders] >= standing.options.target - NEAR_TARGET
    yield api.mark(defenders, defended, "defence")
    if defended > 0 and is_near and standing.options.near_target == "held":
        yield api.mark(defenders, -defended, "near_target")  # takes it back


def explain(_standing: api.Standing[Options], row: api.Row, entry: api.Entry) -> dict[str, int]:
    deal = row.fact
    if not isinstance(deal, Deal) or entry.taker is None or entry.reason in ("near_target", "stake"):
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


def close(standing: api.Standing[Options]) -> api.Closing | None:
    if standing.winner is not None:
        return None
    fact = standing.rows[-1].fact
    winner = _winner_by_cards(standing, fact) if type(fact) is Deal else None
    if winner is None and standing.options.minus_target_loses:
        limit = -standing.options.target
        winner = next((api.other_side(side) for side in api.SIDES if standing.scores[side] <= limit), None)
    if winner is None:
        return None
    return api.Closing(api.PARTIE, winner, {}, api.pay_from_left(standing, winner, standing.options.stake, "stake"))


def _winner_by_cards(standing: api.Standing[Options], deal: Deal) -> str | None:
    scores, target = standing.scores, standing.options.target
    if scores[api.NS] < target and scores[api.EW] < target and deal.contract.points < SLAM:
        return None
    bidders = standing.side_of(deal.contract.player)
    made = deal.points_of(bidders) >= deal.contract.points
    if is_slam(standing.options, deal.contract.points):
        return bidders if made else api.other_side(bidders)
    if standing.options.win == "either":
        return next((side for side in (bidders, api.other_side(bidders)) if scores[side] >= target), None)
    return bidders if made and scores[bidders] >= target else None


# --- statistics --------------------------------------------------------------------------------------------------

FIGURES = (
    *("contract_made", "contract_failed", "slam_made", "slam_failed", "defended"),
    *("five_of_hearts", "three_of_spades"),
)
FEATS = ("highest_contract_made", "highest_no_trump_made", "most_in_a_deal", "longest_partie")


def figures(standing: api.Standing[Options], row: api.Row) -> Iterator[api.Figure]:
    deal = row.fact
    if not isinstance(deal, Deal):
        return
    bidder, made = deal.contract.player, _is_made(row)
    bid = f"{deal.contract.points}{'-no-trump' if deal.contract.no_trump else ''}"
    yield api.Figure(bidder, "contract_made" if made else "contract_failed", bid)
    if is_slam(standing.options, deal.contract.points):
        yield api.Figure(bidder, "slam_made" if made else "slam_failed")
    if not made:
        yield api.Figure(api.other_side(standing.side_of(bidder)), "defended")
    yield api.Figure(deal.five_of_hearts, "five_of_hearts")
    yield api.Figure(deal.three_of_spades, "three_of_spades")


def _is_made(row: api.Row) -> bool:
    """Return whether the contract was made. The first entry of a deal is the mark for it, which is never 0."""
    return row.entries[0].reason in ("contract_made", "slam_made")


def feats(standing: api.Standing[Options], row: api.Row) -> Iterator[api.Feat]:
    deal = row.fact
    if isinstance(deal, Deal):
        contract = deal.contract
        if _is_made(row):
            # Two feats, since one number cannot rank both kinds: 7 no trump is above 7 and below 8.
            name = "highest_no_trump_made" if contract.no_trump else "highest_contract_made"
            yield api.Feat(name, contract.points, (contract.player,))
        for side, points in row.scored.items():
            if points > 0:
                yield api.Feat("most_in_a_deal", points, (side,))
    if row.closings:
        yield from api.length_feats(standing, row, api.PARTIE)


# --- the draw: the highest card deals. The source leaves the method open -----------------------------------------


SPECIAL = {api.Card("7", "h"): api.Card("5", "h"), api.Card("7", "s"): api.Card("3", "s")}
PACK = tuple(SPECIAL.get(card, card) for card in api.PIQUET)


def seat(players: api.Players, orders: Mapping[str, api.Players]) -> api.Seating:
    dealer = orders["dealer"][0]
    return api.Seating(players, dealer, (("dealer", {"party": dealer}),))


DRAW = api.Draw(
    stages=(api.Stage("dealer", lambda _players: PACK, api.by_rank(api.RANKS), lambda _players: (1,)),),
    seat=seat,
    partners=True,
)
