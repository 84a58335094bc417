"""A paper sheet is scored while it is filled in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]


def test_the_score_after_each_row_and_its_problems_appear_while_typing(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/tables/new/francion/paper")
    for seat, name in enumerate(("Anne", "Bruno", "Chloé"), start=1):
        page.locator(f"[name=seat-{seat}]").fill(name)
    first = page.locator("#row-1")
    expect(first.get_by_label("Tricks · Chloé")).to_be_visible()
    expect(first.get_by_label("Player 4")).to_have_count(0)
    field = first.get_by_label("Tricks · Anne")
    field.press_sequentially("44")
    expect(first.locator(".problem").first).to_contain_text("Tricks · Anne")
    expect(field).to_be_focused()
    field.fill("4")
    first.get_by_label("Tricks · Bruno").fill("3")
    first.get_by_label("Tricks · Chloé").fill("2")
    first.locator("select").first.select_option("hidden")
    expect(first.locator(".so-far")).to_contain_text("Anne 1, Bruno 0, Chloé 0")
    expect(first.locator(".problem")).to_have_count(0)
    page.locator("#main-action").click()
    expect(page.locator("[data-follow]")).to_be_visible()
