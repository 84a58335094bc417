"""Records read from JSON, with the limits that their annotations have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.schema import load
from scorekeeper.scoring.values import Items, Seats, Text

from ..problems import fields_of_problems

NOBODY = Seats((), (), ())


@dataclass(frozen=True)
class Line:
    text: Annotated[str, Text(5)]


@dataclass(frozen=True)
class Page:
    lines: Annotated[tuple[Line, ...], Items(2, least=1)]


def test_a_record_within_its_limits_is_read() -> None:
    problems = list[Problem]()
    assert load(Page, {"lines": [{"text": "Five!"}, {"text": "x"}]}, NOBODY, problems) == Page(
        (Line("Five!"), Line("x"))
    )
    assert problems == []


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        ([], "lines"),
        ([{"text": "x"}] * 3, "lines"),
        ([{"text": "x"}, {"text": "Longer"}], "lines.2.text"),
        ([{"text": " "}], "lines.1.text"),
        ([{"text": 5}], "lines.1.text"),
    ],
)
def test_a_record_beyond_its_limits_is_refused_with_the_field(lines: Any, field: str) -> None:
    problems = list[Problem]()
    assert load(Page, {"lines": lines}, NOBODY, problems) is None
    assert fields_of_problems(problems) == [field]
