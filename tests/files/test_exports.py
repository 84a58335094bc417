"""Exporting and importing through the pages."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from typing import Any

import pytest
from flask import Flask

from scorekeeper.files import import_pages
from scorekeeper.files.spreadsheets import KINDS, TABLE_KINDS
from scorekeeper.models import Player, Table, db

from ..support.visitor import Visitor, filled_in, find

PLAYERS = ["Anne", "Bruno", "Chloé", "David"]
WHIST: dict[str, Any] = {
    "format": "scorekeeper-sheet/1",
    "game": "whist",
    "players": PLAYERS,
    "deals": [{"tricks": {"ns": 9}}],
    "played_on": "2026-11-20",
}


def upload(visitor: Visitor, *files: tuple[str, bytes]) -> Visitor:
    visitor.visit(f"{visitor.circle}import")
    data = filled_in(visitor.form()) | {"sheets": [(io.BytesIO(text), name) for name, text in files]}
    response = visitor.client.post(visitor.path, data=data, headers=visitor.headers)
    response.request.environ["wsgi.input"].close()  # Werkzeug's client leaves a large one open
    return visitor.receive(response)


def sheet_files(*sheets: Any) -> list[tuple[str, bytes]]:
    return [(f"{n}.json", json.dumps(sheet).encode()) for n, sheet in enumerate(sheets, start=1)]


def tables(app: Flask) -> int:
    with app.app_context():
        return db.session.query(Table).count()


BOOKS = ("ledger.beancount", "ledger.hledger")


def downloads(visitor: Visitor) -> list[str]:
    return [str(a["href"]) for a in visitor.page.select("main a[download]")]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_circles_page_links_to_all_exports_and_the_import(app: Flask, language: str) -> None:
    visitor = Visitor(app, language)
    visitor.open_table("whist")
    assert_all_are_there(visitor.visit(visitor.circle), "/exchange", KINDS)
    for path in downloads(visitor):
        response = visitor.client.get(path)
        assert response.headers["Content-Disposition"].startswith("attachment; filename=")
        assert int(response.headers["Content-Length"]) == len(response.data) > 0
        assert response.headers["Cache-Control"] == "no-store"
    assert visitor.visit(f"{visitor.circle}import").status == 200


def assert_all_are_there(visitor: Visitor, page: str, kinds: Iterable[str]) -> None:
    visitor.more()
    visitor.visit(next(str(a["href"]) for a in visitor.page.find_all("a") if str(a["href"]).endswith(page)))
    files = [path.rpartition("/")[2] for path in downloads(visitor)]
    assert {"spreadsheet.xlsx", *(f"{kind}.csv" for kind in kinds), *BOOKS} < set(files)
    assert len(files) == len(set(files))
    texts = visitor.page.select("main")[0].stripped_strings
    assert not [key for key in texts if key.startswith(("files.", "export."))]
    for path in downloads(visitor):
        assert visitor.client.get(path).status_code == 200


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_tables_page_links_to_all_its_exports(app: Flask, language: str) -> None:
    visitor = Visitor(app, language)
    table = visitor.open_table("francion", 3).table
    assert_all_are_there(visitor.visit(table), "/export", TABLE_KINDS)
    assert f"{table}sheet.json" in downloads(visitor)


def test_a_spreadsheet_is_in_the_language_and_with_the_separators_of_the_reader(app: Flask) -> None:
    visitor = Visitor(app, "fr-CH")
    table = visitor.open_table("whist").record(tricks="ns-3").table
    get = visitor.client.get
    for circle_or_table in (visitor.circle, table):
        deals = get(f"{circle_or_table}deals.csv", headers=visitor.headers).data
        assert deals.decode("utf-8-sig").startswith("Table;Date;Jeu;Coup;Donneur;Ce qui s’est passé;")
        workbook = get(f"{circle_or_table}spreadsheet.xlsx", headers=visitor.headers)
        assert workbook.headers["Content-Type"].endswith("spreadsheetml.sheet")


@pytest.mark.usefixtures("table")
def test_a_sheet_of_known_players_is_imported_with_two_taps(app: Flask, visitor: Visitor) -> None:
    upload(visitor, *sheet_files(WHIST))
    assert visitor.status == 200
    assert "1 table to record" in visitor.text
    assert tables(app) == 1
    visitor.send({"do": "record"})
    assert visitor.path.endswith("/exchange")
    assert "1 table was recorded." in visitor.text
    assert tables(app) == 2


@pytest.mark.usefixtures("table")
def test_an_import_counts_the_deals_of_a_sheet_as_people_count_them(visitor: Visitor) -> None:
    others = [{"adjustment": {"to": "ns", "points": -1}}, {"substitution": {"out": "Anne", "in": "Eva"}}]
    upload(visitor, *sheet_files(WHIST | {"deals": [*WHIST["deals"], *others, {"misdeal": True}]}))
    assert ": 2 deals" in visitor.text


def test_a_zip_of_one_circle_is_imported_into_another(visitor: Visitor, another: Visitor, table: str) -> None:
    packed = visitor.client.get(f"{visitor.circle}export.zip").data
    another.open_table("joffre", **{f"seat-{n}": f"P{n}" for n in range(1, 5)})
    upload(another, ("all.zip", packed))
    assert all(name in another.text for name in PLAYERS)
    another.send({"do": "record"})
    out = another.client.get(f"{another.circle}export.zip").data
    sheet = visitor.client.get(f"{table}sheet.json").data
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        assert sheet in [archive.read(name) for name in archive.namelist()]


@pytest.mark.usefixtures("table")
def test_an_unknown_name_can_be_matched_to_a_player(app: Flask, visitor: Visitor) -> None:
    upload(visitor, *sheet_files(WHIST | {"players": ["Ànne", "Bruno", "Chloé", "Zoé"]}))
    asked = {field["value"]: field for field in visitor.page.select(".who input[type=hidden]")}
    assert list(asked) == ["Ànne", "Zoé"]
    chosen = [select.select_one("option[selected]") for select in visitor.page.select(".who select")]
    assert chosen[0] is not None
    assert "Anne" in chosen[0].text
    assert chosen[1] is None
    visitor.send({"do": "record"})
    with app.app_context():
        assert sorted(player.name for player in db.session.query(Player)) == [*PLAYERS, "Zoé"]


@pytest.mark.usefixtures("table")
def test_invalid_answers_are_refused_and_stay_in_the_form(app: Flask, visitor: Visitor) -> None:
    upload(visitor, *sheet_files(WHIST | {"players": ["Ànne", "Annie", "Chloé", "Zoé"]}))
    selects = visitor.page.select(".who select")
    anne = str(find(selects[0], "option[selected]")["value"])
    visitor.send({str(selects[1]["name"]): anne, "do": "record"})
    assert visitor.status == 422
    assert "Annie" in visitor.find(".faults").text
    assert [str(option["value"]) for option in visitor.page.select(".who option[selected]")] == [anne, anne]
    assert tables(app) == 1
    visitor.send({str(selects[1]["name"]): import_pages.NEW_PLAYER, "do": "record"})
    assert tables(app) == 2


@pytest.mark.usefixtures("table")
def test_one_invalid_sheet_refuses_all_and_shows_file_deal_and_field(app: Flask, visitor: Visitor) -> None:
    broken = WHIST | {"deals": [{"tricks": {"ns": 9}}, {"tricks": {"ns": 14}}]}
    upload(visitor, *sheet_files(WHIST, broken), ("c.json", b"{"))
    assert visitor.status == 422
    assert "2 files cannot be imported" in visitor.text
    faults = [" ".join(fault.get_text().split()) for fault in visitor.page.select(".faults li")]
    assert faults[0].startswith("Deal 2, tricks.ns: 14 is not a whole number")
    assert faults[1].startswith("format: This is not valid JSON")
    assert "2.json" in visitor.text
    assert "1 other sheet is valid." in visitor.text
    assert visitor.page.select("input[type=file]")
    assert tables(app) == 1


@pytest.mark.usefixtures("table")
def test_a_too_large_import_shows_the_limit(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_pages, "MAX_BYTES", 1_000_000)
    upload(visitor, ("a.json", b" " * 1_000_001))
    assert visitor.status == 422
    assert visitor.problems()[0].startswith("This is more than 1 MB")
    monkeypatch.setattr(import_pages, "MAX_UPLOAD_BYTES", 500_000)
    upload(visitor, ("a.json", b" " * 600_000))
    assert visitor.status == 413
    assert visitor.problems()[0].startswith("This is more than 1 MB")
    assert visitor.page.select("input[type=file]")
