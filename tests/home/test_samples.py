"""The first visit, and sample evenings: apart from real tables, and erased after a day."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select, update

from scorekeeper.app import FEATURES
from scorekeeper.games import games
from scorekeeper.home import rules, samples
from scorekeeper.models import Base, Circle, Device, Membership, Table, db, now
from scorekeeper.scoring.game import fold

from ..support.visitor import Visitor

SLUGS = list(games())


def open_sample(visitor: Visitor, slug: str = "whist") -> Visitor:
    return visitor.visit(f"/rules/{slug}").send({}, f"/sample/{slug}")


def circles(app: Flask) -> list[tuple[str | None, bool]]:
    with app.app_context():
        return [(circle.title, circle.is_sample) for circle in db.session.scalars(select(Circle).order_by(Circle.id))]


def age(app: Flask, by: timedelta) -> None:
    with app.app_context():
        db.session.execute(update(Circle).values(created_at=now() - by))
        db.session.commit()


# --- a first visit -----------------------------------------------------------------------------------------


def test_a_first_visit_explains_the_app_and_offers_a_table_and_samples(visitor: Visitor) -> None:
    visitor.visit("/")
    assert len(visitor.page.select(".in-short li")) == 3
    addresses = [*(f"/sample/{slug}" for slug in SLUGS), *(["/sample/event"] if "events" in FEATURES else [])]
    assert [str(form["action"]) for form in visitor.page.select(".samples form")] == addresses
    assert visitor.page.select_one("a.main[href='/tables/new']")


# --- playing on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ["francion", "whist"])
def test_a_sample_has_the_scores_of_its_sheet_and_is_open(app: Flask, visitor: Visitor, slug: str) -> None:
    sheet = rules.find_sheet(games()[slug], rules.SAMPLE)
    assert sheet is not None
    standing = sheet.open()
    assert fold(sheet.game, standing, sheet.deals) is None
    assert standing.winner is None
    open_sample(visitor, slug)
    assert visitor.path.startswith("/tables/")
    exported = visitor.export()
    assert exported["players"] == list(sheet.players)
    assert exported["deals"] == sheet.deals
    assert circles(app) == [("Sample evening", True)]


def test_a_sample_can_be_recorded_corrected_undone_and_settled(visitor: Visitor) -> None:
    table = open_sample(visitor).table
    deals = len(visitor.export()["deals"])
    assert len(visitor.record(tricks="ns-2").export()["deals"]) == deals + 1
    visitor.visit(f"{table}deals/1/amend").send({"tricks": "ns-3", "honours": "none", "do": "record"})
    assert visitor.visit(table).export()["deals"][0]["tricks"]["ns"] == 9
    visitor.visit(table).send({}, "/undo").visit(table).send({}, "/undo")
    assert len(visitor.visit(table).export()["deals"]) == deals
    assert "2 payments settle everything" in visitor.visit(f"{table}settlement").text


def test_every_page_of_a_sample_is_labelled(visitor: Visitor) -> None:
    table = open_sample(visitor).table
    for page in ("", "deals/new", "deals/1", "journal", "settlement", "chart", "why/score/ns", "share"):
        assert visitor.visit(f"{table}{page}").page.select_one(".sample-banner"), page
    visitor.open_table("joffre")
    for page in ("", "deals/new", "settlement"):
        assert not visitor.visit(f"{visitor.table}{page}").page.select_one(".sample-banner"), page
        visitor.visit(visitor.table)


# --- separation --------------------------------------------------------------------------------------------


def test_a_sample_is_not_the_home_circle_and_links_to_a_real_table(app: Flask, visitor: Visitor) -> None:
    banner = open_sample(visitor).find(".sample-banner a")
    assert banner.get_text() == "Open your own table"
    assert visitor.visit(str(banner["href"])).path == "/tables/new"
    visitor.visit("/")
    assert visitor.page.select(".in-short")
    visitor.open_table("joffre")
    assert circles(app) == [("Sample evening", True), (None, False)]
    with app.app_context():
        assert db.session.scalars(select(Table.game).join(Table.circle).where(~Circle.is_sample)).all() == ["joffre"]


def test_players_of_a_sample_are_not_suggested_at_real_tables(visitor: Visitor) -> None:
    table = open_sample(visitor).table
    for path in ("/tables/new/whist", f"/tables/new/whist?like={table.split('/')[2]}"):
        visitor.visit(path)
        assert visitor.path == "/tables/new/whist"
        assert "Chloé" not in str(visitor.page)


def test_a_finished_sample_offers_a_real_table_instead_of_another_round(visitor: Visitor) -> None:
    table = open_sample(visitor, "quarante-de-rois").table
    visitor.record(kings="4", queens="4", jacks="4").visit(table)
    assert "Open your own table" in visitor.find(".bar").get_text()
    assert "Play again" not in visitor.text


# --- its end -----------------------------------------------------------------------------------------------


def test_a_new_sample_replaces_the_earlier_one(app: Flask, visitor: Visitor) -> None:
    first = open_sample(visitor).table
    second = open_sample(visitor, "joffre").table
    assert circles(app) == [("Sample evening", True)]
    assert visitor.visit(first).status == 404
    assert visitor.visit("/").follow("Continue the sample: Joffre").path == second
    with app.app_context():
        assert db.session.query(Membership).count() == db.session.query(Device).count() == 1


def test_creating_a_sample_erases_expired_samples_only(app: Flask, visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-2")
    real = visitor.table
    old = open_sample(visitor).table
    age(app, samples.LIFETIME + timedelta(minutes=1))
    open_sample(another)
    assert circles(app) == [(None, False), ("Sample evening", True)]
    assert visitor.visit(old).status == 404
    assert visitor.visit("/").status == 200
    assert visitor.visit(real).status == 200


def test_migrating_erases_expired_samples_completely(app: Flask, visitor: Visitor) -> None:
    open_sample(visitor)
    with app.app_context():
        assert samples.erase_expired() == 0
    age(app, samples.LIFETIME + timedelta(minutes=1))
    with app.app_context():
        assert samples.erase_expired() == 1
        assert not any(db.session.scalar(select(db.func.count()).select_from(t)) for t in Base.metadata.sorted_tables)
    assert visitor.visit("/").page.select(".samples")
    assert "Continue the sample" not in visitor.text


def test_a_sample_of_an_unknown_game_is_not_found(visitor: Visitor) -> None:
    visitor.visit("/")
    token = str(visitor.find("[name=csrf_token]")["value"])
    assert visitor.client.post("/sample/bridge", data={"csrf_token": token}).status_code == 404
    assert visitor.client.post("/sample/whist").status_code == 400


def test_the_label_of_samples_is_translated(app: Flask) -> None:
    reader = Visitor(app, "fr")
    open_sample(reader)
    assert circles(app) == [("Soirée d’exemple", True)]
    assert "Elle est supprimée au bout d’un jour." in reader.text
