"""Files of a circle that plays a game with counters of its own, for eight players."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from scorekeeper.files import exports
from scorekeeper.files.circle_transfer import Imported, export, import_circle
from scorekeeper.files.ledgers import write_ledger
from scorekeeper.files.spreadsheets import SpreadsheetContents
from scorekeeper.models import Circle, db

from .importing import circle_with, validator

NAMES = ["Anne", "Bruno", "Chloé", "David", "Élise", "Fanny", "Gaspard", "Hélène"]
SHEET: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "paid-deals",
    "players": NAMES,
    "played_on": "2026-11-20",
    "deals": [
        {"taker": "Anne", "partner": "Hélène"},
        {"passed": True},
        {"taker": "Bruno"},
        {"adjustment": {"to": "David", "from": "Anne", "chips": 3}},
    ],
}
VALUE = {"value": {"currency": "EUR", "unit": "plaque", "amount": "0.50"}}


def ledger(circle: Circle, program: str) -> str:
    written = BytesIO()
    names, tables = exports.list_names(circle), exports.read_tables(circle)
    write_ledger(program, "en", names, tables, exports.read_payments(circle), written)
    return written.getvalue().decode()


@pytest.mark.parametrize(
    ("value", "exchanged"),
    [
        (VALUE, "1 plaque = 0.50 EUR"),
        ({"value": {"currency": "EUR", "unit": "chip", "amount": "0.05"}}, "1 chip = 0.05 EUR"),
    ],
)
@pytest.mark.parametrize("ledger_format", ["beancount", "hledger"])
def test_a_ledger_exchanges_counters_of_each_kind_for_money(
    app: Flask, paid_deals: object, value: dict[str, Any], exchanged: str, ledger_format: str
) -> None:
    assert paid_deals
    with app.test_request_context():
        text = ledger(circle_with(SHEET | value).circle, ledger_format)
    assert f"Paid Deals, counters exchanged: {exchanged}" in text
    assert "Plaques" in text
    exchange = text.partition("counters exchanged")[2]
    for counters in ("-27 ", "1 "):  # Anne's chips, and the plaque that she owes
        assert any("Anne" in line and f"  {counters}" in line for line in exchange.splitlines())
    assert any("Anne" in line and "0.85 EUR" in line for line in exchange.splitlines())


def test_a_spreadsheet_has_balances_and_payments_in_the_game_s_counters(app: Flask, paid_deals: object) -> None:
    assert paid_deals
    with app.test_request_context():
        tables = list(exports.read_tables(circle_with(SHEET).circle))
        contents = SpreadsheetContents("en", lambda _: lambda _: ("", ""), tables)
        headings = contents.headings("balances")
        balances = [dict(zip(headings, row, strict=True)) for _, row in contents.rows(["balances"])]
        units = {row[7] for _, row in contents.rows(["entries"])}
    assert (balances[0]["Counters"], balances[0]["Unit"]) == (17, "chips")
    assert units == {"chips", "Plaques"}


def test_a_circle_with_a_table_of_eight_can_be_moved(app: Flask, paid_deals: object) -> None:
    assert paid_deals
    with app.test_request_context():
        file = BytesIO()
        export(circle_with(SHEET | VALUE).circle, file)
        assert list(validator("circle").iter_errors(json.loads(file.getvalue()))) == []
        file.seek(0)
        moved = import_circle(file)
        assert isinstance(moved, Imported), moved
        (table,) = exports.read_tables(db.session.scalars(select(Circle).where(Circle.name == moved.name)).one())
        assert list(table.table.names.values()) == NAMES
        assert table.table.standing.scores["1"] == 17
