"""Names that look the same are one player, wherever they are entered."""

from __future__ import annotations

import io
import json

import pytest
from flask import Flask

from scorekeeper.models import Player, db

from ...visitor import Visitor, filled_in
from ..circles.test_circles import circle_of

COMPOSED, DECOMPOSED = "José", "Jose\u0301"
LOOK_ALIKE = (DECOMPOSED, "Jos\u200bé", "José\ufe0f", "\u202eJosé", " José ", "Jos\u00adé")


def players(app: Flask) -> list[str]:
    with app.app_context():
        return list(db.session.scalars(db.select(Player.name).order_by(Player.id)))


@pytest.mark.parametrize("typed", LOOK_ALIKE)
def test_a_name_in_another_normal_form_is_the_same_player(app: Flask, visitor: Visitor, typed: str) -> None:
    visitor.open_table("whist", **{"seat-1": COMPOSED})
    visitor.open_table("whist", **{"seat-1": typed})
    assert players(app) == [COMPOSED, "Bruno", "Chloé", "David"]


@pytest.mark.parametrize("typed", LOOK_ALIKE)
def test_two_lookalike_names_cannot_be_at_one_table(visitor: Visitor, typed: str) -> None:
    visitor.open_table("whist", **{"seat-1": COMPOSED, "seat-2": typed})
    assert visitor.status == 422
    assert "appears twice" in visitor.problems()[0]


def test_a_player_cannot_be_renamed_to_a_lookalike_of_another(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist", **{"seat-1": COMPOSED})
    with app.app_context():
        bruno = db.session.scalars(db.select(Player.token).filter_by(name="Bruno")).one()
    visitor.visit(f"{circle_of(visitor)}people/{bruno}").send({"name": DECOMPOSED}, "/rename")
    assert visitor.status == 422
    assert players(app)[1] == "Bruno"
    visitor.visit(f"{circle_of(visitor)}people/{bruno}").send({"name": "Zoe\u0308"}, "/rename")
    assert players(app)[1] == "Zoë"


def test_an_imported_lookalike_name_is_the_same_player(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist", **{"seat-1": COMPOSED})
    sheet = visitor.export() | {"players": [DECOMPOSED, "Bruno", "Chloe\u0301", "David"], "dealer": "Bruno"}
    upload = {"sheets": (io.BytesIO(json.dumps(sheet).encode()), "a.json")}
    csrf = filled_in(visitor.visit(f"{circle_of(visitor)}import").form())["csrf_token"]
    data = upload | {"csrf_token": csrf}
    visitor._arrive(visitor.client.post(f"{circle_of(visitor)}import", data=data, headers=visitor.headers))
    assert visitor.send({"do": "record"}).status == 200
    assert players(app) == [COMPOSED, "Bruno", "Chloé", "David"]


def test_titles_and_names_of_phones_are_stored_in_nfc(visitor: Visitor) -> None:
    circle = circle_of(visitor.open_table("whist"))
    visitor.visit(circle).more().send({"title": "Cafe\u0301\u202e"}, "/title")
    assert "Café" in visitor.text
    visitor.visit(f"{circle}links").send({"name": "Zoe\u0308\u200b"}, "/browsers/1/name")
    assert visitor.page.select('[value="Zoë"]')
    visitor.visit(f"{circle}erase").send({"typed": "CAFE\u0301"})
    assert visitor.status == 200
    assert visitor.visit(circle).status == 404


def test_a_draw_refuses_lookalike_names(visitor: Visitor) -> None:
    visitor.visit("/tables/new/whist/draw").send({"seat-1": COMPOSED, "seat-2": DECOMPOSED, "do": "draw"})
    assert visitor.status == 422
