"""The JSON Schema of a score sheet, against the sheets worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ..cases import all_cases
from ..schemas import validator

VALID = {name: case["sheet"] for name, case in all_cases().items() if "expect" in case}
SHEET: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "whist",
    "players": ["Anne", "Bruno", "Chloé", "David"],
    "deals": [{"tricks": {"ns": 7}}],
}


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(validator("sheet").schema)


@pytest.mark.parametrize("name", VALID)
def test_a_sheet_worked_out_by_hand_is_valid(name: str) -> None:
    assert list(validator("sheet").iter_errors(VALID[name])) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"format": "scorekeeper-sheet/2"},
        {"players": ["Anne", "Anne", "Bruno"]},
        {"players": ["Anne", " "]},
        {"deals": [{}]},
        {"deals": [{"misdeal": False}]},
        {"deals": [{"misdeal": True, "tricks": {"ns": 7}}]},
        {"deals": [{"substitution": {"out": "Anne"}}]},
        {"deals": [{"substitution": {"out": "Anne", "in": ""}}]},
        {"deals": [{"substitution": {"out": "Anne", "in": "Zoé", "at": 3}}]},
        {"deals": [{"substitution": {"out": "Anne", "in": "Zoé"}, "misdeal": True}]},
        {"deals": "none"},
        {"value": {"currency": "EUR", "unit": "fiche", "amount": 0.25}},
        {"value": {"currency": "EUR", "unit": "fiche", "amount": "0.00"}},
        {"played_on": "tomorrow"},
        {"secret": 1},
        {"house_rules": []},
    ],
)
def test_a_spoiled_sheet_is_invalid(changed: dict[str, Any]) -> None:
    assert validator("sheet").is_valid(SHEET)
    assert not validator("sheet").is_valid(SHEET | changed)
