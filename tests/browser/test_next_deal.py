"""Deal after deal on one phone, beside others, and without a signal."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage, wait_for_service_worker, wait_until

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


def test_the_way_back_from_the_next_pad_is_the_table(mine: TablePage) -> None:
    mine.tap("tricks=ns-2").shows_score("3–0").press("next")
    mine.page.go_back()
    assert mine.on_table_page().scores == [3, 0]


def test_an_untouched_pad_shows_what_another_phone_records(mine: TablePage, hers: TablePage) -> None:
    hers.record("tricks=ew-2", "1–2")
    expect(mine.page.locator("[data-deal-title]")).to_have_text("Deal 3")
    expect(mine.page.locator(".score-line b")).to_have_text(["1", "2"])
    expect(mine.page.locator(".just-recorded .rows .number")).to_have_text("2")
    mine.tap("tricks=ns-3").shows_score("4–2").press("next")
    assert len(mine.sheet["deals"]) == 3


def test_an_untouched_pad_says_who_recorded_a_deal_and_warns_before_it_is_recorded_again(
    mine: TablePage, hers: TablePage
) -> None:
    hers.visit().page.locator("button[form=me][value='2']").click()
    hers.record("tricks=ew-2", "1–2")
    expect(mine.page.locator(".just-recorded .recorded")).to_have_text("Bruno recorded deal 2")
    expect(mine.page.locator(".just-recorded .changed button")).to_have_text("Undo deal 2")
    mine.tap("tricks=ew-2").shows_score("1–4").press("next")
    expect(mine.page.locator(".notice.stale")).to_contain_text("Bruno recorded deal 2")
    assert len(mine.sheet["deals"]) == 2
    mine.press("next")  # *Record another deal*
    expect(mine.page.locator(".just-recorded .recorded")).to_have_text("Deal 3 is recorded")
    assert len(mine.sheet["deals"]) == 3


def test_an_untouched_pad_shows_that_another_phone_has_undone_the_deal(mine: TablePage, hers: TablePage) -> None:
    hers.visit().go("undo")
    expect(mine.page.locator("[data-deal-title]")).to_have_text("Deal 1")
    expect(mine.page.locator(".just-recorded")).to_have_count(0)


def test_a_pad_with_taps_stays_as_it_is_and_its_deal_is_refused_as_stale(mine: TablePage, hers: TablePage) -> None:
    mine.tap("tricks=ns-3").shows_score("4–0")
    hers.record("tricks=ew-2", "1–2")
    expect(mine.page.locator("[data-news]")).to_contain_text("recorded")
    expect(mine.input("tricks=ns-3")).to_be_checked()
    mine.press("next")
    expect(mine.page.locator(".notice.stale")).to_be_visible()
    expect(mine.input("tricks=ns-3")).to_be_checked()
    mine.shows_score("4–2").press("next")
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


def test_without_a_signal_a_pad_says_nothing_of_earlier_taps_and_goes_on_once_there_is_one(mine: TablePage) -> None:
    mine.visit("deals/new").tap("tricks=ns-2").shows_score("3–0")
    mine.page.context.set_offline(True)
    mine.tap("tricks=ew-3")
    expect(mine.working).to_be_empty()
    mine.page.context.set_offline(False)
    mine.shows_score("1–3").press("next")
    assert mine.sheet["deals"][-1]["tricks"] == {"ns": 4, "ew": 9}


def test_a_deal_that_is_tapped_while_the_one_before_waits_is_recorded_after_it(mine: TablePage) -> None:
    wait_for_service_worker(mine.page)
    mine.visit("deals/new")
    mine.page.context.set_offline(True)
    mine.tap("tricks=ns-2").press("next")
    expect(mine.page.locator("[data-waiting] li")).to_have_count(1)
    mine.tap("tricks=ew-1")
    mine.page.context.set_offline(False)
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    mine.press("next")
    expect(mine.page.locator("[data-deal-title]")).to_have_text("Deal 4")
    assert len(mine.sheet["deals"]) == 3


def test_the_table_is_kept_for_when_there_is_no_signal_as_it_is_behind_the_pad(mine: TablePage) -> None:
    wait_for_service_worker(mine.page)
    mine.visit("deals/new").tap("tricks=ns-2").shows_score("3–0").press("next")
    wait_until(
        mine.page,
        "async (path) => (await (await caches.match(path, { ignoreVary: true }))?.text())?.includes('data-seen=\"2\"')",
        mine.path,
    )
    mine.page.context.set_offline(True)
    assert mine.visit().scores == [3, 0]
