"""A made-up game without a template, with eight players: an evening at its table on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ..conftest import MADE_UP, Server
from ..databases import Databases
from .table import TablePage

pytestmark = pytest.mark.browser

NAMES = ("Anne", "Bruno", "Chloé", "Maximilian", "Élise", "Fanny", "Gaspard", "Hélène")
PAGES = ("", "deals/new", "chart", "after/1", "print", "display", "journal", "settlement", "why/balance/1")


@pytest.fixture
def server_with_game(tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that finds the made-up game."""
    monkeypatch.setenv("PYTHONPATH", str(MADE_UP))
    server = Server(tmp_path, databases.make(tmp_path))
    server.start()
    yield server
    server.stop()


def overflow(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def test_eight_players_play_a_game_without_a_template(phone: Callable[..., Page], server_with_game: Server) -> None:
    page = phone(base_url=server_with_game.url)
    table = TablePage.open_by_form(page, "full-table", *NAMES).open_pad()
    partner, slam, points = (page.locator(f".cell [name='{name}']") for name in ("partner", "slam", "points.tens"))
    expect(partner).to_have_count(0)
    # A tap adds the group that it asks for, and another takes it away.
    table.tap("taker=2")
    expect(partner).to_have_count(7)
    table.tap("contract=large")
    expect(slam).to_have_count(1)
    table.tap("points.tens=9")
    expect(page.locator("[name='points.units'][value='5']")).to_be_disabled()
    table.tap("taker=passed")
    expect(points).to_have_count(0)
    expect(table.working.locator(".becomes")).to_be_visible()
    # What was tapped before comes back with its groups.
    table.tap("taker=2")
    expect(page.locator(".cell [name='points.tens'][value='9']")).to_be_checked()
    expect(page.locator(".cell [name=contract][value=large]")).to_be_checked()
    table.tap("partner=5", "points.tens=6", "points.units=3")
    table.shows_score("0–37–0–0–37–0–0–0").press("record")
    expect(page.locator(".rows .description").first).to_contain_text(
        "Taker: Bruno · Contract: large · Partner: Élise · Points: 63"
    )
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        for path in PAGES:
            page.goto(f"{table.path}{path}")
            assert overflow(page) <= 0, (width, path)
