"""Books read by hledger and Beancount themselves."""

from __future__ import annotations

import re
from datetime import date, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import given

from scorekeeper.files import exports
from scorekeeper.files.books import components, write_books
from scorekeeper.games import games
from scorekeeper.limits import FIRST_DAY, MAX_DAYS_AHEAD
from scorekeeper.models import Circle

from ..conftest import Run
from ..game_data import sheets as cases
from .importing import UNUSUAL_NAMES, circle_with, player_names

WRITTEN = Path(__file__).parent / "written"

FRANCION: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "francion",
    "players": ["Anne", "Bruno", "Chloé"],
    "deals": [{"tricks": {"Bruno": 5, "Chloé": 4}, "welche": {"event": "turned"}}],
    "played_on": "2026-11-20",
}
WHIST: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "whist",
    "players": ["Anne", "Bruno", "Chloé", "David"],
    "deals": [{"tricks": {"ns": 13}}] * 4,
    "played_on": "2026-11-21",
    "value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
}


def books(circle: Circle, program: str, language: str = "en") -> str:
    written = BytesIO()
    names, tables = exports.list_names(circle), exports.read_tables(circle)
    write_books(program, language, names, tables, exports.read_payments(circle), exports.read_fees(circle), written)
    return written.getvalue().decode()


def write_file(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("slug", sorted(games()))
def test_both_programs_accept_the_books_of_the_sheets_worked_by_hand(
    app: Flask, tmp_path: Path, bean_check: Run, hledger: Run, slug: str
) -> None:
    with app.app_context():
        author = circle_with(*cases(slug))
        bean_check(write_file(tmp_path, books(author.circle, "beancount"), "all.beancount"))
        hledger(write_file(tmp_path, books(author.circle, "hledger"), "all.hledger"), "check", "--strict")


def test_both_programs_accept_the_books_written_by_hand(bean_check: Run, hledger: Run) -> None:
    bean_check(WRITTEN / "evening.beancount")
    hledger(WRITTEN / "evening.hledger", "check", "--strict")


@pytest.mark.parametrize("program", ["beancount", "hledger"])
def test_books_without_one_of_their_transactions_are_rejected(
    app: Flask, tmp_path: Path, bean_check: Run, hledger: Run, program: str
) -> None:
    """The asserted balances come from the app, not from the transactions in the file."""
    with app.app_context():
        text = books(circle_with(WHIST).circle, program)
    first = re.compile(r"\n2026-11-21 \* .*\n(?: +\S.*\n)+")
    assert first.search(text)
    path = write_file(tmp_path, first.sub("\n", text, count=1), f"broken.{program}")
    with pytest.raises(AssertionError):
        bean_check(path) if program == "beancount" else hledger(path, "check")


def test_counters_of_two_tables_of_a_day_are_exchanged_at_the_value_of_each(app: Flask) -> None:
    """A ninth of 0.25 is a repeating decimal. What rounding the balances leaves over is in an account of its own."""
    values = ({"currency": "EUR", "unit": "fiche", "amount": amount} for amount in ("0.25", "1"))
    won = {"adjustment": {"from": "Bruno", "to": "Anne", "jetons": 4, "reason": "agreed"}}
    lost = {"adjustment": {"from": "Chloé", "to": "Anne", "jetons": 4, "reason": "agreed"}}
    with app.app_context():
        text = books(
            circle_with(*(FRANCION | {"value": value, "deals": [won, lost]} for value in values)).circle, "hledger"
        )
    assert (
        "2026-11-20 * Francion, counters exchanged: 1 fiche = 0.25 EUR\n"
        "    ; table: 2026-11-20-francion-1\n"
        '    Assets:Players:Anne:Counters  -8 "FRANCION.JETON"\n'
        "    Assets:Players:Anne:EUR  0.222222 EUR\n"
        '    Assets:Players:Bruno:Counters  4 "FRANCION.JETON"\n'
        "    Assets:Players:Bruno:EUR  -0.111111 EUR\n"
        '    Assets:Players:Chloé:Counters  4 "FRANCION.JETON"\n'
        "    Assets:Players:Chloé:EUR  -0.111111 EUR\n"
    ) in text
    assert "Francion, counters exchanged: 1 fiche = 1 EUR" in text
    assert "    Assets:Players:Anne:EUR  0 EUR = 1.111111 EUR" in text
    assert "    Equity:Rounding  0 EUR = 0.000001 EUR" in text


@given(player_names(8))
def test_no_two_players_share_an_account(names: list[str]) -> None:
    by_name = components([*names, *(name for name in UNUSUAL_NAMES if name not in names)])
    assert len(set(by_name.values())) == len(by_name)
    assert all(re.fullmatch(r"\w[\w-]*", component) for component in by_name.values())


def test_the_first_and_last_possible_dates_are_valid(app: Flask, tmp_path: Path, bean_check: Run, hledger: Run) -> None:
    with app.app_context():
        author = circle_with(
            WHIST | {"played_on": (date.today() + timedelta(MAX_DAYS_AHEAD)).isoformat()},
            FRANCION | {"played_on": FIRST_DAY.isoformat()},
        )
        bean_check(write_file(tmp_path, books(author.circle, "beancount"), "late.beancount"))
        hledger(write_file(tmp_path, books(author.circle, "hledger"), "late.hledger"), "check", "--strict")
