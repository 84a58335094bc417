"""A table's title, date, place and note: entered when it is opened, changed later, and shown wherever it appears."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from scorekeeper.models import Player, Table, db
from scorekeeper.tables import caches

from ..support.visitor import Visitor

LAST_WEEK = (datetime.now(UTC) - timedelta(days=7)).date().isoformat()
IN_THREE_DAYS = (datetime.now(UTC) + timedelta(days=3)).date().isoformat()
TYPED = {"title": "Final", "day": LAST_WEEK, "place": "at Zoé’s", "note": "Rain.\nNo cake."}


def stored(app: Flask) -> Table:
    with app.app_context():
        return db.session.scalars(select(Table).order_by(Table.id.desc())).first() or Table()


def faults(app: Flask) -> list[str]:
    with app.app_context():
        return [fault.key for fault in caches.verify().faults]


def change(visitor: Visitor, **fields: str) -> Visitor:
    table = visitor.table
    visitor.visit(f"{table}details")
    return visitor.send(fields)


# --- when a table is opened


def test_a_table_is_opened_with_the_day_place_and_note_that_were_entered(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist", day=LAST_WEEK, place=" at  Zoé’s ", note="Rain.\r\n\r\n\r\nNo\u200b cake. ")
    table = stored(app)
    assert (table.day.isoformat(), table.is_dated) == (LAST_WEEK, True)
    assert (table.place, table.note) == ("at Zoé’s", "Rain.\n\nNo cake.")
    assert visitor.export()["played_on"] == LAST_WEEK
    assert not {"place", "note"} & visitor.export().keys()
    assert not faults(app)


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("day", IN_THREE_DAYS, "in the future"),
        ("day", "1699-12-31", "before 1700"),
        ("place", "x" * 81, "at most 80"),
        ("note", "x" * 1001, "at most 1,000"),
        ("note", "x" * 200_000, "at most 1,000"),
    ],
)
def test_what_cannot_be_is_refused_kindly_and_kept(
    app: Flask, visitor: Visitor, field: str, typed: str, words: str
) -> None:
    visitor.open_table("whist", **{field: typed})
    assert visitor.status == 422
    assert any(words in problem for problem in visitor.problems()), visitor.problems()
    shown = visitor.find(f"#{field}")
    assert (shown.get("value") or shown.get_text(strip=True)) == typed
    visitor.open_table("whist")
    assert change(visitor, **{field: typed}).status == 422
    assert any(words in problem for problem in visitor.problems())
    assert stored(app).place is None


# --- later


def test_details_can_be_changed_later_on_closed_tables_too(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-3")
    visitor.visit(visitor.table).more().send({}, "/close")
    table = visitor.table
    assert change(visitor, **TYPED).path == table
    assert "at Zoé’s" in visitor.text
    assert "No cake." in visitor.text
    assert (visitor.export()["title"], visitor.export()["played_on"]) == ("Final", LAST_WEEK)
    circle = visitor.circle
    for page in (f"{table}recap", f"{table}print", f"{circle}tables", f"{circle}evenings/{LAST_WEEK}"):
        assert "at Zoé’s" in visitor.visit(page).text, page
        assert "Final" in visitor.text
    assert "No cake." in visitor.visit(f"{table}print").text
    assert not faults(app)
    visitor.visit(table)
    change(visitor, title="", place="", note="")
    assert (stored(app).title, stored(app).place, stored(app).note) == (None, None, None)
    assert not faults(app)


def test_of_two_phones_the_second_sees_what_the_first_saved(app: Flask, visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("whist")
    table = visitor.table
    another.join(visitor.link("score"))
    another.visit(f"{table}details")
    visitor.visit(table)
    change(visitor, place="at Bruno’s")
    another.send({"place": "at Zoé’s", "note": "mine"})
    assert another.status == 409
    assert "at Bruno’s" in another.text
    assert (another.find("#place")["value"], another.find("#note").get_text(strip=True)) == ("at Zoé’s", "mine")
    assert stored(app).place == "at Bruno’s"
    another.send({})
    assert (another.path, stored(app).place, stored(app).note) == (table, "at Zoé’s", "mine")


# --- search and suggestions


def test_an_erased_name_is_replaced_in_the_place_and_the_note(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist", place="at Anne’s", note="Anne won.")
    with app.app_context():
        anne = db.session.scalar(select(Player.token).where(Player.name == "Anne"))
    visitor.visit(f"{visitor.circle}people/{anne}/erase").send({"typed": "Anne"})
    assert "Anne" not in f"{stored(app).place} {stored(app).note}"
    assert not faults(app)
