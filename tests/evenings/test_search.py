"""Searching a circle's tables by game, player, evening and settlement; pagination; the page of an evening."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, insert, select, text, update

from scorekeeper.models import Player, Seat, Summary, Table, db

from ..support.visitor import Visitor

FIRST = date(2026, 1, 1)


@pytest.fixture
def circle(visitor: Visitor) -> str:
    """The path of the search of a circle with one closed table of Whist, played for money."""
    visitor.open_table("whist", amount="0.25", currency="EUR")
    for tricks in ("ns-7", "ns-7", "ns-7", "ns-7"):
        visitor.record(tricks=tricks)
    visitor.visit(visitor.table).more().send({}, "/close")
    return f"{visitor.circle}tables"


def add_copies(app: Flask, tables: int, **changed: Any) -> None:
    """Insert copies of the first table into the database, two a day from FIRST on."""
    with app.app_context():
        first = db.session.scalars(select(Table).order_by(Table.id)).first()
        assert first is not None
        assert first.summary is not None
        start = (db.session.scalar(select(func.max(Table.id))) or 0) + 1
        like = {column.name: getattr(first, column.name) for column in Table.__table__.columns}
        summary = {column.name: getattr(first.summary, column.name) for column in Summary.__table__.columns}
        seats = [(seat.label, seat.player_id) for seat in first.seats]
        ids = range(start, start + tables)
        own: list[dict[str, Any]] = [{"id": id_, "token": f"table-{id_}", "entry_key": None} for id_ in ids]
        rows = [like | {"day": FIRST + timedelta(days=(one["id"] - 2) // 2)} | one | changed for one in own]
        db.session.execute(insert(Table), rows)
        db.session.execute(
            insert(Seat),
            [
                {"circle_id": first.circle_id, "table_id": id_, "label": seat, "player_id": player}
                for id_ in ids
                for seat, player in seats
            ],
        )
        db.session.execute(insert(Summary), [summary | {"table_id": id_} for id_ in ids])
        if db.engine.dialect.name == "postgresql":
            db.session.execute(text("SELECT setval('card_table_id_seq', :last)"), {"last": ids[-1]})
        db.session.commit()


def listed_tokens(visitor: Visitor) -> list[str]:
    """Return the tokens of the tables on the page, in its order."""
    return [str(card["href"]).split("/")[2] for card in visitor.page.select(".found")]


def token_of(app: Flask, name: str) -> str:
    with app.app_context():
        return db.session.scalars(select(Player.token).where(Player.name == name)).one()


# --- the page ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("circle")
def test_circle_and_front_page_list_only_recent_tables(app: Flask, visitor: Visitor) -> None:
    add_copies(app, 40)
    assert len(visitor.visit(visitor.circle).page.select(".quiet .table-card")) == 10
    assert len(visitor.visit("/").page.select(".quiet .table-card")) == 5


def test_tables_are_paged_newest_first_both_ways(app: Flask, visitor: Visitor, circle: str) -> None:
    add_copies(app, 60)
    pages = [listed_tokens(visitor.visit(circle))]
    while any("Older tables" in link.get_text() for link in visitor.page.select(".pages a")):
        pages.append(listed_tokens(visitor.follow("Older tables")))
    assert [len(page) for page in pages] == [25, 25, 11]
    with app.app_context():
        newest = db.session.scalars(select(Table.token).order_by(Table.day.desc(), Table.id.desc())).all()
    assert [token for page in pages for token in page] == newest
    assert listed_tokens(visitor.follow("Newer tables")) == pages[1]
    assert listed_tokens(visitor.follow("Newer tables")) == pages[0]
    assert not visitor.page.select(".pages [rel=prev]")


def test_no_table_of_another_circle_is_found(another: Visitor, circle: str, today: date) -> None:
    another.open_table("joffre")
    assert another.visit(circle).status == 404
    assert another.visit(circle.replace("tables", f"evenings/{today}")).status == 404
    assert len(listed_tokens(another.visit(f"{another.circle}tables"))) == 1
    assert "Whist" not in " ".join(row.get_text() for row in another.page.select(".found"))
    names = [option.get_text() for option in another.page.select("#player option")]
    assert len(names) == 5


# --- conditions --------------------------------------------------------------------------------------------


def test_tables_are_found_by_game_and_form_and_links_keep_the_query(app: Flask, visitor: Visitor, circle: str) -> None:
    add_copies(app, 30, game="joffre")
    add_copies(app, 3)
    tokens = listed_tokens(visitor.visit(f"{circle}?game=joffre"))
    assert len(tokens) == 25
    chosen = visitor.find("#game option[selected]")
    assert chosen["value"] == "joffre"
    assert len(listed_tokens(visitor.follow("Older tables"))) == 5
    assert "game=joffre" in str(visitor.response.request.query_string)
    assert len(listed_tokens(visitor.follow("Newer tables"))) == 25


def test_tables_are_found_by_player_including_merged_players(app: Flask, visitor: Visitor, circle: str) -> None:
    seats = {"seat-1": "Élise", "seat-2": "Fanny", "seat-3": "Gaspard", "seat-4": "Hugo"}
    visitor.visit("/tables/new/joffre").send(seats)
    anne, elise = token_of(app, "Anne"), token_of(app, "Élise")
    assert len(listed_tokens(visitor.visit(f"{circle}?player={elise}"))) == 1
    assert len(listed_tokens(visitor.visit(f"{circle}?player={anne}"))) == 1
    with app.app_context():
        person = db.session.scalars(select(Player.id).where(Player.token == anne)).one()
        db.session.execute(update(Player).where(Player.token == elise).values(person_id=person))
        db.session.commit()
    assert len(listed_tokens(visitor.visit(f"{circle}?player={anne}"))) == 2
    assert "Anne & Gaspard – Fanny & Hugo" in visitor.text
    assert visitor.visit(f"{circle}?player={elise}").status == 422  # she is nobody of her own any more


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("since=31.12.2026", "From: 31.12.2026 is not a date"),
        ("since=2026-02-02&until=2026-02-01", "The last evening is before the first"),
        ("player=x", "Choose one from the list"),
        ("game=chess", "Choose one from the list"),
        ("settled=maybe", "Choose one from the list"),
    ],
)
def test_invalid_conditions_are_refused_and_stay_in_the_form(
    visitor: Visitor, circle: str, query: str, words: str
) -> None:
    visitor.visit(f"{circle}?{query}")
    assert visitor.status == 422
    assert any(words in problem for problem in visitor.problems())
    for field, typed in (pair.split("=") for pair in query.split("&")):
        if field in ("since", "until"):
            field_tag = visitor.find(f"#{field}")
            assert field_tag["value"] == typed
            # A picker shows nothing that is not a date.
            assert field_tag["type"] == ("date" if "before" in words else "text")


# --- an evening --------------------------------------------------------------------------------------------


def test_an_evening_lists_its_tables_and_has_a_recap(app: Flask, visitor: Visitor, circle: str) -> None:
    visitor.visit("/tables/new/joffre").send(
        {"seat-1": "Eva", "seat-2": "Bruno", "seat-3": "Fanny", "seat-4": "Gaspard"}
    )
    with app.app_context():
        day = db.session.scalars(select(Table.day)).first()
    visitor.visit(circle.replace("tables", f"evenings/{day}"))
    assert len(listed_tokens(visitor)) == 2
    field = visitor.find("textarea#recap")
    text = field.get_text()
    assert "Joffre\nEva & Fanny – Bruno & Gaspard\nNo deals yet" in text
    assert "Largest rubber: won by 5 (Anne & Chloé, deal 4)" in text
    assert "Whole evening\nAnne +€1.25\nChloé +€1.25\nBruno −€1.25\nDavid −€1.25" in text
    assert "To pay:\nBruno pays Anne €1.25\nDavid pays Chloé €1.25" in text
    assert visitor.follow("Recap of this table").status == 200
