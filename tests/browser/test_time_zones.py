"""A device's time zone is sent when it creates a circle, and offered to a host who changes the circle's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage

pytestmark = pytest.mark.browser


def test_a_device_names_its_zone_and_is_offered_it(phone: Callable[..., Page]) -> None:
    page = phone(timezone_id="Asia/Calcutta")  # its former name, which Chromium still uses
    TablePage.open_by_form(page, "whist", "Anne", "Bruno", "Chloé", "David")
    page.goto("/")
    shown = page.locator("main time").first
    expect(shown).not_to_have_attribute("title", "")
    assert (shown.get_attribute("datetime") or "").endswith("+05:30")
    page.get_by_role("link", name="More").click()
    page.get_by_role("link", name="Time zone").click()
    choice = page.locator("#time-zone")
    expect(choice).to_have_value("Asia/Kolkata")
    expect(choice.locator("optgroup[label='This device']")).to_have_count(0)
    choice.select_option("Pacific/Kiritimati")
    with page.expect_event("load"):
        page.get_by_role("button", name="Save time zone").click()
    page.get_by_role("link", name="Tables").click()
    there = page.locator("main time").first
    assert (there.get_attribute("datetime") or "").endswith("+14:00")
    assert "GMT+5:30" in (there.get_attribute("title") or "")
    page.get_by_role("link", name="More").click()
    page.get_by_role("link", name="Time zone").click()
    expect(choice.locator("optgroup[label='This device'] option")).to_have_text("Kolkata")
    expect(choice).to_have_value("Pacific/Kiritimati")
