"""What others see: the phone's owner nearest, the display in the middle of the table, the wall of an event."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from scorekeeper.api import CLOCKWISE
from scorekeeper.events.pages.displays import TURN_SECONDS
from scorekeeper.games import games

from ..conftest import Server
from ..events.hall import Hall
from .screens import BY_SEATING
from .table import TablePage

pytestmark = pytest.mark.browser


def middle(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("slug", BY_SEATING)
def test_on_a_phone_the_owner_is_at_the_bottom_and_the_next_in_turn_beside_him(
    phone: Callable[..., Page], slug: str
) -> None:
    table = TablePage.open_new(phone(), slug)
    with table.page.expect_event("load"):
        table.page.locator(".sit[value='2']").tap()
    places = {seat: middle(table.page.locator(".place").nth(seat - 1)) for seat in range(1, 5)}
    owner = places.pop(2)
    assert owner[1] >= max(down for _, down in places.values())
    assert (places[3][0] < owner[0]) == (games()[slug].direction == CLOCKWISE)  # who is next sits to the left, or right


def test_the_end_covers_the_whole_display_for_ten_seconds_and_then_the_score_stands_again(
    phone: Callable[..., Page],
) -> None:
    page = phone()
    TablePage.open_new(page, "short-whist").enter("tricks=ns-7", "tricks=ns-7").visit("display")
    card = page.locator(".endings")
    expect(card.get_by_role("heading", name="Anne & Chloé won").last).to_be_visible()
    assert card.evaluate("(card) => [card.offsetWidth, card.offsetHeight]") == [390, 844]
    assert card.evaluate("(card) => getComputedStyle(card).backgroundColor") != "rgba(0, 0, 0, 0)"
    expect(card).to_be_hidden(timeout=15_000)
    expect(page.locator(".display .score").first).to_be_visible()


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
