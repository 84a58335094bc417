"""The people of a circle: renaming, retiring, merging, erasing a name."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import select

from scorekeeper.models import Base, Player, Table, db

from ..support.visitor import Visitor, tag_of


def tokens(app: Flask) -> dict[str, str]:
    with app.app_context():
        return {player.name: player.token for player in db.session.scalars(select(Player))}


def player_page(app: Flask, visitor: Visitor, name: str) -> str:
    return f"{visitor.circle}people/{tokens(app)[name]}"


def suggested_names(visitor: Visitor) -> list[str]:
    return [chip.get_text() for chip in visitor.visit("/tables/new/whist").page.select("[data-person]")]


def test_a_retired_player_is_not_suggested_but_may_play(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    page = player_page(app, visitor, "Anne")
    visitor.visit(page).send({}, "/retire")
    assert suggested_names(visitor) == ["Bruno", "Chloé", "David"]
    assert "No longer playing" in visitor.visit(f"{visitor.circle}people").text
    visitor.open_table("whist")
    assert len(tokens(app)) == 4
    visitor.visit(page).send({}, "/return")
    assert "Anne" in suggested_names(visitor)


def test_a_phone_that_may_score_is_told_that_only_a_host_can_do_this(app: Flask, visitor: Visitor) -> None:
    person = player_page(app, visitor.open_table("whist"), "Anne")
    pages = (person, f"{visitor.circle}players/{tokens(app)['Anne']}/everything", f"{visitor.circle}erase")
    for right, title in (("score", "Only a host can do this"), ("watch", "You can only watch here")):
        phone = Visitor(app).join(visitor.link(right))
        for page in pages:
            assert phone.visit(page).status == 403
            assert phone.find("h1").get_text() == title


def test_players_can_be_merged_and_separated_again(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    second = visitor.open_table("whist", **{"seat-1": "Amy"}).table
    visitor.merge("Amy", "Anne")
    assert visitor.path.endswith(f"people/{tokens(app)['Anne']}")
    assert "2 tables" in visitor.text
    assert visitor.visit(second).export()["players"][0] == "Anne"
    assert "Amy" not in visitor.visit("/").text
    assert "Amy" not in suggested_names(visitor)
    assert "also Amy" in visitor.visit(f"{visitor.circle}people").text
    assert visitor.open_table("whist", **{"seat-1": "Amy"}).export()["players"][0] == "Anne"

    assert visitor.visit(player_page(app, visitor, "Amy")).path == player_page(app, visitor, "Anne")
    visitor.send({}, "/apart")
    assert visitor.visit(second).export()["players"][0] == "Amy"
    assert "Amy" in suggested_names(visitor)


@pytest.mark.parametrize(
    ("action", "sent", "words"),
    [
        ("/rename", {"name": " \u200b "}, "The name is blank"),
        ("/rename", {"name": "x" * 41}, "Use at most 40 characters"),
        ("/merge", {"into": ""}, "No name is chosen"),
        ("/merge", {"into": "nobody"}, "This cannot be chosen"),
    ],
)
def test_a_name_and_whom_to_merge_into_are_checked_at_their_fields(
    app: Flask, visitor: Visitor, action: str, sent: dict[str, str], words: str
) -> None:
    visitor.open_table("whist").visit(player_page(app, visitor, "Anne"))
    visitor.send(sent, action)
    assert visitor.status == 422
    assert [words in problem for problem in visitor.problems()] == [True]
    (field,) = sent
    described_by = visitor.find(f"[name={field}][aria-invalid]")["aria-describedby"]
    assert words in visitor.find(f"#{described_by}").get_text()
    assert set(tokens(app)) == {"Anne", "Bruno", "Chloé", "David"}


def all_texts(app: Flask) -> str:
    """Return all rows of the database as one text, with JSON's escaped letters decoded."""
    with app.app_context():
        rows = [
            str(dict(row._mapping))
            for table in Base.metadata.sorted_tables
            for row in db.session.execute(select(table)).all()
        ]
    return "\n".join(rows)


def test_a_name_is_erased_everywhere_without_changing_amounts(app: Flask, visitor: Visitor) -> None:
    table = visitor.open_table("francion", **{"seat-1": "Chloé", "seat-3": "Anne-Chloé"}).table
    visitor.visit(f"{table}deals/adjustment")
    reason = "chloé’s revoke, agreed with Anne-Chloé; CHLOÉ pays, Chloéa does not"
    visitor.send({"kind": "counters", "giver": "1", "to": "3", "unit": "jetons", "amount": "5", "reason": reason})
    before = visitor.export()
    visitor.open_table("whist", **{"seat-1": "Cloclo", "seat-3": "Rose"})
    visitor.merge("Cloclo", "Chloé")
    visitor.visit(f"{visitor.circle}links").send({"name": "Chloé’s phone"}, "/phones/1/name")
    visitor.visit(visitor.circle).more().send({"title": "Whist at Chloé’s"}, "/title")
    with app.app_context():
        table_row = db.session.scalars(select(Table).order_by(Table.id)).first()
        assert table_row is not None
        table_row.title = "Evening at Chloé’s"
        db.session.commit()

    visitor.visit(player_page(app, visitor, "Chloé")).follow("See what it does")
    visitor.send({"typed": "chloé"})
    assert visitor.path.endswith("/people")
    assert "The name is erased." in visitor.text

    stored = all_texts(app)
    assert "Cloclo" not in stored
    assert "Chloé" not in stored.replace("Anne-Chloé", "").replace("Chloéa", "")
    after = visitor.visit(table).export()
    assert after["players"] == ["N. N. 1", "Bruno", "Anne-Chloé", "David"]
    assert after["title"] == "Evening at N. N. 1’s"
    [deal] = after["deals"]
    kept_reason = "N. N. 1’s revoke, agreed with Anne-Chloé; N. N. 1 pays, Chloéa does not"
    assert deal["adjustment"] == {"from": "N. N. 1", "to": "Anne-Chloé", "jetons": 5, "reason": kept_reason}
    assert before["deals"][0]["adjustment"]["jetons"] == 5
    assert "N. N." not in suggested_names(visitor)
    assert "Whist at N. N. 1’s" in visitor.visit("/").text


def test_earlier_names_are_erased_from_texts_too(app: Flask, visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    visitor.visit(f"{table}deals/adjustment")
    visitor.send({"kind": "points", "to": "ns", "amount": "1", "reason": "Anne and Nan"})
    visitor.visit(player_page(app, visitor, "Anne")).send({"name": "Zoé"}, "/rename")
    erase = f"{player_page(app, visitor, 'Zoé')}/erase"
    visitor.visit(erase).send({"typed": "Zoé", "earlier": "Anne, Bruno"})
    assert visitor.status == 422
    assert "Bruno is the name of another player" in visitor.problems()[0]
    assert visitor.page.select_one("#earlier[value='Anne, Bruno']")
    visitor.send({"typed": "Zoé", "earlier": "Anne, Nan"})
    assert visitor.visit(table).export()["deals"][0]["adjustment"]["reason"] == "N. N. 1 and N. N. 1"


@pytest.mark.parametrize(
    ("way", "sent", "name"), [("", {"name": "Zoé"}, "Zoé"), ("/erase", {"typed": "Anne"}, "N. N. 1")]
)
def test_phones_at_an_open_table_hear_of_a_name_that_changed(
    app: Flask, visitor: Visitor, way: str, sent: dict[str, str], name: str
) -> None:
    table = visitor.open_table("whist").table
    tag = tag_of(visitor.visit(table).find("[data-follow]"))
    page = player_page(app, visitor, "Anne")
    visitor.visit(f"{page}{way}").send(sent, way or "/rename")
    update = visitor.client.get(f"{table}update", headers={"If-None-Match": tag})
    assert name in update.text
    assert "Anne" not in update.text
