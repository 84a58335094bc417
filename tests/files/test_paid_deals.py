"""Files of a circle that plays a game with counters of its own, for eight players."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.files import exports
from scorekeeper.files.exports import Export
from scorekeeper.files.spreadsheets import SpreadsheetContents

from .importing import books, circle_with, exported, imported

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


@pytest.mark.parametrize(
    ("value", "exchanged"),
    [
        (VALUE, "1 plaque = 0.50 EUR"),
        ({"value": {"currency": "EUR", "unit": "chip", "amount": "0.05"}}, "1 chip = 0.05 EUR"),
    ],
)
@pytest.mark.parametrize("program", ["beancount", "hledger"])
def test_books_exchange_counters_of_each_kind_for_money(
    app: Flask, paid_deals: object, value: dict[str, Any], exchanged: str, program: str
) -> None:
    assert paid_deals
    with app.test_request_context():
        text = books(circle_with(SHEET | value).circle, program)
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
        contents = SpreadsheetContents("en", lambda _: lambda _: ("", ""), Export(tables))
        headings = contents.headings("balances")
        balances = [dict(zip(headings, row, strict=True)) for _, row in contents.rows(["balances"])]
        units = {row[7] for _, row in contents.rows(["entries"])}
    assert (balances[0]["Counters"], balances[0]["Unit"]) == (17, "chips")
    assert units == {"chips", "Plaques"}


def test_a_circle_with_a_table_of_eight_can_be_moved(app: Flask, paid_deals: object) -> None:
    assert paid_deals
    with app.test_request_context():
        content = exported(circle_with(SHEET | VALUE).circle)
        (table,) = exports.read_tables(imported(content))
        assert list(table.table.names.values()) == NAMES
        assert table.table.standing.scores["1"] == 17
