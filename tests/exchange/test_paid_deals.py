"""Files of a circle that plays a game with counters of its own, for eight players."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from scorekeeper.exchange.accounting import write_ledger
from scorekeeper.exchange.spreadsheets import SpreadsheetContents
from scorekeeper.models import Circle, db
from scorekeeper.services import exports
from scorekeeper.services.circle_files.exporting import export
from scorekeeper.services.circle_files.importing import Imported, import_circle

from ..schemas import validator
from .importing import circle_with

pytestmark = pytest.mark.sqlite

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
    names, tables = exports.names_of(circle), exports.tables_of(circle)
    write_ledger(program, "en", names, tables, exports.payments_of(circle), written)
    return written.getvalue().decode()


def test_a_ledger_prices_the_larger_counters(app: Flask, paid_deals: object) -> None:
    assert paid_deals
    with app.test_request_context():
        text = ledger(circle_with(SHEET | VALUE).circle, "beancount")
    assert "price PAID-DEALS.PLAQUE 10 PAID-DEALS.CHIP" in text
    assert "price PAID-DEALS.PLAQUE 0.50 EUR" in text
    assert "Plaques" in text


def test_a_ledger_prices_all_counters_if_the_smallest_is_worth_money(app: Flask, paid_deals: object) -> None:
    assert paid_deals
    chips = {"value": {"currency": "EUR", "unit": "chip", "amount": "0.05"}}
    with app.test_request_context():
        text = ledger(circle_with(SHEET | chips).circle, "hledger")
    assert 'P 2026-11-20 "PAID-DEALS.CHIP" 0.05 EUR' in text
    assert 'P 2026-11-20 "PAID-DEALS.PLAQUE" 0.50 EUR' in text


def test_a_spreadsheet_has_balances_and_payments_in_the_game_s_counters(app: Flask, paid_deals: object) -> None:
    assert paid_deals
    with app.test_request_context():
        tables = list(exports.tables_of(circle_with(SHEET).circle))
        contents = SpreadsheetContents("en", lambda *_: ("", ""), tables)  # type: ignore[arg-type]
        headings = contents.headings("balances")
        balances = [dict(zip(headings, row, strict=True)) for row in contents.rows("balances")]
        units = {row[7] for row in contents.rows("entries")}
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
        (table,) = exports.tables_of(db.session.scalars(select(Circle).where(Circle.name == moved.name)).one())
        assert list(table.table.names.values()) == NAMES
        assert table.table.standing.scores["1"] == 17


def test_the_sheet_obeys_the_printed_schema() -> None:
    assert list(validator("sheet").iter_errors(SHEET | VALUE)) == []
