"""Count the taps from a table's page to a recorded deal, including a look at the working, without a keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ..game_data import data
from ..visitor import NAMES
from .table import TablePage

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]

GUIDE = Path(__file__).parent.parent.parent / "docs" / "using.md"
COUNT = "addEventListener('pointerdown', () => sessionStorage.taps = Number(sessionStorage.taps ?? 0) + 1, true)"

# A deal, its game, its taps on the pad, the score after it, and the maximum number of taps in all.
DEALS = [
    (deal["name"], slug, deal["taps"], deal["score"], deal["most"])
    for slug, deals in data("deals").items()
    for deal in deals
]


@pytest.mark.parametrize(("deal", "slug", "taps", "score", "max_taps"), DEALS, ids=[deal[0] for deal in DEALS])
def test_a_deal_is_recorded_in_at_most_the_given_number_of_taps(
    phone: Callable[..., Page], deal: str, slug: str, taps: str, score: str, max_taps: int
) -> None:
    page = phone()
    page.add_init_script(COUNT)
    table = TablePage.open_by_form(page, slug)
    page.evaluate("sessionStorage.taps = 0")
    table.open_pad().tap(*taps.split()).shows_score(score).press("next")
    counted = int(page.evaluate("sessionStorage.taps"))
    print(f"{deal}: {counted}")
    assert counted <= max_taps
    assert taps_in_the_guide()[deal] == counted


def taps_in_the_guide() -> dict[str, int]:
    rows = re.findall(r"^\| ([^|]+) \| (\d+) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    return {what: int(taps) for what, taps in rows}


@pytest.mark.parametrize("where", ["tables/new/whist", "tables/new/whist/draw"])
def test_a_known_player_takes_a_seat_by_a_tap_and_leaves_it_by_another(phone: Callable[..., Page], where: str) -> None:
    page = phone()
    TablePage.open_new(page, "whist")
    page.goto(f"/{where}")
    names = page.locator(".seat input[type=text], .seat input:not([type])").all()
    for field in names:
        field.fill("")
    for name in ("Bruno", "Anne"):
        page.get_by_role("button", name=name, exact=True).tap()
    assert [field.input_value() for field in names[:3]] == ["Bruno", "Anne", ""]
    anne = page.get_by_role("button", name="Anne", exact=True)
    expect(anne).to_have_attribute("aria-pressed", "true")
    anne.tap()
    expect(anne).to_have_attribute("aria-pressed", "false")
    assert names[1].input_value() == ""


def test_the_key_for_the_next_field_leads_from_name_to_name_and_then_to_play(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/tables/new/whist")
    page.locator("[name=seat-1]").tap()
    for name in NAMES[:4]:
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    assert [page.locator(f"[name=seat-{seat}]").input_value() for seat in range(1, 5)] == list(NAMES[:4])
    expect(page.locator("#main-action")).to_be_focused()
