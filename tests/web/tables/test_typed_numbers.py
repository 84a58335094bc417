"""Numbers that are typed on the pad, without scripts."""

from __future__ import annotations

from ...visitor import Visitor


def test_fields_left_empty_are_asked_for_and_a_button_enters_0_in_them(visitor: Visitor) -> None:
    pad = visitor.open_table("any-game", 3).visit(f"{visitor.table}deals/new")
    assert pad.send({"points-2": "50", "do": "record"}).status == 422
    assert len(pad.problems()) == 2
    pad.send({"do": "zeros"})
    assert [field["value"] for field in pad.page.select("[data-amount]")] == ["0", "50", "0"]
    assert "0–50–0" in pad.find(".working").text
    pad.send({"do": "record"})
    assert list(pad.export()["deals"][0]["points"].values()) == [0, 50, 0]


def test_the_points_of_a_deal_are_said_once_in_its_line(visitor: Visitor) -> None:
    visitor.open_table("any-game", 3).record(points_1="5", points_2="17", points_3="0")
    assert visitor.visit(visitor.table).find(".rows li").get_text().count("17") == 1
    visitor.open_table("whist").record(tricks="ns-3")
    assert "+3" in visitor.visit(visitor.table).find(".rows li").get_text()


def test_what_is_wrong_with_a_number_is_said_once(visitor: Visitor) -> None:
    pad = visitor.open_table("any-game", 2).visit(f"{visitor.table}deals/new")
    pad.send({"points-1": "seven", "points-2": "3", "do": "record"})
    assert len(pad.problems()) == 1
    assert pad.find("[name=points-1]")["value"] == "seven"


def test_numbers_entered_often_have_keys_of_their_own(visitor: Visitor) -> None:
    visitor.open_table("any-game", 2)
    for _ in range(3):
        visitor.record(**{"points-1": "50", "points-2": "5"})
    visitor.visit(f"{visitor.table}deals/new")
    assert [key["data-number"] for key in visitor.page.select(".keypad [data-number]")] == ["50"]


def test_a_sheet_of_categories_shows_what_was_filled_in_earlier(visitor: Visitor) -> None:
    rules = {"rule-categories": "Ones\nTwos", "rule-target": ""}
    visitor.open_table("any-game", 2, **rules).record(**{"category1-1": "3", "category2-2": "0"})
    visitor.visit(f"{visitor.table}deals/new")
    assert visitor.send({"category1-1": "two", "do": "record"}).status == 422
    assert len(visitor.problems()) == 1  # of the number; what is missing is said below
    lines = [row.get_text(" ", strip=True) for row in visitor.page.select(".sheet-of-numbers tbody tr")]
    assert lines == ["Ones 3", "Twos 0"]
