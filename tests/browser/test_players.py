"""Navigation by tapping: from the circle to its statistics, a player, a year, and the table of a record."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]


def robre(page: Page) -> TablePage:
    table = TablePage.open_new(page, "whist")
    for _ in range(4):
        table.open_pad().tap("tricks=ns-5").press("record").on_table_page()
    return table


def open_statistics(page: Page) -> None:
    for link in ("Evening", "Standings", "Statistics"):
        page.get_by_role("link", name=link).tap()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_player_and_the_table_of_a_record_can_be_found(phone: Callable[..., Page], scripts: bool) -> None:
    page = phone()
    table = robre(page)
    if not scripts:
        page = _without_scripts(phone, page)
    page.goto("/")
    page.goto(table.path)
    open_statistics(page)
    page.locator(".ranked").get_by_role("link", name="Chloé").click()
    expect(page.locator("h1")).to_contain_text("1 table · 4 deals")
    page.get_by_role("link", name=str(date.today().year)).click()
    expect(page.locator("[aria-label=Years] [aria-current=page]")).to_have_text(str(date.today().year))
    page.locator(".top .home").click()
    page.locator("summary", has_text="Records").click()
    page.locator(".records a").first.click()
    expect(page).to_have_url(re.compile(f"{re.escape(table.path)}$"))


def _without_scripts(phone: Callable[..., Page], page: Page) -> Page:
    return phone(java_script_enabled=False, storage_state=page.context.storage_state())


def test_the_line_of_a_balance_stays_within_the_screen(phone: Callable[..., Page]) -> None:
    page = phone(viewport={"width": 320, "height": 640})
    table = robre(page)
    open_statistics(table.visit().page)
    page.locator(".ranked a").first.click()
    box = page.locator("svg.course polyline").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320
    assert box["height"] > 20
