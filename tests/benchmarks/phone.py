"""Measure bytes and waiting time of a phone: in Chromium, through a proxy that counts the server's bytes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from ..conftest import CHROMIUM, FLAGS, PHONE
from .ours import AtTable
from .serving import Client

# Chromium's preset "Slow 4G": bytes per second in each direction, and latency in milliseconds; on a phone four times
# slower than this machine.
SLOW_4G = {"offline": False, "latency": 562.5, "downloadThroughput": 180_000, "uploadThroughput": 84_375}
SLOWER = 4
SETTLES = 1_000  # milliseconds in which a page and its service worker load everything; polling begins later

# Resolves when the page is painted and its scripts have run.
READY = """() => Math.max(
    performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
    performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity,
)"""


class Meter:
    """A proxy that counts the bytes the server sends."""

    def __init__(self, port: int) -> None:
        self.server, self.bytes = port, 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                phone, _ = self.listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.server))
            for here, there in ((phone, server), (server, phone)):
                threading.Thread(target=self._pass_on, args=(here, there, here is server), daemon=True).start()

    def _pass_on(self, here: socket.socket, there: socket.socket, counts: bool) -> None:
        try:
            while got := here.recv(1 << 16):
                self.bytes += len(got) if counts else 0
                there.sendall(got)
            there.shutdown(socket.SHUT_WR)
        except OSError:
            return  # one of the two has disconnected

    def reset(self) -> int:
        """Return the count, and start again at 0."""
        count, self.bytes = self.bytes, 0
        return count


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def weighed(browser: Browser, client: Client, table: AtTable) -> tuple[float, float]:
    """Return the kilobytes (1,000 bytes) of a first and of a second visit of the table's page and the pad."""
    meter = Meter(client.port)
    context = _phone(browser, client)
    page = context.new_page()
    counts = []
    for _ in range(2):
        for path in (table.path, f"{table.path}deals/new"):
            page.goto(f"http://127.0.0.1:{meter.port}{path}", wait_until="load")
            page.wait_for_timeout(SETTLES)
        counts.append(meter.reset() / 1000)
    context.close()
    meter.listening.close()
    first, second = counts
    return first, second


def waited(browser: Browser, client: Client, table: AtTable) -> float:
    """Return the milliseconds until the pad can be used on a first visit."""
    context = _phone(browser, client)
    page = context.new_page()
    _slow_down(context, page)
    page.goto(f"http://127.0.0.1:{client.port}{table.path}deals/new", wait_until="load")
    took = float(page.evaluate(READY))
    context.close()
    return took


def _phone(browser: Browser, client: Client) -> BrowserContext:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, locale="en-GB")
    context.add_cookies(
        [{"name": name, "value": value, "domain": "127.0.0.1", "path": "/"} for name, value in client.cookies.items()]
    )
    return context


def _slow_down(context: BrowserContext, page: Page) -> None:
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_4G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
