"""Substitutions: somebody takes a seat; deals before stay with who sat there, deals after go to who sits there."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from scorekeeper.models import Player, Seat, Table, db
from scorekeeper.people import erasure, writing
from scorekeeper.scoring.values import clean_name
from scorekeeper.tables import caches

from ..support.visitor import Visitor, filled_in


def substitute(visitor: Visitor, out: str, name: str = "", *, path: str = "deals/substitution", **more: Any) -> Visitor:
    visitor.visit(f"{visitor.table}{path}")
    return visitor.send({"out": out, "name": name} | more)


def record(visitor: Visitor, **taps: str) -> Visitor:
    visitor.visit(f"{visitor.table}deals/new")
    visitor.send(taps | {"do": "record"})
    assert visitor.path == visitor.table, visitor.text
    return visitor


def ids(visitor: Visitor) -> list[int]:
    """Return the ids of the table's deals, oldest first."""
    visitor.visit(f"{visitor.table}deals")
    return [int(str(row["id"]).removeprefix("deal-")) for row in visitor.page.select("ol > li[id^=deal-]")][::-1]


def deals(visitor: Visitor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = visitor.export()["deals"]
    return found


@pytest.fixture
def joffre(visitor: Visitor) -> Visitor:
    return visitor.open_table("joffre")


RESULT = {"bidder": "2", "bid": "7", "tricks": "6", "five_of_hearts": "ew", "three_of_spades": "ns"}


@pytest.fixture(autouse=True)
def is_sound(app: Flask) -> Any:
    """Every test leaves a database without faults."""
    yield
    with app.app_context():
        report = caches.verify()
        assert not report.faults


def test_a_new_name_takes_the_seat_from_the_next_deal_on(joffre: Visitor) -> None:
    record(joffre, **RESULT)
    substitute(joffre, "2", "Emma")
    assert joffre.path == joffre.table, joffre.text
    assert "Emma for Bruno" in joffre.text
    record(joffre, **RESULT | {"bidder": "5"})
    assert [deal.get("contract", {}).get("player") for deal in deals(joffre)] == ["Bruno", None, "Emma"]
    assert deals(joffre)[1] == {"substitution": {"out": "Bruno", "in": "Emma"}}


def test_the_box_of_one_who_has_left_stays_on_the_page(visitor: Visitor) -> None:
    visitor.open_table("francion", 4, **{"rule-box-fiches": "10", "rule-box-jetons": "45"})
    substitute(visitor, "2", "Emma")
    assert visitor.status == 200
    assert len(visitor.page.select(".balances small.box")) == 5


def test_a_correction_of_an_earlier_deal_still_reaches_who_sat_there(joffre: Visitor) -> None:
    record(joffre, **RESULT)
    substitute(joffre, "2", "Emma")
    first = ids(joffre)[0]
    joffre.visit(f"{joffre.table}deals/{first}/amend")
    assert "Bruno" in joffre.text
    assert not joffre.page.select("input[name=bidder][value='5']")
    joffre.send({"bid": "8", "do": "record"})
    assert deals(joffre)[0]["contract"] == {"player": "Bruno", "points": 8}


def test_withdrawing_restoring_and_undoing_moves_later_deals(joffre: Visitor) -> None:
    substitute(joffre, "2", "Emma")
    record(joffre, **RESULT | {"bidder": "5"})
    change = ids(joffre)[0]
    joffre.visit(f"{joffre.table}deals/{change}").send({}, "/withdraw")
    assert deals(joffre)[0]["contract"]["player"] == "Bruno"
    joffre.visit(f"{joffre.table}deals/{change}")
    assert "Emma for Bruno" in joffre.text
    joffre.send({}, "/restore")
    assert deals(joffre)[1]["contract"]["player"] == "Emma"
    joffre.visit(joffre.table).send({}, "/undo")
    assert deals(joffre)[0]["contract"]["player"] == "Bruno"


def test_amending_and_inserting_moves_later_deals(joffre: Visitor) -> None:
    record(joffre, **RESULT)
    substitute(joffre, "2", "Emma")
    record(joffre, **RESULT | {"bidder": "5"})
    first, change, last = ids(joffre)
    joffre.visit(f"{joffre.table}deals/{change}/amend")
    assert joffre.find("input[name=out][checked]")["value"] == "2"
    assert joffre.find("input[name=newcomer][checked] + span").get_text() == "Emma"
    form = filled_in(joffre.form()) | {"name": "Felix"}
    form.pop("newcomer")
    answer = joffre.client.post(joffre.path, data=form)
    assert answer.status_code == 303
    assert [deal.get("contract", {}).get("player") for deal in deals(joffre)] == ["Bruno", None, "Felix"]
    substitute(joffre, "2", "Greta", path=f"deals/{first}/substitution")
    assert joffre.path == joffre.table, joffre.text
    exported = deals(joffre)
    assert exported[0] == {"substitution": {"out": "Bruno", "in": "Greta"}}
    assert exported[1]["contract"]["player"] == "Greta"
    assert exported[2] == {"substitution": {"out": "Greta", "in": "Felix"}}
    assert exported[3]["contract"]["player"] == "Felix"
    assert last in ids(joffre)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"out": "", "name": "Emma"}, "Choose the player who leaves"),
        ({"out": "7", "name": "Emma"}, "This cannot be chosen"),
        ({"out": "2"}, "Choose the player who comes"),
        ({"out": "2", "name": " \u200b "}, "Choose the player who comes"),
        ({"out": "2", "name": "x" * 41}, "too long"),
        ({"out": "2", "name": "Anne"}, "Anne is seated already"),
        ({"out": "2", "name": "Bruno"}, "Bruno is seated already"),
        ({"out": "2", "newcomer": "999999"}, "Nothing was changed"),
        ({"out": "2", "newcomer": "1", "name": "Emma"}, "not both"),
    ],
)
def test_what_cannot_be_is_refused_and_stays_in_the_form(
    app: Flask, joffre: Visitor, fields: dict[str, str], problem: str
) -> None:
    joffre.visit(f"{joffre.table}deals/substitution")
    form = filled_in(joffre.form()) | fields
    answer = joffre.client.post(f"{joffre.table}deals/substitution", data=form)
    assert answer.status_code == 422
    text = answer.get_data(as_text=True)
    assert problem in text
    assert f'value="{clean_name(fields.get("name"))}"' in text
    with app.app_context():
        assert len(db.session.scalars(select(Player)).all()) == 4
        assert len(db.session.scalars(select(Seat)).all()) == 4


def test_the_same_page_sent_twice_records_once_and_changed_is_refused(joffre: Visitor) -> None:
    joffre.visit(f"{joffre.table}deals/substitution")
    form = filled_in(joffre.form()) | {"out": "2", "name": "Emma"}
    url = f"{joffre.table}deals/substitution"
    assert [joffre.client.post(url, data=form).status_code for _ in range(2)] == [303, 303]
    assert len(deals(joffre)) == 1
    assert joffre.client.post(url, data=form | {"name": "Felix"}).status_code == 409
    assert joffre.client.post(url, data=form | {"out": "3"}).status_code == 409
    assert len(deals(joffre)) == 1


def test_a_pad_from_before_a_substitution_is_stale_and_its_taps_go_to_who_sits_there(joffre: Visitor) -> None:
    joffre.visit(f"{joffre.table}deals/new")
    form = filled_in(joffre.form()) | RESULT | {"do": "record"}
    substitute(joffre, "2", "Emma")
    answer = joffre.client.post(f"{joffre.table}deals/new", data=form)
    assert answer.status_code == 409
    assert 'value="5" checked' in " ".join(answer.get_data(as_text=True).split())
    # A phone that was offline sends it again with the last revision that it knows of.
    joffre.visit(f"{joffre.table}deals/new")
    accepted = joffre.client.post(f"{joffre.table}deals/new", data=form | {"seen": filled_in(joffre.form())["seen"]})
    assert accepted.status_code == 303
    assert deals(joffre)[1]["contract"] == {"player": "Emma", "points": 7}


def person(name: str) -> Player:
    return db.session.scalars(select(Player).where(Player.name == name)).one()


def test_a_merged_player_stands_for_the_person_and_an_erased_one_cannot_come(app: Flask, joffre: Visitor) -> None:
    for name in ("Emma", "Emmy", "Felix"):
        substitute(joffre, "2", name)
        joffre.visit(joffre.table).send({}, "/undo")
    other = Visitor(app)
    with app.app_context():
        emma, felix = person("Emma").token, person("Felix").token
        merged = writing.merge(person("Emmy"), person("Emma"))
        assert isinstance(merged, Table)  # both have a label at this table
        assert erasure.erase(person("Felix")) is None
        assert writing.set_retired(person("Emma"), True) is None
    assert other.visit(f"{joffre.table}deals/substitution").status == 404
    substitute(joffre, "2", newcomer=felix)
    assert joffre.status == 422
    substitute(joffre, "2", newcomer=emma)
    assert "Emma for Bruno" in joffre.text
