"""Events in a game that everybody plays alone: four results at each table."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.db.outcome import Done
from scorekeeper.events import pad_tables, results
from scorekeeper.events.drawing import Result
from scorekeeper.events.results import ResultRequest
from scorekeeper.files.verify import verify
from scorekeeper.scoring.problems import Refusal
from scorekeeper.tables import revisions
from scorekeeper.tables.reading import read_table
from scorekeeper.tables.revisions import Change

from ...club import Club
from ...files.writing.test_circle_files import exported, imported
from .test_described_games import described
from .test_events import Drive

HEARTS = {"name": "Hearts", "best": "lowest", "target": 100}
FOUR = (26, 0, 13, 5)


def hearts(club: Club, **changed: Any) -> Drive:
    return described(club, **{"house_rules": HEARTS, "scoring": "total"} | changed)


def send(drive: Drive, scores: tuple[int, ...], table: int = 1, **changed: Any) -> results.ResultOutcome:
    by, number = changed.pop("by", drive.by), drive.state.current_number
    result = Result(scores, (0,) * len(scores))
    seen = drive.state.tables[number, table].seen
    request = ResultRequest(number, table, seen, f"{number} {table} {seen}", result, **changed)
    return results.record(drive.event, request, by)


def test_each_of_the_four_confirms_and_a_correction_asks_all_of_them_again(club: Club) -> None:
    drive = hearts(club)
    drive.draw(1)
    phones = [drive.guest(1), drive.guest(1)]
    assert send(drive, FOUR, by=phones[0]) == Done(1)
    for version, scores in ((1, FOUR), (2, FOUR[::-1])):
        if version == 2:
            assert send(drive, scores, by=phones[1]) == Done(2)
        seen = drive.state.tables[1, 1].seen
        for side in (2, 0, 3, 1):
            assert not drive.state.tables[1, 1].is_confirmed
            assert results.confirm(drive.event, (1, 1), seen, side, phones[side % 2]) == Done(version)
        assert drive.state.tables[1, 1].is_confirmed
        assert verify().faults == []
    assert isinstance(results.confirm(drive.event, (1, 1), seen, 4, phones[0]), Refusal)
    content = exported(club.circle)
    assert exported(imported(content)) == content


@pytest.mark.parametrize(
    ("scoring", "unit", "rules", "facts", "scores"),
    [
        ("total", "deals", {}, [{"points": {"Anne": 26}}, {"points": {"Bruno": 20, "David": 6}}], (26, 20, 0, 6)),
        (
            "parties",
            "deals",
            {},
            [{"points": {"Anne": 26}}, {"points": {"Anne": 20, "Bruno": 6, "David": 1}}],
            (0, 0, 1, 0),
        ),
        ("parties", "partie", {"target": 20}, [{"points": {"Anne": 26, "Bruno": 1, "Claire": 2}}], (0, 0, 0, 1)),
    ],
)
def test_the_deals_of_a_table_make_four_results(
    club: Club, scoring: str, unit: str, rules: dict[str, Any], facts: list[dict[str, Any]], scores: tuple[int, ...]
) -> None:
    drive = hearts(club, scoring=scoring, house_rules=HEARTS | rules, round_unit=unit, length=3)
    drive.draw(1)
    token = pad_tables.open_pad(drive.event, 1, 1, "Table 1", drive.by)
    assert isinstance(token, str)
    names = dict(zip(("Anne", "Bruno", "Claire", "David"), "1234", strict=True))
    for deal in facts:
        found = read_table(club.secret, token)
        assert found is not None
        body = {"points": {names[name]: points for name, points in deal["points"].items()}}
        club.write(found[0], Change(revisions.RECORD, body=body))
    row = drive.state.tables[1, 1]
    assert row.table_id is not None
    assert pad_tables.read_pad_result(drive.event, row.table_id) == Result(scores, (0, 0, 0, 0))
