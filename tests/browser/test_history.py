"""A table's history on a phone: chart, stepping through deals, search, printed sheet, shared recap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scorekeeper.games import games

from ..visitor import NAMES
from .screens import BY_SEATING, PLAYED
from .table import TablePage, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.without_service_worker]


@pytest.fixture
def table(phone: Callable[..., Page]) -> TablePage:
    """Whist after four deals: East–West have won a manche; the next one is at 3–0."""
    return TablePage.open_new(phone(), "whist").enter("tricks=ns-2", "tricks=ew-7", "tricks=ew-3", "tricks=ns-3")


def test_the_chart_fits_the_screen_with_every_name(table: TablePage) -> None:
    page = table.go("chart").page
    chart = page.locator("svg.chart").first
    expect(chart).to_be_visible()
    box = chart.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 844  # without scrolling
    for text in chart.locator("text").all():
        box = text.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["height"] >= 11  # pixels, still legible
    expect(page.get_by_role("img", name="Scores, deal by deal")).to_have_count(1)


WIDE_NAMES = ("Wilhelmina Wammes", "WWWWWWWWWWWW", "佐藤 さくら子", "שרה אמנו", "Éléonore")
OVERLAPS = """() => [...document.querySelectorAll("svg.chart")].flatMap((chart) => {
  const edge = chart.getBoundingClientRect();
  const texts = [...chart.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom - 2 <= b.top || b.bottom - 2 <= a.top;
  const isOutside = (box) => box.left < edge.left - 1 || box.right > edge.right + 1;
  const outside = texts.filter(([, box]) => isOutside(box)).map(([text]) => text);
  return [...outside, ...texts.flatMap(([one, box], i) => texts.slice(i + 1).filter(([, other]) => !apart(box, other))
    .map(([other]) => `${one} / ${other}`))];
})"""


def test_labels_of_a_chart_never_overlap_or_leave_it(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(), "francion", *WIDE_NAMES)
    for deal in range(3):
        table.visit("deals/new").tap(f"tricks-{deal + 1}=9", "welche=won-hearts", f"holder={deal + 1}").press("record")
    page = table.visit("chart").page
    for width in (390, 320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(OVERLAPS) == [], width
        expect(page.locator("svg.chart").first.locator("text.name")).to_have_count(5)


@pytest.mark.parametrize("light", ["light", "dark"])
def test_lines_have_enough_contrast_in_both_schemes(table: TablePage, light: str) -> None:
    page = table.go("chart").page
    page.emulate_media(color_scheme="dark" if light == "dark" else "light")
    strokes = page.evaluate(
        "() => [...document.querySelectorAll('.line polyline')].map((l) => getComputedStyle(l).stroke)"
    )
    ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    for stroke in strokes:
        assert abs(_light(stroke) - _light(ground)) > 200


def _light(colour: str) -> int:
    return sum(int(channel) for channel in colour.removeprefix("rgb(").rstrip(")").split(","))


def test_deals_can_be_stepped_through_back_and_forth(table: TablePage) -> None:
    page = table.go("chart").go("after/4").page
    steps = page.locator(".steps")
    scores = [table.scores]
    for label in ("Previous deal", "Previous deal", "Before the first deal", "Next deal", "After the last deal"):
        with page.expect_event("load"):
            steps.get_by_role("link", name=label, exact=True).tap()
        scores.append(table.scores)
    assert scores == [[3, 0], [0, 0], [2, 7], [0, 0], [2, 0], [3, 0]]
    expect(steps.get_by_role("link", name="Next deal")).to_have_count(0)


def test_a_row_of_the_charts_table_leads_to_the_state_after_that_deal(table: TablePage) -> None:
    page = table.go("chart").page
    page.locator("summary").first.tap()
    page.get_by_role("link", name="After deal 2").first.tap()
    page.wait_for_url("**/after/2")
    assert table.scores == [2, 7]


def test_an_amendment_is_listed_among_the_changes(table: TablePage) -> None:
    table.open_deal(1).go("amend").tap("tricks=ns-1").press("record")
    page = table.visit("chart").go("changes").page
    first = page.locator(".changes li").first
    expect(first).to_contain_text("Deal 1 corrected")
    expect(first.locator(".was")).to_contain_text("8")  # six and two


def test_tables_are_found_by_filters(phone: Callable[..., Page]) -> None:
    page = phone()
    TablePage.open_new(page, "joffre")
    TablePage.open_new(page, "whist", "Eva", "Fanny", "Gaspard", "Hugo")
    page.goto("/")
    page.get_by_role("link", name="Evening").tap()
    page.get_by_role("link", name="All tables", exact=True).tap()
    expect(page.locator(".found")).to_have_count(2)
    page.locator("summary", has_text="Find a table").tap()
    page.get_by_label("Player").select_option("Gaspard")
    page.get_by_role("button", name="Show tables").tap()
    expect(page.locator(".found")).to_have_count(1)
    expect(page.locator(".found")).to_contain_text("Eva & Gaspard – Fanny & Hugo")
    expect(page.get_by_label("Player").locator("option:checked")).to_have_text("Gaspard")
    page.get_by_label("Game").select_option("Joffre")
    page.get_by_role("button", name="Show tables").tap()
    expect(page.get_by_text("No table matches. Change the search.")).to_be_visible()
    page.get_by_role("link", name="Show all tables").tap()
    expect(page.locator(".found")).to_have_count(2)


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


SIXTY_DEALS = """() => {
  const rows = document.querySelector(".ledger tbody");
  const [deal] = rows.rows;
  while (rows.rows.length < 60) rows.append(deal.cloneNode(true));
}"""


@pytest.mark.parametrize("slug", BY_SEATING)
def test_an_evening_of_sixty_deals_prints_on_three_pages(phone: Callable[..., Page], tmp_path: Path, slug: str) -> None:
    players = max(count for count in games()[slug].player_counts if count <= len(NAMES))
    table = TablePage.open_new(phone(), slug, *NAMES[:players]).open_pad()
    page = table.tap(*PLAYED[slug][0].split()).press("record").visit("print").page
    page.emulate_media(media="print")  # its style sheet has a low priority
    page.evaluate(SIXTY_DEALS)
    assert page.pdf(path=tmp_path / "sixty.pdf", format="A4").count(b"/Type /Page\n") <= 3


def test_print_asks_the_browser_to_print(table: TablePage) -> None:
    page = table.visit("print").page
    page.evaluate("() => { window.print = () => { document.title = 'printed' } }")
    page.get_by_role("button", name="Print").tap()
    expect(page).to_have_title("printed")


def test_every_page_can_be_printed(table: TablePage) -> None:
    page = table.visit().page
    page.emulate_media(media="print")
    for gone in (".bar", ".foot", ".ways"):
        expect(page.locator(gone)).to_be_hidden()
    expect(page.locator(".rows li")).to_have_count(4)
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_a_recap_is_shared_as_text(table: TablePage) -> None:
    page = table.visit("recap").page
    text = page.locator("#recap").input_value()
    assert "Anne & Chloé – Bruno & David" in text
    page.evaluate("() => { navigator.share = async (data) => { window.shared = data } }")
    page.get_by_role("button", name="Share recap").tap()
    assert page.evaluate("() => window.shared") == {"title": "Recap", "text": text}


def test_a_recap_can_be_selected_and_shared_without_a_share_sheet(table: TablePage) -> None:
    page = table.visit("recap").page
    page.evaluate("() => { navigator.share = undefined }")
    page.get_by_role("button", name="Share recap").tap()
    field = "document.querySelector('#recap')"
    assert page.evaluate(f"() => {field}.value.slice({field}.selectionStart, {field}.selectionEnd)").startswith("Whist")
    assert page.evaluate(f"() => {field}.scrollHeight <= {field}.clientHeight + 1")  # all of it is visible


def test_a_recap_is_shared_as_an_image(table: TablePage) -> None:
    page = table.visit("recap").page
    page.add_init_script("""
        navigator.canShare = ({ files }) => files[0].type === "image/png";
        navigator.share = async ({ files: [file] }) => { window.shared = [file.name, file.type, file.size > 10_000] };
    """)
    page.reload()
    wait_until(page, "() => document.querySelector('.recap-image canvas').width === 1080")
    page.get_by_role("button", name="Share image").tap()
    wait_until(page, "() => window.shared")
    assert page.evaluate("() => window.shared") == ["recap.png", "image/png", True]
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save image").tap()
    assert saved.value.suggested_filename == "recap.png"


@pytest.mark.parametrize("locale", ["en-GB", "fr-FR", "de-DE"])
def test_the_views_of_the_history_stand_in_one_line_on_a_phone(phone: Callable[..., Page], locale: str) -> None:
    page = phone(locale=locale)
    TablePage.open_new(page, "whist").enter("tricks=ns-1").visit("chart")
    tops = page.locator(".tabs a").evaluate_all("(links) => links.map((link) => link.getBoundingClientRect().top)")
    assert len(tops) > 1
    assert len(set(tops)) == 1
