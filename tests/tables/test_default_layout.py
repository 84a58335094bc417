"""A game needs no template of its own: every page shows it all the same, in the words of its catalogue."""

from __future__ import annotations

import re
from random import Random

import pytest
from flask import Flask

from scorekeeper.games import games
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.taps import build_pad, taps_for
from scorekeeper.tables import game_layouts
from scorekeeper.testing.guest import describe_game
from scorekeeper.testing.playing import NAMES, tap_deal

from ..support.visitor import Visitor

PAGES = (
    "", "deals/new", "deals", "deals/adjustment", "chart", "after/1", "changes", "print", "recap", "journal", "display",
    "settlement", "why/stake", "why/balance/1",
)  # fmt: skip
GAMES = {"full-table": "en", "francion": "fr", "joffre": "de"}


@pytest.fixture
def without_templates(monkeypatch: pytest.MonkeyPatch, full_table: AnyGame) -> None:
    """Take every game's own template away. The made-up game has none."""
    assert full_table
    monkeypatch.setattr(game_layouts, "_OWN", "taken-away.html")


def open_full_table(visitor: Visitor, game: AnyGame, deals: int) -> AnyGame:
    """Open a table with as many players as can play and some random deals, entered on the pad."""
    players = max(game.player_counts)
    visitor.visit(f"/tables/new/{game.slug}")
    seats = {f"seat-{n}": name for n, name in enumerate(NAMES[:players], start=1)}
    visitor.send(seats | describe_game(game) | {"dealer": "1"})
    standing = game.open(tuple(str(n) for n in range(1, players + 1)), "1", game.usual_options)
    rng = Random(5)  # noqa: S311  # not for secrets
    while len(standing.rows) < deals and not standing.is_finished:
        facts = tap_deal(game, standing, rng).facts
        taps = build_pad(game, standing, taps_for(game, standing, facts), facts).taps
        if any(group.is_additive for group in game.pad(standing, facts)):
            taps = {"kings": "2", "queens": "1", "jacks": "3"}
        visitor.visit(f"{visitor.table}deals/new").send(dict(taps) | {"do": "record"})
        assert visitor.status == 200, visitor.text
        assert fold(game, standing, [facts]) is None
    return game


@pytest.mark.usefixtures("without_templates")
@pytest.mark.parametrize("slug", GAMES)
def test_every_page_shows_a_game_without_a_template(slug: str, app: Flask) -> None:
    visitor = Visitor(app)
    game = open_full_table(visitor, games()[slug], 2)
    table, party = visitor.table, visitor.find(".board a.opens")["href"]
    paths = [f"{table}{page}" for page in PAGES] + [str(party), f"/rules/{slug}", f"/tables/new/{slug}/paper"]
    paths += [str(visitor.visit(table).find(".rows li a")["href"])]
    visitor.headers["Accept-Language"] = GAMES[slug]
    for path in (*paths, f"{paths[-1]}/amend"):
        assert visitor.visit(path).status == 200, path
        untranslated = re.findall(rf"\b{game.slug}\.[a-z_.-]+|\b(?:layout|pad|left)\.[a-z_.]+", visitor.text)
        assert not untranslated, (path, untranslated)


def test_facts_are_described_in_the_words_of_the_pad(full_table: AnyGame, app: Flask) -> None:
    visitor = Visitor(app)
    open_full_table(visitor, full_table, 0)
    taps = {"taker": "2", "contract": "large", "partner": "5", "points": "63", "slam": "yes"}
    # Without scripts the groups that depend on others come once the form is checked.
    visitor.visit(f"{visitor.table}deals/new").send({"taker": "2", "contract": "large", "do": "check"})
    assert {"partner", "slam"} <= {str(field.get("name")) for field in visitor.page.select("input")}
    visitor.send({**taps, "do": "record"})
    assert "Taker: Bruno · Contract: large · Partner: Élise · slam · Points: 63" in visitor.text
    assert visitor.export()["deals"] == [
        {"taker": "Bruno", "contract": "large", "partner": "Élise", "points": 63, "slam": True}
    ]
