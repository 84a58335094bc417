"""A game needs no template of its own: every page shows it all the same, in the words of its catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest
from flask import Flask, g

from scorekeeper.games import games
from scorekeeper.scoring.adjustments import Misdeal
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.pad import Choice, ChoiceGroup
from scorekeeper.scoring.pad_state import build_pad, taps_for
from scorekeeper.scoring.standing import PARTIE, AnyStanding, Closing, Row
from scorekeeper.scoring.values import Facts
from scorekeeper.testing.guest import describe_game
from scorekeeper.testing.strategies import NAMES
from scorekeeper.web.support import game_layouts
from scorekeeper.web.support.game_layouts import Layout

from ... import chance
from ...visitor import Visitor

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite

PAGES = (
    "", "deals/new", "deals", "deals/adjustment", "chart", "after/1", "changes", "print", "recap", "journal", "display",
    "settlement", "why/stake", "why/balance/1",
)  # fmt: skip
GAMES = (*games(), "full-table")


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
        facts = chance.deal(game, standing, rng)
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
    for language in ("en", "fr", "de"):
        visitor.headers["Accept-Language"] = language
        for path in (*paths, f"{paths[-1]}/amend"):
            assert visitor.visit(path).status == 200, path
            untranslated = re.findall(rf"\b{game.slug}\.[a-z_.-]+|\b(?:layout|pad|left)\.[a-z_.]+", visitor.text)
            assert not untranslated, (language, path, untranslated)


@pytest.mark.usefixtures("without_templates")
@pytest.mark.parametrize("slug", GAMES)
def test_a_game_without_a_template_is_entered_and_previewed_without_scripts(slug: str, app: Flask) -> None:
    visitor = Visitor(app)
    open_full_table(visitor, games()[slug], 1)
    visitor.visit(f"{visitor.find('.rows li a')['href']}/amend").send({"do": "check"})
    assert visitor.page.select(".working .becomes")
    assert not visitor.page.select(".problem")


def test_facts_are_described_in_the_words_of_the_pad(full_table: AnyGame, app: Flask) -> None:
    visitor = Visitor(app)
    open_full_table(visitor, full_table, 0)
    taps = {"taker": "2", "contract": "large", "partner": "5", "points.tens": "6", "points.units": "3", "slam": "yes"}
    # Without scripts the groups that depend on others come once the form is checked.
    visitor.visit(f"{visitor.table}deals/new").send({"taker": "2", "contract": "large", "do": "check"})
    assert {"partner", "slam"} <= {str(field.get("name")) for field in visitor.page.select("input")}
    visitor.send({**taps, "do": "record"})
    assert "Taker: Bruno · Contract: large · Partner: Élise · slam · Points: 63" in visitor.text
    assert visitor.export()["deals"] == [
        {"taker": "Bruno", "contract": "large", "partner": "Élise", "points": 63, "slam": True}
    ]


def test_what_each_player_does_in_a_game_with_sides_has_their_name(full_table: AnyGame, app: Flask) -> None:
    def pad(standing: AnyStanding, _facts: Facts) -> Iterator[ChoiceGroup]:
        for player in standing.players:
            choices = (Choice(str(n), {"calls": {player: n}}, n) for n in range(5))
            yield ChoiceGroup(f"calls-{player}", ("calls",), tuple(choices))

    game = replace(full_table, in_sides=True, player_counts=(4,), pad=pad)
    standing = game.open(("1", "2", "3", "4"), "1", game.usual_options)
    with app.test_request_context():
        app.preprocess_request()
        g.names = lambda: dict(zip("1234", NAMES, strict=False))
        words = Layout(game, app.jinja_env, app.jinja_env.globals).at(standing)
        assert "Anne 3, Bruno 1" in words.facts({"calls": {"1": 3, "2": 1, "3": 0, "4": 0}})


def test_a_deal_that_everybody_passes_is_one_tap_and_what_was_tapped_before_comes_back(
    full_table: AnyGame, app: Flask
) -> None:
    visitor = Visitor(app)
    open_full_table(visitor, full_table, 0)
    visitor.visit(f"{visitor.table}deals/new").send({"taker": "passed", "contract": "large", "do": "check"})
    assert [str(field["name"]) for field in visitor.page.select(".groups .cell input")].count("contract") == 0
    visitor.send({"taker": "2", "do": "check"})
    assert visitor.find("input[name=contract][checked]")["value"] == "large"
    visitor.send({"taker": "passed", "do": "record"})
    assert visitor.export()["deals"] == [{"passed": True}]
    assert visitor.find(".rows .description").get_text(strip=True) == "everybody passed"


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_who_pays_a_stake_is_said_by_the_game_alone(full_table: AnyGame, app: Flask, language: str) -> None:
    """The made-up game says nothing of it: pages name the amount, in its own counters."""
    game = replace(full_table, units=("chips",))
    rows = [SimpleNamespace(closings=())]
    standing = SimpleNamespace(options=SimpleNamespace(stake=2), rows=rows, is_finished=False, manches=0)
    with app.test_request_context(headers={"Accept-Language": language}):
        app.preprocess_request()
        words = Layout(game, app.jinja_env, app.jinja_env.globals)
        paid_by_stop = Layout(replace(game, stop=lambda _standing: ()), app.jinja_env, app.jinja_env.globals)
        assert "2 chips" in words.stakes(standing)
        assert not re.search("player|joueur|voisin|links", words.stakes(standing))
        assert "2 chips" in words.unpaid_if_closed(standing)
        assert "2 chips" not in paid_by_stop.unpaid_if_closed(standing)


def test_no_next_deal_stands_above_a_game_that_has_ended(paid_deals: AnyGame, app: Flask) -> None:
    standing = paid_deals.open(("1", "2", "3"), "1", paid_deals.usual_options)
    with app.test_request_context():
        app.preprocess_request()
        words = Layout(paid_deals, app.jinja_env, app.jinja_env.globals)
        assert words.heading(standing) == "Deal 1"
        row = Row(1, "1", Misdeal(misdeal=True), {}, {}, [], (Closing(PARTIE, "1"),), standing.players)
        standing.rows.append(row)
        assert words.heading(standing) == ""
