"""Nothing moves below a finger: what is pressed gets the click, whatever comes until it is let go."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .screens import LONG_NAMES, PLAYED
from .table import TablePage

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]

WATCH = Path(__file__).with_name("presses.js").read_text(encoding="utf-8")
UPDATE = 400  # milliseconds within which an update arrives
FIELD = "input.amount"
KEY = '[data-key="7"]'  # one of the page's own, which types into the field


class Finger:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.devtools = page.context.new_cdp_session(page)
        page.evaluate(WATCH)

    def tap(self, control: str) -> list[str]:
        """Press a control where it is now, and let go once the preview of the tap before is there.

        Return what got the click instead. Of a field, also tap a key.
        """
        place = self.page.evaluate("(control) => placeOf(control)", control)
        if place is None:
            return []
        self.touch("touchStart", [{"x": place[0], "y": place[1]}])
        self.page.evaluate("previewCame()")
        self.touch("touchEnd", [])
        got = self.page.evaluate("(control) => gotClick(control)", control)
        return [f"{control}: {got}"] * bool(got) + (self.tap(KEY) if control == FIELD else [])

    def touch(self, kind: str, points: list[dict[str, float]]) -> None:
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.mark.parametrize(("slug", "height"), [*zip(PLAYED, cycle((667, 844)), strict=False), ("any-game", 667)])
def test_every_control_of_a_pad_gets_its_tap_right_after_each_other_one(
    phone: Callable[..., Page], slug: str, height: int
) -> None:
    page = phone()
    page.set_viewport_size({"width": 390, "height": height})
    TablePage.open_new(page, slug).open_pad()
    finger = Finger(page)
    controls = page.evaluate("listControls()")
    order = [
        control
        for place, one in enumerate(controls, start=1)
        for control in (*(each for other in controls[place:] for each in (one, other)), one)
    ]
    assert not [f"after {before}: {lost}" for before, control in pairwise(order) for lost in finger.tap(control)]


@pytest.mark.parametrize("control", ["#main-action", ".rows li a"])
def test_what_another_phone_records_moves_nothing_below_a_finger(phone: Callable[..., Page], control: str) -> None:
    mine = TablePage.open_new(phone(), "whist").enter("tricks=ns-1")
    other = TablePage.join(phone(), mine)
    mine.visit()
    finger = Finger(mine.page)
    (x, y), pressed = mine.page.evaluate(
        "(control) => [placeOf(control), document.querySelector(control).href]", control
    )
    finger.touch("touchStart", [{"x": x, "y": y}])
    other.enter("tricks=ew-2")
    mine.page.wait_for_timeout(UPDATE)
    finger.touch("touchEnd", [])
    assert mine.page.evaluate("(link) => gotClick(`[href='${new URL(link).pathname}']`)", pressed) == ""
    expect(mine.page.locator(".board .score")).to_have_text(["1", "2"])  # as soon as it is let go


@pytest.mark.parametrize(
    ("width", "height", "size"), [(390, 844, 100), (320, 640, 100), (390, 844, 200), (320, 640, 200)]
)
def test_the_preview_moves_no_row_and_covers_with_its_button_at_most_a_third_of_the_screen(
    phone: Callable[..., Page], width: int, height: int, size: int
) -> None:
    page = phone(locale="de-DE", viewport={"width": width, "height": height})
    table = TablePage.open_new(page, "whist", *LONG_NAMES[:4]).open_pad()
    page.evaluate("(size) => { document.documentElement.style.fontSize = `${size}%` }", size)
    honours = table.cell("honours=ns-4")
    honours.scroll_into_view_if_needed()
    before = honours.bounding_box()
    table.tap("tricks=ns-7", "honours=ns-4").shows_score("11–0")
    honours.scroll_into_view_if_needed()
    if size == 100:  # all of the pad is in sight
        assert honours.bounding_box() == before
    assert page.locator(".bar").evaluate("(bar) => bar.offsetHeight") <= height / 3


def test_all_that_a_correction_changes_can_be_read_above_the_button_that_saves_it(phone: Callable[..., Page]) -> None:
    deals = [f"tricks={tricks}" for tricks in ("ns-3", "ew-2", "ns-4", "ns-5", "ew-6", "ew-5", "ns-6", "ns-7")]
    table = TablePage.open_new(phone(viewport={"width": 320, "height": 640}), "whist").enter(*deals)
    table.open_deal(1).go("amend").tap("tricks=ew-7", "honours=ew-4").shows_score("0–11")
    assert table.working.locator(".later li").count() > 3
    assert table.working.evaluate("(working) => working.scrollHeight <= working.clientHeight")
