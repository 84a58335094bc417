"""The menu of a circle's pages: its groups, what each right sees in it, and the links to skip to a page's content."""

from __future__ import annotations

import pytest
from bs4 import Tag

from scorekeeper.version import get_version

from ...visitor import Visitor

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite

TABLE_PAGES = (
    "",
    "deals/new",
    "deals/1",
    "chart",
    "changes",
    "settlement",
    "share",
    "count",
    "export",
    "recap",
    "print",
)
CIRCLE_PAGES = ("", "people", "links", "figures", "tables", "settlement", "payments", "exchange", "import", "recovery")


@pytest.fixture
def table(visitor: Visitor) -> str:
    """The path of a table opened by the first visitor, the circle's host."""
    return visitor.open_table("whist").record(tricks="ns-3").table


def groups(visitor: Visitor) -> list[str]:
    """Return the menu's headings; each names the landmark around it."""
    navs = visitor.page.select(".menu nav")
    headings = [nav.select_one("h2") for nav in navs]
    assert [heading["id"] for heading in headings if heading] == [nav["aria-labelledby"] for nav in navs]
    return [heading.get_text(strip=True) for heading in headings if heading]


def entries(visitor: Visitor) -> dict[str, str]:
    """Return the labels of the menu's links by their paths."""
    return {str(link["href"]): text_of(link) for link in visitor.page.select(".menu a")}


def text_of(tag: Tag) -> str:
    return " ".join(tag.get_text(" ").split())


def current(visitor: Visitor) -> list[tuple[str, str]]:
    return [(str(link["href"]), str(link["aria-current"])) for link in visitor.page.select(".menu [aria-current]")]


@pytest.mark.parametrize("page", TABLE_PAGES)
def test_a_tables_pages_have_its_group_and_the_circles(visitor: Visitor, table: str, page: str) -> None:
    assert visitor.visit(f"{table}{page}").status == 200
    assert groups(visitor) == ["This table", "Circle"]


@pytest.mark.parametrize("page", CIRCLE_PAGES)
@pytest.mark.usefixtures("table")
def test_a_circles_pages_have_its_group_only(visitor: Visitor, page: str) -> None:
    assert visitor.visit(f"/circles/{visitor.circle}/{page}").status == 200
    assert groups(visitor) == ["Circle"]


@pytest.mark.parametrize("page", ["/", "/tables/new", "/tables/new/whist", "/tables/new/whist/draw", "/help"])
def test_pages_outside_a_circle_have_the_home_circles_menu(
    visitor: Visitor, another: Visitor, table: str, page: str
) -> None:
    assert table
    assert groups(visitor.visit(page)) == ["Circle"]
    assert another.visit(page).page.select_one(".menu") is None


def test_the_menu_tells_the_version(visitor: Visitor, table: str) -> None:
    assert visitor.visit(table).find(".menu .version").get_text() == f"Scorekeeper {get_version()}"


def test_every_entry_of_the_menu_leads_to_a_page(visitor: Visitor, table: str) -> None:
    for path in entries(visitor.visit(table)):
        assert visitor.visit(path).status == 200, path


def test_the_menu_opens_without_scripts_and_is_not_in_the_middle_of_the_table(visitor: Visitor, table: str) -> None:
    assert visitor.visit(table).find("details.menu > summary")
    assert visitor.visit(f"{table}display").page.select_one(".menu") is None


@pytest.mark.parametrize(
    ("right", "table_entries", "circle_entries"),
    [("watch", set(), set()), ("score", {"share", "adjustment"}, {"new"}), ("host", {"share", "adjustment"}, {"new"})],
)
def test_the_menu_shows_what_a_right_allows(
    visitor: Visitor, another: Visitor, table: str, right: str, table_entries: set[str], circle_entries: set[str]
) -> None:
    another.join(visitor.link(right)).visit(table)
    ends = {path.rstrip("/").rpartition("/")[2] for path in entries(another)}
    assert {"share", "adjustment"} & ends == table_entries
    assert {"new"} & ends == circle_entries
    assert ("recovery" in ends) == (right == "host")
    assert bool(another.page.select(".menu form")) == (right != "watch")
    assert {"settlement", "chart", "people", "figures", "exchange", "help"} <= ends


def test_the_menu_closes_and_reopens_the_table_from_any_of_its_pages(visitor: Visitor, table: str) -> None:
    visitor.visit(f"{table}chart").send({}, "/close")
    assert visitor.path == table
    assert "deals/adjustment" not in str(visitor.find(".menu"))
    visitor.visit(f"{table}settlement").send({}, "/reopen")
    assert visitor.find(".bar .main")["href"] == f"{table}deals/new"


def test_closing_from_a_page_that_is_out_of_date_shows_what_came_between(
    visitor: Visitor, another: Visitor, table: str
) -> None:
    another.join(visitor.link("score"))
    visitor.visit(f"{table}chart")
    another.visit(table).record(tricks="ew-2")
    assert visitor.send({}, "/close").status == 409
    assert visitor.page.select_one(".stale")


def test_the_menu_marks_the_page_and_the_section(visitor: Visitor, table: str) -> None:
    assert current(visitor.visit(table)) == [(table, "page")]
    assert current(visitor.visit(f"{table}deals/1")) == [(table, "true")]
    assert current(visitor.visit(f"{table}changes")) == [(f"{table}chart", "true")]
    people = f"/circles/{visitor.circle}/people"
    assert current(visitor.visit(people)) == [(people, "page")]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_tiles_menu_and_titles_use_the_same_words(visitor: Visitor, table: str, language: str) -> None:
    visitor.headers = {"Accept-Language": language}
    labels = entries(visitor.visit(table))
    visitor.visit(f"/circles/{visitor.circle}/")
    tiles = {str(link["href"]): text_of(link) for link in visitor.page.select("main .tiles a")}
    assert len(tiles) > 5
    assert tiles.items() <= labels.items()
    of_table = {
        f"{table}{end}" for end in ("settlement", "chart", "share", "count", "deals/adjustment", "export", "display")
    }
    for path, label in [*tiles.items(), *((path, labels[path]) for path in sorted(of_table))]:
        title = visitor.visit(path).find("h1")
        assert text_of(title).startswith(label), path


def test_every_page_has_a_link_to_its_content(visitor: Visitor, table: str) -> None:
    for path in (table, f"/circles/{visitor.circle}/", "/", "/help", "/rules/whist", "/no-such-page"):
        first = visitor.visit(path).find("body a")
        assert first["href"] == "#main"
        assert visitor.find("main#main")


def test_the_second_link_leads_to_the_pages_main_button(visitor: Visitor) -> None:
    rules = {"rule-target": "40", "rule-stake": "2"}
    settled = visitor.open_table("quarante-de-rois", **rules).record(kings="4", queens="4", jacks="4").table
    table = visitor.open_table("whist").table
    for page in (table, f"{table}deals/new", "/tables/new/whist", f"{settled}settlement", "/"):
        visitor.visit(page)
        assert visitor.page.select("body a")[1]["href"] == "#main-action", page
        assert len(visitor.page.select("#main-action")) == 1, page


def test_a_page_without_a_main_button_has_no_link_to_one(visitor: Visitor, another: Visitor, table: str) -> None:
    another.join(visitor.link("watch"))
    for page in (table, f"{table}settlement"):
        assert another.visit(page).page.select_one("[href='#main-action']") is None
