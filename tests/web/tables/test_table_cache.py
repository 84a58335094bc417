"""Tables cached in the process are never out of date; the newest deals and older pages of them."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.models import Player, Revision, Table, db
from scorekeeper.services.people import erasure

from ...visitor import Visitor

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite


def add(app: Flask, deals: int) -> None:
    """Record deals as another process does: North-South take seven tricks."""
    with app.app_context():
        table = db.session.scalars(db.select(Table)).one()
        last = table.revisions[-1]
        for number in range(last.number + 1, last.number + deals + 1):
            columns: dict[str, Any] = {"number": number, "deal": number, "entry_key": f"k{number}"}
            columns |= {"kind": "record", "browser_id": last.browser_id, "at": last.at, "table_id": table.id}
            columns["circle_id"] = table.circle_id
            columns["body"] = {"tricks": {"ns": 7, "ew": 6}}
            db.session.add(Revision(**columns))
        db.session.commit()


def numbers(visitor: Visitor) -> list[int]:
    return [int(cell.get_text()) for cell in visitor.page.select(".rows .number")]


@pytest.fixture
def table(visitor: Visitor) -> str:
    return visitor.open_table("whist").record(tricks="ns-1").table


def test_an_erased_name_disappears_from_cached_tables(app: Flask, visitor: Visitor, table: str) -> None:
    visitor.visit(f"{table}deals/adjustment")
    visitor.send({"kind": "points", "to": "ns", "amount": "1", "reason": "Anne said so"})
    assert "Anne said so" in visitor.visit(table).text
    with app.app_context():
        erasure.erase(db.session.scalars(db.select(Player).filter_by(name="Anne")).one())
    assert "said so" in visitor.visit(table).text
    assert "Anne" not in visitor.text


def test_a_long_table_shows_its_newest_deals_and_leads_to_all(app: Flask, visitor: Visitor, table: str) -> None:
    add(app, 119)
    assert numbers(visitor.visit(table)) == list(range(120, 108, -1))
    assert numbers(visitor.follow("Earlier deals")) == list(range(108, 58, -1))
    assert numbers(visitor.follow("Earlier deals")) == list(range(58, 8, -1))
    assert numbers(visitor.follow("Later deals")) == list(range(108, 58, -1))
    assert numbers(visitor.follow("Later deals")) == list(range(120, 70, -1))
    visitor.follow("120")
    assert visitor.path.endswith("/deals/120")
