"""The pad while it is tapped: the working, impossible and derived choices, taps taken back."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]

FOLLOWS = re.compile(r"\bfollows\b")


@pytest.mark.parametrize(
    ("slug", "taps", "score"),
    [
        ("whist", "tricks=ns-3", "3–0"),
        ("short-whist", "tricks=ew-2", "0–2"),
        ("quarante-de-rois", "kings=3 queens=1 jacks=0", "19–29"),
        ("joffre", "bidder=2 bid=7 tricks=2 five_of_hearts=ew three_of_spades=ns", "−1 : 11"),
        ("francion", "tricks-2=3 tricks-3=2 tricks-4=1 welche=turned", "0–1–0–0"),
    ],
)
def test_the_working_appears_after_the_last_tap(phone: Callable[..., Page], slug: str, taps: str, score: str) -> None:
    table = TablePage.open_new(phone(), slug).open_pad()
    expect(table.page.locator("button[value=check]")).to_be_hidden()
    *first, last = taps.split()
    table.tap(*first)
    if first:
        expect(table.working).to_contain_text("Missing: ")
    expect(table.working.locator(".becomes")).to_have_count(0)
    table.tap(last).shows_score(score)


def test_recording_an_incomplete_pad_marks_the_missing_group_and_keeps_the_taps(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "joffre").open_pad().tap("bidder=2", "bid=7", "tricks=2").press("record")
    expect(table.page.locator(".problem")).to_have_count(2)
    for tap in ("bidder=2", "bid=7", "tricks=2"):
        expect(table.input(tap)).to_be_checked()
    table.tap("five_of_hearts=ew", "three_of_spades=ns").shows_score("−1 : 11").press("record")
    assert table.on_table_page().scores == [-1, 11]


def test_a_second_tap_clears_the_choice(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "whist").open_pad().tap("tricks=ns-3").shows_score("3–0").tap("tricks=ns-3")
    expect(table.input("tricks=ns-3")).not_to_be_checked()
    expect(table.working.locator(".becomes")).to_have_count(0)
    table.tap("tricks=ew-2").shows_score("0–2").tap("tricks=ns-1").shows_score("1–0")


def test_a_second_tap_goes_back_to_what_applies_without_one(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "whist").open_pad().tap("tricks=ns-3", "honours=ns-4", "honours=ns-4")
    expect(table.input("honours=none")).to_be_checked()
    table.tap("honours=none").shows_score("3–0")
    expect(table.input("honours=none")).to_be_checked()
    table.press("record")
    assert table.on_table_page().scores == [3, 0]


def test_a_side_without_a_trick_is_not_offered_the_cards(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "joffre").open_pad().tap("tricks=8")
    for card in ("five_of_hearts", "three_of_spades"):
        expect(table.input(f"{card}=ew")).to_be_disabled()
        expect(table.input(f"{card}=ns")).to_be_enabled()
    table.tap("tricks=7")
    expect(table.input("five_of_hearts=ew")).to_be_enabled()


def test_tricks_already_assigned_are_not_offered(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "francion").open_pad().tap("tricks-2=5")
    expect(table.input("tricks-3=5")).to_be_disabled()
    expect(table.input("tricks-3=4")).to_be_enabled()
    table.tap("tricks-2=5")
    expect(table.input("tricks-3=5")).to_be_enabled()


def test_the_player_who_won_the_welche_is_not_offered_zero_tricks(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "francion").open_pad().tap("welche=won", "holder=3")
    expect(table.input("tricks-3=0")).to_be_disabled()
    expect(table.input("tricks-2=0")).to_be_enabled()
    expect(table.input("tricks-2=9")).to_be_disabled()


def test_no_holder_is_offered_if_nobody_played_the_welche(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "francion").open_pad().tap("welche=hidden")
    for player in "1234":
        expect(table.input(f"holder={player}")).to_be_disabled()


@pytest.mark.parametrize(
    ("players", "taps", "follows"),
    [
        ("Anne Bruno Chloé", "tricks-2=3 tricks-3=2", "tricks-1=4"),
        ("Anne Bruno Chloé David", "tricks-2=3 tricks-3=2 tricks-1=1", "tricks-4=3"),
        ("Anne Bruno Chloé David Élise", "tricks-1=0 tricks-2=1 tricks-3=1 tricks-4=0", "tricks-5=7"),
        ("Anne Bruno Chloé David", "tricks-2=5 tricks-3=4", "tricks-1=0"),
    ],
)
def test_the_last_players_tricks_are_derived_and_marked(
    phone: Callable[..., Page], players: str, taps: str, follows: str
) -> None:
    table = TablePage.open_new(phone(), "francion", *players.split()).open_pad().tap(*taps.split())
    expect(table.cell(follows)).to_have_class(FOLLOWS)
    expect(table.cell(follows)).to_be_visible()  # cells for six and more are folded until one of them is derived
    expect(table.input(follows)).not_to_be_checked()


def test_derived_choices_are_recorded_without_a_tap_and_can_be_tapped(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "francion").open_pad()
    table.tap("tricks-2=3", "tricks-3=2", "tricks-4=1", "welche=turned")
    expect(table.cell("tricks-1=3")).to_have_class(FOLLOWS)
    table.tap("tricks-1=3").shows_score("0–1–0–0").press("record")
    assert table.on_table_page().sheet["deals"][0]["tricks"] == {"Anne": 3, "Bruno": 3, "Chloé": 2, "David": 1}


def test_the_court_cards_are_added_up_beside_the_strips(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "quarante-de-rois").open_pad().tap("kings=3", "queens=1", "jacks=0")
    expect(table.page.locator("output")).to_have_text(re.compile("19.+29"))
    table.tap("jacks=4")
    expect(table.page.locator("output")).to_have_text(re.compile("31.+17"))


def test_the_call_is_on_the_pad_only_at_eight(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "whist").enter("tricks=ns-7").open_pad()
    expect(table.cell("tricks=called-ns")).to_have_count(0)
    table.record("tricks=ns-1", "8–0").open_pad()
    expect(table.cell("tricks=called-ns")).to_be_visible()
    expect(table.cell("tricks=called-ew")).to_have_count(0)


def test_the_price_of_the_welche_doubles_on_the_pad_after_one_was_hidden(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "francion")
    expect(table.open_pad().cell("welche=won")).to_contain_text("4")
    table.record("tricks-2=3 tricks-3=2 tricks-4=1 welche=hidden", "0–1–0–0")
    expect(table.open_pad().cell("welche=won")).to_contain_text("8")


def test_bids_that_are_not_higher_are_not_offered_in_the_auction(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "joffre").open_pad().tap("auction-2=7")
    for bid in ("5", "6-no-trump", "7"):
        expect(table.input(f"auction-3={bid}")).to_be_disabled()
    for bid in ("pass", "7-no-trump", "8"):
        expect(table.input(f"auction-3={bid}")).to_be_enabled()


@pytest.mark.parametrize(
    ("call", "player", "score"), [("pass", "Chloé", "−6 : 7"), ("6", "Anne", "−6 : 7"), ("7", "Anne", "−7 : 7")]
)
def test_the_dealer_passes_equals_or_outbids_in_the_auction(
    phone: Callable[..., Page], call: str, player: str, score: str
) -> None:
    table = TablePage.open_new(phone(), "joffre").open_pad()
    table.tap("auction-2=5", "auction-3=6", "auction-4=pass", f"auction-1={call}")
    table.tap("tricks=3", "five_of_hearts=ew", "three_of_spades=ew").shows_score(score).press("record")
    assert table.on_table_page().sheet["deals"][0]["contract"]["player"] == player


def test_another_dealer_can_be_chosen_and_the_rotation_continues_from_him(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "francion").open_pad().tap("dealer=3")
    table.tap("tricks-4=3", "tricks-1=3", "tricks-2=1", "welche=turned").shows_score("0–0–0–1").press("record")
    table.on_table_page().is_dealt_by("David")
    assert table.sheet["deals"][0]["dealer"] == "Chloé"


def test_offline_the_taps_stay_and_the_working_comes_with_the_next_tap_online(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(service_workers="allow"), "whist").open_pad()
    with table.page.expect_event("requestfailed"):
        table.page.context.set_offline(True)
        table.tap("tricks=ns-3")
    expect(table.input("tricks=ns-3")).to_be_checked()
    expect(table.working.locator(".becomes")).to_have_count(0)
    table.page.context.set_offline(False)
    table.tap("honours=ns-3").shows_score("5–0").press("record")
    assert table.on_table_page().scores == [5, 0]


@pytest.mark.parametrize("page", ["deals/new", "deals/1/amend"])
def test_what_was_tapped_is_there_after_going_back_and_in_a_new_tab_until_it_is_discarded(
    phone: Callable[..., Page], page: str
) -> None:
    table = TablePage.open_new(phone(), "quarante-de-rois").enter("kings=2 queens=2 jacks=2").visit(page)
    table.tap("kings=3", "queens=1", "jacks=0", "clique=jacks-3", "clique-player=2")
    score = table.working.locator(".becomes strong").inner_text()
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


@pytest.mark.parametrize("do", ["record", "misdeal"])
def test_what_was_tapped_of_a_deal_is_not_there_for_another_one(phone: Callable[..., Page], do: str) -> None:
    mine = TablePage.open_new(phone(), "whist")
    other = TablePage.join(phone(), mine)
    mine.visit("deals/new").tap("tricks=ns-3")
    other.enter("tricks=ew-2")
    mine.visit("deals/new")  # of the second deal now
    expect(mine.input("tricks=ns-3")).not_to_be_checked()
    mine.tap("tricks=ns-1", "dealer=3").press(do).visit("deals/new")
    expect(mine.input("tricks=ns-1")).not_to_be_checked()
    expect(mine.page.get_by_role("button", name="Discard")).to_be_hidden()
