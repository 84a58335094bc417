"""What Kaiser has besides the rules of the game that it is a variant of; its scores are in its cases."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

import pytest

from scorekeeper.games import games

from ..support.sheets import MISDEAL, PLAYERS, at, joffre_deal, scored_deals
from ..support.visitor import Visitor

scored = partial(scored_deals, "kaiser")


def test_a_hand_without_a_chance_may_be_thrown_in_and_nobody_else_decides() -> None:
    game = games()["kaiser"]
    (incident,) = game.dealing.incidents
    standing = game.open(PLAYERS, "Bruno", game.usual_options)
    assert (incident.name, incident.again, incident.decider(standing, "Bruno")) == ("thrown_in", "if-chosen", None)
    assert scored([MISDEAL])["dealer"] == PLAYERS[0]


def test_only_the_defaults_differ() -> None:
    deals = [*at(47, -40), joffre_deal("Bruno 12n", 7, "ns", "ew")]  # −24 and nothing for the 12 made in defence
    under_joffre = scored_deals("joffre", deals, **asdict(games()["kaiser"].options()))
    statement = scored(deals)
    assert statement["scores"] == {"ns": 47, "ew": -64}
    for key in ("scores", "winner", "deals"):
        assert under_joffre[key] == statement[key]


# --- on the page


@pytest.mark.parametrize(("slug", "bid"), [("joffre", "slam"), ("kaiser", "12")])
def test_a_bid_of_12_is_called_a_slam_only_where_it_ends_the_game(visitor: Visitor, slug: str, bid: str) -> None:
    visitor.open_table(slug)
    taps = {"bidder": "1", "bid": "12", "no-trump": "yes", "tricks": "7"}
    visitor.visit(f"{visitor.table}deals/new")
    visitor.send(taps | {"five_of_hearts": "ns", "three_of_spades": "ew", "do": "record"})
    assert not visitor.problems()
    facts = f"Anne: {bid} no trump ·"
    assert facts in visitor.text
    visitor.visit(f"{visitor.table}deals")
    assert facts in visitor.text
