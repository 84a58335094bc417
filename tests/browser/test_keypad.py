"""Numbers by the page's own keys, and places by tapping people in their order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]


def test_numbers_are_typed_and_added_to_by_the_pages_own_keys(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "any-game").open_pad()
    table.page.locator("[data-amount]").first.tap()
    for key in (
        "+1",
        "1",
        "Next",
        "7",
        "Plus or minus",
        "+10",
        "+5",
        "Plus or minus",
        "Next",
        "3",
        "Erase the last digit",
        "2",
        "Next",
        "0",
    ):
        table.page.locator(".keypad").get_by_role("button", name=key, exact=True).tap()
    table.shows_score("11 : −8 : 2 : 0")


def test_numbers_are_there_again_after_leaving_the_page_and_gone_once_recorded(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "any-game").open_pad()
    fields = table.page.locator("[data-amount]")
    fields.nth(1).tap()
    table.page.locator(".keypad").get_by_role("button", name="7", exact=True).tap()  # not before the script has come
    table.page.reload()
    expect(fields.nth(1)).to_have_value("7")
    fields.nth(1).tap()  # the keys are there, and must not move away below the finger
    table.page.get_by_role("button", name="0 for the others").tap()
    table.shows_score("0–7–0–0")
    fields.first.fill("5")
    table.page.locator("a.home").tap()
    table.page.wait_for_url(f"**{table.path}")
    table.open_pad().shows_score("5–7–0–0")
    table.press("record").on_table_page().open_pad()
    expect(fields.nth(1)).to_have_value("")
    table.page.reload()
    expect(fields.nth(1)).to_have_value("")


def test_places_are_taken_by_tapping_people_in_order_and_given_back(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "any-game", entry="places", place_points="6\n3\n1\n0").open_pad()
    people = table.page.locator(".people")

    def tap(*names: str) -> None:
        for name in names:
            people.get_by_role("button", name=name).tap()

    tap("Bruno", "David", "Anne")
    expect(people).to_have_text("3 Anne 1 Bruno 4 Chloé 2 David", use_inner_text=True)  # who is last follows
    table.shows_score("1–6–0–3")
    tap("David")
    tap("Chloé", "David")
    table.shows_score("1–6–3–0")
    table.tap("place-2=2")  # he shares the second place with Chloé
    table.tap("place-1=1").shows_score("6–3–3–0")
