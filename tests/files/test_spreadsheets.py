"""Spreadsheets: headings and cells in the reader's words, numbers as numbers, the same in CSV files and workbooks."""

from __future__ import annotations

import csv
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any

import pytest
from flask import Flask, g
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from scorekeeper.files import exports
from scorekeeper.files.export_pages import describe
from scorekeeper.files.exports import Export
from scorekeeper.files.spreadsheets import (
    BYTE_ORDER_MARK,
    COLUMNS,
    KINDS,
    SpreadsheetContents,
    amount_in,
    separators,
    write_csv,
    write_workbook,
)
from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, translate
from scorekeeper.limits import FIRST_DAY
from scorekeeper.models import Circle, Confirmation, Payment, db
from scorekeeper.money.ledger import EVERYTHING
from scorekeeper.money.payments import withdraw
from scorekeeper.money.reading import list_payments, read_ledger
from scorekeeper.scoring.currency import is_currency
from scorekeeper.scoring.sheet import score
from scorekeeper.scoring.standing import name_rows
from scorekeeper.scoring.values import clean_name
from scorekeeper.testing.playing import sheets

from ..support.club import change_payment
from .importing import FRANCION, WHIST, circle_with, pay_everything, player_names, replace_names

NUMBERS = {
    *("table", "deal", "number", "tables", "jetons", "fiches", "money", "amount", "scored", "score"),
    *("won", "paid", "open"),
}
Row = dict[str, Any]


def csv_cells(data: bytes, language: str) -> list[list[str]]:
    """Return the cells of a CSV file as a spreadsheet of this language splits it."""
    text = data.decode()
    assert text.startswith(BYTE_ORDER_MARK)
    lines = StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="")
    return list(csv.reader(lines, delimiter=separators(language)[0]))


def csv_rows(data: bytes, kind: str, language: str = "en") -> list[Row]:
    return typed_rows(csv_cells(data, language), kind, language, separators(language)[1])


def workbook_rows(data: bytes, kind: str, language: str = "en") -> list[Row]:
    """Return the rows of a workbook's sheet."""
    name = translate(language, f"files.csv.{kind}")
    return typed_rows(CalamineWorkbook.from_filelike(BytesIO(data)).get_sheet_by_name(name).to_python(), kind, language)


def typed_rows(listed: Sequence[list[Any]], kind: str, language: str, point: str = ".") -> list[Row]:
    """Return rows below their headings by key: numbers as Decimal, days as such, empty cells as None."""
    first, *rows = listed
    assert first == SpreadsheetContents(language, lambda _table: lambda _scored: ("", ""), Export(())).headings(kind)
    return [{key: _typed(key, cell, point) for key, cell in zip(COLUMNS[kind], row, strict=True)} for row in rows]


def _typed(key: str, cell: Any, point: str) -> Any:
    if cell == "":
        return None
    if key in NUMBERS:  # in a workbook text if it has more digits than a spreadsheet's number
        return Decimal(str(cell).replace(point, "."))
    return date.fromisoformat(cell) if key == "date" and isinstance(cell, str) else cell


@st.composite
def full_sheets(draw: st.DrawFn) -> dict[str, Any]:
    sheet = draw(sheets(None, 12))
    names = draw(player_names(len(sheet["players"])))
    sheet = replace_names(sheet, dict(zip(sheet["players"], names, strict=True)))
    units = ("fiche", "jeton") if sheet["game"] == "francion" else ("fiche",)
    if draw(st.booleans()):
        amount = draw(st.sampled_from(("0.25", "1", "0.05", "0.333333", "12.5")))
        currency = draw(st.sampled_from(("EUR", "CHF", "JPY")))
        sheet["value"] = {"currency": currency, "unit": draw(st.sampled_from(units)), "amount": amount}
    if draw(st.booleans()):
        title = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
        sheet["title"] = draw(title.map(clean_name))
    if draw(st.booleans()):
        sheet["played_on"] = draw(st.dates(FIRST_DAY, date.today())).isoformat()
    return sheet


@pytest.fixture(autouse=True)
def request_context(app: Flask) -> Iterator[None]:
    """Deals are put into words as on pages."""
    with app.test_request_context():
        yield


def contents(circle: Circle, language: str = "en") -> SpreadsheetContents:
    g.locale = language
    return SpreadsheetContents(language, describe, exports.export_circle(circle))


def csv_of(circle: Circle, kind: str, language: str = "en") -> bytes:
    written = BytesIO()
    write_csv(kind, contents(circle, language), written)
    return written.getvalue()


def rows(circle: Circle, kind: str, language: str = "en") -> list[Row]:
    return csv_rows(csv_of(circle, kind, language), kind, language)


def workbook_of(circle: Circle, language: str = "en") -> bytes:
    written = BytesIO()
    write_workbook(KINDS, contents(circle, language), written)
    return written.getvalue()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_deal_is_described_as_on_the_pages(language: str) -> None:
    facts = [
        {"tricks": {"ns": 9, "ew": 4}},
        {"misdeal": True},
        {"adjustment": {"to": "ew", "points": 2, "reason": "a bet"}},
    ]
    deals = rows(circle_with(WHIST | {"deals": facts}).circle, "deals", language)
    expected = {
        "en": ["N–S: 9 tricks · E–W: 4", "Misdeal", "Adjustment: +2 East–West (a bet)"],
        "fr": ["N‑S\u202f: 9 levées · E‑O\u202f: 4", "Maldonne", "Ajustement\u202f: +2 Est-Ouest (a bet)"],
        "de": ["N–S: 9 Stiche · O–W: 4", "Falsch gegeben", "Ausgleich: +2 Ost–West (a bet)"],
    }
    assert [row["facts"] for row in deals[::2]] == expected.get(language, [row["facts"] for row in deals[::2]])
    first, second = deals[:2]
    assert (first["table"], first["date"], first["dealer"]) == (1, date(2026, 11, 21), "Anne")
    assert (first["players"], first["scored"], first["score"]) == ("Anne, Chloé", 3, 3)
    assert (second["players"], second["scored"], second["score"]) == ("Bruno, David", 0, 0)
    assert first["side"] != second["side"]


@settings(max_examples=8)
@given(sheet=full_sheets())
def test_the_rows_equal_the_statement_of_the_sheet(sheet: dict[str, Any]) -> None:
    assume(sheet["house_rules"].get("unfinished_robre") != "points")  # an import closes the table, which pays then
    statement = score(sheet, games())
    assert isinstance(statement, dict)
    circle = circle_with(sheet).circle
    deals, entries, balances = (rows(circle, kind, "fr") for kind in ("deals", "entries", "balances"))
    parties = len(statement["scores"])
    numbered = [deals[start : start + parties] for start in range(0, len(deals), parties)]
    assert [{row["deal"] for row in deal} for deal in numbered] == [
        {name.deal_number} for name in name_rows(sheet["deals"])
    ]
    for deal, expected in zip(numbered, statement["deals"], strict=True):
        assert [row["scored"] for row in deal] == list(expected["scored"].values())
        assert [row["score"] for row in deal] == list(expected["scores"].values())
    payments_in_counters = [row["amount"] for row in entries if row["unit"] != "points"]
    assert payments_in_counters == [entry["amount"] for entry in statement["journal"]]
    for unit in ("jetons", "fiches"):
        counters = [row[unit] for row in balances if row[unit] is not None]
        assert counters == [balance[unit] for balance in statement["balances"].values() if unit in balance]


@settings(max_examples=5)
@given(sheet=full_sheets())
def test_the_workbook_and_the_csv_files_agree(sheet: dict[str, Any]) -> None:
    host = circle_with(sheet)
    pay_everything(host, 1)
    for language in ("en_GB", "fr_FR", "de_CH"):
        data = workbook_of(host.circle, language)
        for kind in KINDS:
            listed = [{key: _unescaped(cell) for key, cell in row.items()} for row in rows(host.circle, kind, language)]
            assert workbook_rows(data, kind, language) == listed


def _unescaped(cell: Any) -> Any:
    """Return a cell without the apostrophes before formulas, which a workbook does not need."""
    return re.sub(r"(^|[;\t\r\n])'(?=\s*[=+\-@|＝＋－＠｜]|[\t\r\n])", r"\1", cell) if isinstance(cell, str) else cell


def test_the_players_have_the_balances_of_the_circle() -> None:
    silver = WHIST | {"title": "silver", "value": {"currency": "CHF", "unit": "fiche", "amount": "1"}}
    host = circle_with(WHIST, silver, FRANCION)
    pay_everything(host, 1)
    change_payment(list_payments(host.circle)[0], withdraw, host)
    listed = rows(host.circle, "players")
    found = {(row["player"], row["unit"]): row for row in listed}
    for account in read_ledger(host.circle).read_accounts(EVERYTHING).values():
        unit = account.key if is_currency(account.key) else "jetons (Francion)"
        for name, subunits in account.open.items():
            assert found[name, unit]["open"] == amount_in(account.key, subunits)
    assert all(row["won"] + row["paid"] == row["open"] for row in listed)
    assert {row["player"]: row["tables"] for row in listed} == {"Anne": 3, "Bruno": 3, "Chloé": 3, "David": 2}
    won: dict[Any, Decimal] = defaultdict(Decimal)
    for row in rows(host.circle, "balances"):
        if row["currency"]:
            won[row["player"], row["currency"]] += row["money"]
    assert won == {key: row["won"] for key, row in found.items() if is_currency(key[1])}


def test_a_balance_is_exact_to_the_ninth_of_a_fiche() -> None:
    sheet = FRANCION | {"value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"}}
    circle = circle_with(sheet).circle
    bruno = next(row for row in rows(circle, "balances", "fr") if row["player"] == "Bruno")
    assert (bruno["jetons"], bruno["currency"], bruno["money"]) == (1, "EUR", Decimal("0.027778"))
    assert b";0,027778;EUR" in csv_of(circle, "balances", "fr")
    assert b",0.027778,EUR" in csv_of(circle, "balances", "en")


@pytest.mark.parametrize("state", ["waiting", "confirmed", "removed"])
def test_a_payment_that_waits_for_its_confirmation_says_so(state: str) -> None:
    host = circle_with(WHIST)
    host.circle.confirms_payments = True
    db.session.commit()
    pay_everything(host, 1)
    payment = db.session.query(Payment).one()
    payment.needs_confirmation = True
    if state == "confirmed":
        ids = {"circle_id": payment.circle_id, "payment_id": payment.id, "membership_id": host.id}
        db.session.add(Confirmation(**ids, at=payment.at))
    db.session.commit()
    if state == "removed":
        change_payment(list_payments(host.circle)[0], withdraw, host)
    expected = {"waiting": "Waiting for confirmation", "confirmed": "Paid", "removed": "Removed"}
    assert [row["state"] for row in rows(host.circle, "payments")] == [expected[state]]


@pytest.mark.parametrize(
    ("language", "delimiter", "decimal_mark"),
    [
        *(("en", ",", "."), ("en_GB", ",", "."), ("en_CA", ",", ".")),
        *(("fr", ";", ","), ("fr_FR", ";", ","), ("fr_CA", ";", ","), ("fr_CH", ";", ",")),
        *(("de_DE", ";", ","), ("de_AT", ";", ","), ("de_CH", ";", "."), ("de_LI", ";", ".")),
    ],
)
def test_separators_are_those_of_the_region(language: str, delimiter: str, decimal_mark: str) -> None:
    assert separators(language) == (delimiter, decimal_mark)


@pytest.mark.parametrize("sign", list("=+-@|\t＝＋－＠｜"))
def test_a_name_that_begins_like_a_formula_is_text(sign: str) -> None:
    name = f"{sign}cmd|' /C calc'!A0".strip()
    circle = circle_with(replace_names(WHIST, {"Anne": name}) | {"title": f"{sign}1+1"}).circle
    cells = [cell for kind in KINDS for row in csv_cells(csv_of(circle, kind), "en") for cell in row]
    for cell in cells:
        assert not cell.startswith(tuple("=+@|\t＝＋－＠｜"))
        assert not cell.startswith("-") or Decimal(cell) < 0, cell
    data = workbook_of(circle)
    assert name in {row["player"] for row in workbook_rows(data, "balances")}
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert not any(b"<f>" in archive.read(part) for part in archive.namelist())
