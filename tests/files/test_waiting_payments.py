"""Ledgers leave out payments that wait for a confirmation."""

from __future__ import annotations

from datetime import date, datetime
from io import BytesIO

import pytest

from scorekeeper.files.ledgers import PROGRAMS, write_ledger
from scorekeeper.files.spreadsheets import ExportedPayment


def payment(number: int, *, waits: bool = False, withdraws: int | None = None) -> ExportedPayment:
    day = date(2026, 11, 22)
    return ExportedPayment(
        number=number,
        at=datetime(2026, 11, 22, 20),
        day=day,
        giver="Anne",
        taker="Bruno",
        account="EUR",
        amount=90_000 * number,
        withdraws=withdraws,
        is_waiting=waits,
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_ledger_leaves_out_what_waits_and_what_was_withdrawn_before_it_counted(program: str) -> None:
    file, expected = BytesIO(), BytesIO()
    payments = [payment(1), payment(2, waits=True), payment(3, waits=True), payment(4, withdraws=3), payment(5)]
    write_ledger(program, "en", ["Anne", "Bruno"], [], payments, file)
    write_ledger(program, "en", ["Anne", "Bruno"], [], [payment(1), payment(5)], expected)
    assert file.getvalue() == expected.getvalue()
