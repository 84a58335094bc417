"""An evening of five at Whist: after each deal one phone taps once, and the other sees who sits there now."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage

pytestmark = pytest.mark.browser


def test_five_take_turns_after_each_deal(phone: Callable[..., Page]) -> None:
    mine = TablePage.open_new(phone(), "whist")
    mine.go("close")
    mine.page.get_by_role("link", name="Evening").tap()
    mine.page.get_by_role("link", name="Tonight").tap()
    for name in ("Anne", "Bruno", "Chloé", "David"):
        mine.page.get_by_label(name, exact=True).check(force=True)
    mine.page.get_by_label("Somebody else").fill("Emma")
    mine.page.get_by_role("button", name="Save who is here").tap()
    mine.page.get_by_label("Change players").select_option(label="after each deal")
    mine.page.get_by_role("button", name="Seat them").tap()
    expect(mine.page.locator(".turn-line")).to_be_visible()
    table = TablePage(mine.page)
    hers = TablePage.join(phone(), table)
    for comes, goes, score in (("Emma", "David", "1–0"), ("David", "Chloé", "2–0"), ("Chloé", "Bruno", "3–0")):
        table.record("tricks=ns-1", score)
        for each in (table, hers):
            expect(each.page.locator(".turns p")).to_have_text(f"{comes} comes in for {goes}.")
        (table if comes == "David" else hers).page.get_by_role("button", name="Change places").tap()
        for each in (table, hers):
            expect(each.page.locator(".rows .description").first).to_have_text(f"{comes} for {goes}")
            expect(each.page.locator(".turns")).to_have_count(0)
    substitutions = [deal["substitution"] for deal in table.sheet["deals"] if "substitution" in deal]
    assert [each["in"] for each in substitutions] == ["Emma", "David", "Chloé"]
