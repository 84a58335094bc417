"""Changing players: the next table has others, or another game, and the previous one is closed."""

from __future__ import annotations

from ..support.visitor import Visitor, filled_in


def test_players_change_tables_and_the_previous_table_is_closed(visitor: Visitor) -> None:
    left = visitor.open_table("whist").table
    visitor.record(tricks="ns-3").more().follow("Change players")
    assert "Rubber 1 is not finished. It pays nothing." in visitor.text
    assert visitor.page.select_one("[name=close][checked]")
    visitor.send({"seat-4": "Élise"})
    assert visitor.path != left
    assert visitor.export()["players"] == ["Anne", "Bruno", "Chloé", "Élise"]
    assert visitor.export()["dealer"] == "Bruno"
    assert "This table is closed." in visitor.visit(left).text
    assert "Rubber 1 is not finished. It pays nothing." in visitor.text
    visitor.more().send({}, "/reopen")
    assert "Record deal 2" in visitor.text


def test_the_previous_table_stays_open_if_something_was_recorded_meanwhile(visitor: Visitor, another: Visitor) -> None:
    left = visitor.open_table("whist").table
    another.join(visitor.link("score"))
    visitor.visit(left).more().follow("Change players")
    page = filled_in(visitor.form())
    another.visit(left).record(tricks="ns-1")
    assert page["seen"] == "0"
    visitor.send({})
    assert visitor.path != left
    assert "Record deal 2" in visitor.visit(left).text


def test_four_at_joffre_move_to_francion_with_a_fifth_and_keep_their_chairs(visitor: Visitor) -> None:
    visitor.open_table("joffre")
    visitor.visit(f"{visitor.table}deals/new").send({"do": "misdeal"})
    visitor.visit(visitor.table).more().follow("Change players").follow("Francion")
    # Francion is played in the other direction: everybody keeps the same left neighbour.
    assert [filled_in(visitor.form())[f"seat-{n}"] for n in range(1, 6)] == ["Anne", "David", "Chloé", "Bruno", ""]
    visitor.send({"seat-5": "Élise"})
    assert visitor.export()["players"] == ["Anne", "David", "Chloé", "Bruno", "Élise"]
    assert visitor.export()["dealer"] == "Anne"
