"""The people of a circle: renaming, retiring, merging, erasing a name; and players who change tables."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import select

from scorekeeper.models import Base, Player, Table, db

from ..circles.test_circles import circle_of
from ..visitor import NAMES, Visitor, filled_in, tag_of


def open_table_of(visitor: Visitor, *names: str, slug: str = "whist", **fields: str) -> str:
    seats = {f"seat-{n}": name for n, name in enumerate(names, start=1)}
    return visitor.visit(f"/tables/new/{slug}").send(seats | fields).table


def tokens(app: Flask) -> dict[str, str]:
    with app.app_context():
        return {player.name: player.token for player in db.session.scalars(select(Player))}


def player_page(app: Flask, visitor: Visitor, name: str) -> str:
    return f"{circle_of(visitor)}people/{tokens(app)[name]}"


def suggested_names(visitor: Visitor) -> list[str]:
    return [chip.get_text() for chip in visitor.visit("/tables/new/whist").page.select("[data-person]")]


def merge(app: Flask, visitor: Visitor, name: str, into: str) -> Visitor:
    form = {"into": tokens(app)[into]}
    return visitor.visit(player_page(app, visitor, name)).send(form, "/merge")


def test_a_retired_player_is_not_suggested_but_may_play(app: Flask, visitor: Visitor) -> None:
    open_table_of(visitor, *NAMES[:4])
    page = player_page(app, visitor, "Anne")
    visitor.visit(page).send({}, "/retire")
    assert suggested_names(visitor) == ["Bruno", "Chloé", "David"]
    assert "No longer playing" in visitor.visit(f"{circle_of(visitor)}people").text
    open_table_of(visitor, *NAMES[:4])
    assert len(tokens(app)) == 4
    visitor.visit(page).send({}, "/return")
    assert "Anne" in suggested_names(visitor)


def test_players_can_be_merged_and_separated_again(app: Flask, visitor: Visitor) -> None:
    open_table_of(visitor, *NAMES[:4])
    second = open_table_of(visitor, "Amy", "Bruno", "Chloé", "David")
    merge(app, visitor, "Amy", "Anne")
    assert visitor.path.endswith(f"people/{tokens(app)['Anne']}")
    assert "2 tables" in visitor.text
    assert visitor.visit(second).export()["players"][0] == "Anne"
    assert "Amy" not in visitor.visit("/").text
    assert "Amy" not in suggested_names(visitor)
    assert "also Amy" in visitor.visit(f"{circle_of(visitor)}people").text
    assert open_table_of(visitor, "Amy", "Bruno", "Chloé", "David")
    assert visitor.export()["players"][0] == "Anne"

    assert visitor.visit(player_page(app, visitor, "Amy")).path == player_page(app, visitor, "Anne")
    visitor.send({}, "/apart")
    assert visitor.visit(second).export()["players"][0] == "Amy"
    assert "Amy" in suggested_names(visitor)


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
    table = open_table_of(visitor, "Chloé", "Bruno", "Anne-Chloé", "David", slug="francion")
    visitor.visit(f"{table}deals/adjustment")
    reason = "chloé’s revoke, agreed with Anne-Chloé; CHLOÉ pays, Chloéa does not"
    visitor.send({"kind": "counters", "giver": "1", "to": "3", "unit": "jetons", "amount": "5", "reason": reason})
    before = visitor.export()
    open_table_of(visitor, "Cloclo", "Bruno", "Rose", "David")
    merge(app, visitor, "Cloclo", "Chloé")
    visitor.visit(f"{circle_of(visitor)}links").send({"name": "Chloé’s phone"}, "/phones/1/name")
    visitor.visit(circle_of(visitor)).more().send({"title": "Whist at Chloé’s"}, "/title")
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
    table = open_table_of(visitor, *NAMES[:4])
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
    table = open_table_of(visitor, *NAMES[:4])
    tag = tag_of(visitor.visit(table).find("[data-follow]"))
    page = player_page(app, visitor, "Anne")
    visitor.visit(f"{page}{way}").send(sent, way or "/rename")
    update = visitor.client.get(f"{table}update", headers={"If-None-Match": tag})
    assert name in update.text
    assert "Anne" not in update.text


def test_players_change_tables_and_the_previous_table_is_closed(visitor: Visitor) -> None:
    left = open_table_of(visitor, *NAMES[:4])
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
    left = open_table_of(visitor, *NAMES[:4])
    another.join(visitor.link("score"))
    visitor.visit(left).more().follow("Change players")
    page = filled_in(visitor.form())
    another.visit(left).record(tricks="ns-1")
    assert page["seen"] == "0"
    visitor.send({})
    assert visitor.path != left
    assert "Record deal 2" in visitor.visit(left).text


def test_four_at_joffre_move_to_francion_with_a_fifth_and_keep_their_chairs(visitor: Visitor) -> None:
    open_table_of(visitor, *NAMES[:4], slug="joffre")
    visitor.visit(f"{visitor.table}deals/new").send({"do": "misdeal"})
    visitor.more().follow("Change players").follow("Francion")
    # Francion is played in the other direction: everybody keeps the same left neighbour.
    assert [filled_in(visitor.form())[f"seat-{n}"] for n in range(1, 6)] == ["Anne", "David", "Chloé", "Bruno", ""]
    visitor.send({"seat-5": "Élise"})
    assert visitor.export()["players"] == ["Anne", "David", "Chloé", "Bruno", "Élise"]
    assert visitor.export()["dealer"] == "Anne"
