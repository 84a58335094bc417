"""Records read from JSON, with the limits that their annotations have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.rename import rename
from scorekeeper.scoring.schema import MAX_PROBLEMS, load, reader_for
from scorekeeper.scoring.values import Cleaned, Items, JsonObject, Party, Player, Range, Seats, Text, clean_name

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


@dataclass(frozen=True)
class Points:
    by_category: dict[str, dict[Party, Annotated[int, Range(-9, 9)]]]


def test_numbers_by_party_in_categories_are_read_and_their_players_renamed() -> None:
    points = load(Points, {"by_category": {"1": {"1": -3, "2": 5}}}, Seats(("1", "2"), (), ("1", "2")), [])
    assert points == Points({"1": {"1": -3, "2": 5}})
    assert rename(points, {"1": "Anne", "2": "Bruno"}) == Points({"1": {"Anne": -3, "Bruno": 5}})


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
    assert fields_of_problems(problems) == [field]


def _known(text: str) -> Problem | None:
    return None if text == "Anne" else Problem("", "player", {"found": text})


@dataclass(frozen=True)
class Note:
    name: Annotated[str, Text(8, clean=clean_name, check=_known)]
    more: Annotated[JsonObject, Cleaned(lambda facts: {key.lower(): value for key, value in facts.items()})]


def test_texts_and_objects_are_read_as_they_are_stored() -> None:
    problems = list[Problem]()
    assert load(Note, {"name": "  Anne ", "more": {"A": 1}}, NOBODY, problems) == Note("Anne", {"a": 1})
    assert problems == []
    assert load(Note, {"name": "Zoé", "more": 5}, NOBODY, problems) is None
    assert [(problem.field, problem.key) for problem in problems] == [("name", "player"), ("more", "an-object")]


@dataclass(frozen=True)
class Book:
    lines: Annotated[tuple[Line, ...], Items(10 * MAX_PROBLEMS)]


def test_a_long_list_is_not_read_any_further_after_many_problems() -> None:
    problems = list[Problem]()
    assert load(Book, {"lines": [{"text": 5}] * 2 * MAX_PROBLEMS}, NOBODY, problems) is None
    assert fields_of_problems(problems) == [f"lines.{place}.text" for place in range(1, MAX_PROBLEMS + 1)]


@dataclass(frozen=True)
class Calls:
    by_player: dict[Player, Literal["small", "large"]]


def test_a_type_that_cannot_be_stored_by_player_is_refused_with_what_can() -> None:
    with pytest.raises(TypeError, match=r"by_player .*by party only Annotated\[int, Range"):
        reader_for(Calls)
