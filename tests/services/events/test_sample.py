"""The sample event: played by the services themselves, in its third round, and erased after a day."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy import func, select

from scorekeeper.models import Base, db
from scorekeeper.services.circles.lifecycle import erase_circle
from scorekeeper.services.events import reading, sample
from scorekeeper.services.events.reading import EventState
from scorekeeper.services.events.sample import SampleEvent, SampleTexts
from scorekeeper.services.verify import verify

NAMES = [f"Player {number}" for number in range(1, 25)]
TEXTS = SampleTexts("Sample", "A drive", NAMES, "a hamper", "a wooden spoon")


@pytest.fixture
def in_app(app: Flask) -> Iterator[None]:
    with app.app_context():
        yield


def create(texts: SampleTexts = TEXTS) -> SampleEvent:
    game = sample.sample_game()
    assert game is not None
    return sample.create_sample_event(game, texts, zone="Europe/Paris")


def state_of(created: SampleEvent) -> EventState:
    event = reading.find_event(created.token)
    assert event is not None
    return reading.read(event)


@pytest.mark.usefixtures("in_app")
def test_the_sample_is_in_its_third_round_of_several_with_a_few_results_missing() -> None:
    state = state_of(create())
    assert (state.phase, state.current_number, state.event.rounds) == (reading.PLAYING, 3, 24)
    assert [entrant.name for entrant in state.entrants.values()] == NAMES
    assert (len(state.current_tables), len(state.missing), state.late) == (6, 2, [])
    assert [row.round for row in state.unconfirmed] == [3, 3]
    assert len(state.event.prizes) == 2
    tricks = state.game.tricks
    assert all(sum(row.scores["scores"]) == tricks for row in state.tables.values() if row.scores is not None)


@pytest.mark.usefixtures("in_app")
def test_the_sample_is_a_circle_without_faults_that_is_erased_completely() -> None:
    created = create()
    circle = created.browser.circle
    assert circle.is_sample
    assert verify().faults == []
    erase_circle(circle.id, by=created.browser)
    assert not any(db.session.scalar(select(func.count()).select_from(t)) for t in Base.metadata.sorted_tables)
