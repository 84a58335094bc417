"""What phones read of an event: enough for what they show, and not the whole evening."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.services.events.reading import read, read_last_rounds

from ...web.events.hall import Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    hall = Hall(app)
    for number in (1, 2, 3):
        hall.draw(number)
        hall.enter_slip(number, 1, 7)
    return hall


def test_the_last_two_rounds_are_as_in_the_whole_event(app: Flask, hall: Hall) -> None:
    with app.app_context():
        event = hall._event()
        whole, recent = read(event), read_last_rounds(event)
        assert {round_number for round_number, _ in recent.tables} == {2, 3}
        assert recent.tables.items() <= whole.tables.items()
        for name in (
            "entrants",
            "substitutes",
            "current_number",
            "phase",
            "seats",
            "current_tables",
            "sits_out",
            "trump",
        ):
            assert getattr(recent, name) == getattr(whole, name)


def test_there_are_no_standings_of_the_last_rounds_alone(app: Flask, hall: Hall) -> None:
    with app.app_context():
        with pytest.raises(LookupError):
            _ = read_last_rounds(hall._event()).standings
        assert len(read(hall._event()).standings) == 8
