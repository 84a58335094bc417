"""The menu, with and without scripts, on a usual and on a narrow phone; and the way to a page's main button by Tab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .screens import Tables
from .table import wait_for_service_worker

pytestmark = pytest.mark.browser

FLAWS = (Path(__file__).parent / "flaws.js").read_text(encoding="utf-8")
MAX_TABS = 5
FOCUSED = "(element) => element === document.activeElement"


@pytest.fixture
def opened(phone: Callable[..., Page], tables: Tables) -> Callable[..., Page]:
    """Open a page on a phone of the circle."""

    def open_page(path: str, **settings: object) -> Page:
        page = phone(storage_state=tables.cookie, **settings)
        page.goto(path)
        return page

    return open_page


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize(("width", "columns"), [(390, 2), (320, 1)])
def test_the_menu_opens_with_one_tap_and_leads_on(
    opened: Callable[..., Page], tables: Tables, width: int, columns: int, *, scripts: bool
) -> None:
    page = opened(tables.paths["whist"], viewport={"width": width, "height": 700}, java_script_enabled=scripts)
    entries = page.locator(".menu a")
    expect(entries.first).to_be_hidden()
    page.locator(".menu > summary").tap()
    expect(entries.first).to_be_visible()
    boxes = [entry.bounding_box() for entry in entries.all()]
    assert len({box["x"] for box in boxes if box}) == columns
    flaws = page.evaluate(FLAWS, {"width": width, "touch": 44, "apart": 8})
    assert not flaws
    page.locator(".menu a[href$='/people']").tap()
    expect(page.locator(".menu [aria-current=page]")).to_have_attribute("href", f"{tables.paths['circle']}people")


def test_the_menu_closes_by_escape_by_a_tap_elsewhere_and_by_tab(opened: Callable[..., Page], tables: Tables) -> None:
    page = opened(tables.paths["whist"])
    menu, button = page.locator(".menu"), page.locator(".menu > summary")
    button.tap()
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    assert button.evaluate(FOCUSED)

    button.tap()
    page.touchscreen.tap(8, 840)
    expect(menu).not_to_have_attribute("open", "")

    button.tap()
    page.locator(".menu :is(a, button)").last.focus()
    page.keyboard.press("Tab")
    expect(menu).not_to_have_attribute("open", "")


@pytest.mark.parametrize(
    ("path", "at"), [("", "whist"), ("deals/new", "whist"), ("/tables/new/whist", ""), ("settlement", "finished")]
)
def test_the_main_button_is_five_tabs_or_fewer_away(
    opened: Callable[..., Page], tables: Tables, path: str, at: str
) -> None:
    page = opened(f"{tables.paths.get(at, '')}{path}")
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


def test_the_first_tab_offers_to_skip_to_the_content(opened: Callable[..., Page], tables: Tables) -> None:
    page = opened(tables.paths["whist"])
    page.keyboard.press("Tab")
    box = page.locator(":focus").bounding_box()
    assert box
    assert box["height"] >= 44
    page.keyboard.press("Enter")
    assert page.locator("main").evaluate(FOCUSED)


def test_the_menu_is_not_printed(opened: Callable[..., Page], tables: Tables) -> None:
    page = opened(tables.paths["whist"])
    page.emulate_media(media="print")
    for part in (".menu", ".skip >> nth=0"):
        expect(page.locator(part)).to_be_hidden()


def test_the_help_opens_without_a_signal_though_it_was_never_read(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/")
    wait_for_service_worker(page)
    page.context.set_offline(True)
    page.locator(".foot a[href='/help']").tap()
    expect(page.locator("h1")).to_have_text("Help")
    expect(page.locator("main h2").last).to_be_visible()
