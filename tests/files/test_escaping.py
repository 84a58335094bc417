"""Names, titles and reasons that contain the syntax of other programs are exported as plain text."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from typing import Any

from beancount import loader
from beancount.core import data as beans
from flask import Flask
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from scorekeeper.files import exports
from scorekeeper.files.sheets import write_zip
from scorekeeper.files.spreadsheets import KINDS, SpreadsheetContents, csv_cell, write_csv
from scorekeeper.models import Membership
from scorekeeper.money.payments import withdraw
from scorekeeper.money.reading import list_payments
from scorekeeper.scoring.values import clean_name, make_name_key

from ..conftest import Run
from ..support.club import change_payment
from ..support.visitor import Visitor
from .importing import WHIST, books, circle_with, pay_everything, replace_names

# Characters and words with a meaning in hledger, Beancount or spreadsheets.
SYNTAX = (
    *(",", ":", ";", "|", "  ", "[", "]", "(", ")", "{", "}", "<", ">", '"', "'", "\\", "=", "~", "!", "*", "#", "%"),
    *("@", "&", "^", "-", "+", "/", "$", "`", "type:", "type:A", "date:2020-01-01", "date2:2020-01-01", "name:"),
    *("[2020-01-01]", "[=2020-01-01]", "2020-01-01", "2020-01-01 close", "P 2020", "include /etc/passwd", "comment"),
    *("account", "alias x=y", "=1+1", "\t=1", ";=1+1", "1.5", "EUR", "Assets:Pot", "\\u002c", "\\n", "\u200f"),
    *("\u202e", "\u2028", "\u00a0", "🂡", "👩‍👧", "אבג", "مرحبا", "हिन्दी", "王", "ǆ", "ß", "İ"),
    *("é", "e\u0301", "A", "a", "1", "٣"),
)
HOSTILE_NAMES = (
    *("x, type:zzz, y", "type:zzz", ",type:zzz", "date:2020-13-99", "a, date:nonsense", "[2020-99-99]", "; x", "x ; y"),
    *("a | b", "a  b", "(code) x", "! x", "* x", "= x", "~ x", '"', "\\", '\\"', "Pot", "-", "=1+1", "x;=1+1", "'"),
)
names = st.lists(st.one_of(st.sampled_from(SYNTAX), st.characters()), min_size=1, max_size=6)
name = st.one_of(st.sampled_from(HOSTILE_NAMES), names.map("".join)).map(lambda text: clean_name(text)[:40].strip())


def sheets_of(player_names: list[str], reason: str, title: str) -> list[dict[str, Any]]:
    sheets = []
    for number in range(0, len(player_names), 4):
        names = dict(zip(WHIST["players"], player_names[number : number + 4], strict=True))
        adjustment = {"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1, "reason": reason}}
        sheets.append(
            replace_names(WHIST, names)
            | {"title": title}
            | {"deals": [*WHIST["deals"], replace_names(adjustment, names)]}
        )
    return sheets


@settings(max_examples=3, phases=[Phase.generate])
@given(st.lists(name.filter(bool), min_size=24, max_size=24, unique_by=make_name_key), name, name)
def test_books_and_spreadsheets_contain_every_name(
    app: Flask, hledger: Run, player_names: list[str], reason: str, title: str
) -> None:
    with app.app_context():
        author = circle_with(*sheets_of(player_names, reason, title))
        pay_everything(author)
        change_payment(list_payments(author.circle)[0], withdraw, author)
        text = books(author.circle, "hledger")
        hledger(text, "check", "--strict", "ordereddates")
        assert set(hledger(text, "tags").split()) == {"name", "table"}
        assert {json.loads(name) for name in hledger(text, "tags", "name", "--values").splitlines()} == set(
            player_names
        )
        accounts = hledger(text, "accounts", "Assets:Players").splitlines()
        assert len({account.split(":")[2] for account in accounts}) == len(player_names)
        assert names_read_by_beancount(books(author.circle, "beancount")) == set(player_names)
        assert cells_of(author) >= {csv_cell(name) for name in player_names}


def names_read_by_beancount(text: str) -> set[str]:
    """Return the names that Beancount reads for the accounts, after checking that it finds no error."""
    entries, errors, _ = loader.load_string(text)
    assert errors == []
    opened = [entry for entry in entries if isinstance(entry, beans.Open)]
    return {entry.meta["name"] for entry in opened if "name" in entry.meta}


def cells_of(author: Membership) -> set[str]:
    """Return the cells of all spreadsheets, after checking that no part of them begins like a formula."""
    cells: set[str] = set()
    for kind in KINDS:
        file = io.BytesIO()
        export = exports.export_circle(author.circle)
        contents = SpreadsheetContents("en", lambda _table: lambda _scored: ("", ""), export)
        write_csv(kind, contents, file)
        for row in csv.reader(io.StringIO(file.getvalue().decode("utf-8-sig"), newline="")):
            cells |= set(row)
    for cell in cells:
        for part in re.split(r"[;\t\r\n]", cell):
            assert not part.lstrip().startswith(tuple("=+@|＝＋－＠｜")), cell
            assert not part.lstrip().startswith("-") or re.fullmatch(r"-[0-9.]+", cell), cell
    return cells


HOSTILE_TITLE = '../../"x"\r\nSet-Cookie: a=b\u202e;=1+1.exe'


def test_names_of_downloaded_files_are_plain_whatever_users_type(app: Flask, visitor: Visitor) -> None:
    with app.app_context():
        author = circle_with(replace_names(WHIST, {"Anne": "../x"}) | {"title": HOSTILE_TITLE})
        written = io.BytesIO()
        write_zip(exports.read_tables(author.circle), written)
        assert zipfile.ZipFile(written).namelist() == ["2026-11-21-whist-1.json"]
    visitor.open_table("whist", **{"seat-1": "../x"})
    circle = visitor.circle
    visitor.visit(circle).more().send({"title": HOSTILE_TITLE}, "/title")
    files = ["export.zip", "spreadsheet.xlsx", *(f"{kind}.csv" for kind in KINDS), "ledger.hledger", "ledger.beancount"]
    pages = [f"{circle}{file}" for file in files] + [f"{circle}recovery/sheet.html"]
    visitor.visit(f"{circle}tables").visit(str(visitor.page.select("a.found")[0]["href"]))
    pages += [f"{visitor.table}{file}" for file in ("sheet.json", "spreadsheet.xlsx", "deals.csv", "ledger.hledger")]
    for page in pages:
        response = visitor.client.get(page, headers=visitor.headers)
        disposition = response.headers["Content-Disposition"]
        assert re.fullmatch(r'attachment; filename="?[\w.-]+"?', disposition, re.ASCII), disposition
        assert response.data is not None
