"""Every page with text of twice the size, with words of forty letters, in forced colours, and with long scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from scorekeeper.games import games

from ..conftest import PHONE, TIMEOUT, Server
from .screens import LONG_NAMES, SCREENS, Screen, Tables
from .table import TablePage

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parent
LOST = (FOLDER / "lost.js").read_text(encoding="utf-8")
SCROLLERS = (FOLDER / "scrollers.js").read_text(encoding="utf-8")
STRETCH = (FOLDER / "stretch.js").read_text(encoding="utf-8")
FORCED = (FOLDER / "forced_colours.js").read_text(encoding="utf-8")
FLAWS = (FOLDER / "flaws.js").read_text(encoding="utf-8")
UNREACHED = (FOLDER / "keyboard.js").read_text(encoding="utf-8")
COVERED = (FOLDER / "covered.js").read_text(encoding="utf-8")
ALL_OPEN = "() => document.querySelectorAll('details').forEach((folded) => { folded.open = true })"
TOUCH = {"touch": 44, "apart": 8}
SMALL: ViewportSize = {"width": 360, "height": 640}
ZOOMED = ((390, 200), (320, 200), (390, 100))  # width of the screen, size of text in per cent
STRETCHED = ((320, 100), (320, 200))


@pytest.fixture(scope="module")
def reader(chromium: Browser, server: Server, tables: Tables) -> Iterator[tuple[Page, list[str]]]:
    """A phone in French that visits every page, and the errors of the pages' scripts."""
    context = chromium.new_context(
        base_url=server.url,
        locale="fr-FR",
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
        service_workers="block",  # as in test_looks.py
        storage_state=tables.cookie,
    )
    context.set_default_timeout(TIMEOUT)
    page, errors = context.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page, errors
    context.close()


def open_all(page: Page, tables: Tables, screen: Screen) -> None:
    """Open the page with everything unfolded."""
    page.set_viewport_size(PHONE)
    tables.look(page, screen)
    page.evaluate(ALL_OPEN)


def lost(page: Page, width: int, size: int) -> list[str]:
    """Return what does not fit, or can be scrolled to only by touch."""
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("(size) => { document.documentElement.style.fontSize = `${size}%` }", size)
    scrollers = page.evaluate(SCROLLERS)
    found = page.evaluate(LOST, width)
    found += [f"out of the keyboard's reach: {part['what']}" for part in scrollers if not part["isReachable"]]
    return [f"{width} px, {size} %: {flaw}" for flaw in found]


@pytest.mark.parametrize("screen", [pytest.param(screen, id=str(screen)) for screen in SCREENS])
def test_a_page_shows_all_in_forced_colours_with_large_text_and_with_long_words(
    reader: tuple[Page, list[str]], tables: Tables, screen: Screen
) -> None:
    """Text of twice the size, and words of forty letters. All of it on one visit: opening a page takes longest."""
    page, errors = reader
    errors.clear()
    open_all(page, tables, screen)
    if screen.path in ("print", "chart"):  # the printable sheet and the figures fit a phone without scrolling
        assert not page.evaluate(SCROLLERS)
    assert not lost_in_forced_colours(page)
    assert not [flaw for width, size in ZOOMED for flaw in lost(page, width, size)]
    if screen.path != "display":  # see test_display.py: long names are smaller there
        page.evaluate(STRETCH)
    assert not [flaw for width, size in STRETCHED for flaw in lost(page, width, size)]
    assert not errors


def lost_in_forced_colours(page: Page) -> list[str]:
    """Return the choices, marks, charts and signs of the focus that forced colours hide, and targets they spoil."""
    page.emulate_media(forced_colors="active")
    found: list[str] = page.evaluate(FORCED) + page.evaluate(FLAWS, {"width": PHONE["width"], **TOUCH})
    page.keyboard.press("Tab")
    found += page.evaluate(UNREACHED)
    page.emulate_media(forced_colors="none")
    return found


LONG_SCORES = """() => {
  for (const score of document.querySelectorAll(".score")) {
    score.classList.add("long");
    (score.querySelector("a") ?? score).textContent = "−4,444";
  }
  for (const line of document.querySelectorAll(".score-line")) line.textContent = Array(5).fill("−4,444").join("–");
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
    page.locator("button[value=record]").tap(trial=True)


def in_the_way(page: Page) -> list[str]:
    """Return what does not fit, is covered, or is too small to tap."""
    width = SMALL["width"]
    return [*page.evaluate(LOST, width), *page.evaluate(COVERED), *page.evaluate(FLAWS, {"width": width, **TOUCH})]
