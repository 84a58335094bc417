"""Events in a game that everybody plays alone: four results at each table."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.db.outcome import Done, Stale
from scorekeeper.events import results
from scorekeeper.events.drawing import Result
from scorekeeper.events.reading import Place
from scorekeeper.tables.caches import verify

from ...files.importing import exported, imported
from ...support.club import Club
from ..hall import Drive

HEARTS = {"name": "Hearts", "best": "lowest", "target": 100}
FOUR = (26, 0, 13, 5)


def hearts(club: Club, **changed: Any) -> Drive:
    usual: dict[str, Any] = {"game": "any-game", "house_rules": HEARTS, "scoring": "total", "length": 4, "rounds": 2}
    return Drive(club.membership, **usual | changed)


def test_each_of_the_four_confirms_and_a_correction_asks_all_of_them_again(club: Club) -> None:
    drive = hearts(club)
    drive.draw(1)
    phones = [drive.guest(1), drive.guest(1)]
    assert drive.record((1, 1), FOUR, is_slip=False, by=phones[0]) == Done(None)
    for version, scores in ((1, FOUR), (2, FOUR[::-1])):
        if version == 2:
            assert drive.record((1, 1), scores, key="again", is_slip=False, by=phones[1]) == Done(None)
        seen = drive.state.tables[1, 1].seen
        for side in (2, 0, 3, 1):
            assert not drive.state.tables[1, 1].is_confirmed
            assert results.confirm(drive.event, Place(1, 1), seen, side, phones[side % 2]) == Done(None)
        assert drive.state.tables[1, 1].is_confirmed
        assert verify().faults == []
    assert isinstance(results.confirm(drive.event, Place(1, 1), seen, 4, phones[0]), Stale)
    content = exported(club.circle)
    assert exported(imported(content)) == content


@pytest.mark.parametrize(
    ("scoring", "unit", "rules", "deals", "scores"),
    [
        ("total", "deals", {}, [{"1": 26}, {"2": 20, "4": 6}], (26, 20, 0, 6)),
        (
            "parties",
            "deals",
            {},
            [{"1": 26}, {"1": 20, "2": 6, "4": 1}],
            (0, 0, 1, 0),
        ),
        ("parties", "games", {"target": 20}, [{"1": 26, "2": 1, "3": 2}], (0, 0, 0, 1)),
    ],
)
def test_the_deals_of_a_table_make_four_results(
    club: Club, scoring: str, unit: str, rules: dict[str, Any], deals: list[dict[str, int]], scores: tuple[int, ...]
) -> None:
    drive = hearts(club, scoring=scoring, house_rules=HEARTS | rules, round_unit=unit, length=3)
    assert drive.play_on_pad(club, [{"points": deal} for deal in deals]) == Result(scores, (0, 0, 0, 0))
