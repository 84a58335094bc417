"""Every format, set up and played by the director's pages: everybody has a place in each round."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.events.formats import find_format
from scorekeeper.models import Event, db
from scorekeeper.services.events.reading import EventState, read
from tests.visitor import Visitor

from .director import Director

TWELVE = tuple(f"Player {number}" for number in range(1, 13))
FORMATS: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("individual", {}, {}),
    ("round-robin", {}, {}),
    ("howell", {}, {}),
    ("mitchell", {}, {}),
    ("swiss", {}, {}),
    ("progressive", {"options-groups": "on", "options-no_trump_every": "2"}, {"groups": True, "no_trump_every": 2}),
    ("progressive-pairs", {"options-movers": "winners"}, {"movers": "winners"}),
    ("military", {"options-travellers": "alternate", "scoring": "flags", "rounds": "2"}, {"travellers": "alternate"}),
]


def state_of(app: Flask, token: str) -> EventState:
    with app.app_context():
        state = read(db.session.scalars(db.select(Event).filter_by(token=token)).one())
        assert state.rounds is not None
        return state


@pytest.mark.parametrize(("slug", "fields", "options"), FORMATS, ids=[slug for slug, _, _ in FORMATS])
def test_an_event_of_every_format_is_played(
    app: Flask, slug: str, fields: dict[str, str], options: dict[str, Any]
) -> None:
    director = Director(Visitor(app), format=slug, **fields)
    director.enter(*TWELVE)
    for number in (1, 2):
        director.begin(number)
        assert not director.visitor.problems()
        director.slips(number, 3)
    state = state_of(app, director.token)
    assert state.options == find_format(slug).options(**options)
    assert [len(played.tables) for played in state.rounds] == [3, 3]
    for played in state.rounds:
        seated = [number for table in played.tables for pair in table.pairs for number in pair]
        assert sorted([*seated, *played.sits_out]) == list(range(1, 13))
    assert len({row.numbers for row in state.standings}) == 12 // state.format.members
