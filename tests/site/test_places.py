"""The places at the foot of a circle's pages, what stands behind *More*, and the links to skip to a page's content."""

from __future__ import annotations

import pytest

from scorekeeper.app import FEATURES
from scorekeeper.site.version import get_version

from ..support.game_data import data
from ..support.visitor import Visitor

PLAYED: dict[str, list[str]] = data("played")
TABLE, MONEY, EVENING, MORE = range(4)
TABLE_PAGES = {
    **dict.fromkeys(("", "deals/1", "chart", "changes", "count", "details"), TABLE),
    **dict.fromkeys(("share", "export", "more"), MORE),
    "settlement": MONEY,
}
CIRCLE_PAGES = {
    **dict.fromkeys(("", "tonight", "people", "planned", "seasons", "standings", "tables"), EVENING),
    **dict.fromkeys(("links", "exchange", "import", "recovery", "time-zone", "more"), MORE),
    **dict.fromkeys(("settlement", "payments"), MONEY),
    **{page: place for page, place in (("events", EVENING), ("notices", MORE)) if page in FEATURES},
}


def places(visitor: Visitor) -> list[str]:
    """Return the addresses of the places."""
    return [str(link["href"]) for link in visitor.page.select(".places a")]


def marked(visitor: Visitor) -> list[int]:
    """Return which places are marked as that of the page."""
    return [at for at, link in enumerate(visitor.page.select(".places a")) if link.get("aria-current")]


def entries(visitor: Visitor) -> dict[str, str]:
    """Return what the page's entries are called, by the last part of their addresses."""
    links = visitor.page.select("main nav :is(a, form)")
    addresses = [str(link.get("href") or link["action"]) for link in links]
    labels = [str(next(link.stripped_strings if link.span is None else link.span.stripped_strings)) for link in links]
    return {
        address.partition("?")[0].rstrip("/").rpartition("/")[2]: label
        for address, label in zip(addresses, labels, strict=True)
    }


def test_the_pages_of_a_table_and_of_a_circle_lead_to_scores_money_and_more(visitor: Visitor, table: str) -> None:
    for page, place in TABLE_PAGES.items():
        assert visitor.visit(f"{table}{page}").status == 200
        assert marked(visitor) == [place], page
        if visitor.page.select_one(f".places a[href='{table}']"):
            assert places(visitor) == [table, f"{table}settlement", visitor.circle, f"{table}more"]
    circle = visitor.circle
    for page, place in CIRCLE_PAGES.items():
        assert visitor.visit(f"{circle}{page}").status == 200
        assert places(visitor) == ["/", f"{circle}settlement", circle, f"{circle}more"]
        assert marked(visitor) == [place], page


def test_pages_outside_a_circle_have_the_home_circles_places(visitor: Visitor, another: Visitor, table: str) -> None:
    assert table
    for page in ("/", "/tables/new", "/tables/new/whist", "/tables/new/whist/draw", "/help"):
        assert visitor.circle in places(visitor.visit(page))
        assert places(another.visit(page)) == []


def test_a_pad_and_a_display_have_no_places(visitor: Visitor, table: str) -> None:
    for page in ("deals/new", "deals/1/amend", "display"):
        assert places(visitor.visit(f"{table}{page}")) == []


def test_more_tells_the_version(visitor: Visitor, table: str) -> None:
    assert visitor.visit(table).more().find(".version").get_text() == f"Scorekeeper {get_version()}"


# Pages of a table with more than thirty deals, of other games and of people with payment details; and parts of a page.
ELSEWHERE = ("deals", "game", "misdeal", "pay", "update", "stream")


def test_every_page_is_at_most_three_taps_from_the_table(visitor: Visitor) -> None:
    """Every page whose address has nothing in it but the circle or the table, once somebody owes something."""
    deal = {"tricks-2": "3", "tricks-3": "2", "tricks-4": "1", "welche": "won", "holder": "2"}
    table = visitor.open_table("francion").record(**deal).table
    circle = visitor.circle.rstrip("/")
    reached, last = set[str](), {table}
    for _ in range(4):
        reached |= last
        last = {path for page in last for path in links_on(visitor.visit(page))} - reached
    addresses = {
        rule.rule.replace("/circles/<circle_token>", circle).replace("/tables/<token>", table.rstrip("/"))
        for rule in visitor.client.application.url_map.iter_rules()
        if rule.methods and "GET" in rule.methods and rule.arguments <= {"name", "token"} and "." not in rule.rule
    }
    pages = {
        path
        for path in addresses
        if path.startswith((f"{circle}/", table))
        and path.removeprefix(f"{circle}/").removeprefix(table) not in ELSEWHERE
    }
    assert {path for path in pages - reached if visitor.visit(path).response.mimetype == "text/html"} == set()


def links_on(visitor: Visitor) -> set[str]:
    """Return the addresses of the pages that a page links to, without files."""
    addresses = {str(link["href"]).partition("?")[0].partition("#")[0] for link in visitor.page.select("a[href^='/']")}
    return {address for address in addresses if "." not in address}


@pytest.mark.parametrize(
    ("right", "of_table", "of_circle"),
    [
        ("watch", set(), set()),
        ("score", {"substitution", "adjustment", "details", "close"}, set()),
        ("host", {"substitution", "adjustment", "details", "close"}, {"recovery", "time-zone"}),
    ],
)
def test_more_shows_what_a_right_allows(
    visitor: Visitor, another: Visitor, table: str, right: str, of_table: set[str], of_circle: set[str]
) -> None:
    another.join(visitor.link(right)).visit(table)
    assert bool(another.page.select_one(".invite")) == (right != "watch")
    found = entries(another.more()).keys()
    assert found & {"substitution", "adjustment", "details", "close"} == of_table
    assert found & {"recovery", "time-zone"} == of_circle
    assert {"chart", "display", "export", "links", "exchange", "help"} <= found
    assert bool(another.page.select_one("main details.own")) == (right == "host")


def test_more_closes_and_reopens_the_table(visitor: Visitor, table: str) -> None:
    visitor.visit(f"{table}chart").more().send({}, "/close")
    assert visitor.path == table
    assert "adjustment" not in entries(visitor.more())
    visitor.send({}, "/reopen")
    assert visitor.find(".bar .main")["href"] == f"{table}deals/new"


def test_entries_and_titles_use_the_same_words(visitor: Visitor, table: str) -> None:
    visitor.headers = {"Accept-Language": "fr"}
    for start in (visitor.circle, f"{table}more"):
        visitor.visit(start)
        links = {str(link["href"]): str(next(link.stripped_strings)) for link in visitor.page.select("main .tiles a")}
        assert len(links) > 4
        for path, label in links.items():
            title = " ".join(visitor.visit(path).find("h1").get_text(" ").split())
            assert title.startswith(label) or path.startswith(("/rules/", "/tables/new/")), path


def count_offers(visitor: Visitor, path: str) -> int:
    """Count what can be tapped on a page besides deals, seats, tables, numbers that explain themselves and the foot."""
    page = visitor.visit(path).page
    hidden = "[hidden]:not([data-people]), details:not([open]) > :not(summary)"
    for part in page.select(f".foot, .rows, [name=seat], .seating, .skip, .opens, .cards, {hidden}"):
        part.decompose()
    return len(page.select("a, button, summary"))


@pytest.mark.parametrize("slug", ["francion", "joffre"])
def test_pages_offer_few_things_at_once(visitor: Visitor, slug: str) -> None:
    visitor.open_table(slug, **{f"seat-{seat}": f"Guest {seat}" for seat in range(1, 5)})
    table = visitor.open_table(slug).table
    for taps in PLAYED[slug]:
        visitor.record(**dict(tap.split("=") for tap in taps.split()))
    visitor.visit("/").send({}, "/recovery/leave")
    circle = visitor.circle
    scorer, watcher = (Visitor(visitor.client.application).join(visitor.link(right)) for right in ("score", "watch"))
    again = f"/tables/new/{slug}?like={table.split('/')[2]}"
    limits = {table: 12, f"{table}settlement": 20, circle: 12, f"/tables/new/{slug}": 20, again: 20}
    for is_closed in (False, True):
        if is_closed:
            visitor.visit(table).more().send({}, "/close")
        for phone in (visitor, scorer, watcher):
            counts = {path: count_offers(phone, path) for path in limits}
            assert {path: count for path, count in counts.items() if count > limits[path]} == {}


def test_a_table_whose_game_has_just_ended_offers_few_things_at_once(visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    for _ in range(2):
        visitor.record(tricks="ns-7", honours="ns-4")
    assert visitor.visit(table).page.select(".ending")
    assert count_offers(visitor, table) <= 12
    assert count_offers(visitor, f"{table}settlement") <= 20
    visitor.visit(f"{table}settlement").send({}, "/payments")
    assert count_offers(visitor, f"{table}settlement") <= 20


def test_every_page_has_a_link_to_its_content(visitor: Visitor, table: str) -> None:
    for path in (table, visitor.circle, "/", "/help", "/rules/whist", "/no-such-page"):
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
