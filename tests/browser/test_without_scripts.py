"""Every game works without scripts, by plain forms. The working is shown after Check."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from ..game_data import data
from .table import TablePage, in_a_row

pytestmark = pytest.mark.browser


class Played(NamedTuple):
    taps: str
    score: str
    amended: str
    then: str


PLAYED = {slug: Played(**played) for slug, played in data("amended").items()}


@pytest.mark.parametrize("slug", sorted(PLAYED))
def test_a_table_can_be_played_by_plain_forms(phone: Callable[..., Page], slug: str) -> None:
    played = PLAYED[slug]
    table = TablePage.open_by_form(phone(java_script_enabled=False), slug)

    table.misdeal().is_dealt_by("Anne")

    table.open_pad().tap(*played.taps.split()).press("check").shows_score(played.score)
    assert all(table.is_tapped(tap) for tap in played.taps.split())
    assert len(table.sheet["deals"]) == 1  # Check records nothing
    table.press("record")
    assert shown(table.on_table_page().is_dealt_by("Bruno")) == played.score
    recorded = table.sheet

    table.open_deal(2).go("amend").tap(*played.amended.split()).press("check").shows_score(played.then).press("record")
    assert shown(table.on_table_page()) == played.then

    assert shown(table.go("undo")) == played.score
    assert table.sheet == recorded
    table.go("undo")
    assert set(table.scores) == {0}


@pytest.mark.parametrize("slug", sorted(PLAYED))
def test_an_empty_pad_is_answered_with_what_is_missing(phone: Callable[..., Page], slug: str) -> None:
    table = TablePage.open_by_form(phone(java_script_enabled=False), slug).open_pad().press("check")
    expect(table.page.locator(".problem").first).to_be_visible()
    assert not table.sheet["deals"]


def test_joffres_auction_can_be_entered_by_plain_forms(phone: Callable[..., Page]) -> None:
    table = TablePage.open_by_form(phone(java_script_enabled=False), "joffre").open_pad()
    table.tap("auction-2=pass", "auction-3=pass", "auction-4=5-no-trump", "auction-1=5-no-trump")
    table.tap("tricks=4", "five_of_hearts=ns", "three_of_spades=ew").press("check").shows_score("18–1").press("record")
    assert table.on_table_page().sheet["deals"][0]["contract"] == {"player": "Anne", "points": 5, "no_trump": True}


def test_the_last_players_tricks_are_derived_without_scripts(phone: Callable[..., Page]) -> None:
    table = TablePage.open_by_form(phone(java_script_enabled=False), "francion").open_pad()
    table.tap("tricks-2=1", "tricks-3=1", "tricks-4=1", "welche=turned").press("check").shows_score("1–0–0–0")
    expect(table.cell("tricks-1=6")).to_have_class(re.compile(r"\bfollows\b"))
    table.press("record")
    assert table.on_table_page().sheet["deals"][0]["tricks"]["Anne"] == 6


def shown(table: TablePage) -> str:
    """Return the scores in the format of the working."""
    return in_a_row(table.scores)
