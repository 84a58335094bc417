"""Records read from JSON, with the limits that their annotations have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.schema import load
from scorekeeper.scoring.values import Items, Party, Range, Seats, Text

from ..support.sheets import fields_of

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
    assert fields_of(problems) == [field]


@dataclass(frozen=True)
class Points:
    by_category: dict[str, dict[Party, Annotated[int, Range(-9, 9)]]]


def test_numbers_by_party_in_categories_are_read_and_their_players_renamed() -> None:
    raw, seats = {"by_category": {"1": {"1": -3, "2": 5}}}, Seats(("1", "2"), (), ("1", "2"))
    assert load(Points, raw, seats, []) == Points({"1": {"1": -3, "2": 5}})
    renamed = seats.renamed({"1": "Anne", "2": "Bruno"})
    assert load(Points, raw, renamed, []) == Points({"1": {"Anne": -3, "Bruno": 5}})


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({}, "by_category"),
        ([], "by_category"),
        ({"war": {}}, "by_category"),
        ({"war": {"Anne": 10}}, "by_category.Anne"),
        ({"war": {"Chloé": 1}}, "by_category.Chloé"),
    ],
)
def test_a_category_that_is_wrong_is_refused_with_the_field(raw: Any, field: str) -> None:
    problems = list[Problem]()
    assert load(Points, {"by_category": raw}, Seats(("Anne",), ("ns", "ew"), ("Anne", "ns", "ew")), problems) is None
    assert fields_of(problems) == [field]
