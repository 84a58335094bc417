"""What a process has read of a table it keeps, and is right all the same; the newest deals and all of them."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.models import Player, Revision, Summary, Table, db
from scorekeeper.services import people
from scorekeeper.services.caches import table_state, table_summary

from ..statements import counted
from ..visitor import Visitor, filled_in

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite


def add(app: Flask, deals: int) -> None:
    """Deals that another process records: North-South take seven tricks."""
    with app.app_context():
        table = db.session.scalars(db.select(Table)).one()
        last = table.revisions[-1]
        for number in range(last.number + 1, last.number + deals + 1):
            columns: dict[str, Any] = {"number": number, "deal": number, "entry_key": f"k{number}"}
            columns |= {"kind": "record", "browser_id": last.browser_id, "at": last.at, "table_id": table.id}
            columns["body"] = {"tricks": {"ns": 7, "ew": 6}}
            db.session.add(Revision(**columns))
        db.session.commit()


def numbers(visitor: Visitor) -> list[int]:
    return [int(cell.get_text()) for cell in visitor.page.select(".rows .number")]


@pytest.fixture
def table(visitor: Visitor) -> str:
    return visitor.open_table("whist").record(tricks="ns-1").table


def test_what_another_process_recorded_is_on_the_next_page(app: Flask, visitor: Visitor, table: str) -> None:
    assert numbers(visitor.visit(table)) == [1]
    add(app, 2)
    assert numbers(visitor.visit(table)) == [3, 2, 1]
    assert visitor.record(tricks="ew-2").status == 200
    assert numbers(visitor.visit(table)) == [4, 3, 2, 1]


def test_a_table_that_was_put_back_and_went_on_otherwise_is_read_anew(app: Flask, visitor: Visitor, table: str) -> None:
    visitor.record(tricks="ns-1")
    visitor.record(tricks="ns-1")
    assert numbers(visitor.visit(table)) == [3, 2, 1]
    with app.app_context():
        for revision in db.session.scalars(db.select(Revision).where(Revision.number > 1)):
            revision.entry_key, revision.body = f"other-{revision.number}", {"tricks": {"ns": 3, "ew": 10}}
        db.session.commit()
    score = visitor.visit(table).find(".party.ew .score")
    assert score.get_text(strip=True) == "8"


def test_a_name_that_is_erased_is_on_no_page_of_a_table_that_was_read_before(
    app: Flask, visitor: Visitor, table: str
) -> None:
    visitor.visit(f"{table}deals/adjustment")
    visitor.send({"kind": "points", "to": "ns", "amount": "1", "reason": "Anne said so"})
    assert "Anne said so" in visitor.visit(table).text
    with app.app_context():
        people.erase(db.session.scalars(db.select(Player).filter_by(name="Anne")).one())
    assert "said so" in visitor.visit(table).text
    assert "Anne" not in visitor.text


def test_no_more_is_kept_than_there_is_room_for(
    app: Flask, visitor: Visitor, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(app, 9)
    monkeypatch.setattr(table_state, "MAX_REVISIONS", 10)
    visitor.visit(table)
    other = visitor.open_table("joffre").table
    visitor.record(bidder="1-5", tricks="ns-5")
    shelf = table_state._cache
    assert shelf.revisions == sum(len(replay.revisions) for _, replay in shelf.replays.values()) <= 10
    assert numbers(visitor.visit(table)) == list(range(10, 0, -1))
    assert visitor.visit(other).status == 200


def test_a_long_table_shows_its_newest_deals_and_leads_to_all(app: Flask, visitor: Visitor, table: str) -> None:
    add(app, 119)
    assert numbers(visitor.visit(table)) == list(range(120, 90, -1))
    assert numbers(visitor.follow("Earlier deals")) == list(range(90, 40, -1))
    assert numbers(visitor.follow("Earlier deals")) == list(range(40, 0, -1))
    assert numbers(visitor.follow("Later deals")) == list(range(90, 40, -1))
    assert numbers(visitor.follow("Later deals")) == list(range(120, 90 - 20, -1))
    visitor.follow("120")
    assert visitor.path.endswith("/deals/120")


@pytest.mark.parametrize("before", ["0", "-1", "99999999999999999999", "²", "x", "1"])
def test_deals_that_cannot_be_asked_for_are_answered_all_the_same(visitor: Visitor, table: str, before: str) -> None:
    assert visitor.visit(f"{table}deals?before={before}").status == 200


def test_pages_and_writes_take_as_many_statements_at_a_long_table(app: Flask, visitor: Visitor, table: str) -> None:
    counts: list[dict[str, int]] = []
    for deals in (5, 95):
        add(app, deals)
        visitor.visit(table)
        found = {}
        for page in ("", "deals", "deals/new", "deals/1", "deals/1/amend", "now", "chart", "changes", "journal",
                     "after/3", "print", "settlement", "display", "count", "sheet.json"):  # fmt: skip
            with counted(app) as statements:
                assert visitor.visit(f"{table}{page}").status == 200
            found[page] = len(statements)
        form = visitor.visit(f"{table}deals/new")
        with counted(app) as statements:
            form.client.post(f"{table}deals/new", data=form_data(form) | {"tricks": "ns-1", "do": "record"})
        found["record"] = len(statements)
        visitor.visit(table)
        with counted(app) as statements:
            visitor.client.post(f"{table}undo", data=form_data(visitor, f"{table}undo"))
        found["undo"] = len(statements)
        counts.append(found)
    few, many = counts
    assert few == many


def form_data(visitor: Visitor, action: str | None = None) -> dict[str, str]:
    return filled_in(visitor.form(action))


def test_what_was_added_up_deal_by_deal_is_what_is_summed_up_anew(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    for tricks in ("ns-4", "ew-3", "ns-7", "ns-2"):
        visitor.record(tricks=tricks)
    with app.app_context():
        summary = db.session.scalars(db.select(Summary)).one()
        added = (summary.seen, summary.told, summary.fingerprint)
        table_summary.rebuild()
        fresh = db.session.scalars(db.select(Summary)).one()
        assert added == (fresh.seen, fresh.told, fresh.fingerprint)
