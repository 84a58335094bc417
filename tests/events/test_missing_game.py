"""An event whose game is no longer installed can still be read."""

from __future__ import annotations

from flask import Flask

from .hall import Hall

PAGES = (
    *("", "director", "entrants", "entrants/1", "settings", "links", "money", "paper", "wall"),
    *("results", "results/rounds/1", "results/numbers/1", "rounds/1", "rounds/1/tables/1", "tables/1"),
    *("results/standings.csv", "results/tables.csv", "paper/cards", "paper/slips", "paper/sheet"),
)


def test_every_page_can_be_read(app: Flask) -> None:
    hall = Hall(app)
    hall.draw(1)
    hall.enter_slip(1, 1, 8)
    hall.change(game="gone")
    statuses = {page: hall.visit(page).status for page in PAGES}
    assert {page: status for page, status in statuses.items() if status != 200} == {}
