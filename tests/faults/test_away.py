"""The database goes away and comes back: pages report it clearly, and no entry is lost."""

from __future__ import annotations

import html
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from ..browser.table import TablePage, wait_for_service_worker
from ..conftest import PHONE, TIMEOUT
from ..databases import Cluster
from .conftest import Serve
from .phones import TIMES, Phone, audit, in_threads, keep_entering, wait_for

STOPS = 2 * TIMES
PHONES = 4


def test_entries_sent_while_the_database_is_down_are_recorded_afterwards(
    careful: Cluster, tmp_path: Path, serve: Serve
) -> None:
    server = serve(careful.make(tmp_path))
    host = Phone(server.url, "fr")
    table = host.open_table()
    phones = [Phone(server.url, seed=number) for number in range(PHONES)]
    for phone in phones:
        host.let_in(table, phone)
    fields = {"csrf_token": host.csrf, "tricks": "ns-1", "do": "record", "key": "k", "seen": "0"}
    stop = Event()
    with in_threads([partial(keep_entering, phone, [table], stop) for phone in phones]):
        try:
            for how in ["fast", "immediate"] * (STOPS // 2):
                wait_for(phones, PHONES)
                careful.stop(how)
                away = host.ask(table)
                refused = host.ask(f"{table}deals/new", fields)
                assert (away.status, refused.status) == (503, 503)
                assert away.headers["Retry-After"]
                assert "La base de données ne répond pas" in html.unescape(away.text)
                assert 'name="tricks" value="ns-1"' in refused.text
                careful.start()
                wait_for(phones, PHONES)
                assert host.ask(table).status == 200
        finally:
            stop.set()
    done = audit(server.app(), phones)
    print(f"the database was away {STOPS} times; {done}; sent again {sum(phone.sent_again for phone in phones)} times")
    assert done.acknowledged >= 2 * PHONES * STOPS
    assert sum(phone.sent_again for phone in phones) >= PHONES


@pytest.mark.browser
def test_a_phone_stores_its_entry_while_the_database_is_down_and_resends_it(
    careful: Cluster, tmp_path: Path, serve: Serve, chromium: Browser
) -> None:
    server = serve(careful.make(tmp_path))
    host = server.visitor().open_table("whist")
    settings: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "locale": "en-GB", "base_url": server.url}
    context = chromium.new_context(storage_state=host.cookie(), **settings)
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    page.goto(f"{host.table}deals/new")
    wait_for_service_worker(page)  # without one, the pad stays open and shows the entry there
    phone = TablePage(page)
    phone.tap("tricks=ns-3")
    careful.stop()
    phone.press("record")
    expect(page.locator("[data-waiting]")).to_contain_text("3")
    careful.start()
    page.locator("[data-do=send]").first.click()
    expect(page.locator("[data-waiting]")).to_be_hidden()
    context.close()
    assert host.export()["deals"] == [{"tricks": {"ns": 9, "ew": 4}}]
