"""Books read by hledger and Beancount themselves."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from flask import Flask
from hypothesis import given

from scorekeeper.files.books import components
from scorekeeper.games import games
from scorekeeper.limits import FIRST_DAY, MAX_DAYS_AHEAD

from ..conftest import Run
from ..support.game_data import sheets as cases
from .importing import FRANCION, UNUSUAL_NAMES, WHIST, books, circle_with, player_names

WRITTEN = Path(__file__).parent / "written"


@pytest.mark.parametrize("slug", sorted(games()))
def test_both_programs_accept_the_books_of_the_sheets_worked_by_hand(
    app: Flask, bean_check: Run, hledger: Run, slug: str
) -> None:
    with app.app_context():
        author = circle_with(*cases(slug))
        bean_check(books(author.circle, "beancount"))
        hledger(books(author.circle, "hledger"), "check", "--strict")


def test_both_programs_accept_the_books_written_by_hand(bean_check: Run, hledger: Run) -> None:
    bean_check((WRITTEN / "evening.beancount").read_text(encoding="utf-8"))
    hledger((WRITTEN / "evening.hledger").read_text(encoding="utf-8"), "check", "--strict")


@pytest.mark.parametrize("program", ["beancount", "hledger"])
def test_books_without_one_of_their_transactions_are_rejected(
    app: Flask, bean_check: Run, hledger: Run, program: str
) -> None:
    """The asserted balances come from the app, not from the transactions in the file."""
    with app.app_context():
        text = books(circle_with(WHIST).circle, program)
    first = re.compile(r"\n2026-11-21 \* .*\n(?: +\S.*\n)+")
    assert first.search(text)
    broken = first.sub("\n", text, count=1)
    with pytest.raises(AssertionError):
        bean_check(broken) if program == "beancount" else hledger(broken, "check")


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


def test_the_first_and_last_possible_dates_are_valid(app: Flask, bean_check: Run, hledger: Run) -> None:
    with app.app_context():
        author = circle_with(
            WHIST | {"played_on": (date.today() + timedelta(MAX_DAYS_AHEAD)).isoformat()},
            FRANCION | {"played_on": FIRST_DAY.isoformat()},
        )
        bean_check(books(author.circle, "beancount"))
        hledger(books(author.circle, "hledger"), "check", "--strict")
