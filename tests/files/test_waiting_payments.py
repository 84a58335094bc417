"""Ledgers leave out payments that wait for a confirmation."""

from __future__ import annotations

from datetime import date, datetime
from io import BytesIO
from typing import Any

import pytest

from scorekeeper.files.ledgers import PROGRAMS, write_ledger
from scorekeeper.files.spreadsheets import ExportedPayment
from scorekeeper.models import Payment, Player


def payment(number: int, **columns: Any) -> ExportedPayment:
    parties = {"giver": Player(name="Anne"), "taker": Player(name="Bruno")}
    made = {"kind": "payment", "account": "EUR", "amount": str(90_000 * number), "paid_on": date(2026, 11, 22)}
    return ExportedPayment(Payment(number=number, **parties, **made, **columns))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_ledger_leaves_out_what_waits_and_what_was_taken_back(program: str) -> None:
    file, expected = BytesIO(), BytesIO()
    payments = [
        payment(1),
        payment(2, needs_confirmation=True),
        payment(3, withdrawn_at=datetime(2026, 11, 22)),
        payment(5),
    ]
    write_ledger(program, "en", ["Anne", "Bruno"], [], payments, file)
    write_ledger(program, "en", ["Anne", "Bruno"], [], [payment(1), payment(5)], expected)
    assert file.getvalue() == expected.getvalue()
