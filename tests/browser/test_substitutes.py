"""An evening on which somebody takes a seat: two phones, each of which sees at once what the other records."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage

pytestmark = pytest.mark.browser


def test_somebody_takes_a_seat_and_both_phones_go_on(phone: Callable[..., Page]) -> None:
    mine = TablePage.open_new(phone(), "whist")
    hers = TablePage.join(phone(), mine)
    mine.record("tricks=ew-2", "0–2")
    mine.page.goto(f"{mine.path}deals/substitution")
    mine.page.get_by_label("Bruno").check(force=True)
    mine.page.get_by_label("Who comes?").fill("Emma")
    mine.page.get_by_role("button", name="Record substitution").click()
    expect(hers.page.locator(".rows .description").first).to_have_text("Emma for Bruno")
    expect(hers.page.locator(".board .names").nth(1)).to_contain_text("Emma")
    hers.record("tricks=ew-1", "0–3")
    deals = mine.sheet["deals"]
    assert deals[1] == {"substitution": {"out": "Bruno", "in": "Emma"}}
    assert len(deals) == 3
