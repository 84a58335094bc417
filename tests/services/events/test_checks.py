"""`verify` finds damage to events, and `rebuild` repairs what their tables keep of the results."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from scorekeeper.i18n import LANGUAGES, has_message
from scorekeeper.models import Event, RoundTable, db
from scorekeeper.services import verify
from scorekeeper.services.events.checks import CachedResult

from ..club import Club
from ..event_rows import add_event
from .test_money import Cash
from .test_rows import add_guests


@pytest.fixture
def event(club: Club) -> Event:
    return add_event(club.id, club.browser_id, [player.id for player in add_guests(club)])


def faults() -> list[tuple[str, dict[str, str]]]:
    return [(fault.key, {key: fault.params[key] for key in fault.params if key != "circle"}) for fault in found()]


def found() -> list[verify.Fault]:
    report = verify.verify()
    for fault in report.faults:
        assert all(has_message(language, f"fault.{fault.key}") for language in LANGUAGES), fault
    return report.faults


def execute(statement: str) -> None:
    db.session.execute(db.text(statement))
    db.session.commit()


@pytest.mark.usefixtures("event")
def test_events_that_the_app_has_written_have_no_faults(club: Club) -> None:
    assert faults() == []
    cash = Cash(Club())
    cash.pay("Dan", "5")
    cash.settle()
    assert faults() == []
    assert club.id


@pytest.mark.parametrize(
    "change", ["result = 1", "scores = '{\"scores\": [1, 2]}'", "scores = NULL", "is_confirmed = (1 = 1)"]
)
def test_a_table_that_has_not_its_last_result_is_found_and_repaired(event: Event, change: str) -> None:
    id_ = event.id
    execute(f"UPDATE event_table SET {change} WHERE round = 1")  # noqa: S608  # the test's own text
    assert faults() == [("event-cache", {"event": str(id_), "round": "1", "table": "1"})]
    verify.rebuild()
    assert faults() == []
    row = db.session.scalars(select(RoundTable).where(RoundTable.round == 1)).one()
    assert CachedResult(row.result, row.scores, row.is_confirmed) == CachedResult(2, {"scores": [8, 5]}, False)


DAMAGE = {
    "event-results": "UPDATE event_result SET number = 3 WHERE round = 1 AND number = 2",
    "event-results of no table": "DELETE FROM event_table WHERE round = 1",
    "event-rounds": "UPDATE event_round SET number = 3 WHERE number = 2",
    "event-seats": "UPDATE event_table SET pairs = '[[1, 3], [2, 1]]' WHERE round = 1",
    "event-seats of nobody": "UPDATE event_table SET pairs = '[[1, 3], [2, 9]]' WHERE round = 1",
    "event-seats of three": "UPDATE event_table SET pairs = '[[1, 3, 2]]' WHERE round = 1",
    "event-seats and sitting out": "UPDATE event_round SET sits_out = '[1]' WHERE number = 1",
    "event-seats of a substitute": (
        "UPDATE entrant_substitution SET player_id = (SELECT player_id FROM entrant WHERE number = 1)"
    ),
    "events-fail": "UPDATE event_table SET pairs = '[7]' WHERE round = 1",
}


@pytest.mark.usefixtures("event")
@pytest.mark.parametrize("name", DAMAGE)
def test_damage_to_events_is_found(name: str) -> None:
    execute(DAMAGE[name])
    assert name.split(maxsplit=1)[0] in {key for key, _ in faults()}
