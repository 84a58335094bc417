"""The longest scores on the smallest phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize

from scorekeeper.games import games

from ..conftest import Server
from .screens import LONG_NAMES
from .table import TablePage

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parent
LOST = (FOLDER / "lost.js").read_text(encoding="utf-8")
FLAWS = (FOLDER / "flaws.js").read_text(encoding="utf-8")
COVERED = (FOLDER / "covered.js").read_text(encoding="utf-8")
TOUCH = {"touch": 44, "apart": 8}
SMALL: ViewportSize = {"width": 360, "height": 640}


LONG_SCORES = """() => {
  for (const score of document.querySelectorAll(".score")) {
    score.classList.add("long");
    (score.querySelector("a") ?? score).textContent = "−4,444";
  }
  for (const points of document.querySelectorAll(".score-line b")) points.textContent = "−4,444";
}"""  # the scores of no game with five seats become as long, but those of another may


def table_with_long_balances(server: Server) -> tuple[str, Any]:
    """Open a table of five players who paid each other much. Return its path and the cookie."""
    game = next(game for game in games().values() if not game.in_sides and max(game.player_counts) == 5)
    visitor = server.visitor()
    table = visitor.open_table(game.slug, **{f"seat-{n}": name for n, name in enumerate(LONG_NAMES, start=1)}).table
    for giver, taker in (("1", "2"), ("3", "4"), ("5", "2")):
        form = visitor.visit(f"{table}deals/adjustment").find("form:has(button[value=counters])")
        visitor.send({"giver": giver, "to": taker, "amount": "4444", "kind": "counters"}, form=form)
        assert visitor.path == table, visitor.text
    return table, visitor.cookie()


@pytest.mark.parametrize("light", ["light", "dark"])
def test_five_players_with_signed_scores_of_four_digits_fit_a_small_phone_with_every_button_in_reach(
    phone: Callable[..., Page], server: Server, light: str
) -> None:
    table, cookie = table_with_long_balances(server)
    page = phone(storage_state=cookie, viewport=SMALL, color_scheme=light)
    for path in ("", "deals/new", "display", "settlement", "after/3"):
        page.goto(f"{table}{path}")
        page.evaluate(LONG_SCORES)
        assert not in_the_way(page), path
    page.goto(f"{table}deals/new")
    TablePage(page).press("record")  # refused, with a problem at every group
    page.evaluate(LONG_SCORES)
    assert page.locator(".problem").count()
    assert not in_the_way(page)
    page.locator("#main-action").tap(trial=True)


@pytest.mark.parametrize("width", [390, 320])
def test_six_scores_of_seven_digits_stay_on_their_cards(phone: Callable[..., Page], server: Server, width: int) -> None:
    visitor = server.visitor()
    visitor.open_table("any-game", 6).record(**{f"points-{n}": "-1000000" for n in range(1, 7)})
    page = phone(storage_state=visitor.cookie(), viewport={"width": width, "height": 640})
    for path in ("", "display"):
        page.goto(f"{visitor.table}{path}")
        assert page.evaluate(
            "() => [...document.querySelectorAll('.score')].every((s) => s.scrollWidth <= s.clientWidth)"
        )


def in_the_way(page: Page) -> list[str]:
    """Return what does not fit, is covered, or is too small to tap."""
    width = SMALL["width"]
    return [*page.evaluate(LOST, width), *page.evaluate(COVERED), *page.evaluate(FLAWS, {"width": width, **TOUCH})]
