"""Every page at every size, by day and by lamplight, in both languages: it fits, it is legible, a thumb can hit it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

from ..conftest import PATIENCE, PHONE, Server
from .sights import SIGHTS, Sight, Tables

pytestmark = pytest.mark.browser

SIZES = {
    "smallest": (320, 640),
    "android": (360, 740),
    "small": (375, 667),
    "phone": (390, 844),
    "landscape": (844, 390),
    "tablet": (820, 1180),
    "desk": (1280, 800),
}
# Lamplight changes colours and no place: two sizes by it show what there is to see.
VIEWS = [*((size, "light") for size in SIZES), ("phone", "dark"), ("desk", "dark")]
TOUCH = 44  # CSS pixels a target is at least high and wide
APART = 8  # CSS pixels between two of them
FLAWS = Path(__file__).with_name("flaws.js").read_text(encoding="utf-8")
LANGUAGES = {"en-GB": "en", "fr-FR": "fr"}


@pytest.fixture(scope="module")
def tables(chromium: Browser, server: Server) -> Iterator[Tables]:
    context = chromium.new_context(base_url=server.url, viewport=PHONE, has_touch=True, java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    yield Tables(context.new_page())
    context.close()


def listen(page: Page) -> list[str]:
    """What the page complains of in its console from now on, its policy violated or other, and what it cannot load."""
    complaints: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:  # those are told below
            complaints.append(message.text)

    def answered(response: Response) -> None:
        if response.status >= 400 and not response.request.is_navigation_request():
            complaints.append(f"{response.status} {response.url}")

    def failed(request: Request) -> None:
        complaints.append(f"{request.failure} {request.url}")

    page.on("console", heard)
    page.on("response", answered)
    page.on("requestfailed", failed)
    return complaints


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("sight", SIGHTS, ids=str)
def test_a_page_fits_is_legible_and_in_reach_of_a_thumb_at_every_size(
    phone: Callable[..., Page], tables: Tables, sight: Sight, locale: str
) -> None:
    page = phone(locale=locale, storage_state=tables.cookie, reduced_motion="reduce")
    complaints = listen(page)
    tables.look(page, sight)
    assert page.locator("html").get_attribute("lang") == LANGUAGES[locale]
    page.evaluate("() => document.querySelectorAll('details').forEach((folded) => { folded.open = true })")
    flaws: dict[str, list[str]] = {}
    for size, light in VIEWS:
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=light)
        for flaw in page.evaluate(FLAWS, {"width": width, "touch": TOUCH, "apart": APART}):
            flaws.setdefault(flaw, []).append(f"{size} {light}")
    assert not flaws
    assert not complaints
