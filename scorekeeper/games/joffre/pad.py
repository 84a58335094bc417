"""The pad of Joffre: the contract, or the auction instead, and the result."""

from __future__ import annotations

from collections.abc import Iterator

from ... import api
from .rules import PASS, SLAM, TRICKS, Bid, Call, Options, bids, is_slam, is_valid_bid


def pad(standing: api.Standing[Options], facts: api.Facts) -> Iterator[api.ChoiceGroup]:
    by_auction = "auction" in facts
    bidders = tuple(api.party_choice(player, {"contract": {"player": player}}) for player in standing.players)
    yield api.ChoiceGroup("bidder", ("contract",), bidders, kind=api.CARDS, required=not by_auction)
    points_bid = []
    for points in range(1, SLAM + 1):
        label = "joffre.slam" if is_slam(standing.options, points) else points
        is_low = points < standing.options.minimum_bid
        points_bid.append(api.Choice(str(points), {"contract": {"points": points}}, label, left_out=is_low))
    yield api.ChoiceGroup("bid", ("contract",), tuple(points_bid), required=not by_auction)
    no_trump = api.Choice("yes", {"contract": {"no_trump": True}}, "joffre.no-trump")
    yield api.ChoiceGroup("no-trump", ("contract",), (no_trump,), kind=api.TOGGLE, required=False)
    yield from _auction(standing, facts)
    yield api.ChoiceGroup("tricks", ("tricks",), tuple(_tricks(facts)))
    for card in ("five_of_hearts", "three_of_spades"):
        yield api.ChoiceGroup(card, (card,), tuple(_takers(card, facts)), kind=api.CARDS)


def _tricks(facts: api.Facts) -> Iterator[api.Choice]:
    """Yield the numbers of tricks; none is offered that leaves a side with one of the two cards without a trick."""
    card_takers = [facts.get(card) for card in ("five_of_hearts", "three_of_spades")]
    for n in range(TRICKS + 1):
        side_without_trick = {0: api.NS, TRICKS: api.EW}.get(n)
        offered = side_without_trick is None or side_without_trick not in card_takers
        yield api.Choice(str(n), {"tricks": {api.NS: n}}, n, offered=offered, params={"others": TRICKS - n})


def _takers(card: str, facts: api.Facts) -> Iterator[api.Choice]:
    """Yield the sides that may have taken a card; one without a trick is not offered."""
    tricks = facts.get("tricks", {})
    for side in api.SIDES:
        has_no_trick = tricks.get(side) == 0 or tricks.get(api.other_side(side)) == TRICKS
        yield api.Choice(side, {card: side}, "side", offered=not has_no_trick, params={"party": side})


def _auction(standing: api.Standing[Options], facts: api.Facts) -> Iterator[api.ChoiceGroup]:
    """Yield a group for each player from the dealer's left, offering the calls that the earlier ones allow."""
    calls = {call.player: call for call in _calls(facts)}
    options = standing.options
    highest: Bid | None = None
    passed = 0
    order = [*standing.others(standing.dealer), standing.dealer]
    for player in order:
        by_dealer = player == standing.dealer
        must_bid = by_dealer and passed == len(order) - 1
        choices = [api.Choice(PASS, {"auction": [[player, PASS, False]]}, "joffre.pass", offered=not must_bid)]
        for bid in bids(options.minimum_bid):
            key = f"{bid.points}{'-no-trump' if bid.no_trump else ''}"
            fragment = {"auction": [[player, bid.points, bid.no_trump]]}
            label = "joffre.bid-no-trump" if bid.no_trump else "joffre.bid"
            offered = not (highest or must_bid) or is_valid_bid(options, bid, highest, by_dealer=by_dealer)
            choices.append(api.Choice(key, fragment, label, offered=offered, params={"points": bid.points}))
        yield api.ChoiceGroup(f"auction-{player}", ("auction",), tuple(choices), required=False, is_alternative=True)
        call = calls.get(player)
        if call is not None:
            passed += call.bid is None
            highest = call.bid or highest


def _calls(facts: api.Facts) -> list[Call]:
    return [Call(*call) for call in facts.get("auction", [])]


def complete(_standing: api.Standing[Options], facts: api.JsonObject) -> api.JsonObject:
    """Add the other side's tricks, and the contract if an auction was entered."""
    facts = api.with_both_sides(facts, "tricks", TRICKS)
    bid_calls = [call for call in _calls(facts) if call.bid is not None]
    if not bid_calls:
        return facts
    player, points, no_trump = bid_calls[-1]
    # What was tapped of the contract stays: the auction may lead elsewhere, which is then refused.
    return facts | {"contract": {"player": player, "points": points, "no_trump": no_trump} | facts.get("contract", {})}
