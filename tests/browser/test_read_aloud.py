"""A phone that reads aloud. The browser's voice is replaced by one that writes down what it is asked to say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from .table import TablePage, wait_until
from .test_live_updates import hide, record, send, show, shows

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
NO_VOICE = "Object.defineProperty(window, 'speechSynthesis', { value: undefined })"


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


def test_the_phone_that_records_reads_it_too_and_not_again(mine: TablePage) -> None:
    turn_on(mine)
    mine.record("tricks=ns-1", "1–0")
    first = "North and South take 1 point. The score is North and South 1, East and West 0. Bruno deals next."
    says(mine.page, first)
    mine.visit().open_pad().tap("tricks=ew-2").shows_score("1–2").press("next")
    second = "East and West take 2 points. The score is North and South 1, East and West 2. Chloé deals next."
    says(mine.page, first, second)
    mine.page.reload()
    mine.visit().go("undo")
    says(mine.page, first, second, f"The last change was undone. {first.partition('. ')[2]}")


def test_a_pad_that_lies_open_reads_what_another_phone_records(mine: TablePage, hers: TablePage) -> None:
    turn_on(mine)
    mine.open_pad().tap("tricks=ns-1").shows_score("1–0").press("next")
    record(hers, "ew-2")
    expect(mine.page.locator("[data-deal-title]")).to_have_text("Deal 3")
    waits_for(mine.page, 3)
    assert heard(mine.page)[-1][2].startswith("East and West take 2 points.")
    assert len(heard(mine.page)) == 3


def test_a_phone_that_wakes_up_reads_the_newest_state_only_and_is_silent_while_hidden(
    mine: TablePage, hers: TablePage
) -> None:
    turn_on(hers)
    hide(hers.page)
    assert hers.page.evaluate("JSON.parse(localStorage.getItem('heard')).at(-1)") == "cancelled"
    for tricks in ("ns-1", "ew-2", "ns-3"):
        record(mine, tricks)
    assert len(heard(hers.page)) == 1
    show(hers.page)
    shows(hers.page, "4", "2")
    says(hers.page, "Nord-Sud marquent 3 points. Le score : Nord-Sud 4, Est-Ouest 2. C’est à David de donner.")


def test_the_display_has_the_switch_too(mine: TablePage, hers: TablePage) -> None:
    hers.visit("display").page.locator("[data-read-aloud]").tap()
    waits_for(hers.page, 1)
    record(mine, "ew-1")
    says(hers.page, "Est-Ouest marquent 1 point. Le score : Nord-Sud 0, Est-Ouest 1. C’est à Bruno de donner.")
    hers.page.locator("[data-read-aloud]").tap()
    expect(hers.page.locator("[data-read-aloud]")).to_have_attribute("aria-pressed", "false")
    record(mine, "ew-1")
    expect(hers.page.locator(".display .score")).to_have_text(["0", "2"])
    assert len(heard(hers.page)) == 2


def test_phones_that_do_not_read_aloud_load_nothing_for_it(mine: TablePage) -> None:
    requests: list[Request] = []
    mine.page.on("request", lambda request: requests.append(request))  # noqa: PLW0108  # Playwright asks for a function of Python's
    mine.record("tricks=ns-1", "1–0")
    assert heard(mine.page) == []
    assert not [request.url for request in requests if "read-aloud" in request.url]


def test_a_browser_without_a_voice_has_no_switch(phone: Phones) -> None:
    page = phone()
    page.add_init_script(NO_VOICE)
    table = TablePage.open_new(page, "whist")
    expect(page.locator("[data-read-aloud]")).to_be_hidden()
    table.visit("display")
    expect(page.locator("[data-read-aloud]")).to_be_hidden()
