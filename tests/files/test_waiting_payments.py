"""Ledgers leave out payments that wait for a confirmation."""

from __future__ import annotations

from datetime import date
from io import BytesIO

import pytest

from scorekeeper.files.ledgers import PROGRAMS, write_ledger
from scorekeeper.files.spreadsheets import ExportedPayment


def payment(number: int, state: str = "paid") -> ExportedPayment:
    return ExportedPayment(number, "payment", date(2026, 11, 22), "Anne", "Bruno", "EUR", 90_000 * number, state=state)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_ledger_leaves_out_what_waits_and_what_was_taken_back(program: str) -> None:
    file, expected = BytesIO(), BytesIO()
    payments = [payment(1), payment(2, "waiting"), payment(3, "removed"), payment(5)]
    write_ledger(program, "en", ["Anne", "Bruno"], [], payments, file)
    write_ledger(program, "en", ["Anne", "Bruno"], [], [payment(1), payment(5)], expected)
    assert file.getvalue() == expected.getvalue()
