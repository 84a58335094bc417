"""CSV as a spreadsheet reads it: header, numbers as numbers, nothing that would be taken for a formula."""

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

from .bringing import called, circle_with, pay_everything, whole_sheets
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
def test_a_file_begins_with_the_mark_that_excel_wants_and_a_header_in_stable_keys(app: Flask, kind: str) -> None:
    with app.app_context():
        text = text_of(circle_with(WHIST).circle, kind)
    assert text.startswith("\ufeff" + ",".join(COLUMNS[kind]) + "\r\n")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(sheet=whole_sheets())
def test_the_files_say_what_the_statement_of_the_sheet_says(app: Flask, sheet: dict[str, Any]) -> None:
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
    paid = [row for row in entries if row["unit"] != "points"]
    assert [(int(row["amount"]), row["reason"]) for row in paid] == [
        (entry["amount"], entry["reason"]) for entry in statement["journal"]
    ]
    for unit in ("jetons", "fiches"):
        counters = [int(row[unit]) for row in balances if row[unit]]
        assert counters == [balance[unit] for balance in statement["balances"].values() if unit in balance]
    assert sum(int(row["grains"]) for row in balances) == 0


def test_a_deal_carries_its_facts_as_the_sheet_has_them(app: Flask) -> None:
    with app.app_context():
        found = rows(circle_with(WHIST | {"deals": [{"tricks": {"ns": 9}}, {"misdeal": True}]}).circle, "deals")
    assert [row["kind"] for row in found] == ["deal", "misdeal"]
    assert json.loads(found[0]["facts"]) == {"tricks": {"ns": 9}}
    assert (found[0]["table"], found[0]["date"], found[0]["dealer"]) == ("2026-11-21-whist-1", "2026-11-21", "Anne")
    assert (found[0]["party_1"], found[0]["scored_1"], found[0]["score_2"]) == ("ns", "3", "0")


def test_an_entry_names_giver_and_taker_and_nobody_for_the_pot(app: Flask) -> None:
    agreed = {"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 3, "reason": "a lost bet"}}
    with app.app_context():
        found = rows(circle_with(FRANCION | {"deals": [*FRANCION["deals"], agreed]}).circle, "entries")
    stake = found[0]
    assert (stake["giver"], stake["taker"], stake["amount"], stake["unit"]) == ("Anne", "", "9", "jetons")
    last = found[-1]
    assert (last["giver"], last["taker"], last["reason"], last["note"]) == ("Anne", "Bruno", "adjustment", "a lost bet")


def test_a_balance_is_exact_to_the_ninth_of_a_fiche(app: Flask) -> None:
    with app.app_context():
        valued = FRANCION | {"value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"}}
        balances = rows(circle_with(valued).circle, "balances")
    bruno = next(row for row in balances if row["player"] == "Bruno")
    assert (bruno["jetons"], bruno["account"]) == ("1", "EUR")
    assert int(bruno["grains"]) * 9 * 4 == SUBUNITS_PER_UNIT
    assert Decimal(bruno["amount"]) == Decimal("0.027778")


@pytest.mark.parametrize(
    ("account", "grains", "shown"),
    [
        ("EUR", SUBUNITS_PER_UNIT * 5 // 4, "1.25"),
        ("EUR", -SUBUNITS_PER_UNIT, "-1.00"),
        ("EUR", 0, "0.00"),
        ("EUR", SUBUNITS_PER_UNIT // 8, "0.125"),
        ("JPY", SUBUNITS_PER_UNIT * 100, "100"),
        ("whist", -7, "-7"),
    ],
)
def test_money_is_written_to_as_many_places_as_it_takes(account: str, grains: int, shown: str) -> None:
    assert str(amount_in(account, grains)) == shown


def test_payments_stand_with_what_took_them_back(app: Flask) -> None:
    with app.app_context():
        host = circle_with(WHIST)
        pay_everything(host)
        payments.withdraw(host.circle, 1, host.browser)
        found = rows(host.circle, "payments")
    assert [(row["payment"], row["kind"], row["withdraws"], row["withdrawn_by"]) for row in found] == [
        ("1", "payment", "", "3"),
        ("2", "payment", "", ""),
        ("3", "withdrawal", "1", ""),
    ]
    assert {(row["amount"], row["account"], row["settles"]) for row in found} == {("1.25", "EUR", "everything")}


@pytest.mark.parametrize("sign", list("=+-@\t＝＋－＠"))
def test_a_name_that_begins_like_a_formula_is_kept_from_being_one(app: Flask, sign: str) -> None:
    name = f"{sign}cmd|' /C calc'!A0".strip()
    with app.app_context():
        circle = circle_with(called(WHIST, {"Anne": name}) | {"title": f"{sign}1+1"}).circle
        balances = rows(circle, "balances")
        cells = [cell for kind in KINDS for row in rows(circle, kind) for cell in row.values() if cell]
    assert balances[0]["title"] == f"'{sign}1+1"
    assert balances[0]["player"] in (name, f"'{name}")
    for cell in cells:
        assert not cell.startswith(tuple("=+@\t＝＋－＠"))
        assert not cell.startswith("-") or Decimal(cell) < 0, cell


def test_a_number_below_nought_stays_a_number(app: Flask) -> None:
    with app.app_context():
        found = rows(circle_with(WHIST).circle, "balances")
    assert [row["fiches"] for row in found] == ["5", "-5", "5", "-5"]
