"""An event on paper: cards, slips and sheets, which only the director may print."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.events.drawing import DIRECTIONS

from .hall import EIGHT, Hall

PAGES = ("", "/tables", "/cards", "/slips", "/sheet")


@pytest.mark.parametrize("page", PAGES)
def test_everything_can_be_printed_before_anybody_has_entered(app: Flask, page: str) -> None:
    empty = Hall(app, names=())
    for query in ("", "?blank=1", "?count=-1", "?round=0", "?round=99", "?count=0", "?count=é", "?count=99999999999"):
        assert empty.director.client.get(f"{empty.path}/paper{page}{query}").status_code == 200


def test_a_score_card_says_where_one_will_sit(hall: Hall) -> None:
    """Before the first round is drawn, and as it is drawn then."""
    state = hall.state()
    ahead = state.format.rounds_ahead(state.next_draw())
    assert len(ahead) == 7
    before = rows_of_cards(hall)
    for number in range(1, 8):
        hall.draw(number)
    assert [of_round.tables for of_round in ahead] == [
        tuple(table.pairs for table in played.tables) for played in hall.state().rounds
    ]
    assert rows_of_cards(hall) == before
    seat = hall.state().seats[1]
    assert seat.direction in DIRECTIONS
    assert f"{seat.table} {seat.direction[0].upper()}" in before[0][-1]
    assert EIGHT[seat.partner - 1] in before[0][-1]


def rows_of_cards(hall: Hall) -> list[list[str]]:
    cards = hall.visit("paper/cards").page.select(".score-cards li")
    return [[" ".join(row.text.split()) for row in card.select("tbody tr")] for card in cards]


def test_slips_have_the_names_of_the_round(hall: Hall) -> None:
    hall.draw(1)
    first = hall.state()
    hall.draw(2)
    page = hall.visit("paper/slips?round=1").page
    slips = [slip.text for slip in page.select(".slips li")]
    for row, slip in zip(first.current_tables, slips, strict=True):
        assert all(first.name_of(who) in slip for pair in row.pairs for who in pair)
    assert len(hall.visit("paper/slips?blank=1").page.select(".slips li")) == 8
