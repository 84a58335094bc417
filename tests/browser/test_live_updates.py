"""Live updates: a page follows its table by a stream, fetches each change once, and polls while there is no stream.

Pages that need it have a clock that stands still, so that nothing happens after a while unless a test says so.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import APIResponse, Page, Request, Route, expect

from ..conftest import Server
from ..visitor import filled_in
from .table import TablePage, wait_for_service_worker

pytestmark = pytest.mark.browser

MAX_PAUSE = 15  # seconds between two polls
BACK = 8  # seconds within which a stream is opened again
SILENCE = 75  # seconds after which a stream counts as lost

Phones = Callable[..., Page]


class Follower:
    """A phone that follows a table, with what it sends for that and what it hears."""

    def __init__(self, page: Page) -> None:
        page.goto("about:blank")  # so that no late request of the page that was open is counted
        self.page = page
        self.fetches = 0
        self.streams = 0
        self.open_streams: set[Request] = set()
        self.heard: list[tuple[str, str]] = []  # the events of all streams
        page.on("request", self._sent)
        page.on("requestfailed", self._ended)
        page.on("requestfinished", self._ended)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Network.enable")
        devtools.on(
            "Network.eventSourceMessageReceived", lambda event: self.heard.append((event["eventName"], event["data"]))
        )

    def _sent(self, request: Request) -> None:
        path = urlsplit(request.url).path
        self.fetches += path.endswith("/now")
        if path.endswith("/stream"):
            self.streams += 1
            self.open_streams.add(request)

    def _ended(self, request: Request) -> None:
        self.open_streams.discard(request)

    def waits_until(self, condition: Callable[[], object]) -> None:
        """Wait for something that only arriving events of the browser can change."""
        for _ in range(600):
            if condition():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"fetches: {self.fetches}, streams: {self.streams}, heard: {self.heard}")

    def follows(self, streams: int = 1) -> Follower:
        """Wait until it has opened its n-th stream and heard both first events."""
        self.waits_until(lambda: self.streams == streams and len(self.open_streams) == 1)
        self.waits_until(lambda: [name for name, _ in self.heard].count("marks") >= streams)
        return self

    def passes(self, seconds: int) -> Follower:
        """Let time pass, second by second, and let every fetch that is due finish."""
        for _ in range(seconds):
            self.page.clock.run_for(1_000)
            self.page.wait_for_timeout(20)
        return self


def standing_still(page: Page) -> Follower:
    """Stop the clock of a phone's pages."""
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    return Follower(page)


@pytest.fixture
def mine(phone: Phones) -> TablePage:
    return TablePage.open_new(phone(), "whist")


@pytest.fixture
def follower(phone: Phones, mine: TablePage) -> Follower:
    """Another phone on the table's page, whose clock stands still."""
    page = phone()
    hers = TablePage.join(page, mine)
    follower = standing_still(page)
    hers.visit()
    mine.visit()
    return follower


def shows(page: Page, *scores: str) -> None:
    expect(page.locator(".board .score")).to_have_text(scores)


def send(table: TablePage, path: str, fields: dict[str, str], action: str = "") -> None:
    """Fill in a form of a page by requests alone, from a phone that is on another page meanwhile."""
    page = BeautifulSoup(table.page.request.get(path).text(), "html.parser")
    form = page.select_one(f'main form[method=post][action$="{action}"]' if action else "main form[method=post]")
    assert form is not None
    data: dict[str, str | float | bool] = {**filled_in(form), **fields}
    answer = table.page.request.post(str(form.get("action", path)), form=data)
    assert answer.ok


def record(table: TablePage, tricks: str = "ns-1") -> None:
    send(table, f"{table.path}deals/new", {"tricks": tricks, "do": "record"})


def remove_phone(host: TablePage, number: int) -> None:
    """End the access of a phone, with which the server ends all streams of the circle."""
    circle = host.page.locator(".places a[href^='/circles/']").get_attribute("href")
    send(host, f"{circle}links", {}, f"/browsers/{number}/end")


def hide(page: Page) -> None:
    page.evaluate(
        """Object.defineProperty(document, "hidden", { value: true, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));"""
    )


def show(page: Page) -> None:
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")


def note_signals(page: Page) -> None:
    """Have the page note whether it ever says that there is no connection."""
    page.evaluate(
        """new MutationObserver(([{ target }]) => { document.hasLostSignal ||= !target.hidden })
        .observe(document.querySelector("[data-signal]"), { attributes: true })"""
    )


# --- with a stream


def test_each_deal_comes_by_the_stream_and_an_idle_page_sends_nothing(mine: TablePage, follower: Follower) -> None:
    follower.follows()
    for deals in (1, 2, 3):
        record(mine)
        shows(follower.page, f"{deals}", "0")
    follower.page.clock.fast_forward((SILENCE - 15) * 1_000)
    follower.passes(2)
    assert (follower.fetches, follower.streams) == (0, 1)


def test_the_buttons_of_an_update_that_the_stream_has_brought_work(mine: TablePage, follower: Follower) -> None:
    follower.follows()
    record(mine)
    shows(follower.page, "1", "0")
    follower.page.locator(".bar button.second").tap()
    shows(follower.page, "0", "0")
    assert mine.sheet["deals"] == []


@pytest.mark.parametrize("missing", ["DecompressionStream", "atob"])
def test_a_page_that_cannot_read_an_update_fetches_it(mine: TablePage, follower: Follower, missing: str) -> None:
    follower.page.add_init_script(f"delete window.{missing}")
    follower.page.reload()
    follower.follows(2)
    before = follower.fetches
    record(mine)
    shows(follower.page, "1", "0")
    assert follower.fetches == before + 1


def test_an_end_that_a_reader_has_folded_stays_folded_until_the_next_end(mine: TablePage, follower: Follower) -> None:
    follower.follows()
    for _ in range(2):
        record(mine, "ns-5")
        record(mine, "ns-5")
    follower.page.locator(".ending summary").tap()
    follower.passes(1)  # what is pressed holds updates back
    expect(follower.page.locator(".ending")).not_to_have_attribute("open", "")
    mine.go("close")
    expect(follower.page.locator(".ending")).to_have_attribute("open", "")


def test_changes_during_a_fetch_are_fetched_together(mine: TablePage, follower: Follower) -> None:
    held: list[tuple[Route, APIResponse]] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    follower.page.route("**/now", hold_the_first)
    follower.follows()
    record(mine)
    follower.waits_until(lambda: held)
    for _ in range(3):
        record(mine)
    follower.waits_until(lambda: follower.heard[-1][1].split(" ")[1:2] == ["4"])
    route, answer = held[0]
    route.fulfill(response=answer)
    shows(follower.page, "4", "0")
    assert follower.fetches == 2


def test_the_table_and_the_display_show_changes_without_polls(mine: TablePage, follower: Follower) -> None:
    follower.follows()
    record(mine)
    expect(follower.page.locator("h1 small")).to_have_text(mine.page.locator("h1 small").inner_text())
    follower.page.goto(f"{mine.path}display")
    before = follower.follows(2).fetches
    record(mine)
    expect(follower.page.locator(".display .score")).to_have_text(["2", "0"])
    assert follower.fetches == before + 1


def test_a_hidden_page_closes_its_stream_and_fetches_once_when_it_is_shown(mine: TablePage, follower: Follower) -> None:
    hide(follower.follows().page)
    follower.waits_until(lambda: not follower.open_streams)
    record(mine)
    follower.page.clock.fast_forward((SILENCE + MAX_PAUSE) * 1_000)
    follower.passes(2)
    assert (follower.fetches, follower.streams) == (0, 1)
    show(follower.page)
    shows(follower.page, "1", "0")
    follower.follows(2).passes(MAX_PAUSE)
    assert (follower.fetches, follower.streams) == (1, 2)


def test_a_page_that_is_left_closes_its_stream_and_opens_another_when_one_comes_back(
    mine: TablePage, follower: Follower
) -> None:
    follower.follows().page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    follower.waits_until(lambda: not follower.open_streams)
    record(mine)
    follower.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    shows(follower.page, "1", "0")
    assert follower.follows(2).fetches == 1


# --- without one


def refusing(status: int | None) -> Callable[[Route], None]:
    """Answer requests for a stream with a status, or with a lost connection."""
    return lambda route: route.abort() if status is None else route.fulfill(status=status)


@pytest.mark.parametrize("status", [204, 503, None])
def test_without_a_stream_the_page_polls_more_rarely_while_nothing_happens(
    mine: TablePage, follower: Follower, status: int | None
) -> None:
    follower.page.route("**/stream?updates", refusing(status))
    follower.page.reload()
    start = follower.fetches
    polls_at_first = follower.passes(10).fetches - start
    before = follower.passes(20).fetches
    polls_later = follower.passes(40).fetches - before
    assert polls_at_first >= 2
    assert 2 <= polls_later <= 5
    assert 2 < follower.streams <= 10  # tried again, more rarely too
    record(mine)
    while follower.page.locator(".board .score").first.inner_text() == "0":
        follower.passes(1)
    before = follower.fetches
    assert follower.passes(4).fetches > before  # something may follow soon
    expect(follower.page.locator("[data-signal]")).to_be_hidden()


def test_a_browser_without_event_source_polls(mine: TablePage, follower: Follower) -> None:
    follower.page.add_init_script("delete window.EventSource")
    follower.page.reload()
    before = follower.streams
    record(mine)
    follower.passes(5)
    shows(follower.page, "1", "0")
    assert follower.streams == before


# --- streams that end


def test_a_stream_that_the_server_ends_is_opened_again_without_a_notice(
    phone: Phones, mine: TablePage, follower: Follower
) -> None:
    TablePage.join(phone(), mine)
    note_signals(follower.follows().page)
    remove_phone(mine, 3)
    follower.waits_until(lambda: not follower.open_streams)
    record(mine)
    follower.passes(5)
    shows(follower.page, "1", "0")
    fetches = follower.passes(BACK).follows(2).fetches
    follower.passes(MAX_PAUSE)
    assert fetches >= 1
    assert (follower.fetches, follower.streams) == (fetches, 2)
    assert not follower.page.evaluate("document.hasLostSignal")


def test_a_stream_without_a_sign_of_life_is_replaced(mine: TablePage, follower: Follower) -> None:
    note_signals(follower.follows().page)
    follower.page.clock.fast_forward((SILENCE - 1) * 1_000)  # before a real sign of life, which comes every 30 seconds
    assert follower.open_streams
    follower.page.clock.fast_forward(1_000)
    follower.waits_until(lambda: not follower.open_streams)
    follower.passes(BACK).follows(2)  # perhaps without a fetch: the new stream says that nothing has changed
    record(mine)
    shows(follower.page, "1", "0")
    assert not follower.page.evaluate("document.hasLostSignal")


def test_a_removed_phone_shows_by_itself_that_it_has_no_access(mine: TablePage, follower: Follower) -> None:
    follower.follows()
    with follower.page.expect_event("load"):
        remove_phone(mine, 2)
        follower.passes(4)
    expect(follower.page.locator(".board")).to_have_count(0)
    assert follower.page.request.get(mine.path).status == 404


def test_a_phone_says_at_once_that_it_is_offline_and_follows_again_online(mine: TablePage, follower: Follower) -> None:
    context = follower.follows().page.context
    context.set_offline(True)
    expect(follower.page.locator("[data-signal]")).to_contain_text("No connection")
    record(mine)
    context.set_offline(False)
    expect(follower.page.locator("[data-signal]")).to_be_hidden()
    shows(follower.page, "1", "0")
    follower.follows(2)


def shows_next_pad(table: TablePage) -> None:
    """Expect the pad that lies open to be that of the deal after the first one, which was sent."""
    expect(table.page.locator("[data-deal-title]")).to_have_text("Deal 2")
    expect(table.page.locator("h1 small")).to_contain_text("Bruno deals")
    expect(table.page.locator(".score-line b")).to_have_text(["0", "2"])


def test_an_entry_made_offline_is_sent_and_shown_to_all_when_the_phone_is_back(
    mine: TablePage, follower: Follower
) -> None:
    follower.follows()
    wait_for_service_worker(mine.page)
    mine.visit().open_pad()
    mine.page.context.set_offline(True)
    mine.tap("tricks=ew-2").press("record")
    expect(mine.page.locator("[data-waiting] [data-list] > li")).to_have_count(1)
    expect(mine.page.locator("[data-signal]")).to_be_visible()
    mine.page.context.set_offline(False)
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    expect(mine.page.locator("[data-signal]")).to_be_hidden()
    shows_next_pad(mine)
    for page in (mine.visit().page, follower.page):
        shows(page, "0", "2")
    assert follower.fetches == 0
    assert len(mine.sheet["deals"]) == 1


def test_after_a_restart_of_the_server_all_is_back_and_nothing_is_lost(
    server: Server, phone: Phones, mine: TablePage
) -> None:
    hers = TablePage.join(phone(), mine)
    follower = Follower(hers.page)
    wait_for_service_worker(mine.page)
    mine.visit().open_pad()
    hers.visit()
    follower.follows()
    server.stop()
    try:
        expect(hers.page.locator("[data-signal]")).to_contain_text("No connection. This is the table at")
        mine.tap("tricks=ew-2").press("record")
        expect(mine.page.locator("[data-waiting] [data-list] > li")).to_have_count(1)
    finally:
        server.start()
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    shows_next_pad(mine)
    mine.visit()
    for table in (mine, hers):
        shows(table.page, "0", "2")
        expect(table.page.locator("[data-signal]")).to_be_hidden()
    follower.waits_until(lambda: len(follower.open_streams) == 1)
    assert len(mine.sheet["deals"]) == 1


def test_many_windows_side_by_side_leave_connections_for_pages(phone: Phones, mine: TablePage) -> None:
    """A browser has six connections to a server without HTTP/2, and each stream takes one."""
    context = TablePage.join(phone(), mine).page.context
    windows = [context.new_page() for _ in range(7)]
    followers = [Follower(window) for window in windows]
    for window in windows:
        window.goto(mine.path)
    record(mine)
    for window in windows:
        shows(window, "1", "0")
    assert sum(len(follower.open_streams) for follower in followers) <= 4
    windows[0].locator(".bar a.main").tap()
    expect(windows[0].locator("form[data-pad]")).to_be_visible()
