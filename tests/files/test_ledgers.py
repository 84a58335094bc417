"""Ledgers read by hledger and Beancount themselves."""

from __future__ import annotations

import re
from datetime import date, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import given

from scorekeeper.db.outcome import Done
from scorekeeper.files import exports
from scorekeeper.files.ledgers import components, write_ledger
from scorekeeper.games import games
from scorekeeper.limits import FIRST_DAY, MAX_DAYS_AHEAD
from scorekeeper.models import Circle
from scorekeeper.money import payments
from scorekeeper.money.payments import WITHDRAW, PaymentRequest
from scorekeeper.money.reading import build_seen, list_payments

from ..club import change_payment
from ..conftest import Run
from ..game_data import sheets as cases
from .importing import UNUSUAL_NAMES, circle_with, pay_everything, player_names

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


def ledger(circle: Circle, program: str, language: str = "en") -> str:
    written = BytesIO()
    names, tables = exports.list_names(circle), exports.read_tables(circle)
    write_ledger(program, language, names, tables, exports.read_payments(circle), written, exports.read_fees(circle))
    return written.getvalue().decode()


def write_file(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("slug", sorted(games()))
def test_both_programs_accept_the_ledgers_of_the_sheets_worked_by_hand(
    app: Flask, tmp_path: Path, bean_check: Run, hledger: Run, slug: str
) -> None:
    with app.app_context():
        author = circle_with(*cases(slug))
        bean_check(write_file(tmp_path, ledger(author.circle, "beancount"), "all.beancount"))
        hledger(write_file(tmp_path, ledger(author.circle, "hledger"), "all.hledger"), "check", "--strict")


@pytest.mark.parametrize("program", ["beancount", "hledger"])
def test_a_ledger_without_one_of_its_transactions_is_rejected(
    app: Flask, tmp_path: Path, bean_check: Run, hledger: Run, program: str
) -> None:
    """The asserted balances come from the app, not from the transactions in the file."""
    with app.app_context():
        text = ledger(circle_with(WHIST).circle, program)
    first = re.compile(r"\n2026-11-21 \* .*\n(?: +\S.*\n)+")
    assert first.search(text)
    path = write_file(tmp_path, first.sub("\n", text, count=1), f"broken.{program}")
    with pytest.raises(AssertionError):
        bean_check(path) if program == "beancount" else hledger(path, "check")


def test_payments_clear_the_counters_at_their_value(app: Flask, tmp_path: Path, hledger: Run) -> None:
    with app.app_context():
        author = circle_with(WHIST)
        before = hledger(write_file(tmp_path, ledger(author.circle, "hledger"), "before.hledger"), *AT_COST)
        assert amounts(before) == {"Anne": "1.25 EUR", "Bruno": "-1.25 EUR", "Chloé": "1.25 EUR", "David": "-1.25 EUR"}
        pay_everything(author)
        after = hledger(write_file(tmp_path, ledger(author.circle, "hledger"), "after.hledger"), *AT_COST)
        assert amounts(after) == dict.fromkeys(("Anne", "Bruno", "Chloé", "David"), "0")


AT_COST = ("balance", "--cost", "--flat", "--empty", "--no-total", "--format", "%(account) %(total)", "EUR$")


def amounts(output: str) -> dict[str, str]:
    lines = [line.split(" ", 1) for line in output.splitlines() if line]
    return {account.split(":")[2]: amount.strip() for account, amount in lines}


def test_payments_that_were_taken_back_are_left_out_and_the_cash_box_has_accounts(
    app: Flask, tmp_path: Path, bean_check: Run, hledger: Run
) -> None:
    with app.app_context():
        author = circle_with(WHIST)
        pay_everything(author, 1)
        paid = list_payments(author.circle)[0]
        change_payment(paid, WITHDRAW, author)
        anne = next(player.id for player in author.circle.players if player.name == "Anne")
        for kind, giver in (("payment", anne), ("expense", None), ("income", None)):
            request = PaymentRequest("EUR", giver, None, 9_000_000, f"box {kind}", kind=kind)
            seen = build_seen(author.circle)
            assert isinstance(payments.pay(author.circle, request, seen, author), Done)
        text, other = (ledger(author.circle, program) for program in ("beancount", "hledger"))
    bean_check(write_file(tmp_path, text, "box.beancount"))
    hledger(write_file(tmp_path, other, "box.hledger"), "check", "--strict")
    assert "Payment 1" not in text
    assert "Payment 2: Anne pays the cash box" in text
    assert "balance Assets:Cash-Box:Held:EUR 1.00 ~ 0 EUR" in text
    assert "balance Assets:Cash-Box:Open:EUR -1.00 ~ 0 EUR" in text
    assert "balance Expenses:Cash-Box:EUR 1.00 ~ 0 EUR" in text


def test_counters_of_two_tables_of_a_day_are_exchanged_at_the_value_of_each(app: Flask) -> None:
    """A ninth of 0.25 is a repeating decimal. What rounding the balances leaves over is in an account of its own."""
    values = ({"currency": "EUR", "unit": "fiche", "amount": amount} for amount in ("0.25", "1"))
    won = {"adjustment": {"from": "Bruno", "to": "Anne", "jetons": 4, "reason": "agreed"}}
    lost = {"adjustment": {"from": "Chloé", "to": "Anne", "jetons": 4, "reason": "agreed"}}
    with app.app_context():
        text = ledger(
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


def test_the_pot_has_its_own_account_which_ends_at_zero(app: Flask) -> None:
    with app.app_context():
        text = ledger(circle_with(FRANCION).circle, "beancount")
    assert "  Assets:Pot  9 FRANCION.JETON" in text
    assert "balance Assets:Pot 0 ~ 0 FRANCION.JETON" in text


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
        bean_check(write_file(tmp_path, ledger(author.circle, "beancount"), "late.beancount"))
        hledger(write_file(tmp_path, ledger(author.circle, "hledger"), "late.hledger"), "check", "--strict")
