"""An event whose format or game is no longer installed can still be read, and says why nothing is drawn."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.services.events.games import event_games

from ...missing import uninstalled
from .hall import Hall

GAME = next(game for game in event_games().values() if game.named_by)
HEARTS = {"name": "Hearts", "best": "lowest"}

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


def test_without_a_game_that_everybody_plays_alone_all_results_can_be_read_and_none_is_recorded(app: Flask) -> None:
    hall = Hall(app, game=GAME.slug, house_rules=HEARTS, scoring="total")
    hall.draw(1)
    fields = {f"score-{side}": str(score) for side, score in enumerate((26, 0, 13, 5))}
    for table in (1, 2):
        assert not hall.director.visit(f"{hall.path}/rounds/1/tables/{table}").send(fields).problems()
    hall.finish()
    with uninstalled(GAME.slug):
        expect_readable(hall)
        scores = hall.director.visit(f"{hall.path}/results/rounds/1").page.select("td.score")
        assert [score.get_text() for score in scores[:4]] == ["26", "0", "13", "5"]
        refused = hall.director.visit(f"{hall.path}/rounds/1/tables/2").send(fields)
        assert (refused.status, "not installed" in refused.text) == (422, True)
        assert hall.director.visit(f"/circles/{hall.director.circle}/standings").status == 200


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
