"""Every page fits, is legible and can be tapped: at every size, light, dark, in each language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Literal

import axe_playwright_python  # type: ignore[import-untyped]  # it has no types
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from ..support.chromium import PHONE, new_page
from ..support.server import Server
from .screens import SCREENS, Screen, Tables

pytestmark = pytest.mark.browser

SIZES = {"smallest": (320, 640), "phone": (390, 844), "landscape": (844, 390), "desk": (1280, 800)}
# The dark scheme changes colours but no layout, so one size is enough.
VIEWS: list[tuple[str, Literal["light", "dark"]]] = [
    *((size, "light") for size in ("smallest", "landscape", "desk")),
    ("phone", "dark"),
]
TOUCH = 44  # minimum height and width of a target, in CSS pixels
MAX_BYTES = 60_000  # transferred on a first visit
APART = 8  # minimum distance of two targets, in CSS pixels
ZOOMED = 200  # size of text in per cent
FLAWS, UNREACHED, LOST, STRETCH = (
    Path(__file__).with_name(f"{script}.js").read_text(encoding="utf-8")
    for script in ("flaws", "keyboard", "lost", "stretch")
)
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
LOCALES = ("en-GB", "fr-FR", "de-DE")
EXPECTED = ("Failed to load resource", "Service Worker registration blocked")  # how messages of no interest begin


class Reader:
    """A phone with one language, which collects errors and warnings of its pages."""

    def __init__(self, chromium: Browser, server: Server, locale: str, tables: Tables) -> None:
        settings = {"locale": locale, "reduced_motion": "reduce", "storage_state": tables.cookie}
        self.page = new_page(chromium, server, **settings)
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._console)

    def _console(self, message: ConsoleMessage) -> None:
        """Collect errors and warnings, including violations of the content security policy."""
        if message.type in ("error", "warning") and not message.text.startswith(EXPECTED):
            self.complaints.append(message.text)


@pytest.fixture(scope="module")
def readers(chromium: Browser, server: Server, tables: Tables) -> Iterator[dict[str, Reader]]:
    readers = {locale: Reader(chromium, server, locale, tables) for locale in LOCALES}
    yield readers
    for reader in readers.values():
        reader.page.context.close()


def flaws_of(page: Page) -> dict[str, list[str]]:
    """Return the flaws of a page, each with the views that have it."""
    flaws: dict[str, list[str]] = {}
    for size, light in VIEWS:
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=light)
        for flaw in page.evaluate(FLAWS, {"width": width, "touch": TOUCH, "apart": APART}):
            flaws.setdefault(flaw, []).append(f"{size} {light}")
    return flaws


def violations_of(page: Page) -> list[str]:
    """Return axe's violations; contrast is among the flaws already."""
    page.set_viewport_size(PHONE)
    page.evaluate(AXE)
    options = "{ preload: false, resultTypes: ['violations'], rules: { 'color-contrast': { enabled: false } } }"
    found = page.evaluate(f"axe.run(document, {options})")["violations"]
    return [f"{violation['id']}: {node['html'][:200]}" for violation in found for node in violation["nodes"]]


def lost_when_zoomed(page: Page) -> list[str]:
    """Return what does not fit the smallest screen with large text, and then with long words."""
    width, height = SIZES["smallest"]
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("(size) => { document.documentElement.style.fontSize = `${size}%` }", ZOOMED)
    lost = [*page.evaluate(LOST, width)]
    if "/display" not in page.url:  # see test_display.py: long names are smaller there
        page.evaluate(STRETCH)
        lost += page.evaluate(LOST, width)
    return lost


# Each page in one of the languages, in turn, and only once: opening a page takes longest.
@pytest.mark.parametrize(
    ("screen", "locale"),
    [
        pytest.param(screen, locale, id=f"{screen}-{locale}")
        for screen, locale in zip(SCREENS, cycle(LOCALES), strict=False)
    ],
)
def test_a_page_fits_is_legible_and_can_be_tapped_at_every_size_and_with_large_text(
    readers: dict[str, Reader], tables: Tables, screen: Screen, locale: str
) -> None:
    page, complaints = readers[locale].page, readers[locale].complaints
    complaints.clear()
    page.set_viewport_size(PHONE)
    tables.look(page, screen)
    assert page.locator("html").get_attribute("lang") == locale
    page.evaluate("() => document.querySelectorAll('details').forEach((folded) => { folded.open = true })")
    assert not flaws_of(page)
    assert not violations_of(page)
    page.keyboard.press("Tab")  # from here on the browser shows where the focus is
    assert not page.evaluate(UNREACHED)
    assert not lost_when_zoomed(page)
    assert not complaints


@pytest.mark.parametrize("page_", ["", "deals/new"])
def test_a_first_visit_of_table_and_of_pad_is_light(
    chromium: Browser, server: Server, tables: Tables, page_: str
) -> None:
    context = chromium.new_context(base_url=server.url, storage_state=tables.cookie, service_workers="block")
    page, arrived = context.new_page(), list[int]()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda event: arrived.append(event["encodedDataLength"]))
    page.goto(f"{tables.paths['francion']}{page_}", wait_until="networkidle")
    assert len(arrived) > 3  # the page, its styles and scripts
    assert sum(arrived) <= MAX_BYTES
    context.close()


def test_the_dark_scheme_is_dark_and_the_light_one_is_light(readers: dict[str, Reader], tables: Tables) -> None:
    page = readers["en-GB"].page
    tables.look(page, Screen("", "whist"))
    shades = {}
    for light in ("light", "dark"):
        page.emulate_media(color_scheme=light)
        colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        shades[light] = sum(int(channel) for channel in colour.removeprefix("rgb(").rstrip(")").split(","))
    assert shades["dark"] < 200 < 600 < shades["light"]
