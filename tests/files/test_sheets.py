"""Sheets exported from one circle and imported into another are exported again byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask

from scorekeeper.files import exports, imports
from scorekeeper.files.sheets import UploadedFile, sheet_text
from scorekeeper.games import games
from scorekeeper.models import Circle, Player, Revision, Summary, Table, db
from scorekeeper.scoring.sheet import score
from scorekeeper.tables.writing import store_summary

from ..support.game_data import all_cases
from .importing import circle_with, import_files, new_circle, uploads

VALID = {name: case["sheet"] for name, case in all_cases().items() if "expect" in case}
INVALID = {name: case for name, case in all_cases().items() if "expect" not in case}


def exported(circle: Circle) -> list[str]:
    return [sheet_text(table.table.sheet()) for table in exports.read_tables(circle)]


@pytest.mark.parametrize("slug", sorted(games()))
def test_the_sheets_worked_by_hand_are_exported_unchanged(app: Flask, slug: str) -> None:
    sheets = [sheet for sheet in VALID.values() if sheet["game"] == slug]
    with app.app_context():
        first = exported(circle_with(*sheets).circle)
        again = exported(circle_with(*map(json.loads, first)).circle)
    assert again == first
    for text, sheet in zip(first, sheets, strict=True):
        assert score(json.loads(text), games()) == score(sheet, games()), sheet


def test_an_invalid_sheet_is_refused_at_the_deal_and_field_of_its_case(app: Flask) -> None:
    with app.app_context():
        host = new_circle()
        report = imports.record(host.circle, host, uploads(*(case["sheet"] for case in INVALID.values())), {})
        assert db.session.query(Table).count() == 0
    for (name, case), refused in zip(INVALID.items(), report.refused, strict=True):
        refusal: Any = refused.result
        assert refusal.number == case["expect_error"]["deal"], name
        assert refusal.first.field.startswith(case["expect_error"]["field"]), name


def whist(n: int) -> dict[str, Any]:
    players = ["Anne", "Bruno", "Chloé", "David"]
    return {"format": "scorekeeper-sheet/1", "game": "whist", "players": players, "title": f"no. {n}", "deals": []}


def test_an_imported_table_is_closed_and_its_revisions_name_their_author(app: Flask) -> None:
    with app.app_context():
        host = circle_with(whist(1) | {"deals": [{"tricks": {"ns": 9}}, {"misdeal": True}]})
        (exported_table,) = exports.read_tables(host.circle)
        assert exported_table.table.is_closed
        revisions = db.session.query(Revision).order_by(Revision.number).all()
        assert [(r.kind, r.deal_id) for r in revisions] == [("record", 1), ("record", 2), ("close", None)]
        assert {r.membership_id for r in revisions} == {host.id}
        assert len({r.entry_key for r in revisions}) == 3
        summary = db.session.query(Summary).one()
        assert (summary.version, summary.data["deals"]) == (3, 1)


def test_a_sheet_without_a_date_belongs_to_this_evening_and_is_exported_without_a_date(app: Flask) -> None:
    with app.app_context():
        (exported_table,) = exports.read_tables(circle_with(whist(1)).circle)
        assert exported_table.table.stored.played_on is None
        assert exported_table.table.stored.day is not None
        assert "played_on" not in json.loads(sheet_text(exported_table.table.sheet()))


def test_the_same_sheet_twice_is_recorded_once(app: Flask) -> None:
    with app.app_context():
        author = new_circle()
        first = import_files(author, uploads(whist(1), whist(2), whist(1)))
        assert [file.is_duplicate for file in first.files] == [False, False, True]
        second = import_files(author, uploads(whist(2), whist(3)))
        assert [file.is_duplicate for file in second.files] == [True, False]
        assert db.session.query(Table).count() == 3


def test_the_sheet_of_a_table_played_here_is_a_duplicate(app: Flask) -> None:
    """The pad stores default values, such as a contract with trumps, that the sheet omits."""
    contract = {"player": "Bruno", "points": 7, "no_trump": False}
    deal = {"contract": contract, "tricks": {"ew": 6}, "five_of_hearts": "ew", "three_of_spades": "ns"}
    with app.app_context():
        author = circle_with(whist(1) | {"game": "joffre", "deals": [deal]})
        revision = db.session.query(Revision).filter_by(number=1).one()
        revision.body = deal | {"contract": contract | {"player": "2"}}
        db.session.commit()
        store_summary(next(exports.read_tables(author.circle)).table)
        report = import_files(author, [UploadedFile("a.json", text.encode()) for text in exported(author.circle)])
        assert [file.is_duplicate for file in report.files] == [True]


def test_a_merged_players_old_name_is_recognised(app: Flask) -> None:
    with app.app_context():
        author = circle_with(whist(1))
        players = {player.name: player for player in db.session.query(Player)}
        players["Anne"].person_id = players["Bruno"].id
        db.session.commit()
        alone = whist(2) | {"players": ["Anne", "Zoé", "Chloé", "David"]}
        assert imports.preview(author.circle, uploads(alone), {}).unknown == ["Zoé"]
        import_files(author, uploads(alone), {"Zoé": None})
        sheet = json.loads(exported(author.circle)[-1])
        assert sheet["players"] == ["Bruno", "Zoé", "Chloé", "David"]


def test_a_player_is_suggested_if_only_one_name_differs_just_by_capitals_and_accents(app: Flask) -> None:
    with app.app_context():
        host = circle_with(whist(1), whist(2) | {"players": ["Zoe", "Zoé", "a", "b"]})
        ids = {player.name: player.id for player in db.session.query(Player)}
        suggestions = imports.suggest_people(host.circle, ["CHLOE", "anne", "ZOË", "Nobody"])
        assert suggestions == {"CHLOE": ids["Chloé"], "anne": ids["Anne"], "ZOË": None, "Nobody": None}


def test_an_answer_with_a_player_of_another_circle_is_ignored(app: Flask) -> None:
    with app.app_context():
        circle_with(whist(1))
        strangers = {player.name: player.id for player in db.session.query(Player)}
        host = new_circle()
        report = imports.record(host.circle, host, uploads(whist(2)), dict(strangers))
        assert report.unknown == ["Anne", "Bruno", "Chloé", "David"]
        assert db.session.query(Table).count() == 1


def test_the_texts_of_a_sheet_are_cleaned_as_a_form_cleans_them(app: Flask) -> None:
    spoiled, stored = "A\u202eB\0 e\u0301", "AB é"
    deals = [
        {"adjustment": {"to": "ns", "points": 1, "reason": spoiled}},
        {"adjustment": {"to": "ns", "points": 1, "reason": "\u202e"}},
        {"substitution": {"out": "Anne", "in": "E\0va"}},
    ]
    with app.app_context():
        (text,) = exported(circle_with(whist(1) | {"title": spoiled, "deals": deals}).circle)
    written = json.loads(text)
    assert written["title"] == stored
    assert [deal.get("adjustment", {}).get("reason") for deal in written["deals"]] == [stored, None, None]
    assert written["deals"][2]["substitution"]["in"] == "Eva"


def test_all_sheets_of_an_import_together_have_a_maximum_of_deals(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MAX_DEALS_PER_IMPORT", 5)
    with app.app_context():
        sheets = uploads(*(whist(n) | {"deals": [{"misdeal": True}] * 3} for n in range(2)))
        refusal: Any = imports.preview(new_circle().circle, sheets, {}).refused[0].result
    assert refusal.first.key == "too-many-deals-in-all"
