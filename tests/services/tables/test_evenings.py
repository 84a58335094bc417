"""The days of tables, and what follows from them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from scorekeeper.services.outcome import Done
from scorekeeper.services.tables.details import change, read_details
from scorekeeper.services.tables.evenings import years_with_tables
from scorekeeper.services.totals import periods

from ..club import Club


def test_a_year_that_all_its_tables_have_left_is_not_listed(club: Club) -> None:
    club.table(("Anne", "Bruno", 5), day=date(2018, 12, 31))
    moved = club.table(("Anne", "Bruno", 3), day=date(2019, 1, 1))
    assert years_with_tables(club.circle, ["2019", "2018"]) == ["2019", "2018"]
    seen = read_details(moved)
    assert change(moved, replace(seen, day="2020-02-29"), seen.mark, club.browser) == Done(None)
    years = periods.read(club.circle).years
    assert set(years) >= {"2020", "2019", "2018"}  # its month has a counter of changes
    assert years_with_tables(club.circle, years) == ["2020", "2018"]


def test_a_circle_without_tables_has_no_years(club: Club) -> None:
    assert years_with_tables(club.circle, []) == []
    assert years_with_tables(club.circle, ["2020"]) == []
