"""Count the taps from a table's page to a recorded deal, including a look at the working, without a keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage

pytestmark = pytest.mark.browser

GUIDE = Path(__file__).parent.parent.parent / "docs" / "using.md"
COUNT = "addEventListener('pointerdown', () => sessionStorage.taps = Number(sessionStorage.taps ?? 0) + 1, true)"

# A deal, its taps on the pad, the score after it, and the maximum number of taps in all.
DEALS = [
    ("Whist, no honours", "whist", "tricks=ns-3", "3–0", 3),
    ("Whist, with honours", "whist", "tricks=ns-3 honours=ns-3", "5–0", 4),
    ("Short Whist, no honours", "short-whist", "tricks=ns-3", "3–0", 3),
    ("Quarante de rois", "quarante-de-rois", "kings=3 queens=1 jacks=0", "19–29", 5),
    (
        "Quarante de rois, with a clique",
        "quarante-de-rois",
        "kings=3 queens=1 jacks=0 clique=kings-3 clique-player=1",
        "29–29",
        7,
    ),
    ("Joffre", "joffre", "bidder=2 bid=7 tricks=2 five_of_hearts=ew three_of_spades=ns", "−1 : 11", 7),
    (
        "Joffre, at no trump",
        "joffre",
        "bidder=2 bid=7 no-trump=yes tricks=2 five_of_hearts=ew three_of_spades=ns",
        "−1 : 22",
        8,
    ),
    ("Kaiser", "kaiser", "bidder=2 bid=12 tricks=1 five_of_hearts=ew three_of_spades=ns", "−2 : 12", 7),
    ("Francion, four players", "francion", "tricks-2=3 tricks-3=2 tricks-4=1 welche=won holder=2", "0–1–0–0", 7),
]


@pytest.mark.parametrize(("deal", "slug", "taps", "score", "max_taps"), DEALS, ids=[deal[0] for deal in DEALS])
def test_a_deal_is_recorded_in_at_most_the_given_number_of_taps(
    phone: Callable[..., Page], deal: str, slug: str, taps: str, score: str, max_taps: int
) -> None:
    page = phone()
    page.add_init_script(COUNT)
    table = TablePage.open_by_form(page, slug)
    page.evaluate("sessionStorage.taps = 0")
    table.record(taps, score)
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
