"""An evening of any game in a real browser, on a phone: everything is tapped."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from ..games import games
from ..scoring.game import fold
from ..tables.seating import rename_players
from .guest import describe_game
from .parameters import pytest_generate_tests  # noqa: F401  # pytest looks for it in this module
from .playing import NAMES, PseudoRandom, tapped

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

DEALS = 3


def test_an_evening_is_tapped_on_a_phone(slug: str, phone: Callable[..., Page]) -> None:
    game, page = games()[slug], phone()
    players = min(game.player_counts)
    table = open_table(page, slug, players)
    seats = tuple(map(str, range(1, players + 1)))
    game = game.under(game.usual_options, players)
    standing, chooser, deals = game.open(seats, "1", game.usual_options), PseudoRandom(7), []
    for _ in range(DEALS):
        if standing.is_finished:
            break
        deal = tapped(game, standing, chooser)
        follow(page.locator(".bar a.main"))
        for name, key in deal.taps.items():
            tap(page, game.pad(standing, deal.facts), name, key)
        follow(page.locator("#main-action"))
        if urlsplit(page.url).path != table:  # the pad of the next deal, unless this one has ended something
            follow(page.locator(".top .home"))
        assert urlsplit(page.url).path == table, page.locator("main").inner_text()
        assert fold(game, standing, [deal.facts]) is None
        deals.append(deal.facts)
        shown = [number(text) for text in page.locator(".board .score").all_inner_texts()]
        assert shown == list(standing.scores.values())
    names = dict(zip(seats, NAMES, strict=False))
    exported = page.request.get(f"{table}sheet.json").json()
    assert exported["deals"] == [rename_players(game, deal, names) for deal in deals]


def open_table(page: Page, slug: str, players: int) -> str:
    """Open a table by the form, as players do; return its path."""
    page.goto(f"/tables/new/{slug}")
    for seat, name in enumerate(NAMES[:players], start=1):
        page.locator(f"[name=seat-{seat}]").fill(name)
    for field, text in describe_game(games()[slug]).items():
        asked = page.locator(f"[name={field}]:not([type=radio], [type=checkbox]):visible")
        if asked.count():  # the others stay as they are
            asked.fill(text)
    follow(page.locator("form.opening button.main"))
    path = urlsplit(page.url).path
    assert re.fullmatch(r"/tables/[^/]+/", path), page.locator("main").inner_text()
    return path


def tap(page: Page, groups: Any, name: str, key: str) -> None:
    """Tap a choice: a number in tens and units, or with the keys of the pad, as it is entered."""
    group = next((group for group in groups if group.name == name), None)
    if group is not None and group.amount is not None:
        type_number(page, name, int(key))
        return
    choice = group.choice(key) if group is not None else None
    parts = group.taps_in_parts(choice) if group is not None and choice is not None else {}
    for part, value in (parts or {name: key}).items():
        _tap_cell(page.locator(f'input[name="{part}"][value="{value}"]'))


def type_number(page: Page, name: str, amount: int) -> None:
    """Type a number with the keys of the pad."""
    page.locator(f'input[name="{name}"]').tap()
    for key in (*str(abs(amount)), *(["sign"] if amount < 0 else [])):
        page.locator(f'[data-key="{key}"]').tap()


def _tap_cell(field: Locator) -> None:
    field.wait_for(state="attached")
    if field.is_checked():
        return
    cell = field.locator("xpath=ancestor::label[1]")
    folded = cell.locator("xpath=ancestor::details[not(@open)]/summary")
    if folded.count():
        folded.first.tap()
    rest = cell.locator("xpath=..").locator(".rest")
    if not cell.is_visible() and rest.count():  # rare numbers are folded behind one cell
        rest.first.tap()
    cell.tap()


def follow(target: Locator) -> None:
    """Tap, and wait until the next page is loaded."""
    with target.page.expect_event("load"):
        target.tap()


def number(text: str) -> int:
    """Parse a number as pages write it."""
    return int(re.sub(r"[\s,+\u2060]", "", text).replace("−", "-"))
