"""Two directors at the same moment."""

from __future__ import annotations

from flask import Flask

from scorekeeper.models import DrawnRound

from ...test_races import DONE, World, meet
from ...visitor import NAMES


def test_a_round_is_drawn_once_by_two_directors(app: Flask) -> None:
    world = World(app)
    host = world.host.visit(f"{world.home}events/new?format=individual")
    host.send({"title": "Drive", "game": "whist", "scoring": "tricks", "rounds": "3", "length": "1"})
    director = f"{host.path.removesuffix('/entrants')}/director"
    host.send({"names": "\n".join(NAMES[:4])}, "/entrants")
    statuses = meet(*(world.ready(phone, director, "/rounds") for phone in (world.host, world.other)))
    assert DONE in statuses
    assert world.count(DrawnRound) == 1
