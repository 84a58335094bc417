"""The properties of each game: number of players, direction, units and what can be won."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import find_folder, games

from ..game_data import data
from .played import PLAYERS

# rules.md: players, order of turn, sides, counters, what ends (the smallest first), scores below 0, announcements.
PROPERTIES: dict[str, dict[str, Any]] = data("properties")


def test_bundled_games_are_found_and_sorted_by_slug_with_those_to_be_described_last() -> None:
    assert list(games()) == sorted(games(), key=lambda slug: (bool(games()[slug].example_options), slug))
    assert len(PROPERTIES) > 1
    for slug, game in games().items():
        assert game.slug == slug
        assert find_folder(game).name == slug.replace("-", "_")
        assert (find_folder(game) / "rules.en.md").is_file()


@pytest.mark.parametrize("slug", PROPERTIES)
def test_a_game_has_the_properties_in_its_rules(slug: str) -> None:
    game = games()[slug]
    actual = {name: getattr(game, name) for name in PROPERTIES[slug]}
    assert {name: list(value) if isinstance(value, tuple) else value for name, value in actual.items()} == (
        PROPERTIES[slug]
    )
    assert game.contest == (game.ends[-1] if game.ends else None)


@pytest.mark.parametrize("slug", sorted(games()))
def test_a_table_is_opened_with_everybody_at_0(slug: str) -> None:
    game = games()[slug]
    players = PLAYERS[: game.player_counts[0]]
    standing = game.open(players, "Bruno", game.usual_options)
    parties = ("ns", "ew") if game.in_sides else players
    assert (standing.players, standing.parties, standing.dealer) == (players, parties, "Bruno")
    assert standing.scores == dict.fromkeys(parties, 0)
    assert standing.balances == {player: dict.fromkeys(game.units, 0) for player in players}
    assert standing.clockwise == (game.direction == "clockwise")
    assert (standing.rows, standing.winner, standing.manches, standing.is_finished) == ([], None, 0, False)
    assert game.seats(players) == (
        players,
        ("ns", "ew") if game.in_sides else (),
        (*players, *("ns", "ew")[: 2 * game.in_sides]),
    )
