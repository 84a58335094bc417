"""The places, with and without scripts, on phones and wide screens; and the way to a page's main button by Tab."""

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
@pytest.mark.parametrize("width", [390, 320])
def test_the_places_lead_on_and_so_does_more(
    opened: Callable[..., Page], tables: Tables, width: int, *, scripts: bool
) -> None:
    page = opened(tables.paths["whist"], viewport={"width": width, "height": 700}, java_script_enabled=scripts)
    for place, title in (("Money", "Settle up"), ("Table", "Whist"), ("Evening", ""), ("More", "More")):
        page.locator(".places").get_by_role("link", name=place).tap()
        expect(page.locator("h1")).to_contain_text(title)
    assert not page.evaluate(FLAWS, {"width": width, "touch": 44, "apart": 8})
    page.get_by_role("link", name="Links and phones").tap()
    expect(page.locator("h1")).to_have_text("Links and phones")
    expect(page.locator(".places [aria-current]")).to_have_text("More")


# Where a box is: its top, its bottom, its left and its right side.
BOX = "(element) => (({ top, bottom, left, right }) => [top, bottom, left, right])(element.getBoundingClientRect())"


@pytest.mark.parametrize(
    ("width", "height", "text"), [(390, 844, "100%"), (320, 568, "100%"), (390, 844, "200%"), (844, 390, "100%")]
)
def test_the_bar_of_places_covers_no_button(
    opened: Callable[..., Page], tables: Tables, width: int, height: int, text: str
) -> None:
    page = opened(tables.paths["whist"], viewport={"width": width, "height": height}, locale="de-DE")
    page.evaluate("(size) => { document.documentElement.style.fontSize = size }", text)
    for scrolled in (0, 10_000):
        page.evaluate("(y) => scrollTo(0, y)", scrolled)
        button, places = (page.locator(part).evaluate(BOX) for part in ("#main-action", ".places"))
        assert button[1] <= places[0] or places[1] <= button[0] or places[0] >= height
        assert scrolled or height - button[0] <= height / 3


def test_the_places_stand_beside_the_page_on_a_wide_screen(opened: Callable[..., Page], tables: Tables) -> None:
    page = opened(tables.paths["whist"], viewport={"width": 1280, "height": 800})
    main, places = (page.locator(part).evaluate(BOX) for part in ("main", ".places"))
    assert places[3] <= main[2]
    assert (places[0], places[1]) == (0, 800)


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


def test_the_places_are_not_printed(opened: Callable[..., Page], tables: Tables) -> None:
    page = opened(tables.paths["whist"])
    page.emulate_media(media="print")
    for part in (".places", ".skip >> nth=0"):
        expect(page.locator(part)).to_be_hidden()


def test_the_help_opens_without_a_signal_though_it_was_never_read(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/")
    wait_for_service_worker(page)
    page.context.set_offline(True)
    page.locator(".foot a[href='/help']").tap()
    expect(page.locator("h1")).to_have_text("Help")
    expect(page.locator("main h2").last).to_be_visible()
