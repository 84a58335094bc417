"""Phones that show each other's entries, and a phone that is offline: no entry is lost or recorded twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import APIResponse, BrowserContext, Page, Route, expect

from .table import TablePage, wait_for_service_worker, wait_until

pytestmark = pytest.mark.browser


@pytest.fixture
def mine(phone: Callable[..., Page]) -> TablePage:
    table = TablePage.open_new(phone(), "whist").enter("tricks=ns-1")
    is_kept(table.page)
    return table.visit()


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


def is_back(table: TablePage, context: BrowserContext) -> None:
    context.set_offline(False)
    expect(table.page.locator("[data-waiting]")).to_be_hidden()


def test_a_phone_shows_another_phones_entry_and_its_author(mine: TablePage, hers: TablePage) -> None:
    hers.enter("tricks=ew-2")
    scores(mine, "1–2")
    expect(mine.page.locator("[data-news]")).to_contain_text("Phone 2")
    expect(mine.page.locator(".rows li.fresh")).to_have_count(1)
    mine.go("undo")
    scores(hers, "1–0")


def test_a_hidden_page_sends_no_polls(mine: TablePage) -> None:
    polls: list[str] = []
    mine.page.on("request", lambda request: polls.append(request.url))
    mine.page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    mine.page.wait_for_timeout(500)
    polls.clear()
    mine.page.wait_for_timeout(3_500)
    assert not [url for url in polls if url.endswith("/now")]
    with mine.page.expect_request("**/now"):
        mine.page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")


def test_taps_on_an_open_pad_stay_when_another_phone_records(mine: TablePage, hers: TablePage) -> None:
    mine.open_pad().tap("tricks=ns-3", "honours=ns-4").shows_score("8–0")
    hers.enter("tricks=ew-2")
    expect(mine.page.locator("[data-news]")).to_contain_text("Phone 2")
    expect(mine.input("tricks=ns-3")).to_be_checked()
    expect(mine.input("honours=ns-4")).to_be_checked()


def test_offline_the_cached_table_is_shown_with_its_time(mine: TablePage, no_signal: BrowserContext) -> None:
    mine.visit()
    scores(mine, "1–0")
    expect(mine.page.locator("[data-signal]")).to_contain_text("No connection. This is the table at")
    mine.page.goto("/")
    expect(mine.page.locator(".table-card")).to_have_count(1)
    mine.page.goto("/rules/whist")
    expect(mine.page.locator("main")).to_contain_text("not saved on your phone")
    no_signal.set_offline(False)


def test_a_deal_entered_offline_waits_and_is_sent_online(mine: TablePage, no_signal: BrowserContext) -> None:
    mine.open_pad().tap("tricks=ew-2").press("record")
    expect(mine.page.locator("[data-waiting]")).to_contain_text("2")
    has_waiting(mine, 1)
    expect(mine.visit().page.locator("#main-action")).to_have_text("Record deal 3")
    is_back(mine, no_signal)
    scores(mine, "1–2")
    expect(mine.page.locator("#main-action")).to_have_text("Record deal 3")
    assert len(mine.sheet["deals"]) == 2


def test_a_bid_noted_offline_waits_and_is_shown_to_all_online(
    phone: Callable[..., Page],
) -> None:
    table = TablePage.open_new(phone(), "joffre").open_pad().visit().open_pad()
    is_kept(table.page)
    table.page.context.set_offline(True)
    table.tap("bidder=3", "bid=7").press("announce")
    expect(table.page.locator("[data-waiting]")).to_contain_text("7")
    has_waiting(table, 1)
    is_back(table, table.page.context)
    expect(table.visit().page.locator("main")).to_contain_text("Chloé: 7 (needs 7")


def test_two_deals_entered_offline_are_recorded_once_each_in_order(mine: TablePage, no_signal: BrowserContext) -> None:
    mine.open_pad().tap("tricks=ew-2").press("record")
    mine.open_pad().tap("tricks=ew-2").press("record")
    has_waiting(mine, 2)
    is_back(mine, no_signal)
    scores(mine, "1–4")
    assert [deal["tricks"]["ew"] for deal in mine.sheet["deals"]] == [6, 8, 8]
    assert not any("dealer" in deal for deal in mine.sheet["deals"])


def test_entries_made_offline_are_labelled_with_the_number_they_will_have(
    mine: TablePage, no_signal: BrowserContext
) -> None:
    page = mine.open_pad().page
    expect(page.locator("h1")).to_have_text("Deal 2 Bruno deals")
    mine.tap("tricks=ew-2").press("record")
    expect(page.locator("[data-not-included]")).to_have_text(
        "The scores on this page do not include these entries yet."
    )
    page.goto("/")
    expect(page.locator("[data-not-included]")).to_have_count(0)  # no scores of one table
    expect(mine.open_pad().page.locator("h1")).to_have_text("Deal 3 scores before the deals waiting to be sent")
    mine.tap("tricks=ns-3").press("record")
    mine.open_pad().tap("tricks=ew-1").press("record")
    summaries = page.locator("[data-waiting] [data-summary]")
    expect(summaries).to_contain_text(["Deal 2 ·", "Deal 3 ·", "Deal 4 ·"])
    mine.open_pad()
    is_back(mine, no_signal)
    expect(page.locator("h1")).to_have_text("Deal 5 Anne deals")  # the pad renews itself


def test_a_waiting_deal_survives_closing_the_page(mine: TablePage, no_signal: BrowserContext) -> None:
    mine.open_pad().tap("tricks=ew-2").press("record")
    expect(mine.page.locator("[data-waiting]")).to_be_visible()
    mine.page.close()
    no_signal.set_offline(False)
    page = no_signal.new_page()
    page.goto("/")
    expect(page.locator("[data-waiting]")).to_be_hidden()
    page.goto(mine.path)
    expect(page.locator(".board .score")).to_have_text(["1", "2"])


STORED_BY_0_1_0 = """() => {
  const entries = JSON.parse(localStorage.getItem("scorekeeper.waiting"));
  const stored = entries.map(({ summary, ...rest }) => ({ ...rest, told: `From before: ${summary}` }));
  localStorage.setItem("scorekeeper.waiting", JSON.stringify(stored));
  window.dispatchEvent(new Event("storage"));
}"""


def test_an_entry_stored_before_an_upgrade_is_shown_and_sent(mine: TablePage, no_signal: BrowserContext) -> None:
    mine.open_pad().tap("tricks=ew-2").press("record")
    mine.page.evaluate(STORED_BY_0_1_0)
    expect(mine.page.locator("[data-waiting]")).to_contain_text("From before: Deal 2")
    is_back(mine, no_signal)
    scores(mine, "1–2")
    assert len(mine.sheet["deals"]) == 2


def test_without_a_service_worker_an_open_pad_still_works_offline(phone: Callable[..., Page]) -> None:
    """As on the local network, without HTTPS."""
    table = TablePage.open_new(phone(service_workers="block"), "whist")
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


def test_two_phones_that_entered_two_deals_record_both(
    mine: TablePage, hers: TablePage, no_signal: BrowserContext
) -> None:
    mine.open_pad().tap("tricks=ew-2").press("record")
    hers.record("tricks=ns-3", "4–0")
    no_signal.set_offline(False)
    mine.page.locator("[data-waiting] [data-do=both]").click()
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    scores(mine, "4–2")
    assert len(mine.sheet["deals"]) == 3


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
