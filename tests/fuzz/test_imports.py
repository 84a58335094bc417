"""Upload hostile files: each must be recorded, or answered with what is wrong with it."""

from __future__ import annotations

import io

import pytest
from flask import Flask

from scorekeeper.exchange.accounting import PROGRAMS
from scorekeeper.exchange.spreadsheets import KINDS
from scorekeeper.services.verify import verify

from ..cases import sheets
from ..visitor import Visitor, filled_in
from ..web.circles.test_circles import circle_of
from .hostile_input import File, files

EXPORTS = (
    "export.zip",
    "spreadsheet.xlsx",
    *(f"{kind}.csv" for kind in KINDS),
    *(f"ledger.{program}" for program in PROGRAMS),
)


def test_hostile_uploads_cause_no_server_error(app: Flask, visitor: Visitor) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    visitor.open_table("whist")
    circle = circle_of(visitor)
    recorded = refused = 0
    for file in files(sheets("whist")[0]):
        upload(visitor, circle, file)
        assert visitor.status in (200, 422), (file.name[:100], file.content[:200])
        form = next((f for f in visitor.page.find_all("form", method="post") if f.select("[name=carried]")), None)
        if form is None:
            refused += 1
            assert visitor.page.select(".faults, .problem"), (file.name[:100], file.content[:200])
        else:
            visitor.send({"do": "record"}, form=form)
            assert visitor.status in (200, 422), (file.name[:100], file.content[:200])
            recorded += visitor.status == 200
    print(f"{recorded} files recorded, {refused} refused: 0 faults")
    assert recorded > 5
    assert refused > 60
    for name in ("", "tables", "people", "figures", *EXPORTS):
        assert visitor.client.get(f"{circle}{name}", headers=visitor.headers).status_code == 200
    with app.app_context():
        assert verify().faults == []


def upload(visitor: Visitor, circle: str, file: File) -> None:
    csrf = filled_in(visitor.visit(f"{circle}import").form())["csrf_token"]
    data = {"sheets": (io.BytesIO(file.content), file.name), "csrf_token": csrf}
    visitor._arrive(visitor.client.post(f"{circle}import", data=data, headers=visitor.headers))


@pytest.mark.once_on_postgresql
@pytest.mark.parametrize("carried", ["é", "🂡", "A", "=", "AAAA", "UEsDBA==", "%", " ", "x" * 900_000])
def test_manipulated_carried_files_are_refused(visitor: Visitor, carried: str) -> None:
    visitor.open_table("whist")
    circle = circle_of(visitor)
    csrf = filled_in(visitor.visit(f"{circle}import").form())["csrf_token"]
    for do in ("record", "look"):
        data = {"carried": carried, "csrf_token": csrf, "do": do}
        answer = visitor.client.post(f"{circle}import", data=data, headers=visitor.headers)
        assert answer.status_code in (303, 422), carried[:20]
