"""The rules of Joffre, clause by clause."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.sheet import score

from ..support.sheets import in_words, joffre_deal, refused_deals, scored_deals, sheet

scored = partial(scored_deals, "joffre")
fields_refused = partial(refused_deals, "joffre")


# --- the auction ---------------------------------------------------------------------------------------------

ORDER = {
    "Anne": ("Bruno", "Chloé", "David", "Anne"),
    "Bruno": ("Chloé", "David", "Anne", "Bruno"),
    "Chloé": ("David", "Anne", "Bruno", "Chloé"),
    "David": ("Anne", "Bruno", "Chloé", "David"),
}


def auction(calls: str, dealer: str = "Anne") -> list[list[Any]]:
    """Parse calls from the dealer's left: "7 7n - 8", with "-" for a pass."""
    return [
        [player, "pass", False] if call == "-" else [player, int(call.removesuffix("n")), call.endswith("n")]
        for player, call in zip(ORDER[dealer], calls.split(), strict=False)
    ]


def after(calls: list[list[Any]], led_to: str, **more: Any) -> dict[str, Any]:
    return joffre_deal(led_to, 5, "ns", "ew", auction=calls, **more)


@pytest.mark.parametrize(
    ("calls", "led_to", "minimum"),
    [
        ("5 - - -", "Bruno 5", 5),
        ("- 5 - -", "Chloé 5", 5),
        ("- - 5 -", "David 5", 5),
        ("5 6 7 8", "Anne 8", 5),
        ("5 6 7 -", "David 7", 5),
        ("7 7n 8 -", "David 8", 5),
        ("7 7n 8 8n", "Anne 8n", 5),
        ("7n 8 - -", "Chloé 8", 5),
        ("5 - 9n -", "David 9n", 5),
        ("8 - - -", "Bruno 8", 5),
        # The dealer may equal the last bid, in number and kind.
        ("5 6 7 7", "Anne 7", 5),
        ("5 - - 5", "Anne 5", 5),
        ("5 5n - 5n", "Anne 5n", 5),
        ("5n - - 6", "Anne 6", 5),
        # Three passes: the minimum, with trumps or without, spoken or not.
        ("- - - 5", "Anne 5", 5),
        ("- - - 5n", "Anne 5n", 5),
        ("- - -", "Anne 5", 5),
        ("- - -", "Anne 5n", 5),
        ("- - - 7", "Anne 7", 7),
        ("- - - 1n", "Anne 1n", 1),
        # The slam is a bid like any other, and the highest.
        ("12 - - -", "Bruno 12", 5),
        ("12 12n - -", "Chloé 12n", 5),
        ("11n 12 - 12", "Anne 12", 5),
        ("1 1n 2 2", "Anne 2", 1),
        ("7 - - -", "Bruno 7", 7),
    ],
)
def test_a_valid_auction_leads_to_its_contract(calls: str, led_to: str, minimum: int) -> None:
    facts = after(auction(calls), led_to)
    without = {key: value for key, value in facts.items() if key != "auction"}
    assert scored([facts], minimum_bid=minimum) == scored([without], minimum_bid=minimum)


def test_the_auction_goes_by_the_rotation() -> None:
    first = joffre_deal("Bruno 5", 5, "ns", "ew")
    assert len(scored([first, after(auction("6 - - -", "Bruno"), "Chloé 6")])["deals"]) == 2
    assert fields_refused([first, after(auction("6 - - -", "Anne"), "Bruno 6")]) == (2, ["auction"])


@pytest.mark.parametrize(
    ("calls", "led_to", "minimum"),
    [
        # Not higher than the last bid.
        ("5 5 - -", "Chloé 5", 5),
        ("7 6 - -", "Bruno 7", 5),
        ("7n 7 - -", "Bruno 7n", 5),
        ("7 - 7 -", "David 7", 5),
        ("8 7n - -", "Bruno 8", 5),
        # The dealer neither equals it nor bids higher.
        ("6 - - 5", "Anne 5", 5),
        ("7n - - 7", "Anne 7", 5),
        ("8 - - 7n", "Anne 7n", 5),
        # Three passes oblige the dealer to the minimum.
        ("- - - -", "Anne 5", 5),
        ("- - - 6", "Anne 6", 5),
        ("- - - 12", "Anne 12", 5),
        ("- - - 6", "Anne 6", 7),
        ("- - -", "Anne 6", 5),
        ("- - -", "Bruno 5", 5),
        # Below the minimum.
        ("4 - - 5", "Anne 5", 5),
        ("6 7 - -", "Chloé 7", 7),
        # Not exactly one round of all players.
        ("5 - -", "Bruno 5", 5),
        ("5", "Bruno 5", 5),
        ("- -", "Anne 5", 5),
        # The contract differs from the auction: in player, points or kind.
        ("5 6 - -", "Bruno 5", 5),
        ("5 6 - -", "Anne 6", 5),
        ("5 6 - -", "Chloé 7", 5),
        ("5 6 - -", "Chloé 6n", 5),
        ("5 6n - -", "Chloé 6", 5),
        ("5 6 7 7", "David 7", 5),
    ],
)
def test_an_auction_against_the_rules_is_refused(calls: str, led_to: str, minimum: int) -> None:
    number, fields = fields_refused([after(auction(calls), led_to)], minimum_bid=minimum)
    assert (number, fields[-1]) == (1, "auction")


@pytest.mark.parametrize(
    ("three_passes", "what"), [("minimum", "must take the contract at 5"), ("free", "bid 5 or more")]
)
def test_the_refusal_of_a_fourth_pass_says_what_the_dealer_may_bid(three_passes: str, what: str) -> None:
    facts = after(auction("- - - -"), "Anne 5")
    refusal = score(sheet("joffre", [facts], after_three_passes=three_passes), games())
    assert isinstance(refusal, Refusal)
    assert what in in_words(refusal.problems[-1])
