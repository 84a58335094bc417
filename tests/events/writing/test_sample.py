"""The sample event: played by the services themselves, in its third round, and erased after a day."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy import func, select

from scorekeeper.circles.lifecycle import erase_circle
from scorekeeper.events import sample
from scorekeeper.files.verify import verify
from scorekeeper.models import Base, Event, db, new_secret

NAMES = [f"Player {number}" for number in range(1, 25)]
TEXTS = ("Sample", "A drive"), NAMES, ("a hamper", "a wooden spoon")


@pytest.fixture
def in_app(app: Flask) -> Iterator[None]:
    with app.app_context():
        yield


def create() -> Event:
    game = sample.sample_game()
    assert game is not None
    return sample.create_sample_event(game, *TEXTS, new_secret(), "Europe/Paris")


@pytest.mark.usefixtures("in_app")
def test_the_sample_is_a_circle_without_faults_that_is_erased_completely() -> None:
    created = create()
    circle = created.circle
    assert circle.is_sample
    assert verify().faults == []
    erase_circle(circle.id)
    assert not any(db.session.scalar(select(func.count()).select_from(t)) for t in Base.metadata.sorted_tables)
