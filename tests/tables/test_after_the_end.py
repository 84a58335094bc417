"""What can be recorded at a table whose game has ended, in every game that ends."""

from __future__ import annotations

import json
from typing import Any

from flask import Flask

from scorekeeper.files import imports
from scorekeeper.files.sheets import UploadedFile
from scorekeeper.games import games
from scorekeeper.models import Membership, Table, db
from scorekeeper.scoring.sheet import score

from ..support.game_data import sheets
from ..support.visitor import Visitor

PAYMENT = {"kind": "counters", "giver": "1", "to": "2", "unit": "fiches", "amount": "3"}


def statement(sheet: dict[str, Any]) -> dict[str, Any]:
    scored = score(sheet, games())
    assert isinstance(scored, dict), scored
    return scored


def open_ended(app: Flask, visitor: Visitor, slug: str) -> str:
    """Import the first finished sheet among a game's cases, and return the table's path."""
    sheet = next(sheet for sheet in sheets(slug) if statement(sheet)["status"] == "finished")
    visitor.open_table(slug)
    with app.app_context():
        membership = db.session.scalars(db.select(Membership)).one()
        names = [*sheet["players"], *(deal["substitution"]["in"] for deal in sheet["deals"] if "substitution" in deal)]
        upload = UploadedFile("sheet.json", json.dumps(sheet).encode())
        report = imports.record(membership.circle, membership, [upload], dict.fromkeys(names))
        assert report.can_be_recorded
        path = f"/tables/{db.session.scalars(db.select(Table.token).order_by(Table.id.desc())).first()}/"
    visitor.visit(path)
    return visitor.more().send({}, "/reopen").table


def test_a_payment_in_counters_is_recorded_and_the_sheet_stands(app: Flask, visitor: Visitor) -> None:
    table = open_ended(app, visitor, "joffre")
    ended = visitor.export()
    visitor.visit(table).more().follow("Adjustment")
    assert [str(button["value"]) for button in visitor.page.select("[name=kind]")] == ["counters"]
    form = visitor.form()
    for _ in range(2):  # the second one is the same entry
        visitor.path = f"{table}deals/adjustment"
        visitor.send(PAYMENT, form=form)
        assert visitor.path == table
    paid = visitor.export()
    giver, taker = ended["players"][:2]
    assert len(paid["deals"]) == len(ended["deals"]) + 1
    before, after = statement(ended), statement(paid)
    assert [after[key] for key in ("status", "winner", "scores")] == ["finished", before["winner"], before["scores"]]
    change = {giver: -3, taker: 3}
    for name, balance in after["balances"].items():
        assert balance["fiches"] == before["balances"][name]["fiches"] + change.get(name, 0)
    visitor.send({}, "/undo")
    assert visitor.export() == ended


def test_points_are_refused(visitor: Visitor) -> None:
    visitor.open_table("quarante-de-rois", **{"rule-target": "40"}).record(kings="4", queens="4", jacks="4")
    visitor.more().follow("Adjustment").send({"kind": "points", "to": "ew", "amount": "200"})
    assert visitor.status == 422
    assert "The game ended with the deal before" in visitor.text


def test_forms_with_which_nothing_can_be_recorded_are_not_shown(visitor: Visitor) -> None:
    visitor.open_table("quarante-de-rois", **{"rule-target": "40"}).record(kings="4", queens="4", jacks="4")
    table = visitor.table
    for form in ("deals/new", "deals/substitution"):
        assert visitor.visit(f"{table}{form}").path == table
    visitor.more().send({}, "/close")
    for form in ("deals/adjustment", "deals/1/amend", "deals/1/insert", "deals/1/substitution"):
        assert visitor.visit(f"{table}{form}").path == table
