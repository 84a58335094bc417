"""Names that look the same are one player, wherever they are entered."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import timedelta
from itertools import cycle

import pytest
from flask import Flask

from scorekeeper.models import Player, db, now
from scorekeeper.site.time_zones import find_evening

from ..support.visitor import Visitor, filled_in

COMPOSED, DECOMPOSED = "José", "Jose\u0301"
LOOK_ALIKE = (DECOMPOSED, "Jos\u200bé", "José\ufe0f", "\u202eJosé", " José ", "Jos\u00adé")


def players(app: Flask) -> list[str]:
    with app.app_context():
        return list(db.session.scalars(db.select(Player.name).order_by(Player.id)))


def test_a_name_that_looks_the_same_is_the_same_player_and_cannot_be_twice_at_one_table(
    app: Flask, visitor: Visitor
) -> None:
    visitor.open_table("whist", **{"seat-1": COMPOSED})
    for typed in LOOK_ALIKE:
        visitor.open_table("whist", **{"seat-1": typed})
        assert players(app) == [COMPOSED, "Bruno", "Chloé", "David"]
        visitor.open_table("whist", **{"seat-1": COMPOSED, "seat-2": typed})
        assert visitor.status == 422
        assert "appears twice" in visitor.text


def test_titles_and_names_of_phones_are_stored_in_nfc(visitor: Visitor) -> None:
    circle = visitor.open_table("whist").circle
    visitor.visit(circle).more().send({"title": "Cafe\u0301\u202e"}, "/title")
    assert "Café" in visitor.text
    visitor.visit(f"{circle}links").send({"name": "Zoe\u0308\u200b"}, "/phones/1/name")
    assert visitor.page.select('[value="Zoë"]')
    visitor.visit(f"{circle}erase").send({"typed": "CAFE\u0301"})
    assert visitor.status == 200
    assert visitor.visit(circle).status == 404


def test_a_draw_refuses_lookalike_names(visitor: Visitor) -> None:
    visitor.visit("/tables/new/whist/draw").send({"seat-1": COMPOSED, "seat-2": DECOMPOSED, "do": "draw"})
    assert visitor.status == 422


# --- the same person, and another accent ---------------------------------------------------------------------------

FOUR = ["Anne", "Bruno", "Chloé", "David"]
QUESTION = "Is Chloe Chloé?"
FLAGS = ("gbsct", "gbwls")


SAME = (
    *(("Anne", "aNNE"), ("Anne", "Ａｎｎｅ"), ("Anne Marie", "ANNE\u00a0 marie"), ("Straße", "STRASSE")),
    *(("İlkay", "ilkay"), ("İlkay", "Ilkay"), ("Işıl", "IŞIL"), ("Işıl", "işil"), ("Åsa", "A\u030asa")),
    *(("ﬁona", "Fiona"), ("O’Neil", "o'neil")),
)


def test_other_capitals_spaces_and_forms_are_the_same_person(app: Flask, visitor: Visitor) -> None:
    for stored, typed in SAME:
        visitor.open_table("whist", **{"seat-1": stored})
        before = players(app)
        visitor.open_table("whist", **{"seat-1": typed})
        assert visitor.path == visitor.table, visitor.text
        assert players(app) == before


def test_the_flags_of_scotland_and_wales_are_two_names(app: Flask, visitor: Visitor) -> None:
    scotland, wales = (f"\U0001f3f4{''.join(chr(0xE0000 + ord(sign)) for sign in tag)}\U000e007f" for tag in FLAGS)
    visitor.open_table("whist", **{"seat-1": scotland, "seat-2": wales, "seat-3": "An\U000e0067ne"})
    assert players(app) == [scotland, wales, "Anne", "David"]


def ask_at_new_table(visitor: Visitor) -> Visitor:
    typed = {"seat-1": "anne", "seat-2": "Bruno ", "seat-3": "Chloe", "seat-4": "DAVID"}
    return visitor.visit("/tables/new/whist").send(typed)


def ask_at_paper_sheet(visitor: Visitor) -> Visitor:
    typed = {"seat-1": "anne", "seat-2": "Bruno", "seat-3": "Chloe", "seat-4": "DAVID", "1.tricks": "ns-3"}
    return visitor.visit("/tables/new/whist/paper").send(typed | {"do": "record"})


def ask_at_substitution(visitor: Visitor) -> Visitor:
    visitor.open_table("whist", **{"seat-3": "Emma"})
    return visitor.visit(f"{visitor.table}deals/substitution").send({"out": "1", "name": "Chloe"})


def ask_tonight(visitor: Visitor) -> Visitor:
    return visitor.visit(f"{visitor.circle}tonight").send({"name": "Chloe"}, "/tonight")


def ask_about_an_evening(visitor: Visitor) -> Visitor:
    visitor.plan_evening(find_evening(now(), None) + timedelta(days=7))
    return visitor.send({"answer": "yes", "name": "Chloe"}, "/answer")


ASKING = (ask_at_new_table, ask_at_paper_sheet, ask_at_substitution, ask_tonight, ask_about_an_evening)


@pytest.mark.parametrize(("ask", "answer"), list(zip(ASKING, cycle(("Chloé", "Chloe")), strict=False)))
def test_another_accent_is_asked_about_with_everything_typed_still_there(
    app: Flask, visitor: Visitor, ask: Callable[[Visitor], Visitor], answer: str
) -> None:
    visitor.open_table("whist")
    ask(visitor)
    assert visitor.status == 422
    assert visitor.text.count(QUESTION) == 1
    before = players(app)
    form = visitor.find("form:has([name='is:Chloe'])")
    assert "Chloe" in filled_in(form).values() or "Chloe" in form.get_text()
    assert filled_in(form)["is:Chloe"] == "Chloé"
    sent = {"do": "record"} if ask is ask_at_paper_sheet else {}
    visitor.send({"is:Chloe": answer, **sent}, form=form)
    assert visitor.status == 200, visitor.text
    assert players(app) == [*before, *(["Chloe"] if answer == "Chloe" else [])]


def test_the_question_is_asked_in_the_readers_language(app: Flask) -> None:
    visitor = Visitor(app, "fr").open_table("whist")
    ask_at_new_table(visitor)
    assert "« Chloe », est-ce Chloé ?" in " ".join(visitor.text.split())


def test_an_answer_is_kept_while_something_else_is_wrong(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    ask_at_new_table(visitor).send({"is:Chloe": "Chloe", "seat-2": ""})
    assert visitor.status == 422
    visitor.send({"seat-2": "BRUNO"})
    assert players(app) == [*FOUR, "Chloe"]


def test_a_host_is_asked_about_a_new_name_with_another_accent(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    with app.app_context():
        bruno = db.session.scalars(db.select(Player.token).filter_by(name="Bruno")).one()
    path = f"{visitor.circle}people/{bruno}"
    assert "is another player" in visitor.visit(path).send({"name": "DAVID"}, "/rename").text
    assert QUESTION in visitor.visit(path).send({"name": "Chloe"}, "/rename").text
    assert "is another player" in visitor.send({"is:Chloe": "Chloé"}, "/rename").text
    visitor.send({"is:Chloe": "Chloe"}, "/rename")
    assert players(app) == ["Anne", "Chloe", "Chloé", "David"]


def test_names_that_are_imported_are_found_the_same_way(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    sheet = visitor.export() | {"players": ["ANNE", "bruno", "Chloe", "david"], "dealer": "bruno"}
    csrf = filled_in(visitor.visit(f"{visitor.circle}import").form())["csrf_token"]
    data = {"sheets": (io.BytesIO(json.dumps(sheet).encode()), "a.json"), "csrf_token": csrf}
    visitor.receive(visitor.client.post(f"{visitor.circle}import", data=data, headers=visitor.headers))
    assert [field["value"] for field in visitor.page.select("[name^=name-]")] == ["Chloe"]
    visitor.send({"do": "record"})
    assert players(app) == FOUR


def test_two_people_that_differ_in_capitals_alone_are_asked_about(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    with app.app_context():
        bruno = db.session.scalars(db.select(Player).filter_by(name="Bruno")).one()
        bruno.name = "anne"  # as circles of earlier versions may have
        db.session.commit()
    assert "Is ANNE Anne / anne?" in visitor.open_table("whist", **{"seat-1": "ANNE"}).text
    visitor.send({"is:ANNE": "anne"})
    visitor.open_table("whist", **{"seat-1": "Anne", "seat-2": "anne"})  # both are named as they are stored
    assert visitor.path == visitor.table
    assert players(app) == ["Anne", "anne", "Chloé", "David", "Bruno"]
