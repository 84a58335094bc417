"""The phone's owner is shown nearest; the display in the middle of the table can be read from every seat."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from scorekeeper.api import CLOCKWISE
from scorekeeper.games import games

from ..visitor import NAMES
from .screens import BY_SEATING, PLAYED
from .table import TablePage
from .test_looks import SIZES, flaws_of

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]

MEETING = Path(__file__).with_name("meeting.js").read_text(encoding="utf-8")
FIVE = ("Marie-Antoinette", "Jean-Christophe", "Éléonore de Brandt", "Wolfgang", "Maximilienne")
LONG = FIVE + tuple(f"{name} {number}" for number in ("II", "III") for name in FIVE)


def few_middle_and_most(counts: tuple[int, ...]) -> list[int]:
    return sorted({counts[0], counts[len(counts) // 2], counts[-1]})


COVERS_ARROW = """() => {
  const arrow = document.querySelector(".felt .head").getBoundingClientRect();
  return [...document.querySelectorAll(".place")].some((place) => {
    const seat = place.getBoundingClientRect();
    return seat.left < arrow.right && arrow.left < seat.right && seat.top < arrow.bottom && arrow.top < seat.bottom;
  });
}"""

SEATINGS = [
    (slug, players)
    for slug in sorted(BY_SEATING, key=lambda slug: not games()[slug].in_sides)
    for players in few_middle_and_most(games()[slug].player_counts)
]


def opened(page: Page, slug: str, players: int, names: tuple[str, ...] = LONG) -> TablePage:
    table = TablePage.open_new(page, slug, *names[:players])
    return table.open_pad().tap(*PLAYED[slug][0].split()).press("record")


def sit(table: TablePage, seat: str) -> None:
    with table.page.expect_event("load"):
        table.page.locator(f".sit[value='{seat}']").tap()


def middle(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize(("slug", "players"), SEATINGS)
def test_on_a_phone_the_owner_is_at_the_bottom_and_the_next_in_turn_beside_him_or_along_the_arrow(
    phone: Callable[..., Page], slug: str, players: int, width: int
) -> None:
    page = phone(viewport={"width": width, "height": 640})
    table = opened(page, slug, players)
    sit(table, "2")
    places = {seat: middle(page.locator(".place").nth(seat - 1)) for seat in range(1, players + 1)}
    owner = places.pop(2)
    assert owner[1] >= max(down for _, down in places.values())
    if players > 2:  # who is next sits to the owner's left, or right
        assert (places[3][0] < owner[0]) == (games()[slug].direction == CLOCKWISE)
    else:
        assert not page.evaluate(COVERS_ARROW)
    expect(page.locator(".place .dealer-mark")).to_have_count(1)
    expect(page.locator(".place").nth(1).locator(".dealer-mark")).to_have_count(1)


@pytest.mark.parametrize(("slug", "players"), SEATINGS)
def test_the_seats_fit_and_can_be_tapped_at_every_size(phone: Callable[..., Page], slug: str, players: int) -> None:
    page = phone(reduced_motion="reduce")
    table = opened(page, slug, players)
    assert not flaws_of(page)
    sit(table, "2")
    assert not flaws_of(page)


def test_on_an_unclaimed_seat_a_tap_opens_the_score_and_one_above_claims_the_seat(
    phone: Callable[..., Page],
) -> None:
    table = opened(phone(), "francion", 4)
    page = table.page
    with page.expect_event("load"):
        page.locator(".place .score a").nth(1).tap()
    assert page.url.endswith("/why/score/2")
    table.visit()
    sit(table, "2")
    expect(page.locator(".place").nth(1)).to_have_class(re.compile("nearest"))


def turned(element: Locator) -> float:
    """Return by how many degrees a score is turned clockwise, by its rotation and its writing mode."""
    return float(
        element.evaluate(
            """(place) => {
              const style = getComputedStyle(place);
              const { a, b } = new DOMMatrix(style.transform === "none" ? "" : style.transform);
              const turn = (Math.atan2(b, a) * 180) / Math.PI + (style.writingMode === "vertical-rl" ? 90 : 0);
              return ((Math.round(turn) % 360) + 360) % 360;
            }"""
        )
    )


@pytest.mark.parametrize(("slug", "players"), SEATINGS)
def test_the_display_is_turned_to_two_flat_on_a_table_and_upright_for_more_and_on_a_wall(
    phone: Callable[..., Page], slug: str, players: int
) -> None:
    page = phone(reduced_motion="reduce")
    opened(page, slug, players).visit("display")
    parts = page.locator(".display section")
    for name, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        turns = {turned(part) for part in parts.all()}
        assert turns == ({0, 180} if parts.count() == 2 and name != "desk" else {0}), name
        widths = {round(part.evaluate("(part) => part.getBoundingClientRect().width")) for part in parts.all()}
        assert max(widths) - min(widths) <= 1
        across = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        assert across == [width, height]
        for element in page.locator(".display :is(.score, .names, .extra)").all():
            box: Any = element.bounding_box()
            assert box["x"] >= 0, element
            assert box["y"] >= 0, element
            assert box["x"] + box["width"] <= width + 0.5, (width, height, element.inner_text())
            assert box["y"] + box["height"] <= height + 0.5, (width, height, element.inner_text())
        assert not page.evaluate(MEETING), (width, height)
        size = page.locator(".display .score").first.evaluate("(score) => parseFloat(getComputedStyle(score).fontSize)")
        assert size >= min(width, height) * (0.22 if parts.count() == 2 else 0.16 if players <= 5 else 0.05)
    assert not flaws_of(page)


def test_the_reader_may_choose_a_wall_or_a_table_and_the_display_stays_so(phone: Callable[..., Page]) -> None:
    page = phone()
    opened(page, "whist", 4, NAMES).visit("display")
    with page.expect_event("load"):
        page.get_by_role("link", name="On a wall").tap()
    for _ in range(2):
        assert {turned(part) for part in page.locator(".display section").all()} == {0}
        expect(page.locator(".dealing")).to_have_text("Bruno deals · Deal 2")
        page.reload()
    page.set_viewport_size({"width": 1280, "height": 800})
    with page.expect_event("load"):
        page.get_by_role("link", name="Flat on the table").tap()
    assert {turned(part) for part in page.locator(".display section").all()} == {0, 180}


def test_the_end_covers_the_whole_display_for_ten_seconds_and_then_the_score_stands_again(
    phone: Callable[..., Page],
) -> None:
    page = phone()
    TablePage.open_new(page, "short-whist").enter("tricks=ns-7", "tricks=ns-7").visit("display")
    card = page.locator(".endings")
    expect(card.get_by_role("heading", name="Anne & Chloé won").last).to_be_visible()
    assert card.evaluate("(card) => [card.offsetWidth, card.offsetHeight]") == [390, 844]
    assert card.evaluate("(card) => getComputedStyle(card).backgroundColor") != "rgba(0, 0, 0, 0)"
    expect(card).to_be_hidden(timeout=15_000)
    expect(page.locator(".display .score").first).to_be_visible()


@pytest.mark.parametrize(("slug", "players"), [SEATINGS[0], SEATINGS[-1]])
def test_names_of_forty_letters_and_text_of_twice_the_size_meet_nothing_on_the_display(
    phone: Callable[..., Page], slug: str, players: int
) -> None:
    page = phone(reduced_motion="reduce")
    opened(page, slug, players, tuple(letter * 40 for letter in "ABCDEFGHIJKL")).visit("display")
    for size in ("100%", "200%"):
        page.evaluate("(size) => { document.documentElement.style.fontSize = size }", size)
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            assert not page.evaluate(MEETING), (width, height, size)


@pytest.mark.parametrize("slug", BY_SEATING)
def test_forced_colours_cut_no_name_on_the_display(phone: Callable[..., Page], slug: str) -> None:
    page = opened(phone(forced_colors="active"), slug, 4).visit("display").page
    words = page.locator(".display :is(.names, .side):visible").all()
    beside_scores = [each.screenshot() for each in words]
    page.evaluate("document.querySelectorAll('.score').forEach((score) => { score.style.visibility = 'hidden' })")
    assert [each.screenshot() for each in words] == beside_scores


def test_the_display_updates_after_an_entry_on_another_phone(phone: Callable[..., Page]) -> None:
    mine = TablePage.open_new(phone(), "whist")
    lying = TablePage.join(phone(), mine)
    lying.visit("display")
    mine.visit().record("tricks=ns-3", "3–0")
    expect(lying.page.locator(".display .score")).to_have_text(["3", "0"])
    expect(lying.page.locator(".name:has(.dealer-mark)")).to_contain_text("Bruno")
    lying.page.locator(".home").tap()
    expect(lying.page.locator(".board .score")).to_have_text(["3", "0"])


def test_without_scripts_the_display_reloads_itself(phone: Callable[..., Page]) -> None:
    page = phone(java_script_enabled=False)
    TablePage.open_new(page, "joffre").visit("display")
    with page.expect_event("load"):
        pass
    expect(page.locator(".display section")).to_have_count(2)


def test_the_display_fits_at_twice_the_text_size(phone: Callable[..., Page]) -> None:
    page = phone()
    opened(page, "francion", 5).visit("display")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    for element in page.locator(".display :is(.score, .names)").all():
        box: Any = element.bounding_box()
        assert box["width"] > 0
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
