"""Nothing moves below a finger: what is pressed gets the click, whatever comes until it is let go."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage

pytestmark = pytest.mark.browser

WATCH = Path(__file__).with_name("presses.js").read_text(encoding="utf-8")
UPDATE = 400  # milliseconds within which an update arrives
FIELD = "input.amount"
KEY = '[data-key="7"]'  # one of the page's own, which types into the field
# A pad of each kind: of choices, and of numbers that are typed.
KINDS = ("whist", "any-game")


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


@pytest.mark.parametrize("slug", KINDS)
def test_every_control_of_a_pad_gets_its_tap_right_after_each_other_one(phone: Callable[..., Page], slug: str) -> None:
    page = phone()
    page.set_viewport_size({"width": 390, "height": 667})
    TablePage.open_new(page, slug).open_pad()
    finger = Finger(page)
    controls = page.evaluate("listControls()")
    order = [
        control
        for place, one in enumerate(controls, start=1)
        for control in (*(each for other in controls[place:] for each in (one, other)), one)
    ]
    assert not [f"after {before}: {lost}" for before, control in pairwise(order) for lost in finger.tap(control)]


def test_what_another_phone_records_moves_nothing_below_a_finger(phone: Callable[..., Page]) -> None:
    mine = TablePage.open_new(phone(), "whist").enter("tricks=ns-1")
    other = TablePage.join(phone(), mine)
    mine.visit()
    finger = Finger(mine.page)
    (x, y), pressed = mine.page.evaluate(
        "async (control) => [await placeOf(control), document.querySelector(control).href]", ".rows li a"
    )
    finger.touch("touchStart", [{"x": x, "y": y}])
    other.enter("tricks=ew-2")
    mine.page.wait_for_timeout(UPDATE)
    finger.touch("touchEnd", [])
    assert mine.page.evaluate("(link) => gotClick(`[href='${new URL(link).pathname}']`)", pressed) == ""
    expect(mine.page.locator(".board .score")).to_have_text(["1", "2"])  # as soon as it is let go
