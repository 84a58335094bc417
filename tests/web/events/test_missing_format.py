"""An event whose format or game is no longer installed can still be read, and says why nothing is drawn."""

from __future__ import annotations

import pytest
from flask import Flask

from .hall import Hall

PAGES = (
    *("", "/director", "/entrants", "/entrants/1", "/settings", "/links", "/money", "/paper", "/wall", "/wall/now"),
    *("/results", "/results/rounds/1", "/results/numbers/1", "/rounds/1", "/rounds/1/tables/1", "/tables/1"),
    *("/results/standings.csv", "/results/tables.csv", "/paper/cards", "/paper/slips", "/paper/sheet"),
)


def expect_readable(hall: Hall) -> None:
    statuses = {page: hall.director.visit(hall.path + page).status for page in PAGES}
    assert {page: status for page, status in statuses.items() if status != 200} == {}


@pytest.mark.parametrize("column", ["format", "game"])
def test_every_page_can_be_read(app: Flask, column: str) -> None:
    hall = Hall(app)
    hall.draw(1)
    hall.enter_slip(1, 1, 8)
    hall.change(**{column: "gone"})
    expect_readable(hall)
