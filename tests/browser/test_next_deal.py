"""Deal after deal on one phone, beside others, and without a signal."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage, wait_for_service_worker

pytestmark = pytest.mark.browser


@pytest.fixture
def mine(phone: Callable[..., Page]) -> TablePage:
    """A phone on the pad of the second deal, after the first one was recorded there."""
    table = TablePage.open_new(phone(), "whist").open_pad()
    table.tap("tricks=ns-1").shows_score("1–0").press("next")
    expect(table.page.locator("[data-deal-title]")).to_have_text("Deal 2")
    return table


@pytest.fixture
def hers(phone: Callable[..., Page], mine: TablePage) -> TablePage:
    with mine.page.context.expect_page() as opened:
        mine.page.evaluate("path => void open(path)", mine.path)
    other = TablePage(opened.value)
    joined = TablePage.join(phone(), other)
    other.page.close()
    return joined


def test_an_untouched_pad_shows_what_another_phone_records(mine: TablePage, hers: TablePage) -> None:
    hers.record("tricks=ew-2", "1–2")
    expect(mine.page.locator("[data-deal-title]")).to_have_text("Deal 3")
    expect(mine.page.locator(".score-line b")).to_have_text(["1", "2"])
    expect(mine.page.locator(".just-recorded .rows .number")).to_have_text("2")
    mine.tap("tricks=ns-3").shows_score("4–2").press("next")
    assert len(mine.sheet["deals"]) == 3


def test_an_untouched_pad_gives_way_to_the_table_when_another_phone_closes_it(mine: TablePage, hers: TablePage) -> None:
    hers.visit().go("close")
    mine.page.wait_for_url(re.compile(rf"{re.escape(mine.path)}(\?|$)"))
    expect(mine.page.locator(".turn-line")).to_contain_text("closed")


def test_deals_recorded_without_a_signal_wait_each_on_the_next_pad_and_are_recorded_once(mine: TablePage) -> None:
    wait_for_service_worker(mine.page)
    mine.visit("deals/new?recorded=1")
    mine.page.context.set_offline(True)
    for number, tap in ((3, "tricks=ns-2"), (4, "tricks=ew-1")):
        mine.tap(tap).press("next")
        expect(mine.page.locator("[data-deal-title]")).to_have_text(f"Deal {number}")
        expect(mine.page.locator("[data-waiting] li")).to_have_count(number - 2)
        expect(mine.page.locator(".just-recorded")).not_to_be_visible()
    mine.page.context.set_offline(False)
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    tab = mine.page.context.new_page()  # the pad itself may be loading the next one
    tab.goto(mine.path)
    assert TablePage(tab).scores == [3, 1]
    assert len(mine.sheet["deals"]) == 3
