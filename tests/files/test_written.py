"""Two tables and their payments in every export format, byte for byte as written by hand."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from scorekeeper.files.books import PROGRAMS, write_books
from scorekeeper.files.exports import Export, ExportedPayment, ExportedPlayer, ExportedTable
from scorekeeper.files.sheets import sheet_text, write_zip
from scorekeeper.files.spreadsheets import KINDS, SpreadsheetContents, write_csv
from scorekeeper.models import Event, Payment, Player, Table
from scorekeeper.scoring.currency import SUBUNITS_PER_UNIT

from ..tables.states import NAMES, record, table_state

WRITTEN = Path(__file__).parent / "written"
FRIDAY, SATURDAY = date(2026, 11, 20), date(2026, 11, 21)


def tables() -> list[ExportedTable]:
    """Return a table of Francion without stakes, and a robre of Whist won by 5 at 0.25 EUR per fiche."""
    out, misdeal = {"adjustment": {"to": "ns", "points": 10}}, {"misdeal": True}
    won = {"tricks": {"1": 4, "2": 5}, "welche": {"event": "won", "player": "2"}}
    agreed = {"adjustment": {"from": "1", "to": "2", "fiches": 2, "reason": 'a ; \\ "round"'}}
    francion = table_state(record(won), record(agreed), game="francion", dealer="2", day=FRIDAY)
    money = {"value_currency": "EUR", "value_unit": "fiche", "value_amount": "0.25"}
    whist = table_state(record(out), record(misdeal), record(out), title="=Friday", day=SATURDAY, **money)
    return [ExportedTable("2026-11-20-francion-1", francion), ExportedTable("2026-11-21-whist-2", whist)]


def payment(number: int, giver: str | None, taker: str | None, amount: int, **columns: Any) -> ExportedPayment:
    parties = (Player(name=name) if name is not None else None for name in (giver, taker))
    stored = {"kind": "payment", "account": "EUR", "paid_on": SATURDAY} | columns
    row = Payment(number=number, amount=amount, **dict(zip(("giver", "taker"), parties, strict=True)), **stored)
    return ExportedPayment(row, 1 if row.table is not None else None)


def payments() -> list[ExportedPayment]:
    """Return a payment that was taken back, one of four jetons for Friday's table, and a fee, an expense and income."""
    euros = 5 * SUBUNITS_PER_UNIT // 4
    return [
        payment(1, "Bruno", "Anne", euros, withdrawn_at=datetime(2026, 11, 21)),
        payment(
            2, "Chloé", "Bruno", 4, account="francion", paid_on=FRIDAY, table=Table(game="francion", house_rules={})
        ),
        payment(3, "Bruno", None, 4 * euros, method="cash", note="Fee", event=Event(title="Drive")),
        payment(4, None, None, euros, kind="expense", method="transfer", note="Room", evening=SATURDAY),
        payment(5, None, None, 2 * euros, kind="income"),
    ]


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_books_equal_those_written_by_hand(program: str) -> None:
    written, waiting = BytesIO(), payment(6, "Anne", "Bruno", SUBUNITS_PER_UNIT, needs_confirmation=True)
    write_books(program, "en", Export(tables(), [*payments(), waiting], names=NAMES), written)
    assert written.getvalue().decode() == (WRITTEN / f"evening.{program}").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_a_spreadsheet_equals_the_one_written_by_hand(kind: str) -> None:
    written = BytesIO()
    quarter = SUBUNITS_PER_UNIT // 4
    players = [
        ExportedPlayer("Anne", 2, "EUR", won=5 * quarter, paid=-4 * quarter, open=quarter),
        ExportedPlayer("Bruno", 2),
    ]
    export = Export(tables(), payments(), players=players)
    contents = SpreadsheetContents("en", lambda _: lambda scored: (f"Deal {scored.deal.id}", ""), export)
    write_csv(kind, contents, written)
    assert written.getvalue() == (WRITTEN / f"{kind}.csv").read_bytes()


def test_a_zip_contains_every_sheet_by_its_label_and_no_time() -> None:
    first, second = BytesIO(), BytesIO()
    for file in (first, second):
        write_zip(tables(), file)
    assert first.getvalue() == second.getvalue()
    with zipfile.ZipFile(first) as archive:
        assert archive.namelist() == ["2026-11-20-francion-1.json", "2026-11-21-whist-2.json"]
        for entry, (_, table) in zip(archive.infolist(), tables(), strict=True):
            assert archive.read(entry).decode() == sheet_text(table.sheet())
            assert (entry.external_attr >> 16, entry.create_system) == (0o644, 3)
            assert entry.compress_type == zipfile.ZIP_DEFLATED
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
