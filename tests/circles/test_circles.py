"""A circle's links and rights, phones, title, recovery sheet and erasure."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.circles.lifecycle import TEXTS
from scorekeeper.limits import MAX_CIRCLE_TEXT_LENGTH, MAX_PHONE_NAME_LENGTH

from ..support.filled import fill_every_table
from ..support.statements import count_rows
from ..support.visitor import Visitor


def test_watchers_see_no_forms(visitor: Visitor, another: Visitor, table: str) -> None:
    another.join(visitor.link("watch")).visit(table)
    assert "Record deal" not in another.text
    assert not [
        form for form in another.page.find_all("form") if not str(form.get("action")).endswith(("language", "/me"))
    ]


@pytest.mark.parametrize("name", TEXTS)
def test_each_text_of_a_circle_is_shown_on_its_page_and_the_home_page(visitor: Visitor, name: str) -> None:
    pages = ("/", visitor.open_table("whist").circle)
    too_long = "x" * (MAX_CIRCLE_TEXT_LENGTH + 1)
    for typed, stored in ((" Chance \t favours", "Chance favours"), (too_long, "Chance favours"), (" ", "")):
        visitor.visit(visitor.circle).more().send({name: typed}, f"/{name}")
        assert visitor.find(f"#circle-{name}")["value"] == (typed if typed == too_long else stored)
        assert visitor.status == (422 if typed == too_long else 200)
        shown = ["Chance favours" in visitor.visit(page).find("main").get_text() for page in pages]
        assert shown == [bool(stored)] * 2


def test_a_phone_is_named_and_too_long_a_name_stays_to_be_shortened(visitor: Visitor) -> None:
    links = f"{visitor.open_table('whist').circle}links"
    too_long = "x" * (MAX_PHONE_NAME_LENGTH + 1)
    for typed, stored, status in (
        (" Anne’s \t phone", "Anne’s phone", 200),
        (too_long, "Anne’s phone", 422),
        ("", "phone 1", 200),
    ):
        visitor.visit(links).send({"name": typed}, "/phones/1/name")
        assert visitor.status == status
        assert visitor.find(".phones strong").get_text() == stored
        assert visitor.find("#membership-1").get("value", "") == (
            typed if status == 422 else stored.replace("phone 1", "")
        )
        assert len(visitor.problems()) == (status == 422)


def listed_circles(visitor: Visitor, path: str) -> list[str]:
    return [a.strong.get_text() for a in visitor.visit(path).page.select(".switcher a") if a.strong]


def test_a_table_whose_game_is_over_is_no_longer_listed_as_open_and_asks_to_be_closed(visitor: Visitor) -> None:
    visitor.open_table("any-game", 2, **{"rule-deals": "1"}).record(**{"points-1": "20", "points-2": "5"})
    table = visitor.table

    def headings() -> list[str]:
        sections = visitor.visit(visitor.circle).page.select("section:has(.table-card)")
        return [section.h2.get_text() for section in sections if section.h2 is not None]

    assert headings() == ["Over, to be closed"]
    visitor.visit(table).send({}, "/close")
    assert headings() == ["Closed tables"]


def test_a_phone_of_several_circles_lists_them_by_title_to_switch(visitor: Visitor, another: Visitor) -> None:
    table = visitor.open_table("whist").table
    visitor.visit(visitor.circle).more().send({"title": "Thursday whist"}, "/title")
    assert listed_circles(visitor, "/") == []
    another.open_table("joffre")
    another.visit(another.circle).more().send({"title": "At home"}, "/title")
    another.join(visitor.link("score"))
    assert listed_circles(another, "/") == ["Thursday whist", "At home"]
    assert listed_circles(another, another.circle) == ["Thursday whist", "At home"]
    current = another.find(".switcher [aria-current] strong")
    assert current.get_text() == "Thursday whist"
    another.follow("At home")
    assert another.find("h1").get_text(strip=True) == "At home"
    assert "Joffre" in another.visit("/").text
    assert another.visit(table).status == 200


def test_the_reminder_stays_until_the_recovery_sheet_is_opened(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("whist")
    another.join(visitor.link("score"))
    for path in ("/", visitor.circle):
        assert "Save your way back in" in visitor.visit(path).text
        assert "Save your way back in" not in another.visit(path).text
    visitor.more().follow("Recovery sheet")
    assert visitor.status == 200
    for path in ("/", visitor.circle):
        assert "Save your way back in" not in visitor.visit(path).text


def test_a_host_joins_on_a_new_phone_with_the_recovery_sheet(visitor: Visitor, another: Visitor) -> None:
    table = visitor.open_table("whist").table
    visitor.visit(visitor.circle).more().send({"title": "Thursday whist"}, "/title")
    visitor.visit(f"{visitor.circle}recovery")
    assert "Thursday whist" in visitor.text
    assert visitor.page.select_one(".code svg")
    back = str(visitor.find(".address a")["href"])
    another.join(back)
    assert another.visit(table).status == 200
    assert another.visit(f"{visitor.circle}recovery").status == 200

    saved = visitor.visit(f"{visitor.circle}recovery/sheet.html").response
    assert saved.headers["Content-Disposition"].startswith("attachment; filename=")
    assert saved.headers["Cache-Control"] == "no-store"
    assert visitor.page.select_one(f".address a[href='{back}']")
    assert back in visitor.page.get_text("")
    assert visitor.page.select_one("svg[width]")
    assert not visitor.page.select("link, script, img")


def test_erasing_a_circle_deletes_rows_of_every_table(app: Flask, visitor: Visitor, another: Visitor) -> None:
    fill_every_table(app, visitor)
    another.join(visitor.link("score"))
    assert all(count_rows(app).values()), count_rows(app)
    circle = visitor.circle
    visitor.visit(f"{circle}erase")
    assert "1 table" in visitor.text
    assert "4 deals" in visitor.text
    assert "10 players" in visitor.text
    assert "1 event with its results" in visitor.text
    visitor.send({"typed": "erase the circle"})
    assert not any(count_rows(app).values()), count_rows(app)
    for phone in (visitor, another):
        assert phone.visit(circle).status == 404
        assert phone.visit("/").status == 200
    visitor.open_table("whist")
    assert visitor.status == 200


def test_a_circle_is_not_erased_without_the_confirmation(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    before = count_rows(app)
    visitor.visit(f"{visitor.circle}erase").send({"typed": "Thursday"})
    assert visitor.status == 422
    assert "Type “erase the circle”" in visitor.problems()[0]
    assert visitor.page.select_one("#typed[value=Thursday]")
    assert count_rows(app) == before
