"""An app on a database of its own, a real server, and a real browser, for the tests of any installed game."""

from __future__ import annotations

import faulthandler
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any

import pytest
from flask import Flask

from .running import AppServer, chromium_program, new_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

TIMEOUT = 30_000  # milliseconds
LIMIT = 300  # seconds for one test
ADDRESSES = map(str, ip_network("198.18.0.0/15").hosts())  # of phones


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    """End the run with the lines at which it stands if a game's function does not come back."""
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """An app on an SQLite database of its own."""
    with new_app(tmp_path_factory.mktemp("scorekeeper")) as app:
        yield app


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The real server in a process of its own."""
    with AppServer(tmp_path_factory.mktemp("instance")) as server:
        yield server


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium: the machine's, or Playwright's own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as running:
        try:
            browser = running.chromium.launch(executable_path=chromium_program(), args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"there is no Chromium on this machine: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


@pytest.fixture
def phone(chromium: Browser, server: AppServer) -> Iterator[Callable[..., Page]]:
    """Create phones: browsers of 390×844 with touch. Errors in a page's scripts fail the test."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def make(**settings: Any) -> Page:
        options: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "locale": "en-GB", **settings}
        options["extra_http_headers"] = {"X-Forwarded-For": next(ADDRESSES)}
        context = chromium.new_context(base_url=server.url, has_touch=True, is_mobile=True, **options)
        context.set_default_timeout(TIMEOUT)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert not errors
