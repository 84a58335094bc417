"""Corrections on a phone: deals are amended, inserted, withdrawn, restored and undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .table import TablePage, in_a_row

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]


@pytest.fixture
def table(phone: Callable[..., Page]) -> TablePage:
    """Whist after three deals: 3–0, 3–2, 4–2."""
    return TablePage.open_new(phone(), "whist").enter("tricks=ns-3", "tricks=ew-2", "tricks=ns-1")


def test_an_amended_deal_changes_every_score_after_it(table: TablePage) -> None:
    table.open_deal(1).go("amend").tap("tricks=ew-4").shows_score("0–4").press("record")
    assert table.on_table_page().scores == [1, 6]
    assert table.scores_by_deal == ["0–4", "0–6", "1–6"]
    expect(table.open_deal(1).page.locator(".revisions li")).to_have_count(2)


@pytest.mark.parametrize(
    ("slug", "taps", "amended", "then"),
    [
        ("short-whist", "tricks=ns-2 honours=ns-3", "honours=none", "2–0"),
        # The court cards stay as entered until one of them is tapped.
        ("quarante-de-rois", "kings=2 queens=2 jacks=2", "clique=kings-3 clique-player=1", "34–24"),
        ("joffre", "bidder=2 bid=7 tricks=2 five_of_hearts=ew three_of_spades=ns", "tricks=3", "0–10"),
        (
            "francion",
            "tricks-2=3 tricks-3=2 tricks-4=1 welche=won holder=2",
            "holder=3 tricks-2=0 tricks-3=5",
            "0–0–1–0",
        ),
    ],
)
def test_a_deal_of_every_game_is_amended_by_tapping_the_differences(
    phone: Callable[..., Page], slug: str, taps: str, amended: str, then: str
) -> None:
    table = TablePage.open_new(phone(), slug).enter(taps)
    table.open_deal(1).go("amend").tap(*amended.split()).shows_score(then).press("record")
    assert in_a_row(table.on_table_page().scores) == then
    assert len(table.sheet["deals"]) == 1


def test_a_deal_is_inserted_before_another(table: TablePage) -> None:
    table.open_deal(2).go("insert").tap("tricks=ew-6").shows_score("3–6").press("record")
    assert table.on_table_page().scores == [4, 8]
    assert table.scores_by_deal == ["3–0", "3–6", "3–8", "4–8"]
    table.is_dealt_by("Anne")  # four deals, and the deal is round


def test_a_withdrawn_deal_does_not_count_until_it_is_restored(table: TablePage) -> None:
    before = table.sheet
    table.open_deal(2).go("withdraw")
    assert table.on_table_page().scores == [4, 0]
    assert table.scores_by_deal == ["3–0", "4–0"]
    expect(table.page.locator(".rows li")).to_have_count(3)
    table.open_withdrawn().go("restore")
    assert table.on_table_page().scores == [4, 2]
    assert table.sheet == before


def test_undo_reverts_changes_of_every_kind_one_by_one(table: TablePage) -> None:
    table.open_deal(1).go("amend").tap("tricks=ns-7").shows_score("7–0").press("record")
    table.open_deal(2).go("withdraw")
    scores = [table.on_table_page().scores]
    for _ in range(5):
        table.go("undo")
        scores.append(table.on_table_page().scores)
    assert scores == [[8, 0], [8, 2], [4, 2], [3, 2], [3, 0], [0, 0]]
    expect(table.page.locator("form[action$='/undo']")).to_have_count(0)


def test_undoing_an_insertion_restores_the_table(table: TablePage) -> None:
    before = table.sheet
    table.open_deal(1).go("insert").tap("tricks=ns-2").shows_score("2–0").press("record")
    assert table.on_table_page().scores == [6, 2]
    assert table.go("undo").scores == [4, 2]
    assert table.sheet == before


def test_undoing_a_restoration_withdraws_the_deal_again(table: TablePage) -> None:
    table.open_deal(2).go("withdraw").open_withdrawn().go("restore")
    assert table.on_table_page().scores == [4, 2]
    assert table.go("undo").scores == [4, 0]


def test_an_amendment_that_makes_a_later_deal_impossible_says_which_and_changes_nothing(
    phone: Callable[..., Page],
) -> None:
    table = TablePage.open_new(phone(), "whist").enter("tricks=ns-7", "tricks=ns-1", "tricks=called-ns")
    before = table.sheet
    table.open_deal(1).go("amend").tap("tricks=ns-6")
    expect(table.working.locator(".refusal")).to_contain_text("Deal 3")  # shown before anything is recorded
    table.press("record")
    notice = table.page.locator(".notice.refused")
    expect(notice).to_contain_text("Deal 3")
    expect(notice).to_contain_text("7")  # North–South would then have 8 points, and only a side with 8 may call
    expect(table.input("tricks=ns-6")).to_be_checked()
    assert table.sheet == before
    assert table.visit().scores == [0, 0]
    assert table.scores_by_deal == ["7–0", "8–0", "10–0"]


def test_a_withdrawal_that_makes_a_later_deal_impossible_says_which_and_changes_nothing(
    phone: Callable[..., Page],
) -> None:
    table = TablePage.open_new(phone(), "whist").enter("tricks=ns-7", "tricks=ns-1", "tricks=called-ns")
    before = table.sheet
    table.open_deal(2).go("withdraw")
    expect(table.page.locator(".notice.refused")).to_contain_text("Deal 3")
    assert table.sheet == before
    assert table.visit().scores_by_deal == ["7–0", "8–0", "10–0"]


def test_a_misdeal_can_be_amended_into_a_deal(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "whist").misdeal().is_dealt_by("Anne")
    table.open_deal(1).go("amend").tap("tricks=ew-2").shows_score("0–2").press("record")
    assert table.on_table_page().is_dealt_by("Bruno").scores == [0, 2]


def test_an_adjustment_is_amended_in_its_form(table: TablePage) -> None:
    table.adjust("points", "to=ew", "+3")
    assert table.scores == [4, 5]
    form = table.open_deal("–").go("amend").page.locator("form", has=table.page.locator("button[value=points]"))
    expect(form.locator("[name=amount]")).to_have_value("3")
    expect(form.locator("[name=to][value=ew]")).to_be_checked()
    form.locator("[name=amount]").fill("−1")
    with table.page.expect_event("load"):
        form.locator("button.main").tap()
    assert table.on_table_page().scores == [4, 1]
    assert len(table.sheet["deals"]) == 4


def test_a_later_deal_that_becomes_impossible_is_removed_with_one_tap(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "whist").enter("tricks=ns-7", "tricks=ns-1", "tricks=called-ns")
    table.open_deal(1).go("amend").tap("tricks=ns-5")
    expect(table.page.locator(".working .refusal")).to_contain_text("Deal 3 would no longer be valid")
    table.press("remove")
    assert table.on_table_page().scores_by_deal == ["5–0", "6–0"]
