"""Everything works with the keyboard, and a page's main button is near."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from ..support.chromium import PHONE
from ..support.visitor import NAMES
from .table import TablePage, wait_for_service_worker

pytestmark = pytest.mark.browser


MAX_TAB_STOPS = 120  # maximum number to reach anything on a page


@pytest.fixture
def page(phone: Callable[..., Page]) -> Page:
    """A desktop browser without touch."""
    return phone(has_touch=False, is_mobile=False, viewport=PHONE)


def reach(target: Locator) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(MAX_TAB_STOPS):
        if target.evaluate("(element) => element === document.activeElement"):
            return
        target.page.keyboard.press("Tab")
    raise AssertionError(f"no way there by keyboard: {target}")


def enter(target: Locator) -> None:
    """Press Enter on the target, and wait for the next page."""
    reach(target)
    with target.page.expect_event("load"):
        target.page.keyboard.press("Enter")


def opened(page: Page, slug: str) -> TablePage:
    page.goto(f"/tables/new/{slug}")
    for seat, name in enumerate(NAMES[:4], start=1):
        reach(page.locator(f"[name=seat-{seat}]"))
        page.keyboard.type(name)
    enter(page.locator("form.opening button.main"))
    return TablePage(page)


def choose(table: TablePage, tap: str) -> None:
    """Go to the cell's group by Tab, and to the cell by the arrow keys, as with radio buttons."""
    keys = table.page.keyboard
    wanted = table.input(tap)
    group = tap.partition("=")[0]
    on_it = f"() => document.activeElement.name === '{group}'"
    for _ in range(MAX_TAB_STOPS):
        if table.page.evaluate(on_it):
            break
        keys.press("Tab")
    for _ in range(60):
        if wanted.evaluate("(cell) => cell === document.activeElement"):
            break
        keys.press("ArrowRight")
    if not wanted.is_checked():
        keys.press("Space")
    expect(wanted).to_be_checked()


def test_a_table_can_be_opened_played_and_corrected_by_keyboard(page: Page) -> None:
    table = opened(page, "whist")
    enter(page.locator(".bar a.main"))
    choose(table, "tricks=ns-3")
    choose(table, "honours=ew-4")
    table.shows_score("3–4")
    enter(page.locator("#main-action"))
    enter(page.locator(".top .home"))
    assert table.scores == [3, 4]

    enter(page.locator("form[action$='/undo'] button").first)
    assert table.scores == [0, 0]


MAX_TABS = 5
FOCUSED = "(element) => element === document.activeElement"


@pytest.mark.parametrize("path", ["", "deals/new"])
def test_the_main_button_is_five_tabs_or_fewer_away(phone: Callable[..., Page], path: str) -> None:
    page = phone()
    TablePage.open_new(page, "whist").visit(path)
    main_button = page.locator("#main-action")
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.hash") == "#main-action":
            expect(page.locator(":focus")).to_be_in_viewport()
            page.keyboard.press("Enter")
        if main_button.evaluate(FOCUSED):
            expect(main_button).to_be_in_viewport()
            return
    raise AssertionError("too many Tabs")


def test_the_help_opens_without_a_signal_though_it_was_never_read(phone: Callable[..., Page]) -> None:
    page = phone(service_workers="allow")
    page.goto("/")
    wait_for_service_worker(page)
    page.context.set_offline(True)
    page.locator(".foot a[href='/help']").tap()
    expect(page.locator("h1")).to_have_text("Help")
    expect(page.locator("main h2").last).to_be_visible()
