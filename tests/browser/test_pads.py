"""The pad while it is tapped: derived choices, keys, taps taken back and kept, and how many a deal takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from ..support.game_data import data
from .table import TablePage

pytestmark = pytest.mark.browser


FOLLOWS = re.compile(r"\bfollows\b")


def is_wholly_seen(part: Locator) -> bool:
    """Return whether a part is in the window, and no other part covers its corners."""
    return bool(
        part.evaluate("""part => {
            const { left, right, top, bottom } = part.getBoundingClientRect();
            const places = [left + 4, right - 4].flatMap((x) => [top + 4, bottom - 4].map((y) => [x, y]));
            return places.every(([x, y]) => part.parentElement.contains(document.elementFromPoint(x, y)));
        }""")
    )


def test_recording_an_incomplete_pad_marks_the_missing_group_and_keeps_the_taps(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "joffre").open_pad().tap("bidder=2", "bid=7", "tricks=2").press("record")
    expect(table.page.locator(".problem")).to_have_count(2)
    assert is_wholly_seen(table.cell("five_of_hearts=ew"))
    for tap in ("bidder=2", "bid=7", "tricks=2"):
        expect(table.input(tap)).to_be_checked()
    table.tap("five_of_hearts=ew", "three_of_spades=ns").shows_score("−1 : 11").press("record")
    assert table.on_table_page().scores == [-1, 11]


def test_a_second_tap_clears_the_choice(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "whist").open_pad().tap("tricks=ns-3").shows_score("3–0").tap("tricks=ns-3")
    expect(table.input("tricks=ns-3")).not_to_be_checked()
    expect(table.working.locator(".becomes")).to_have_count(0)
    table.tap("tricks=ew-2").shows_score("0–2").tap("tricks=ns-1").shows_score("1–0")


def test_the_last_players_tricks_are_derived_and_marked(phone: Callable[..., Page]) -> None:
    table, follows = TablePage.open_new(phone(), "francion").open_pad(), "tricks-4=7"
    table.tap("tricks-2=1", "tricks-3=1", "tricks-1=0")
    expect(table.cell(follows)).to_have_class(FOLLOWS)
    expect(table.cell(follows)).to_be_visible()  # cells for six and more are folded until one of them is derived
    expect(table.input(follows)).not_to_be_checked()


def test_what_was_tapped_is_there_after_going_back_and_in_a_new_tab_until_it_is_discarded(
    phone: Callable[..., Page],
) -> None:
    page, score = "deals/1/amend", "19–35"
    table = TablePage.open_new(phone(), "quarante-de-rois").enter("kings=2 queens=2 jacks=2").visit(page)
    table.tap("kings=3", "queens=1", "jacks=0", "clique=jacks-3", "clique-player=2")
    table.shows_score(score)
    table.page.locator("a.home").tap()
    table.page.wait_for_url(f"**{table.path}")
    again = TablePage(table.page.context.new_page())
    again.page.goto(f"{table.path}{page}")
    again.shows_score(score)
    for tap in ("kings=3", "queens=1", "jacks=0", "clique=jacks-3", "clique-player=2"):
        expect(again.input(tap)).to_be_checked()
    again.page.get_by_role("button", name="Discard").tap()
    expect(again.input("kings=3")).not_to_be_checked()
    again.page.reload()
    expect(again.page.get_by_role("button", name="Discard")).to_be_hidden()


def test_what_was_tapped_of_a_deal_is_not_there_for_another_one(phone: Callable[..., Page]) -> None:
    mine = TablePage.open_new(phone(), "whist")
    other = TablePage.join(phone(), mine)
    mine.visit("deals/new").tap("tricks=ns-3")
    other.enter("tricks=ew-2")
    mine.visit("deals/new")  # of the second deal now
    expect(mine.input("tricks=ns-3")).not_to_be_checked()
    mine.tap("tricks=ns-1", "dealer=3").press("misdeal").visit("deals/new")
    expect(mine.input("tricks=ns-1")).not_to_be_checked()
    expect(mine.page.get_by_role("button", name="Discard")).to_be_hidden()


def test_numbers_are_typed_and_added_to_by_the_pages_own_keys(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "any-game").open_pad()
    table.page.locator("[data-amount]").first.tap()
    keys = ("+1", "1", "Next", "7", "Plus or minus", "+10", "+5", "Plus or minus", "Next", "3")
    for key in (*keys, "Erase the last digit", "2", "Next", "0"):
        table.page.locator(".keypad").get_by_role("button", name=key, exact=True).tap()
    table.shows_score("11 : −8 : 2 : 0")


def test_who_wins_is_in_sight_while_numbers_are_typed(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "any-game", target="10").open_pad()
    table.page.locator("[data-amount]").first.tap()
    for key in ("1", "1", "Next", "2", "Next", "3", "Next", "4"):
        table.page.locator(".keypad").get_by_role("button", name=key, exact=True).tap()
    table.shows_score("11–2–3–4")
    expect(table.page.locator(".keypad")).to_be_visible()
    assert is_wholly_seen(table.working.get_by_text("Anne wins the game"))


def test_the_way_out_of_a_correction_is_in_sight_while_numbers_are_typed(phone: Callable[..., Page]) -> None:
    rules = {"categories": "Ones\nTwos\nChance", "category_once": "yes"}
    table = TablePage.open_new(phone(), "any-game", "Anne", "Bruno", **rules)
    table.enter("category1-1=3 category3-2=22", "category2-1=6 category1-2=4").visit("deals/1/amend")
    table.tap("category1-1=", "category2-1=")
    keypad = table.page.locator(".keypad")
    expect(keypad).to_be_visible()
    place = keypad.bounding_box()
    keypad.get_by_role("button", name="3", exact=True).tap()
    ways = table.page.locator(".bar .ways button")
    expect(ways).to_have_text(["Save and remove deal 2"])
    assert all(map(is_wholly_seen, (table.page.locator(".bar .refusal li"), *ways.all())))
    assert keypad.bounding_box() == place  # nothing below the finger has moved


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


GUIDE = Path(__file__).parent.parent.parent / "docs" / "using.md"
COUNT = "addEventListener('pointerdown', () => sessionStorage.taps = Number(sessionStorage.taps ?? 0) + 1, true)"


def test_a_deal_is_recorded_in_at_most_the_given_number_of_taps(phone: Callable[..., Page]) -> None:
    page, counted, most = phone(), {}, {}
    page.add_init_script(COUNT)
    for slug, deals in data("deals").items():
        table = TablePage.open_new(page, slug)
        for deal in deals[:1]:
            page.evaluate("sessionStorage.taps = 0")
            table.open_pad().tap(*deal["taps"].split()).shows_score(deal["score"]).press("next")
            counted[deal["name"]], most[deal["name"]] = int(page.evaluate("sessionStorage.taps")), deal["most"]
    assert {deal: taps for deal, taps in counted.items() if taps > most[deal]} == {}
    in_the_guide = re.findall(r"^\| ([^|]+) \| (\d+) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert counted.items() <= {what: int(taps) for what, taps in in_the_guide}.items()
