"""Two phones at one table, and double taps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from .table import TablePage

pytestmark = pytest.mark.browser


@pytest.fixture
def mine(phone: Callable[..., Page]) -> TablePage:
    return TablePage.open_new(phone(), "whist").enter("tricks=ns-1")


@pytest.fixture
def hers(phone: Callable[..., Page], mine: TablePage) -> TablePage:
    return TablePage.join(phone(locale="fr-FR"), mine)


def test_a_deal_from_a_stale_page_is_refused_and_can_be_recorded_with_the_same_taps(
    mine: TablePage, hers: TablePage
) -> None:
    mine.open_pad().tap("tricks=ns-3", "honours=ns-4").shows_score("8–0")
    hers.enter("tricks=ew-2")
    mine.press("record")
    notice = mine.page.locator(".notice.stale")
    expect(notice).to_contain_text("Phone 2")
    expect(notice).to_contain_text("8")  # East-West's tricks
    expect(mine.input("tricks=ns-3")).to_be_checked()
    expect(mine.input("honours=ns-4")).to_be_checked()
    assert len(mine.sheet["deals"]) == 2
    mine.shows_score("8–2").press("record")
    assert mine.on_table_page().scores == [8, 2]
    assert hers.visit().scores == [8, 2]
    expect(hers.page.locator(".rows li")).to_have_count(3)


def sends(request: Request) -> bool:
    return request.method == "POST" and "do=next" in (request.post_data or "")


def middle(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_double_tap_on_record_sends_once_and_records_once(mine: TablePage) -> None:
    page = mine.page
    routes: list[Route] = []

    def hold(route: Route, request: Request) -> None:
        if sends(request):
            routes.append(route)
        else:
            route.continue_()

    mine.open_pad().tap("tricks=ns-2").shows_score("3–0")
    page.route("**/deals/new", hold)
    position = middle(page.locator("#main-action"))
    with page.expect_request(sends):
        page.touchscreen.tap(*position)
    page.touchscreen.tap(*position)
    with page.expect_event("load"):
        routes[0].continue_()
    assert len(routes) == 1
    assert mine.visit().scores == [3, 0]
    assert len(mine.sheet["deals"]) == 2


def test_after_going_back_to_the_pad_a_new_deal_is_recorded(mine: TablePage) -> None:
    mine.record("tricks=ns-2", "3–0")
    mine.page.go_back(wait_until="load")
    mine.tap("tricks=ew-1").shows_score("3–1").press("record")
    assert mine.on_table_page().scores == [3, 1]
    assert len(mine.sheet["deals"]) == 3
