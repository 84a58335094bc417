"""A site below a path of its name, on phones: the service worker, the stream and what waits without a signal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, expect

from ..conftest import Server
from ..databases import Databases
from ..visitor import NAMES, filled_in, find
from .table import TablePage, wait_for_service_worker, wait_until

pytestmark = pytest.mark.browser

PATH = "/scores"
Phones = Callable[..., Page]


@pytest.fixture
def site(databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a site below a path, without a slash at its end."""
    server = Server(tmp_path, databases.make(tmp_path))
    server.url += PATH
    monkeypatch.setenv("SCOREKEEPER_PATH", PATH)
    server.start()
    yield server.url
    server.stop()


def open_table(page: Page, site: str) -> TablePage:
    address = f"{site}/tables/new/whist"
    form = filled_in(find(BeautifulSoup(page.request.get(address).text(), "lxml"), "form.opening"))
    seats = {f"seat-{seat}": name for seat, name in enumerate(NAMES[:4], start=1)}
    page.goto(page.request.post(address, form={**form, **seats}).url)
    return TablePage(page)


def test_pages_follow_the_table_and_work_without_a_signal(site: str, phone: Phones) -> None:
    page, second = phone(base_url=site), phone(base_url=site)
    # Caches of other sites of this name: another Scorekeeper below a longer path, one at the root, another app.
    others = ["another-app", "scorekeeper-pages", "scorekeeper-0123456789ab", f"scorekeeper-pages{PATH}-old"]
    page.goto(f"{site}/health")
    page.evaluate("(names) => Promise.all(names.map((name) => caches.open(name)))", others)
    mine = open_table(page, site)
    wait_for_service_worker(page)
    assert page.evaluate("async () => (await navigator.serviceWorker.ready).scope") == f"{site}/"
    kept = page.evaluate("caches.keys()")
    assert set(others) < set(kept)
    assert all(name.endswith(PATH) for name in set(kept) - set(others))

    second.goto(mine.visit("share").page.locator("#link").input_value())
    second.locator("main form button.main").tap()
    second.wait_for_url(f"**{mine.path}")
    with second.expect_response(lambda answer: answer.url.endswith("/stream?updates") and answer.status == 200):
        second.reload()
    mine.visit().open_pad().tap("tricks=ns-5").shows_score("5–0").press("record")
    expect(second.locator(".board .score").first).to_have_text("5")

    wait_until(
        page,
        "async (path) => (await (await caches.match(path, { ignoreVary: true }))?.text())?.includes('data-seen=\"1\"')",
        f"{mine.path}deals/new",
    )
    page.context.set_offline(True)
    page.goto(f"{site}/")
    page.locator(f"main a[href='{mine.path}']").first.tap()
    page.wait_for_url(f"**{mine.path}")
    mine.open_pad().tap("tricks=ew-1").press("record")
    expect(page.locator("[data-waiting] [data-list] > li")).to_have_count(1)
    assert page.evaluate("Object.keys(localStorage)") == [f"scorekeeper.waiting{PATH}"]
    page.goto(f"{site}/security")
    expect(page.locator("h1")).to_have_text("No connection")
    page.context.set_offline(False)
    mine.visit()
    expect(page.locator("[data-waiting]")).to_be_hidden()
    expect(second.locator(".board .score").last).to_have_text("1")
    assert urlsplit(page.url).path == mine.path
