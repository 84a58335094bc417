"""While an amount is typed, the page shows how it is understood."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage, _unfold

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]


def test_a_counters_value_is_shown_while_it_is_typed(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/tables/new/whist")
    field, said = page.locator("[name=amount]"), page.locator("output.understood")
    _unfold(field)
    expect(said).to_have_text("")
    field.press_sequentially("0,25")
    expect(said).to_have_text("One fiche is worth £0.25.")
    page.locator("[name=currency]").select_option("CAD")
    expect(said).to_have_text("One fiche is worth CA$0.25.")
    field.fill("1,000")
    expect(said).to_have_text("“1,000” can mean 1 or 1000. Write 1.00 or 1000.")
    expect(said).to_have_class(re.compile("problem"))
    field.fill("1000")
    expect(said).to_have_text("One fiche is worth CA$1,000.00.")
    expect(said).not_to_have_class(re.compile("problem"))
    field.fill("")
    expect(said).to_have_text("")


def test_a_payment_is_shown_while_it_is_typed_and_when_it_is_recorded(phone: Callable[..., Page]) -> None:
    table = TablePage.open_by_form(phone(), "francion")
    table.adjust("counters", "giver=1 to=2 unit=fiches", "5")
    page = table.visit("settlement").page
    form = page.locator("form", has=page.locator("select[name=giver]"))
    field = form.locator("[name=amount]")
    _unfold(field)
    field.press_sequentially("22")
    expect(form.locator("output.understood")).to_have_text("2 fiches and 4 jetons")
    form.locator("[name=giver]").select_option("Anne")
    form.locator("[name=taker]").select_option("Bruno")
    with page.expect_event("load"):
        form.locator("button").tap()
    expect(page.locator(".recorded")).to_have_text("Recorded. Anne paid Bruno 2 fiches and 4 jetons")
