"""Read some thousands of corrupted sheets, the same in every run."""

from __future__ import annotations

from . import sheets


def test_a_corrupted_sheet_gives_a_statement_or_a_located_error() -> None:
    found = sheets.run(3_000)
    print(found)
    assert found.spoiled == 3_000
    assert found.statements > 300
    assert len(found.errors) > 20
