"""A made-up game without a template, with eight players and more: an evening at its table on a phone."""

from __future__ import annotations

import shutil
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
def made_up() -> Path:
    """The folder of the made-up game."""
    return MADE_UP


@pytest.fixture
def for_twelve(tmp_path: Path) -> Path:
    """The folder of the made-up game, for up to twelve players."""
    folder = shutil.copytree(MADE_UP, tmp_path / "for-twelve")
    code = folder / "scorekeeper_full_table" / "__init__.py"
    text = code.read_text(encoding="utf-8")
    code.write_text(text.replace("player_counts=(3, 4, 5, 6, 7, 8)", "player_counts=tuple(range(3, 13))"), "utf-8")
    return folder


@pytest.fixture
def server_with_game(
    request: pytest.FixtureRequest, tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    """A server that finds the made-up game, in the folder of the fixture that the test names, or MADE_UP."""
    folder = request.getfixturevalue(getattr(request, "param", "made_up"))
    monkeypatch.setenv("PYTHONPATH", str(folder))
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


MANY = (*NAMES, "Inès", "Jonas", "Noé", "Olga")
OVERLAPS = """selector => {
  const boxes = [...document.querySelectorAll(selector)].map(seat => seat.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => meet(a, b))).length;
}"""


@pytest.mark.parametrize("server_with_game", ["for_twelve"], indirect=True)
def test_up_to_twelve_sit_around_a_table_and_each_has_a_place(
    phone: Callable[..., Page], server_with_game: Server
) -> None:
    page = phone(base_url=server_with_game.url)
    for players in range(9, 13):
        table = TablePage.open_by_form(page, "full-table", *MANY[:players])
        for width, height in ((390, 844), (320, 568), (844, 390)):
            page.set_viewport_size({"width": width, "height": height})
            for path, seats in (("", ".board .place"), ("display", ".ring section")):
                page.goto(f"{table.path}{path}")
                expect(page.locator(seats)).to_have_count(players)
                assert overflow(page) <= 0, (players, width, path)
                assert page.evaluate(OVERLAPS, seats) == 0, (players, width, path)
    page.goto("/tables/new/full-table")
    assert page.evaluate(OVERLAPS, ".seating .seat") == 0
