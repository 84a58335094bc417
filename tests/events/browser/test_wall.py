"""The wall of an event."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from scorekeeper.events.pages.displays import TURN_SECONDS

from ...support.server import Server
from ..hall import Hall

pytestmark = pytest.mark.browser

SCREENS: tuple[ViewportSize, ...] = (
    {"width": 1024, "height": 768},
    {"width": 1920, "height": 1080},
    {"width": 3840, "height": 2160},
)


def test_the_wall_shows_a_result_by_itself_and_turns_its_pages(phone: Callable[..., Page], server: Server) -> None:
    hall = Hall(server.app(), names=tuple(f"Jean-Christophe {number} de Brandt" for number in range(1, 81)))
    hall.draw(1)
    page = phone(viewport=SCREENS[0], has_touch=False, is_mobile=False)
    page.clock.install()
    page.goto(f"{hall.path}/wall?shared={hall.link('watch').rpartition('/')[2]}")
    visible = page.locator(".wall-page:visible")
    expect(visible).to_have_count(1)
    expect(visible.locator("li")).to_have_count(72)
    for screen in SCREENS:
        page.set_viewport_size(screen)
        assert page.evaluate("document.documentElement.scrollHeight === innerHeight")
        assert visible.evaluate(
            "page => [...page.querySelectorAll('li')].every((line) => line.scrollHeight <= line.clientHeight + 1)"
        )
    page.clock.run_for(1000 * TURN_SECONDS)
    expect(visible.locator("li")).to_have_count(8)
    hall.enter_slip(1, 1, 9)
    expect(page.locator(".standings li")).to_have_count(80)  # they follow the seats
    page.clock.run_for(1000 * TURN_SECONDS)
    expect(visible.locator("li b").first).to_have_text("9")
