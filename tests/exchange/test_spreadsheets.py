"""CSV files: header, numbers as numbers, and no cell that a spreadsheet would interpret as a formula."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings

from scorekeeper.exchange.spreadsheets import BYTE_ORDER_MARK, COLUMNS, KINDS, amount_in, write_csv
from scorekeeper.games import games
from scorekeeper.models import Circle
from scorekeeper.scoring.accounts import SUBUNITS_PER_UNIT
from scorekeeper.scoring.statement import score
from scorekeeper.services import exports
from scorekeeper.services.settlements import payments

from .importing import circle_with, full_sheets, pay_everything, replace_names
from .test_ledgers import FRANCION, WHIST

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite


def text_of(circle: Circle, kind: str) -> str:
    written = BytesIO()
    write_csv(kind, exports.tables_of(circle), exports.payments_of(circle), written)
    return written.getvalue().decode()


def rows(circle: Circle, kind: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text_of(circle, kind).removeprefix(BYTE_ORDER_MARK), newline="")))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_begins_with_a_byte_order_mark_and_a_header(app: Flask, kind: str) -> None:
    with app.app_context():
        text = text_of(circle_with(WHIST).circle, kind)
    assert text.startswith("\ufeff" + ",".join(COLUMNS[kind]) + "\r\n")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(sheet=full_sheets())
def test_the_rows_equal_the_statement_of_the_sheet(app: Flask, sheet: dict[str, Any]) -> None:
    statement = score(sheet, games())
    assert isinstance(statement, dict)
    with app.app_context():
        circle = circle_with(sheet).circle
        deals, entries, balances = (rows(circle, kind) for kind in ("deals", "entries", "balances"))
    assert [int(row["deal"]) for row in deals] == [deal["number"] for deal in statement["deals"]]
    for row, deal in zip(deals, statement["deals"], strict=True):
        parties = [n for n in range(1, 6) if row[f"party_{n}"]]
        assert [int(row[f"scored_{n}"]) for n in parties] == list(deal["scored"].values())
        assert [int(row[f"score_{n}"]) for n in parties] == list(deal["scores"].values())
    payment_rows = [row for row in entries if row["unit"] != "points"]
    assert [(int(row["amount"]), row["reason"]) for row in payment_rows] == [
        (entry["amount"], entry["reason"]) for entry in statement["journal"]
    ]
    for unit in ("jetons", "fiches"):
        counters = [int(row[unit]) for row in balances if row[unit]]
        assert counters == [balance[unit] for balance in statement["balances"].values() if unit in balance]
    assert sum(int(row["grains"]) for row in balances) == 0


def test_a_deal_has_the_facts_of_the_sheet(app: Flask) -> None:
    with app.app_context():
        deals = rows(circle_with(WHIST | {"deals": [{"tricks": {"ns": 9}}, {"misdeal": True}]}).circle, "deals")
    assert [row["kind"] for row in deals] == ["deal", "misdeal"]
    assert json.loads(deals[0]["facts"]) == {"tricks": {"ns": 9}}
    assert (deals[0]["table"], deals[0]["date"], deals[0]["dealer"]) == ("2026-11-21-whist-1", "2026-11-21", "Anne")
    assert (deals[0]["party_1"], deals[0]["scored_1"], deals[0]["score_2"]) == ("ns", "3", "0")


def test_an_entry_has_a_giver_and_a_taker_or_none_for_the_pot(app: Flask) -> None:
    adjustment = {"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 3, "reason": "a lost bet"}}
    with app.app_context():
        entries = rows(circle_with(FRANCION | {"deals": [*FRANCION["deals"], adjustment]}).circle, "entries")
    stake = entries[0]
    assert (stake["giver"], stake["taker"], stake["amount"], stake["unit"]) == ("Anne", "", "9", "jetons")
    last = entries[-1]
    assert (last["giver"], last["taker"], last["reason"], last["note"]) == ("Anne", "Bruno", "adjustment", "a lost bet")


def test_a_balance_is_exact_to_the_ninth_of_a_fiche(app: Flask) -> None:
    with app.app_context():
        sheet = FRANCION | {"value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"}}
        balances = rows(circle_with(sheet).circle, "balances")
    bruno = next(row for row in balances if row["player"] == "Bruno")
    assert (bruno["jetons"], bruno["account"]) == ("1", "EUR")
    assert int(bruno["grains"]) * 9 * 4 == SUBUNITS_PER_UNIT
    assert Decimal(bruno["amount"]) == Decimal("0.027778")


@pytest.mark.parametrize(
    ("account", "subunits", "amount"),
    [
        ("EUR", SUBUNITS_PER_UNIT * 5 // 4, "1.25"),
        ("EUR", -SUBUNITS_PER_UNIT, "-1.00"),
        ("EUR", 0, "0.00"),
        ("EUR", SUBUNITS_PER_UNIT // 8, "0.125"),
        ("JPY", SUBUNITS_PER_UNIT * 100, "100"),
        ("whist", -7, "-7"),
    ],
)
def test_money_has_as_many_decimal_places_as_needed(account: str, subunits: int, amount: str) -> None:
    assert str(amount_in(account, subunits)) == amount


def test_payments_are_listed_with_their_withdrawals(app: Flask) -> None:
    with app.app_context():
        host = circle_with(WHIST)
        pay_everything(host)
        payments.withdraw(host.circle, 1, host.browser)
        listed = rows(host.circle, "payments")
    assert [(row["payment"], row["kind"], row["withdraws"], row["withdrawn_by"]) for row in listed] == [
        ("1", "payment", "", "3"),
        ("2", "payment", "", ""),
        ("3", "withdrawal", "1", ""),
    ]
    assert {(row["amount"], row["account"], row["settles"]) for row in listed} == {("1.25", "EUR", "everything")}


@pytest.mark.parametrize("sign", list("=+-@\t＝＋－＠"))
def test_a_name_that_begins_like_a_formula_is_escaped(app: Flask, sign: str) -> None:
    name = f"{sign}cmd|' /C calc'!A0".strip()
    with app.app_context():
        circle = circle_with(replace_names(WHIST, {"Anne": name}) | {"title": f"{sign}1+1"}).circle
        balances = rows(circle, "balances")
        cells = [cell for kind in KINDS for row in rows(circle, kind) for cell in row.values() if cell]
    assert balances[0]["title"] == f"'{sign}1+1"
    assert balances[0]["player"] in (name, f"'{name}")
    for cell in cells:
        assert not cell.startswith(tuple("=+@\t＝＋－＠"))
        assert not cell.startswith("-") or Decimal(cell) < 0, cell


def test_a_negative_number_stays_a_number(app: Flask) -> None:
    with app.app_context():
        balances = rows(circle_with(WHIST).circle, "balances")
    assert [row["fiches"] for row in balances] == ["5", "-5", "5", "-5"]
