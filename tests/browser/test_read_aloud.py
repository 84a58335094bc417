"""A phone that reads aloud. The browser's voice is replaced by one that writes down what it is asked to say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage, wait_until
from .test_live_updates import record, send

pytestmark = pytest.mark.browser

Phones = Callable[..., Page]

VOICE = """
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
const lines = () => JSON.parse(localStorage.getItem("heard") ?? "[]");
const note = (line) => localStorage.setItem("heard", JSON.stringify([...lines(), line]));
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [{ lang: "en-US" }, { lang: "fr-CA" }, { lang: "fr_FR" }],
  speak: ({ text, lang, voice }) => note([lang, voice?.lang ?? "", text]),
  cancel: () => note("cancelled"),
} });
"""


def heard(page: Page) -> list[Any]:
    """Return what was said so far: language, language of the voice and text of each, without what broke it off."""
    lines: list[Any] = page.evaluate("JSON.parse(localStorage.getItem('heard') ?? '[]')")
    return [line for line in lines if line != "cancelled"]


def waits_for(page: Page, count: int) -> None:
    """Wait until something was said so often."""
    wait_until(
        page,
        "(count) => JSON.parse(localStorage.getItem('heard') ?? '[]').filter(Array.isArray).length >= count",
        count,
    )


def says(page: Page, *texts: str) -> None:
    """Wait until these texts were said, in this order and nothing else, since the switch was turned on."""
    waits_for(page, len(texts) + 1)
    assert [text for _, _, text in heard(page)[1:]] == list(texts)


def turn_on(table: TablePage) -> None:
    table.page.locator("[data-read-aloud]").tap()
    expect(table.page.locator("[data-read-aloud]")).to_have_attribute("aria-pressed", "true")
    waits_for(table.page, 1)


@pytest.fixture
def mine(phone: Phones) -> TablePage:
    page = phone()
    page.add_init_script(VOICE)
    return TablePage.open_new(page, "whist")


@pytest.fixture
def hers(phone: Phones, mine: TablePage) -> TablePage:
    page = phone(locale="fr-FR")
    page.add_init_script(VOICE)
    hers = TablePage.join(page, mine)
    mine.visit()
    return hers.visit()


def test_a_phone_that_follows_reads_each_change_once_in_its_own_language(mine: TablePage, hers: TablePage) -> None:
    turn_on(hers)
    record(mine, "ns-3")
    first = "Nord-Sud marquent 3 points. Le score : Nord-Sud 3, Est-Ouest 0. C’est à Bruno de donner."
    says(hers.page, first)
    assert heard(hers.page)[1][:2] == ["fr-FR", "fr_FR"]
    hers.visit()
    send(mine, mine.path, {}, "/undo")
    says(hers.page, first, "Le dernier changement est annulé. C’est à Anne de donner.")
