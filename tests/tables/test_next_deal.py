"""Entering deal after deal: the pad's second button records and goes on to the pad of the next deal."""

from __future__ import annotations

from random import Random

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.testing.playing import tap_deal

from ..support.game_data import data
from ..support.visitor import Visitor

MOST_DEALS = 200  # of one partie
DEALS = {slug: deals[0]["taps"] for slug, deals in data("deals").items()}


def taps_of(slug: str) -> dict[str, str]:
    return dict(tap.split("=") for tap in DEALS[slug].split())


def record_next(visitor: Visitor, slug: str, **changed: str) -> Visitor:
    return visitor.visit(f"{visitor.table}deals/new").send(taps_of(slug) | changed | {"do": "next"})


@pytest.mark.parametrize("slug", sorted(DEALS))
def test_the_next_pad_follows_with_the_recorded_deal_and_the_new_score(visitor: Visitor, slug: str) -> None:
    record_next(visitor.open_table(slug), slug)
    assert visitor.path == f"{visitor.table}deals/new"
    assert visitor.find("[data-deal-title]").get_text() == "Deal 2"
    assert len(visitor.export()["deals"]) == 1
    assert visitor.find(".just-recorded .rows .number").get_text() == "1"
    marked = [field["name"] for field in visitor.page.select(".groups input[checked]")]
    assert not set(marked) & set(taps_of(slug))
    record_next(visitor, slug)
    assert len(visitor.export()["deals"]) == 2


def test_after_a_misdeal_comes_the_pad_of_the_next_deal(visitor: Visitor) -> None:
    visitor.open_table("whist").visit(f"{visitor.table}deals/new").send({"do": "misdeal"})
    assert visitor.path == f"{visitor.table}deals/new"
    assert "Misdeal" in visitor.find(".just-recorded .rows").get_text()


def test_a_pad_with_something_missing_opens_there_and_its_name_leads_there(visitor: Visitor) -> None:
    taps = taps_of("francion") | {"welche": "won"}
    taps.pop("holder", None)
    visitor.open_table("francion").visit(f"{visitor.table}deals/new").send(taps | {"do": "next"})
    assert visitor.status == 422
    assert visitor.find("[autofocus]")["name"] == "holder"
    missing = visitor.find(".working .hint a")
    assert visitor.find(str(missing["href"]))["name"] == "holder"


def test_a_pad_that_came_up_with_another_phone_s_deal_warns_before_the_same_is_recorded_again(
    visitor: Visitor, another: Visitor
) -> None:
    visitor.open_table("whist")
    visitor.let_in(another)
    record_next(visitor, "whist")
    pad = f"{visitor.table}deals/new?changed=1"
    assert another.visit(pad).find(".just-recorded .recorded").get_text() == "Phone 1 recorded deal 1"
    assert another.find(".just-recorded .changed button").get_text() == "Undo deal 1"
    another.send(taps_of("whist") | {"do": "next"})
    assert another.status == 409
    assert "This deal is recorded already" in another.find(".stale").get_text()
    assert "Phone 1 recorded deal 1" in another.find(".stale").get_text()
    another.send({"do": "next"})  # *Record another deal*
    assert len(visitor.export()["deals"]) == 2
    record_next(another, "whist", tricks="ew-1")  # other facts, and its own
    assert len(visitor.export()["deals"]) == 3


@pytest.mark.parametrize("slug", sorted(slug for slug, game in games().items() if "partie" in game.ending.kinds))
def test_after_the_last_deal_of_a_partie_comes_the_table_with_its_end(visitor: Visitor, slug: str) -> None:
    visitor.open_table(slug, min(games()[slug].player_counts))
    game, chooser = games()[slug], Random(3)  # noqa: S311  # not for secrets
    standing = game.open(tuple(map(str, range(1, min(game.player_counts) + 1))), "1", game.usual_options)
    for _ in range(MOST_DEALS):
        deal = tap_deal(game, standing, chooser)
        visitor.visit(f"{visitor.table}deals/new").send(dict(deal.taps) | {"do": "next"})
        assert fold(game, standing, [deal.facts]) is None
        if standing.is_finished:
            break
        assert visitor.path == f"{visitor.table}deals/new", visitor.text
    assert standing.is_finished
    assert visitor.path == visitor.table
    assert visitor.page.select(".winner")
