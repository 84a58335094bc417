"""Phones: pages in a real browser, at the real server."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from playwright import sync_api as playwright
from playwright.sync_api import Browser, Page, ViewportSize

from .server import Server

# The headless shell draws the same pages in two thirds of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PHONE: ViewportSize = {"width": 390, "height": 844}
TIMEOUT = 30_000  # milliseconds, for anything that a browser test waits for
ADDRESSES = map(str, ip_network("198.18.0.0/15").hosts())  # of phones


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium: the machine's, or Playwright's own."""
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    with playwright.sync_playwright() as running:
        try:
            browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"there is no Chromium on this machine: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


def new_page(chromium: Browser, server: Server, **settings: Any) -> Page:
    """Open a page in a browser of its own, which is a phone's."""
    options: dict[str, Any] = {
        "viewport": PHONE,
        "has_touch": True,
        "is_mobile": True,
        "locale": "en-GB",
        "base_url": server.url,
        "service_workers": "block",  # they make a visit cost half as much again
        "extra_http_headers": {"X-Forwarded-For": next(ADDRESSES)},
    }
    context = chromium.new_context(**options | settings)
    context.set_default_timeout(TIMEOUT)
    return context.new_page()


@pytest.fixture
def phone(chromium: Browser, server: Server) -> Iterator[Callable[..., Page]]:
    """Create phones: browsers of 390×844 with touch. Errors in a page's scripts fail the test."""
    pages: list[Page] = []
    errors: list[str] = []

    def make(**settings: Any) -> Page:
        page = new_page(chromium, server, **settings)
        pages.append(page)
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield make
    for page in pages:
        page.context.close()
    assert not errors, errors
