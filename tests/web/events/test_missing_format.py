"""An event whose format or game is no longer installed can still be read, and says why nothing is drawn."""

from __future__ import annotations

import pytest
from flask import Flask

from .hall import Hall

PAGES = (
    *("", "/director", "/entrants", "/entrants/1", "/settings", "/links", "/money", "/paper", "/wall", "/wall/now"),
    *("/results", "/results/rounds/1", "/rounds/1", "/rounds/1/tables/1", "/tables/1"),
)


@pytest.mark.parametrize("column", ["format", "game"])
def test_every_page_can_be_read(app: Flask, column: str) -> None:
    hall = Hall(app)
    hall.draw(1)
    hall.enter_slip(1, 1, 8)
    hall.change(**{column: "gone"})
    statuses = {page: hall.director.client.get(hall.path + page).status_code for page in PAGES}
    assert {page: status for page, status in statuses.items() if status != 200} == {}


def test_drawing_says_that_the_format_is_missing(app: Flask) -> None:
    hall = Hall(app)
    hall.draw(1)
    for table in (1, 2):
        hall.enter_slip(1, table, 8)
    hall.change(format="gone")
    hall.director.visit(f"{hall.path}/director").send({}, "/rounds")
    assert hall.director.status == 422
    assert "gone" in hall.director.text
    assert hall.state().current_number == 1
