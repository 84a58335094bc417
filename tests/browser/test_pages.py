"""Print, recap, a paper sheet while it is typed, time zones, amounts; and a game without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from ..support.game_data import data
from .table import TablePage, unfold, wait_until

pytestmark = pytest.mark.browser


@pytest.fixture
def table(phone: Callable[..., Page]) -> TablePage:
    """Whist after four deals: East–West have won a manche; the next one is at 3–0."""
    return TablePage.open_new(phone(), "whist").enter("tricks=ns-2", "tricks=ew-7", "tricks=ew-3", "tricks=ns-3")


def test_the_printed_sheet_has_no_navigation(table: TablePage, tmp_path: Path) -> None:
    page = table.visit("print").page
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    page.emulate_media(media="print", color_scheme="dark")
    for gone in (".top", ".tabs", ".bar", ".foot", ".on-screen"):
        expect(page.locator(gone)).to_be_hidden()
    expect(page.locator(".ledger tbody tr")).to_have_count(5)
    colours = page.evaluate(
        "() => [document.body, document.querySelector('.ledger td')].map((e) => { const s = getComputedStyle(e);"
        " return [s.color, s.backgroundColor] }).flat()"
    )
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(0, 0, 0)", "rgba(0, 0, 0, 0)"]
    for paper in ("A4", "Letter"):
        assert page.pdf(path=tmp_path / f"{paper}.pdf", format=paper).count(b"/Type /Page\n") == 1


@pytest.mark.parametrize("width", [1024, 1440])
def test_on_a_wide_page_the_deals_stand_beside_the_scores_and_the_main_button_below_these(
    table: TablePage, width: int
) -> None:
    table.page.set_viewport_size({"width": width, "height": 800})
    found = [table.page.locator(part).bounding_box() for part in (".board", ".rows", "#main-action", ".places")]
    scores, deals, button, places = [box for box in found if box is not None]
    assert places["width"] <= scores["x"]
    assert max(each["x"] + each["width"] for each in (scores, button)) <= deals["x"]
    assert deals["x"] + deals["width"] <= width
    assert deals["y"] <= scores["y"] + scores["height"] <= button["y"]


def test_a_recap_is_shared_as_text(table: TablePage) -> None:
    page = table.visit("recap").page
    text = page.locator("#recap").input_value()
    assert "Anne & Chloé – Bruno & David" in text
    page.evaluate("() => { navigator.share = async (data) => { window.shared = data } }")
    page.get_by_role("button", name="Share recap").tap()
    wait_until(page, "() => window.shared")
    assert page.evaluate("() => window.shared") == {"title": "Recap", "text": text}


def test_a_statement_is_copied_without_https(table: TablePage) -> None:
    page = table.page
    page.add_init_script(
        "for (const name of ['share', 'clipboard']) Object.defineProperty(navigator, name, { value: null })"
    )
    page.goto("/")
    page.goto(f"{page.get_by_role('link', name='Evening').get_attribute('href')}people")
    page.get_by_role("link", name="Anne").first.click()
    page.get_by_role("link", name="Statement").click()
    page.locator("[data-share]").evaluate("(button) => { button.dataset.text = 'Bruno pays Anne 5 fiches' }")
    page.evaluate("document.addEventListener('copy', () => { window.copied = String(document.activeElement.value) })")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("window.copied") == "Bruno pays Anne 5 fiches"
    expect(page.locator("textarea")).to_have_count(0)


def test_a_counters_value_is_shown_while_it_is_typed(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/tables/new/whist")
    field, said = page.locator("[name=amount]"), page.locator("output.understood")
    unfold(field)
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


def test_the_score_after_each_row_and_its_problems_appear_while_typing(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/tables/new/francion/paper")
    for seat, name in enumerate(("Anne", "Bruno", "Chloé"), start=1):
        page.locator(f"[name=seat-{seat}]").fill(name)
    first = page.locator("#row-1")
    expect(first.get_by_label("Tricks · Chloé")).to_be_visible()
    expect(first.get_by_label("Player 4")).to_have_count(0)
    field = first.get_by_label("Tricks · Anne")
    field.press_sequentially("44")
    expect(first.locator(".problem").first).to_contain_text("Tricks · Anne")
    expect(field).to_be_focused()
    field.fill("4")
    first.get_by_label("Tricks · Bruno").fill("3")
    first.get_by_label("Tricks · Chloé").fill("2")
    first.locator("select").first.select_option("hidden")
    expect(first.locator(".so-far")).to_contain_text("Anne 1, Bruno 0, Chloé 0")
    expect(first.locator(".problem")).to_have_count(0)
    page.locator("#main-action").click()
    expect(page.locator("[data-follow]")).to_be_visible()


def test_a_device_names_its_zone_and_is_offered_it(phone: Callable[..., Page]) -> None:
    page = phone(timezone_id="Asia/Calcutta")  # its former name, which Chromium still uses
    page.goto("/tables/new/whist")
    for seat, name in enumerate(("Anne", "Bruno", "Chloé", "David"), start=1):
        page.locator(f"[name=seat-{seat}]").fill(name)
    with page.expect_event("load"):
        page.locator("form.opening button.main").tap()
    page.goto("/")
    shown = page.locator("main time").first
    expect(shown).not_to_have_attribute("title", "")
    expect(shown).to_have_attribute("datetime", re.compile(r"\+05:30$"))
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
    expect(there).to_have_attribute("datetime", re.compile(r"\+14:00$"))
    expect(there).to_have_attribute("title", re.compile(r"GMT\+5:30"))
    page.get_by_role("link", name="More").click()
    page.get_by_role("link", name="Time zone").click()
    expect(choice.locator("optgroup[label='This device'] option")).to_have_text("Kolkata")
    expect(choice).to_have_value("Pacific/Kiritimati")


class Played(NamedTuple):
    taps: str
    score: str
    amended: str
    then: str


def test_a_table_can_be_played_by_plain_forms(phone: Callable[..., Page]) -> None:
    played = Played(**data("amended")["francion"])
    table = TablePage.open_new(phone(java_script_enabled=False), "francion")

    assert dealer(table.open_pad().press("misdeal").visit()) == "Anne"

    table.open_pad().tap(*played.taps.split()).press("check").shows_score(played.score)
    assert all(table.is_tapped(tap) for tap in played.taps.split())
    assert len(table.sheet["deals"]) == 1  # Check records nothing
    table.press("record")
    assert shown(table.on_table_page()) == played.score
    assert dealer(table) == "Bruno"
    recorded = table.sheet

    table.visit("deals/2").go("amend").tap(*played.amended.split()).press("check").shows_score(played.then).press(
        "record"
    )
    assert shown(table.on_table_page()) == played.then

    assert shown(table.go("undo")) == played.score
    assert table.sheet == recorded
    table.go("undo")
    assert set(table.scores) == {0}


def shown(table: TablePage) -> str:
    """Return the scores in the format of the working."""
    return "–".join(map(str, table.scores))


def dealer(table: TablePage) -> str:
    """Return the name at the beginning of the line under the scores."""
    return table.page.locator(".turn-line").inner_text().split()[0]
