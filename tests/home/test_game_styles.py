"""A game's styles are served as the static files are, on pages that show the game and only there."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.games import games, lineage
from scorekeeper.site.pwa import game_styles

from ..support.visitor import Visitor


@pytest.fixture
def styles(app: Flask) -> dict[str, list[str]]:
    with app.test_request_context():
        return {slug: game_styles(game) for slug, game in games().items()}


def test_a_variant_has_the_styles_of_its_game_before_its_own(styles: dict[str, list[str]]) -> None:
    variants = [game for game in games().values() if game.variant_of]
    assert variants
    for game in variants:
        assert styles[game.slug][: len(styles[game.variant_of])] == styles[game.variant_of]
        assert [other.slug for other in lineage(game)] == [game.slug, game.variant_of]


def test_a_page_links_the_styles_of_its_game_alone(visitor: Visitor, styles: dict[str, list[str]]) -> None:
    for slug in ("francion", "whist"):
        page = visitor.open_table(slug, games()[slug].player_counts[0])
        linked = [link["href"] for link in page.page.select("link[rel=stylesheet]")]
        assert [path for path in linked if "/games/" in str(path)] == styles[slug]


def test_the_styles_of_an_unknown_game_do_not_exist(app: Flask) -> None:
    for slug in ("no-such-game", "..", "main", "é"):
        assert app.test_client().get(f"{app.static_url_path}/games/{slug}.css").status_code == 404
