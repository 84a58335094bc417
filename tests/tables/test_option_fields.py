"""Form fields for house rules of every kind: what is typed, what is stored, and what is shown again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from flask import Flask, g

from scorekeeper.scoring import schema
from scorekeeper.scoring.values import Items, JsonObject, Range, Seats, Text
from scorekeeper.tables.option_fields import HOUSE_RULES, fields_of_options, option_value, shown_value


@dataclass(frozen=True)
class Options:
    name: Annotated[str, Text(10)] = ""
    fast: bool = False
    best: Literal["highest", "lowest"] = "highest"
    target: Annotated[int, Range(-10, 5000)] | None = None
    stake: Annotated[int, Range(0, 9)] = 0
    categories: Annotated[tuple[Annotated[str, Text(10)], ...], Items(3)] = ()
    place_points: Annotated[tuple[Annotated[int, Range(-9, 9)], ...], Items(3)] | None = None


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    app = Flask(__name__)
    with app.test_request_context():
        g.locale = "en"
        yield


UNTOUCHED = {"best": "highest", "stake": "0"}


def typed(**typed: Any) -> JsonObject:
    """Return the house rules that a form with these texts stores."""
    fields = fields_of_options(Options, HOUSE_RULES)
    values = {field.option: option_value(field, (UNTOUCHED | typed).get(field.option, "")) for field in fields}
    return {name: value for name, value in values.items() if value is not None}


def test_what_may_be_left_out_and_is_empty_is_left_out() -> None:
    assert typed(name="  ", categories="\n \n") == {"fast": False, "best": "highest", "stake": 0}


def test_each_line_is_an_item_and_each_text_is_cleaned() -> None:
    rules = typed(name=" Our  game", target="-5", categories="war\r\n\n science ", place_points="5\n-1")
    assert (rules["name"], rules["target"]) == ("Our game", -5)
    assert (rules["categories"], rules["place_points"]) == (["war", "science"], [5, -1])


def test_what_is_no_number_is_kept_to_be_refused_by_name() -> None:
    problems: list[Any] = []
    rules = typed(target="ten", stake="2.5", place_points="5\nfew")
    assert schema.load(Options, rules, Seats((), (), ()), problems) is None
    assert [problem.field for problem in problems] == ["target", "stake", "place_points"]


def test_house_rules_are_shown_as_they_were_typed() -> None:
    shown = {"name": "Our game", "target": "-5", "categories": "war\nscience", "place_points": "5\n-1"}
    options = schema.load(Options, typed(**shown), Seats((), (), ()), [])
    fields = {field.option: field for field in fields_of_options(Options, HOUSE_RULES)}
    assert {name: shown_value(fields[name], getattr(options, name)) for name in shown} == shown
