"""The pages of a game with counters of its own, scores that are payments, changing partners, and no end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from scorekeeper import games as registry
from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.game_parts import Stakes
from scorekeeper.scoring.standing import mark

from ..support.visitor import Visitor

NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise", "Fanny", "Gaspard", "Hélène")
DEALS: tuple[dict[str, Any], ...] = (
    {"taker": "1", "partner": "3"},
    {"taker": "passed"},
    {"taker": "2", "lost": "yes"},
    {"taker": "1", "partner": "2"},
)


def play(visitor: Visitor, **opening: str) -> Visitor:
    """Open a table for eight and enter the deals on the pad. Without scripts, some groups come after a check."""
    visitor.visit("/tables/new/paid-deals")
    visitor.send({f"seat-{n}": name for n, name in enumerate(NAMES, start=1)} | {"dealer": "1"} | opening)
    for taps in DEALS:
        visitor.visit(f"{visitor.table}deals/new").send({"taker": taps["taker"], "do": "check"})
        visitor.send(taps | {"do": "record"})
        assert (visitor.status, visitor.problems()) == (200, []), visitor.text
    return visitor


def test_what_is_paid_is_shown_once(visitor: Visitor, paid_deals: object) -> None:
    assert paid_deals
    table = play(visitor).table
    assert not visitor.visit(table).page.select(".balances")
    chart = visitor.visit(f"{table}chart").page
    assert len(chart.select("svg.chart")) == 1
    assert len(chart.select("svg.chart .line text")) == len(chart.select(".legend li")) == 8
    assert len(chart.select("table.figures")) == 1
    recap = visitor.visit(f"{table}recap").text
    assert "Anne +70 chips" in recap
    assert "Score" not in visitor.find("textarea").get_text()


def test_an_adjustment_and_a_payment_are_in_the_game_s_counters(visitor: Visitor, paid_deals: object) -> None:
    assert paid_deals
    table = play(visitor).table
    form = visitor.visit(f"{table}deals/adjustment")
    assert not form.page.select("#amount-points")
    form.send({"kind": "counters", "giver": "1", "to": "4", "unit": "plaques", "amount": "2"})
    assert "Anne pays David 2 plaques" in visitor.visit(f"{table}deals").text
    assert "plaque" in visitor.visit(f"{table}settlement").text
    assert visitor.export()["deals"][-1] == {"adjustment": {"to": "David", "from": "Anne", "plaques": 2}}


@pytest.fixture
def in_points(paid_deals: AnyGame) -> Iterator[None]:
    """Score the game in points, without counters."""
    changed = replace(
        paid_deals,
        units=(),
        stakes=Stakes(),
        score=lambda _standing, deal: [mark(deal.taker, 7, "deal")] if deal.taker else [],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("scorekeeper_paid_deals"), "GAME", changed)
        registry._installed.cache_clear()
        yield
    registry._installed.cache_clear()


@pytest.mark.usefixtures("in_points")
def test_a_game_without_counters_has_pages_without_them(visitor: Visitor) -> None:
    table = play(visitor).table
    for page in ("", "deals/adjustment", "chart", "journal", "print", "recap", "settlement", "why/score/1", "display"):
        assert visitor.visit(f"{table}{page}").status == 200, page
    for page in ("why/balance/1", "count"):
        assert visitor.visit(f"{table}{page}").status == 404, page
    circle = visitor.visit(table).circle
    for path in (circle, f"{circle}figures", f"{circle}settlement", "/tables/new/paid-deals"):
        assert visitor.visit(path).status == 200, path
    assert not visitor.page.select("[name=amount]")
