"""The form for a new table of a game that the players describe."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from scorekeeper.games import games

pytestmark = pytest.mark.browser

GAME = next(game for game in games().values() if game.named_by)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_sheet_that_is_drawn_fits_what_is_chosen(phone: Callable[..., Page], *, scripts: bool) -> None:
    page = phone(java_script_enabled=scripts)
    page.goto(f"/tables/new/{GAME.slug}?rule-best=lowest")
    shown = page.locator(".sketch table:visible")
    expect(shown).to_have_count(1)
    expect(shown.locator("tr").first).to_have_text("ABCD")
    best = shown.locator("tfoot span").filter(visible=True)
    widths = best.evaluate_all("cells => cells.map((cell) => getComputedStyle(cell).borderTopWidth)")
    assert widths == ["2px", "0px", "0px", "0px"]
    page.get_by_text("Two against two").tap()
    page.get_by_role("radio", name="places", exact=True).tap()
    expect(shown).to_have_count(1)
    expect(shown.locator("tr").first).to_have_text("A & CB & D")
    expect(shown.locator("tbody tr").first).to_have_text("2.1.")
