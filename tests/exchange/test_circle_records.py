"""The records of a circle's file: what they may hold, by the code that reads them and by the JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import pytest
from sqlalchemy import inspect

from scorekeeper.exchange.circle_records import CircleRecord, Day, Iban, Key, Moment, SideScores
from scorekeeper.i18n import problem_text
from scorekeeper.limits import MAX_SCORE
from scorekeeper.models import Circle
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.schema import load
from scorekeeper.scoring.values import Seats

NOBODY = Seats((), (), ())
SWITCHES = {field.name for field in fields(CircleRecord) if isinstance(field.default, bool)}
AT = "2026-01-02T03:04:05Z"


@dataclass(frozen=True)
class Values:
    """One value of each kind."""

    moment: Moment = AT
    day: Day = "2026-01-02"
    key: Key = "k"
    iban: Iban = "DE89370400440532013000"
    scores: SideScores = (0, 0)


def test_a_circle_without_settings_has_those_of_a_new_one() -> None:
    record = load(CircleRecord, {"created_at": AT}, NOBODY, [])
    for name in SWITCHES:
        default: Any = inspect(Circle).columns[name].default
        assert getattr(record, name) == default.arg, name


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ({"moment": "2026-02-30T00:00:00Z"}, "moment"),
        ({"moment": "1969-12-31T23:59:59Z"}, "moment"),
        ({"moment": "9000-01-01T00:00:00Z"}, "late-day"),
        ({"day": "2026-02-30"}, "date"),
        ({"day": "9000-01-01"}, "late-day"),
        ({"day": "0900-01-01"}, "early-day"),
        ({"key": "a\nb"}, "entry-key"),
        ({"key": "k" * 1_000}, "entry-key"),
        ({"iban": "de89 3704 0044 0532 0130 00"}, "not-as-stored"),
        ({"iban": "DE00370400440532013000"}, "iban-check"),
        ({"scores": [0, MAX_SCORE + 1]}, "whole-number"),
    ],
)
def test_a_value_that_cannot_be_stored_is_refused_with_the_reason(value: dict[str, Any], key: str) -> None:
    problems = list[Problem]()
    assert load(Values, value, NOBODY, problems) is None
    assert [problem.key for problem in problems] == [key]
    assert problem_text(problems[0], "en")
