"""The records of a circle's file: what they may hold, by the code that reads them and by the JSON Schema."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from sqlalchemy import inspect

from scorekeeper.exchange.circle_records import KEYS_OF_KINDS, CircleRecord, Day, Iban, Key, Moment, SideScores
from scorekeeper.exchange.circle_schema import make_circle_schema
from scorekeeper.i18n import problem_text
from scorekeeper.limits import MAX_SCORE
from scorekeeper.models import Circle
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.schema import load
from scorekeeper.scoring.values import Seats

NOBODY = Seats((), (), ())
SWITCHES = {field.name for field in fields(CircleRecord) if isinstance(field.default, bool)}
AT = "2026-01-02T03:04:05Z"
DOCUMENT: dict[str, Any] = {
    "format": "scorekeeper-circle/1",
    "circle": {"created_at": AT},
    "players": [{"number": 1, "name": "Anne"}],
    "browsers": [{"number": 1, "created_at": AT, "name": "Phone"}],
    "tables": [],
    "settlements": [
        {
            "number": 1,
            "account": "EUR",
            "created_at": AT,
            "event": 1,
            "day": "2026-01-02",
            "parts": [{"player": 1, "amount": "-5", "event": 1, "kind": "fee"}],
        }
    ],
    "payments": [{"number": 1, "settlement": 1, "from": 1, "to": 1, "amount": "5", "by": 1, "at": AT, "withdraws": 1}],
}


@dataclass(frozen=True)
class Values:
    """One value of each kind."""

    moment: Moment = AT
    day: Day = "2026-01-02"
    key: Key = "k"
    iban: Iban = "DE89370400440532013000"
    scores: SideScores = (0, 0)


def spoiled(path: str, value: Any) -> dict[str, Any]:
    """Return the document with another value at a path; without it if the value is None."""
    document = deepcopy(DOCUMENT)
    *parents, last = path.split(".")
    target: Any = document
    for key in parents:
        target = target[int(key) if key.isdecimal() else key]
    if value is None:
        del target[last]
    else:
        target[last] = value
    return document


def errors(document: dict[str, Any]) -> list[Any]:
    """Return what a new schema finds wrong in a document."""
    checker = Draft202012Validator.FORMAT_CHECKER
    return [*Draft202012Validator(make_circle_schema(), format_checker=checker).iter_errors(document)]


def test_a_circle_without_settings_has_those_of_a_new_one() -> None:
    record = load(CircleRecord, {"created_at": AT}, NOBODY, [])
    for name in SWITCHES:
        default: Any = inspect(Circle).columns[name].default
        assert getattr(record, name) == default.arg, name


@pytest.mark.parametrize(
    ("kind", "keys", "is_valid"),
    [
        (kind, keys, {*required} <= {*keys} <= {*required, *allowed})
        for kind, (required, allowed) in KEYS_OF_KINDS.items()
        for keys in ((), ("deal",), ("body",), ("deal", "body"), ("deal", "before", "body"), ("deal", "undoes"))
    ],
)
def test_a_revision_has_the_keys_of_its_kind(kind: str, keys: tuple[str, ...], is_valid: bool) -> None:
    revision = {"number": 1, "kind": kind, "by": 1, "at": AT, "key": "k"} | {
        key: {"misdeal": True} if key == "body" else 1 for key in keys
    }
    table = {
        "number": 1,
        "game": "whist",
        "rules_version": 1,
        "players": [1, 1],
        "dealer": "1",
        "house_rules": {},
        "day": "2026-01-02",
        "opened_at": AT,
        "revisions": [revision],
    }
    assert (not errors(spoiled("tables", [table]))) is is_valid


@pytest.mark.parametrize(
    "value", [{"scores": [-MAX_SCORE, MAX_SCORE]}, {"moment": "1970-01-01T00:00:00Z"}, {"key": "k" * 36}]
)
def test_values_up_to_their_limits_are_read(value: dict[str, Any]) -> None:
    problems = list[Problem]()
    assert load(Values, value, NOBODY, problems) is not None
    assert problems == []


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
