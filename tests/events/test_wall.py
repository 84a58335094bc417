"""What the wall of an event shows: who sits where, then the standings, in pages that fit a screen."""

from __future__ import annotations

import re

import pytest
from bs4 import Tag
from flask import Flask

from scorekeeper.events.pages import displays

from .hall import EIGHT, Hall


def pages_of(hall: Hall, query: str = "") -> list[Tag]:
    return list(hall.visit(f"wall{query}").page.select(".wall-page"))


def lines_of(page: Tag) -> list[str]:
    return [" ".join(line.text.split()) for line in page.select("li")]


def test_everybody_finds_their_table_by_name(app: Flask) -> None:
    hall = Hall(app, names=(*EIGHT, "Isaac"))
    hall.draw(1, start=False)
    (page,) = pages_of(hall)
    state = hall.state()
    assert [line.partition(" ")[0] for line in lines_of(page)] == [*EIGHT, "Isaac"]  # in alphabetical order
    for number, name in enumerate((*EIGHT, "Isaac"), start=1):
        seat = state.seats.get(number)
        expected = f"{seat.table} {seat.direction[0].upper()}" if seat is not None else "sits out"
        assert f"{name} {expected}" in lines_of(page)


def test_a_thousand_people_have_pages_that_fit(app: Flask) -> None:
    hall = Hall(app, names=tuple(f"Player {number}" for number in range(1, 1_001)), rounds=1)
    hall.draw(1)
    hall.enter_slip(1, 1, 9)
    pages = pages_of(hall)
    seats = [page for page in pages if "your table" in page.text]
    assert sum(len(page.select("li")) for page in seats) == 1_000
    assert all(len(page.select("li")) <= 72 for page in pages)
    assert len(pages) - len(seats) == displays.MAX_STANDINGS_PAGES


@pytest.mark.parametrize(
    ("turn", "shown"), [("", 0), ("0", 0), ("1", 1), ("2", 0), ("-1", 1), ("many", 0), ("9" * 40, 1)]
)
def test_without_scripts_the_next_page_loads_itself(app: Flask, turn: str, shown: int) -> None:
    hall = Hall(app)
    hall.draw(1)
    hall.enter_slip(1, 1, 9)
    pages = pages_of(hall, f"?turn={turn}&calls=yes")
    assert [page.has_attr("hidden") for page in pages] == [index != shown for index in range(2)]
    refresh = str(hall.director.find("noscript meta")["content"])
    assert re.search(r"url=/events/.*/wall\?calls=yes&turn=\d+", refresh)
