"""What others see: the phone's owner nearest, and the display in the middle of the table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from scorekeeper.api import CLOCKWISE
from scorekeeper.games import games

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
    card.evaluate("(card) => card.getAnimations().forEach((going) => { going.pause(); going.currentTime = 9_900 })")
    expect(card).to_be_visible()
    card.evaluate("(card) => card.getAnimations().forEach((going) => { going.currentTime = 10_100 })")
    expect(card).to_be_hidden()
    expect(page.locator(".display .score").first).to_be_visible()
