"""The help page keeps its promises: each is tested by doing what it says."""

from __future__ import annotations

from bs4 import BeautifulSoup

from scorekeeper.app import FEATURES

from ..support.visitor import Visitor, find

# How many links each section has for a host.
SECTIONS = {
    "share": 1,
    "correct": 1,
    "read-aloud": 0,
    "settle": 1,
    "offline": 1,
    "stop": 1,
    "planned": 1,
    "notices": 1,
    "standings": 1,
    "seasons": 1,
    "events": 2,
    "paper": 1,
    "back-up": 3,
}
for removed in {"events", "notices"} - {*FEATURES}:
    del SECTIONS[removed]


def words(visitor: Visitor, section: str) -> str:
    """Return the text of a section of the help page."""
    heading = visitor.visit("/help").find(f"h2#{section}")
    parts = []
    for sibling in heading.find_next_siblings():
        if sibling.name == "h2":
            break
        parts.append(sibling.get_text(" ", strip=True))
    return " ".join(parts)


def names(visitor: Visitor, section: str, label: str) -> bool:
    """Whether a section names a button or a link by its own words."""
    return f"“{label}”" in words(visitor, section)


def label_of(visitor: Visitor, css: str) -> str:
    return " ".join(visitor.find(css).get_text(" ").split())


def entry_of(visitor: Visitor, css: str) -> str:
    """Return what an entry of *More* is called, without the line that explains it."""
    return str(next(visitor.find(f"main {css} span").stripped_strings))


def test_the_help_has_its_sections_with_and_without_a_circle(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("whist")
    for reader in (visitor, another):
        assert [heading["id"] for heading in reader.visit("/help").page.select("main h2")] == [*SECTIONS]
    assert len(visitor.page.select("main h2 ~ p > a")) == sum(SECTIONS.values())
    linked = {str(link["href"]) for link in another.page.select("main a")}
    assert linked == {"/tables/new", "/", "/import-circle"} | ({"/rules/events"} if "events" in SECTIONS else set())


def test_every_link_of_the_help_leads_to_a_page(visitor: Visitor) -> None:
    visitor.open_table("whist")
    paths = {str(link["href"]) for link in visitor.visit("/help").page.select("main a")}
    assert len(paths) == sum(SECTIONS.values()) - 1  # two lead to the newest table
    assert all(visitor.visit(path).status == 200 for path in paths)


def test_the_help_is_linked_from_more_and_every_footer(visitor: Visitor) -> None:
    assert visitor.visit("/").find(".foot a[href='/help']")
    visitor.open_table("whist")
    assert visitor.find(".foot a[href='/help']")
    assert visitor.more().find("main a[href='/help']")


def test_help_with_sharing_names_what_another_phone_taps_to_join(visitor: Visitor, another: Visitor) -> None:
    table = visitor.open_table("whist").table
    assert names(visitor, "share", label_of(visitor.visit(table), f"a[href='{table}share']"))
    link = str(visitor.visit(f"{table}share").find("#link")["value"])
    another.visit("/" + link.split("/", 3)[3])
    assert names(visitor, "share", label_of(another, "form[action^='/join/'] button.main"))
    another.join(link)
    assert another.visit(table).record(tricks="ns-2").status == 200
    assert "2" in label_of(visitor.visit(table), ".board .score")
    assert visitor.visit(f"{visitor.circle}links").page.select_one("#link-watch")


def test_help_with_correcting_names_the_buttons_that_do_it(visitor: Visitor) -> None:
    table = visitor.open_table("whist").record(tricks="ns-3").record(tricks="ew-2").table
    undo = label_of(visitor.visit(table), "form[action$='/undo'] button")
    assert undo == "Undo deal 2"
    assert names(visitor, "correct", "Undo")
    visitor.visit(table).send({}, "/undo")
    assert visitor.find(".rows .withdrawn")
    for end in ("/amend", "/insert"):
        assert names(visitor, "correct", label_of(visitor.visit(f"{table}deals/1"), f"main a[href$='{end}']"))
    assert names(visitor, "correct", label_of(visitor.visit(f"{table}deals/1"), "form[action$='/withdraw'] button"))
    visitor.visit(f"{table}deals/1/insert").send({"tricks": "ew-1", "do": "record"})
    assert [score.get_text(strip=True) for score in visitor.visit(table).page.select(".board .score")] == ["3", "1"]


def test_help_with_settling_and_stopping_names_the_buttons_that_do_it(visitor: Visitor) -> None:
    table = (
        visitor.open_table("quarante-de-rois", **{"rule-target": "40", "rule-stake": "2"})
        .record(kings="4", queens="4", jacks="4")
        .table
    )
    settlement = f"{table}settlement"
    assert names(visitor, "settle", label_of(visitor.visit(table), f".places a[href='{settlement}']"))
    assert names(visitor, "settle", label_of(visitor.visit(settlement), "#main-action"))
    visitor.send({}, form=visitor.visit(settlement).find("form.pay"))
    payments = f"{visitor.circle}payments"
    everything = visitor.visit(f"{visitor.circle}settlement")
    assert names(visitor, "settle", label_of(everything, f"main a[href='{payments}']"))
    receipt = str(visitor.visit(payments).find(".made li a")["href"])
    assert names(visitor, "settle", label_of(visitor.visit(receipt), "form[action$='/withdraw'] button"))
    visitor.send({}, form=visitor.visit(receipt).find("form[action$='/withdraw']"))
    assert names(visitor, "stop", entry_of(visitor.visit(table).more(), "form[action$='/close']"))
    visitor.visit(table).more().send({}, "/close")
    assert names(visitor, "stop", label_of(visitor.visit(table), ".bar a[href*='?like=']"))
    assert names(visitor, "stop", entry_of(visitor.visit(table).more(), "form[action$='/reopen']"))
    assert visitor.visit(settlement).page.select("form.pay")
    visitor.visit(table).more().send({}, "/reopen")
    assert visitor.status == 200


def test_help_without_a_signal_names_the_buttons_of_waiting_deals(visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    assert names(visitor, "offline", label_of(visitor.visit(f"{table}deals/new"), "#main-action"))
    page = BeautifulSoup(visitor.visit(table).response.get_data(as_text=True), "html.parser")
    template = find(page, "template[data-state=stale]")
    buttons = BeautifulSoup(template.decode_contents(), "html.parser").select("button")
    assert len(buttons) == 2
    assert all(names(visitor, "offline", button.get_text(strip=True)) for button in buttons)
