"""What can be tapped to tell a deal of Joffre: contract and result, or the auction and result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...scoring.pad import CARDS, TOGGLE, Choice, Group
from ...scoring.sides import EW, NS, SIDES, other_side, spelled_out
from ...scoring.standing import Standing
from .auction import PASS, SLAM, Bid, Call, bids, stands
from .ledger import TRICKS


def pad(standing: Standing, said: Mapping[str, Any]) -> Iterator[Group]:
    """Who bid, the bid, no trump; North-South's tricks (East-West's stand in the same cells); the two cards."""
    order = [*standing.others(standing.dealer), standing.dealer]
    by_auction = "auction" in said
    yield Group("bidder", ("contract",), tuple(_bidders(order)), kind=CARDS, required=not by_auction)
    yield Group("bid", ("contract",), tuple(_bids(standing)), required=not by_auction)
    no_trump = Choice("yes", {"contract": {"no_trump": True}}, "joffre.no-trump")
    yield Group("no-trump", ("contract",), (no_trump,), kind=TOGGLE, required=False)
    yield from _auction(standing, order, said)
    yield Group("tricks", ("tricks",), tuple(_tricks(said)))
    for card in ("five_of_hearts", "three_of_spades"):
        yield Group(card, (card,), tuple(_takers(card, said)), kind=CARDS)


def _bidders(order: list[str]) -> Iterator[Choice]:
    for player in order:
        yield Choice(player, {"contract": {"player": player}}, "party", params={"party": player})


def _bids(standing: Standing) -> Iterator[Choice]:
    minimum = standing.options.minimum_bid
    for points in range(1, SLAM + 1):
        says = "joffre.slam" if points == SLAM else points
        yield Choice(str(points), {"contract": {"points": points}}, says, offered=points >= minimum)


def _tricks(said: Mapping[str, Any]) -> Iterator[Choice]:
    """A side that took one of the two cards took a trick."""
    taken = [said.get(card) for card in ("five_of_hearts", "three_of_spades")]
    for n in range(TRICKS + 1):
        without = NS if n == 0 else EW if n == TRICKS else None
        offered = without is None or without not in taken
        yield Choice(str(n), {"tricks": {NS: n}}, n, offered=offered, params={"others": TRICKS - n})


def _takers(card: str, said: Mapping[str, Any]) -> Iterator[Choice]:
    tricks = said.get("tricks", {})
    for side in SIDES:
        without = tricks.get(side) == 0 or tricks.get(other_side(side)) == TRICKS
        yield Choice(side, {card: side}, "side", offered=not without, params={"party": side})


def _auction(standing: Standing, order: list[str], said: Mapping[str, Any]) -> Iterator[Group]:
    """A row a player, from the dealer's left; what the calls told before it leave open is offered."""
    told = {call.player: call for call in _calls(said)}
    minimum = standing.options.minimum_bid
    highest: Bid | None = None
    passed = 0
    for player in order:
        by_dealer = player == standing.dealer
        obliged = by_dealer and passed == len(order) - 1  # three have passed before him
        choices = [Choice(PASS, {"auction": [[player, PASS, False]]}, "joffre.pass", offered=not obliged)]
        for bid in bids(minimum):
            key = f"{bid.points}{'-no-trump' if bid.no_trump else ''}"
            facts = {"auction": [[player, bid.points, bid.no_trump]]}
            says = "joffre.bid-no-trump" if bid.no_trump else "joffre.bid"
            offered = stands(bid, highest, minimum, by_dealer=by_dealer) if highest or obliged else True
            choices.append(Choice(key, facts, says, offered=offered, params={"points": bid.points}))
        yield Group(f"auction-{player}", ("auction",), tuple(choices), required=False, aside=True)
        call = told.get(player)
        if call is not None:
            passed += call.bid is None
            highest = call.bid or highest


def _calls(facts: Mapping[str, Any]) -> list[Call]:
    return [Call(*call) for call in facts.get("auction", [])]


def complete(_standing: Standing, facts: dict[str, Any]) -> dict[str, Any]:
    """Both sides' tricks; and the contract where an auction was told, which it leads to."""
    facts = spelled_out(facts, "tricks", TRICKS)
    made = [call for call in _calls(facts) if call.bid is not None]
    if not made:
        return facts
    player, points, no_trump = made[-1]
    return facts | {"contract": {"player": player, "points": points, "no_trump": no_trump}}
