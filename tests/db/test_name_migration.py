"""Names stored before normalization become NFC, unless another player has that name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Connection, text

from scorekeeper.db.upgrades import upgrade
from scorekeeper.models import Circle, Player, db
from scorekeeper.scoring.values import clean_name
from scorekeeper.services.circles.players import find_or_build_players
from scorekeeper.services.people import people

from ..apps import MakeApp
from ..databases import Databases

COMPOSED, DECOMPOSED = "José", "Jose\u0301"
LONG = "\u0958" * 40  # "क़", which is two characters in NFC


@pytest.fixture
def app(databases: Databases, make_app: MakeApp, tmp_path: Path) -> Iterator[Flask]:
    """A database of the previous schema with two circles."""
    url = databases.make(tmp_path, migrated=False)
    app = make_app(url)
    with app.app_context():
        upgrade("0002")
        with db.engine.begin() as connection:
            fill(connection)
        upgrade()
        yield app
    databases.drop(url)


def fill(connection: Connection) -> None:
    circle = text("INSERT INTO circle (id, name, made_at, is_sample) VALUES (:id, :name, :at, false)")
    player = text("INSERT INTO player (circle_id, name, is_banker) VALUES (:circle, :name, false)")
    for id_, names in enumerate(((DECOMPOSED, "Anne", COMPOSED, "Zoe\u0308", LONG), (DECOMPOSED,)), start=1):
        connection.execute(circle, {"id": id_, "name": f"c{id_}", "at": "2026-03-14 01:30:00"})
        for name in names:
            connection.execute(player, {"circle": id_, "name": name})


def names(circle: int) -> list[str]:
    return list(db.session.scalars(db.select(Player.name).where(Player.circle_id == circle).order_by(Player.id)))


def test_a_name_becomes_composed_unless_another_player_has_it(app: Flask) -> None:  # noqa: ARG001  # which is brought up to date
    assert names(1) == [DECOMPOSED, "Anne", COMPOSED, "Zoë", clean_name(LONG)]
    assert names(2) == [COMPOSED]


def test_of_two_lookalike_players_one_is_found_by_either_spelling(app: Flask) -> None:  # noqa: ARG001  # as above
    circle = db.session.get_one(Circle, 1)
    composed = db.session.scalars(db.select(Player).where(Player.circle_id == 1, Player.name == COMPOSED)).one()
    for typed in (COMPOSED, DECOMPOSED):
        assert find_or_build_players(circle, [clean_name(typed)]) == [composed]


@pytest.mark.parametrize("remaining", [COMPOSED, DECOMPOSED])
def test_two_lookalike_players_can_be_merged_either_way(app: Flask, remaining: str) -> None:  # noqa: ARG001  # as above
    circle = db.session.get_one(Circle, 1)
    both = {player.name: player for player in circle.players if clean_name(player.name) == COMPOSED}
    into = both.pop(remaining)
    (merged,) = both.values()
    assert people.merge(merged, into) is None
    for typed in (COMPOSED, DECOMPOSED):
        assert find_or_build_players(circle, [clean_name(typed)]) == [into]
    assert [row.player for row in people.list_people(circle) if clean_name(row.player.name) == COMPOSED] == [into]


def test_either_of_two_lookalike_players_can_be_renamed(app: Flask) -> None:  # noqa: ARG001  # as above
    old = db.session.scalars(db.select(Player).where(Player.circle_id == 1, Player.name == DECOMPOSED)).one()
    assert people.rename(old, COMPOSED) is not None  # it is taken
    assert people.rename(old, "José B.") is None
    assert names(1)[0] == "José B."
