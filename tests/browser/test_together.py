"""Phones that show each other's entries, and a phone that is offline: no entry is lost or recorded twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import APIResponse, BrowserContext, Page, Request, Route, expect

from .table import TablePage, wait_for_service_worker, wait_until

pytestmark = pytest.mark.browser


@pytest.fixture
def mine(phone: Callable[..., Page]) -> TablePage:
    return TablePage.open_new(phone(service_workers="allow"), "whist").enter("tricks=ns-1")


@pytest.fixture
def hers(phone: Callable[..., Page], mine: TablePage) -> TablePage:
    let_in = TablePage.join(phone(), mine)
    mine.visit()
    return let_in


def is_kept(page: Page) -> None:
    """Wait until the service worker controls the page and has cached the pad."""
    wait_for_service_worker(page)
    wait_until(page, "async () => (await (await caches.open('scorekeeper-pages')).keys()).length === 3")  # also home


@pytest.fixture
def no_signal(mine: TablePage) -> Iterator[BrowserContext]:
    context = mine.page.context
    is_kept(mine.page)
    mine.visit()
    context.set_offline(True)
    yield context
    context.set_offline(False)


def scores(table: TablePage, expected: str) -> None:
    ns, ew = expected.split("–")
    elements = table.page.locator(".board .score")
    expect(elements).to_have_text([ns, ew])


def has_waiting(table: TablePage, count: int) -> None:
    """Wait until the page lists this many entries that are waiting to be sent."""
    expect(table.page.locator("[data-waiting] [data-list] > li")).to_have_count(count)


def test_a_phone_shows_another_phones_entry_and_its_author(mine: TablePage, hers: TablePage) -> None:
    hers.enter("tricks=ew-2")
    scores(mine, "1–2")
    expect(mine.page.locator("[data-news]")).to_contain_text("Phone 2")
    expect(mine.page.locator(".rows li.fresh")).to_have_count(1)
    mine.go("undo")
    scores(hers, "1–0")


def test_offline_the_cached_table_is_shown_with_its_time(mine: TablePage, no_signal: BrowserContext) -> None:
    mine.visit()
    scores(mine, "1–0")
    expect(mine.page.locator("[data-signal]")).to_contain_text("No connection. This is the table at")
    mine.page.goto("/")
    expect(mine.page.locator(".table-card")).to_have_count(1)
    mine.page.goto("/rules/whist")
    expect(mine.page.locator("main")).to_contain_text("not saved on your phone")
    no_signal.set_offline(False)


def test_a_waiting_deal_survives_closing_the_page(mine: TablePage, no_signal: BrowserContext) -> None:
    mine.open_pad().tap("tricks=ew-2").press("record")
    expect(mine.page.locator("[data-waiting] [data-summary]")).to_have_text(re.compile("^Deal 2 · "))
    mine.page.goto("/")
    expect(mine.page.locator("[data-waiting] [data-summary]")).to_have_text(re.compile("^Whist · Deal 2 · "))
    mine.page.close()
    no_signal.set_offline(False)
    page = no_signal.new_page()
    page.goto("/")
    expect(page.locator("[data-waiting]")).to_be_hidden()
    page.goto(mine.path)
    expect(page.locator(".board .score")).to_have_text(["1", "2"])


def test_a_page_that_is_not_cached_opens_as_soon_as_there_is_a_signal(
    mine: TablePage, no_signal: BrowserContext
) -> None:
    mine.page.goto("/security")
    expect(mine.page.locator("h1")).to_have_text("No connection")
    no_signal.set_offline(False)
    expect(mine.page.locator("h1")).to_contain_text("Security")


def test_without_a_service_worker_an_open_pad_still_works_offline(phone: Callable[..., Page]) -> None:
    """As on the local network, without HTTPS."""
    table = TablePage.open_new(phone(), "whist")
    table.open_pad()
    table.page.context.set_offline(True)
    for _ in range(2):
        table.tap("tricks=ns-2").page.locator("#main-action").click()
    expect(table.page.locator("[data-waiting] [data-list] > li")).to_have_count(2)
    table.page.context.set_offline(False)
    expect(table.page.locator("[data-waiting]")).to_be_hidden()
    scores(table.visit(), "4–0")
    assert len(table.sheet["deals"]) == 2


def test_an_entry_whose_answer_is_lost_is_not_recorded_twice(mine: TablePage) -> None:
    mine.open_pad().tap("tricks=ew-2")
    mine.shows_score("1–2")
    lost: list[APIResponse] = []

    def record_and_say_nothing(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch())
            route.abort()
        else:
            route.continue_()

    mine.page.context.route("**/deals/new", record_and_say_nothing)
    mine.press("record")
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    scores(mine, "1–2")
    assert lost
    assert len(mine.sheet["deals"]) == 2


def test_two_phones_that_entered_the_same_deal_see_both_and_choose_one(
    mine: TablePage, hers: TablePage, no_signal: BrowserContext
) -> None:
    mine.open_pad().tap("tricks=ew-2").press("record")
    hers.enter("tricks=ew-2")
    no_signal.set_offline(False)
    choice = mine.page.locator("[data-waiting] [data-do=drop]")
    expect(mine.page.locator("[data-waiting]")).to_contain_text("Phone 2")
    choice.click()
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    scores(mine, "1–2")
    assert len(mine.sheet["deals"]) == 2


def test_a_refused_entry_stays_with_its_reason_until_the_user_decides(
    mine: TablePage, hers: TablePage, no_signal: BrowserContext
) -> None:
    mine.open_pad().tap("tricks=ew-2").press("record")
    hers.go("close")
    no_signal.set_offline(False)
    reason = mine.page.locator("[data-waiting] [data-reason]")
    expect(reason).not_to_be_empty()
    mine.page.locator("[data-waiting] [data-do=both]").click()
    expect(reason).to_contain_text("closed")
    mine.visit()
    has_waiting(mine, 1)
    mine.page.locator("[data-waiting] [data-do=drop]").click()
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    assert len(mine.sheet["deals"]) == 1


def test_going_back_to_a_pad_whose_deal_another_phone_has_recorded_shows_the_next_one_with_nothing_tapped(
    mine: TablePage, hers: TablePage
) -> None:
    mine.open_pad().tap("tricks=ns-3", "honours=ns-4").shows_score("8–0")
    mine.page.locator("a.home").tap()
    mine.page.wait_for_url(f"**{mine.path}")
    hers.enter("tricks=ns-3 honours=ns-4")
    mine.page.go_back(wait_until="load")
    expect(mine.page.locator("[data-deal-title]")).to_have_text("Deal 3")
    expect(mine.input("tricks=ns-3")).not_to_be_checked()
    expect(mine.input("honours=ns-4")).not_to_be_checked()
    expect(mine.input("dealer=3")).to_be_checked()
    mine.tap("tricks=ns-3", "honours=ns-4").shows_score("15–0").press("record")
    expect(mine.page.locator(".notice.stale")).to_contain_text("This deal is recorded already")
    mine.press("next")  # *Record another deal*
    assert len(mine.sheet["deals"]) == 3


def test_a_deal_that_is_said_to_be_the_recorded_one_is_not_on_the_next_pad(mine: TablePage, hers: TablePage) -> None:
    hers.open_pad()
    mine.open_pad().tap("tricks=ns-3").press("next")
    expect(hers.page.locator("[data-deal-title]")).to_have_text("Deal 3")
    hers.tap("tricks=ns-3").press("next").press("record")  # *It is the same deal*
    hers.on_table_page().open_pad()
    expect(hers.page.locator("[data-deal-title]")).to_have_text("Deal 3")
    expect(hers.input("tricks=ns-3")).not_to_be_checked()
    expect(hers.page.get_by_role("button", name="Discard")).to_be_hidden()


def sends(request: Request) -> bool:
    return request.method == "POST" and "do=next" in (request.post_data or "")


def test_a_double_tap_on_record_sends_once_and_records_once(mine: TablePage) -> None:
    page = mine.page
    routes: list[Route] = []

    def hold(route: Route, request: Request) -> None:
        if sends(request):
            routes.append(route)
        else:
            route.continue_()

    mine.open_pad().tap("tricks=ns-2").shows_score("3–0")
    page.route("**/deals/new", hold)
    box = page.locator("#main-action").bounding_box()
    assert box is not None
    position = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    with page.expect_request(sends):
        page.touchscreen.tap(*position)
    page.touchscreen.tap(*position)
    with page.expect_event("load"):
        routes[0].continue_()
    assert len(routes) == 1
    assert mine.visit().scores == [3, 0]
    assert len(mine.sheet["deals"]) == 2


def test_an_untouched_pad_shows_what_another_phone_records_and_gives_way_when_the_table_is_closed(
    mine: TablePage, hers: TablePage
) -> None:
    mine.open_pad().tap("tricks=ns-2").shows_score("3–0").press("next")
    hers.record("tricks=ew-2", "3–2")
    expect(mine.page.locator("[data-deal-title]")).to_have_text("Deal 4")
    expect(mine.page.locator(".score-line b")).to_have_text(["3", "2"])
    expect(mine.page.locator(".just-recorded .rows .number")).to_have_text("3")
    hers.visit().go("close")
    mine.page.wait_for_url(re.compile(rf"{re.escape(mine.path)}(\?|$)"))
    expect(mine.page.locator(".changed .recorded")).to_contain_text("closed the table")


def test_deals_recorded_without_a_signal_wait_each_on_the_next_pad_and_are_recorded_once(mine: TablePage) -> None:
    mine.open_pad().tap("tricks=ns-1").shows_score("2–0").press("next")
    mine.visit("deals/new?recorded=1")
    mine.page.context.set_offline(True)
    for number, tap in ((4, "tricks=ns-2"), (5, "tricks=ew-1")):
        mine.tap(tap).press("next")
        expect(mine.page.locator("[data-deal-title]")).to_have_text(f"Deal {number}")
        expect(mine.page.locator("[data-waiting] li")).to_have_count(number - 3)
        expect(mine.page.locator(".just-recorded")).not_to_be_visible()
    mine.page.context.set_offline(False)
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    tab = mine.page.context.new_page()  # the pad itself may be loading the next one
    tab.goto(mine.path)
    assert TablePage(tab).scores == [4, 1]
    assert len(mine.sheet["deals"]) == 4
