"""A page follows its table, by a stream or by asking, whatever becomes of the phone and the server meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, repeat

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, Route, expect

from ..support.server import Server
from ..support.visitor import filled_in
from .table import TablePage, wait_for_service_worker, wait_until

pytestmark = pytest.mark.browser

SOON = 5_000  # milliseconds until an entry is on the other phones, on a busy machine

Phones = Callable[..., Page]


@pytest.fixture
def mine(phone: Phones) -> TablePage:
    return TablePage.open_new(phone(service_workers="allow"), "whist")


@pytest.fixture
def hers(phone: Phones, mine: TablePage) -> TablePage:
    """Another phone, on the table's page."""
    hers = TablePage.join(phone(), mine)
    mine.visit()
    return hers.visit()


def shows(page: Page, *scores: str) -> None:
    expect(page.locator(".board .score")).to_have_text(scores, timeout=SOON)


def send(table: TablePage, path: str, fields: dict[str, str], action: str = "") -> None:
    """Fill in a form of a page by requests alone, from a phone that is on another page meanwhile."""
    page = BeautifulSoup(table.page.request.get(path).text(), "html.parser")
    form = page.select_one(f'main form[method=post][action$="{action}"]' if action else "main form[method=post]")
    assert form is not None
    data: dict[str, str | float | bool] = {**filled_in(form), **fields}
    assert table.page.request.post(str(form.get("action", path)), form=data).ok


def record(table: TablePage, tricks: str = "ns-1") -> None:
    send(table, f"{table.path}deals/new", {"tricks": tricks, "do": "record"})


def hide(page: Page) -> None:
    page.evaluate(
        """Object.defineProperty(document, "hidden", { value: true, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));"""
    )


def show(page: Page) -> None:
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")


def test_a_browser_without_streams_asks(phone: Phones, mine: TablePage) -> None:
    page = phone()
    page.add_init_script("delete window.EventSource")
    TablePage.join(page, mine).visit()
    record(mine)
    shows(page, "1", "0")


def test_a_page_names_all_that_it_shows_when_it_asks_what_is_new(mine: TablePage, hers: TablePage) -> None:
    """Whatever letters the random tokens in its ETag have."""
    asked: list[str] = []
    tokens = chain(["b"], repeat("b-c"))

    def answer(route: Route) -> None:
        asked.append(route.request.headers.get("if-none-match", ""))
        response = route.fetch()
        route.fulfill(response=response, body=re.sub(r'(data-mark="\d+)[^"]+', rf"\1.{next(tokens)}", response.text()))

    hers.page.route(re.compile(r"/tables/[^/]+/(update)?$"), answer)
    hers.visit()
    record(mine)
    shows(hers.page, "1", "0")
    record(mine)
    shows(hers.page, "2", "0")
    assert asked[-1].endswith('.b-c"')


def test_a_pad_is_not_left_because_something_around_the_deals_has_changed(mine: TablePage, hers: TablePage) -> None:
    hers.visit("deals/new").page.evaluate("window.isKept = true")
    with hers.page.expect_response(lambda answer: answer.url.endswith("/update") and answer.ok, timeout=SOON):
        send(mine, f"{mine.path}details", {"title": "Finale"})
    hers.page.wait_for_timeout(500)
    assert hers.page.evaluate("window.isKept")
    with hers.page.expect_event("load", timeout=SOON):
        record(mine)
    assert not hers.page.evaluate("window.isKept")


def test_a_page_that_was_hidden_shows_the_newest_when_it_is_looked_at_again(mine: TablePage, hers: TablePage) -> None:
    hide(hers.page)
    record(mine)
    record(mine)
    show(hers.page)
    shows(hers.page, "2", "0")


def test_a_removed_phone_shows_by_itself_that_it_has_no_access(mine: TablePage, hers: TablePage) -> None:
    circle = mine.page.locator(".places a[href^='/circles/']").first.get_attribute("href")
    with hers.page.expect_event("load"):
        send(mine, f"{circle}links", {}, "/phones/2/end")
        record(mine)
    expect(hers.page.locator(".board")).to_have_count(0)
    assert hers.page.request.get(mine.path).status == 404


def test_after_a_restart_of_the_server_all_is_back_and_nothing_is_lost(
    server: Server, mine: TablePage, hers: TablePage
) -> None:
    wait_for_service_worker(mine.page)
    mine.visit().open_pad()
    server.stop()
    try:
        expect(hers.page.locator("[data-signal]")).to_contain_text("No connection. This is the table at")
        mine.tap("tricks=ew-2").press("record")
        expect(mine.page.locator("[data-waiting] [data-list] > li")).to_have_count(1)
    finally:
        server.start()
    expect(mine.page.locator("[data-waiting]")).to_be_hidden()
    expect(mine.page.locator("[data-deal-title]")).to_have_text("Deal 2")
    expect(mine.page.locator(".score-line b")).to_have_text(["0", "2"])
    for table in (mine.visit(), hers):
        expect(table.page.locator(".board .score")).to_have_text(["0", "2"])
        expect(table.page.locator("[data-signal]")).to_be_hidden()
    assert len(mine.sheet["deals"]) == 1


# Stands in place of the browser's voice, and keeps what it is asked to say.
VOICE = """
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
const heard = () => JSON.parse(localStorage.getItem("heard") ?? "[]");
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [{ lang: "en-US" }, { lang: "fr-CA" }, { lang: "fr_FR" }],
  speak: ({ text, lang, voice }) =>
    localStorage.setItem("heard", JSON.stringify([...heard(), [voice?.lang ?? lang, text]])),
  cancel: () => {},
} });
"""


def test_a_phone_reads_each_change_aloud_once_in_its_own_language(phone: Phones, mine: TablePage) -> None:
    page = phone(locale="fr-FR")
    page.add_init_script(VOICE)
    TablePage.join(page, mine).visit()
    page.locator("[data-read-aloud]").tap()
    expect(page.locator("[data-read-aloud]")).to_have_attribute("aria-pressed", "true")
    record(mine, "ns-3")
    wait_until(page, "JSON.parse(localStorage.heard ?? '[]').length === 2")  # the first says that it reads
    page.reload()
    send(mine, mine.path, {}, "/undo")
    wait_until(page, "JSON.parse(localStorage.heard ?? '[]').length === 3")
    assert page.evaluate("JSON.parse(localStorage.heard).slice(1)") == [
        ["fr_FR", "Nord-Sud marquent 3 points. Le score : Nord-Sud 3, Est-Ouest 0. C’est à Bruno de donner."],
        ["fr_FR", "Le téléphone 1 a retiré le coup 1. C’est à Anne de donner."],
    ]
