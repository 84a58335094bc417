"""Several phones at one table, and phones without access."""

from __future__ import annotations

import pytest

from ..support.visitor import Visitor


@pytest.fixture
def table(visitor: Visitor) -> str:
    """Return the URL of a table that the first visitor has opened."""
    return visitor.open_table("whist").table


def test_a_stale_write_shows_what_came_between_and_keeps_its_input(
    visitor: Visitor, another: Visitor, table: str
) -> None:
    visitor.let_in(another)
    visitor.visit(f"{table}deals/new")
    another.record(tricks="ew-2")
    visitor.send({"tricks": "ns-3", "do": "record"})
    assert visitor.status == 409
    assert "Phone 2 recorded deal 1, " in visitor.text
    assert "E–\u2060W: 8" in visitor.text
    assert visitor.page.select_one("[name=tricks][value=ns-3][checked]")
    assert len(visitor.export()["deals"]) == 1
    visitor.visit(f"{table}deals/new")


@pytest.mark.usefixtures("table")
def test_a_stale_undo_undoes_nothing(visitor: Visitor, another: Visitor) -> None:
    visitor.let_in(another)
    undo = visitor.record(tricks="ns-1").form("/undo")
    another.record(tricks="ew-2")
    visitor.send({}, form=undo)
    assert visitor.status == 409
    assert len(visitor.export()["deals"]) == 2
    visitor.path = visitor.table
    visitor.send({}, "/undo")  # from the page that the refusal showed
    assert len(visitor.export()["deals"]) == 1


@pytest.mark.usefixtures("table")
def test_a_deal_that_another_phone_has_recorded_too_need_not_be_recorded_again(
    visitor: Visitor, another: Visitor
) -> None:
    visitor.let_in(another)
    another.visit(f"{visitor.table}deals/new")
    visitor.record(tricks="ns-1")
    another.send({"tricks": "ns-1", "do": "next"})
    assert another.status == 409
    assert "This deal is recorded already" in another.find(".stale").get_text()
    assert another.find("a.main").get_text() == "It is the same deal"
    another.send({"tricks": "ns-1", "do": "next"})  # *Record another deal*
    assert len(visitor.export()["deals"]) == 2
    another.visit(f"{visitor.table}deals/new")
    visitor.record(tricks="ns-2")
    another.send({"tricks": "ns-2", "do": "misdeal"})
    assert "Something else was recorded first" in another.find(".stale").get_text()


@pytest.mark.usefixtures("table")
def test_an_entry_sent_again_is_acknowledged_though_another_phone_has_recorded_the_same_facts_since(
    visitor: Visitor, another: Visitor
) -> None:
    visitor.let_in(another)
    visitor.visit(f"{visitor.table}deals/new").send({"tricks": "ns-1", "do": "record", "key": "lost answer"})
    another.visit(f"{visitor.table}deals/new").send({"tricks": "ns-1", "do": "record"})
    another.send({"tricks": "ns-1", "do": "record"})  # *Record another deal*
    assert len(visitor.export()["deals"]) == 2
    visitor.visit(f"{visitor.table}deals/new").send({"tricks": "ns-1", "do": "record", "key": "lost answer"})
    assert visitor.status == 200
    assert len(visitor.export()["deals"]) == 2


@pytest.mark.usefixtures("table")
def test_undo_says_what_it_has_undone(visitor: Visitor) -> None:
    visitor.record(tricks="ns-1").record(tricks="ns-2")
    visitor.visit(f"{visitor.table}deals/1/amend").send({"tricks": "ns-3", "do": "record"})
    visitor.visit(visitor.table).send({}, "/undo")
    assert visitor.find(".recorded").get_text() == "Deal 1 is as it was before the edit"
    assert visitor.find(".bar .one-tap button").get_text() == "Undo deal 2"
    visitor.send({}, "/undo")
    assert visitor.find(".recorded").get_text() == "Deal 2 is removed"
    assert visitor.find(".changed button").get_text() == "Redo"
    assert visitor.record(tricks="ns-1").find(".recorded").get_text() == "Deal 2 is recorded"


@pytest.mark.usefixtures("table")
def test_redo_brings_back_what_was_undone_whatever_it_was(visitor: Visitor) -> None:
    visitor.record(tricks="ns-1").record(tricks="ns-2")
    visitor.visit(f"{visitor.table}deals/1/amend").send({"tricks": "ns-3", "do": "record"})
    edited = visitor.export()["deals"]
    visitor.visit(visitor.table).send({}, "/undo").send({}, "/redo")
    assert visitor.find(".recorded").get_text() == "Deal 1 is corrected"
    assert visitor.export()["deals"] == edited
    visitor.visit(f"{visitor.table}deals/2").send({}, "/withdraw")
    assert visitor.find(".recorded").get_text() == "Deal 2 is removed"
    assert visitor.find(".bar .one-tap button").get_text() == "Restore deal 2"
    visitor.send({}, "/undo")
    assert visitor.find(".recorded").get_text() == "Deal 2 is restored"
    assert visitor.export()["deals"] == edited
    visitor.send({}, "/redo")
    assert visitor.export()["deals"] == edited[:1]
    visitor.more().send({}, "/close")
    assert visitor.find(".recorded").get_text() == "The table is closed"
    visitor.send({}, form=visitor.find(".changed form"))
    assert visitor.find(".recorded").get_text() == "The table is open again"
