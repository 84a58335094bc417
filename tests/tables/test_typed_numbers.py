"""Numbers that are typed on the pad, without scripts."""

from __future__ import annotations

from ..support.visitor import Visitor


def test_fields_left_empty_are_asked_for_and_a_button_enters_0_in_them(visitor: Visitor) -> None:
    pad = visitor.open_table("any-game", 3).visit(f"{visitor.table}deals/new")
    assert pad.send({"points-2": "50", "do": "record"}).status == 422
    assert len(pad.problems()) == 2
    pad.send({"do": "zeros"})
    assert [field["value"] for field in pad.page.select("[data-amount]")] == ["0", "50", "0"]
    assert "Anne 0, Bruno 50, Chloé 0" in pad.find(".working").text.replace("\xa0", " ")
    pad.send({"do": "record"})
    assert list(pad.export()["deals"][0]["points"].values()) == [0, 50, 0]


def test_numbers_entered_often_have_keys_of_their_own(visitor: Visitor) -> None:
    visitor.open_table("any-game", 2)
    for _ in range(3):
        visitor.record(**{"points-1": "50", "points-2": "5"})
    visitor.visit(f"{visitor.table}deals/new")
    assert [key["data-number"] for key in visitor.page.select(".keypad [data-number]")] == ["50"]


def test_points_beyond_the_target_are_said_before_they_are_recorded_and_afterwards(visitor: Visitor) -> None:
    rules = {"rule-best": "lowest", "rule-start": "60", "rule-target": "0", "rule-overshoot": "bust"}
    pad = visitor.open_table("any-game", 2, **rules).visit(f"{visitor.table}deals/new")
    pad.send({"taken-1": "61", "taken-2": "45", "do": "check"})
    assert "Anne busts: stays at 60" in pad.find(".working").text
    pad.send({"do": "record"})
    pad.visit(visitor.table).visit(str(pad.find(".rows li a")["href"]))
    assert "Anne busts: stays at 60" in pad.text
    rules = {"rule-target": "50", "rule-overshoot": "back", "rule-back_to": "25"}
    pad = visitor.open_table("any-game", 2, **rules).visit(f"{visitor.table}deals/new")
    pad.send({"points-1": "51", "points-2": "50", "do": "check"})
    assert "Anne falls back to 25" in pad.find(".working").text


def test_a_number_that_may_be_below_0_is_typed_on_a_keyboard_with_a_minus_sign(visitor: Visitor) -> None:
    def keyboards() -> dict[str, str]:
        return {str(field["name"]): str(field["inputmode"]) for field in visitor.page.select("[inputmode]")}

    visitor.visit("/tables/new/any-game")
    asked = keyboards()
    names = ("start", "target", "back_to", "total", "or_total", "deals", "stake")
    assert [asked[f"rule-{name}"] for name in names] == [*["text"] * 5, *["numeric"] * 2]
    visitor.visit("/tables/new/any-game/paper")
    visitor.send({"seat-1": "Anne", "seat-2": "Bruno", "rule-name": "Rummy", "do": "check"})
    assert keyboards()["1.points-1"] == "text"
    assert "Rummy" in visitor.find("h1").text
    visitor.visit("/tables/new/francion/paper")
    assert keyboards()["1.tricks-1"] == "numeric"
    visitor.open_table("any-game", 2).visit(f"{visitor.table}deals/new")
    assert keyboards() == {"points-1": "text", "points-2": "text"}
