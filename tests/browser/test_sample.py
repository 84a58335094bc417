"""A first visit on a phone: the home page fits one screen, and a sample of each game can be tried."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from ..conftest import PHONE
from ..game_data import data
from .table import TablePage
from .test_looks import APART, FLAWS, TOUCH

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]

TAPS: dict[str, str] = data("in_sample")


def follow(page: Page, selector: str) -> None:
    with page.expect_event("load"):
        page.locator(selector).filter(visible=True).first.tap()


def flaws(page: Page) -> list[str]:
    return list(page.evaluate(FLAWS, {"width": PHONE["width"], "touch": TOUCH, "apart": APART}))


@pytest.mark.parametrize("locale", ["en-GB", "fr-FR"])
@pytest.mark.parametrize("light", ["light", "dark"])
def test_the_first_page_fits_one_screen(phone: Callable[..., Page], locale: str, light: str) -> None:
    page = phone(locale=locale, color_scheme=light)
    page.goto("/")
    for selector in (".in-short", ".samples li:last-child", ".bar .main"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollHeight") <= PHONE["height"]
    assert not flaws(page)


@pytest.mark.parametrize("slug", TAPS)
def test_a_sample_can_be_opened_played_undone_and_left(phone: Callable[..., Page], slug: str) -> None:
    page = phone()
    page.goto("/")
    follow(page, f"form[action='/sample/{slug}'] button")
    table = TablePage(page)
    before = table.sheet["deals"]
    expect(page.locator(".sample-banner")).to_be_visible()
    assert not flaws(page)
    table.open_pad().tap(*TAPS[slug].split()).press("record").on_table_page()
    assert len(table.sheet["deals"]) == len(before) + 1
    table.visit().go("undo")
    assert table.visit().sheet["deals"] == before
    follow(page, ".sample-banner a")
    assert page.url.endswith("/tables/new")
    expect(page.locator(".sample-banner")).to_have_count(0)


@pytest.mark.parametrize("slug", TAPS)
def test_scores_and_balances_open_by_a_tap(phone: Callable[..., Page], slug: str) -> None:
    page = phone()
    page.goto(f"/rules/{slug}")
    follow(page, f"form[action='/sample/{slug}'] button")
    table = TablePage(page)
    if page.locator(".board .sit").count():  # the phone's player is asked for first
        follow(page, ".board .sit")
    score = page.locator(".board .score a").last
    text = score.inner_text()
    assert score.evaluate("(link) => getComputedStyle(link).textDecorationLine") == "none"
    with page.expect_event("load"):
        score.tap()
    expect(page.locator(".explains b")).to_have_text(text)
    assert not flaws(page)
    table.visit()
    with page.expect_event("load"):
        page.locator(".balances td a").first.tap()
    expect(page.locator(".behind, .empty").first).to_be_visible()
    assert not flaws(page)
