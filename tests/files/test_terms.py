"""Changes of house rules and of the value of counters in sheets, circles' files, spreadsheets and books."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator

from scorekeeper.files import exports
from scorekeeper.files.sheets import sheet_text
from scorekeeper.models import Circle
from scorekeeper.tables import caches

from .importing import books, circle_with, exported, import_files, imported, uploads

ROOT = Path(__file__).parents[2]
DEAL = {
    "contract": {"player": "Bruno", "points": 7},
    "tricks": {"ew": 6},
    "five_of_hearts": "ew",
    "three_of_spades": "ns",
}
SHEET: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "joffre",
    "played_on": "2026-11-20",
    "players": ["Anne", "Bruno", "Chloé", "David"],
    "dealer": "Anne",
    "value": {"currency": "EUR", "unit": "fiche", "amount": "0.10"},
    "house_rules": {"target": 60},
    "deals": [
        {"adjustment": {"to": "Bruno", "from": "Anne", "fiches": 3}},
        DEAL,
        {"substitution": {"out": "David", "in": "Emma"}},
        {"terms": {"house_rules": {"target": 20}, "value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"}}},
        {"adjustment": {"to": "Emma", "from": "Anne", "fiches": 2}},
        {"terms": {"house_rules": {"target": None}}},
        DEAL,
    ],
}


def read_sheets(circle: Circle) -> list[dict[str, Any]]:
    return [json.loads(sheet_text(table.table.sheet())) for table in exports.read_tables(circle)]


def test_a_sheet_comes_back_as_it_was_and_is_not_imported_twice(app: Flask) -> None:
    with app.test_request_context():
        author = circle_with(SHEET)
        assert read_sheets(author.circle) == [SHEET]
        assert import_files(author, uploads(SHEET)).files[0].is_duplicate
        assert not caches.verify().faults


def test_the_schema_knows_a_change() -> None:
    schema = json.loads((ROOT / "docs" / "sheet.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    assert list(validator.iter_errors(SHEET)) == []
    changes: list[dict[str, Any]] = [{}, {"rules": {}}, {"value": {"amount": "1"}}, {"house_rules": None}]
    for wrong in changes:
        assert list(validator.iter_errors(SHEET | {"deals": [{"terms": wrong}]}))


def test_a_circle_moves_with_the_changes_at_its_tables(app: Flask) -> None:
    with app.test_request_context():
        assert read_sheets(imported(exported(circle_with(SHEET).circle))) == [SHEET]
        assert not caches.verify().faults


@pytest.mark.parametrize("program", ["beancount", "hledger"])
def test_books_exchange_counters_at_each_value(app: Flask, program: str) -> None:
    with app.test_request_context():
        text = books(circle_with(SHEET).circle, program)
    assert "Joffre, counters exchanged: 1 fiche = 0.10 EUR, 1 fiche = 0.25 EUR" in text
    assert "-0.80 EUR" in text  # 3 × 0.10 + 2 × 0.25, of Anne
