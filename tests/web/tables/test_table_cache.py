"""Tables cached in the process are never out of date; the newest deals and older pages of them."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.models import Player, Revision, Summary, Table, db
from scorekeeper.services.circles import lifecycle
from scorekeeper.services.people import erasure
from scorekeeper.services.tables import replayed, summaries

from ...statements import counted
from ...visitor import Visitor, filled_in

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


def test_the_next_page_shows_what_another_process_recorded(app: Flask, visitor: Visitor, table: str) -> None:
    assert numbers(visitor.visit(table)) == [1]
    add(app, 2)
    assert numbers(visitor.visit(table)) == [3, 2, 1]
    assert visitor.record(tricks="ew-2").status == 200
    assert numbers(visitor.visit(table)) == [4, 3, 2, 1]


def test_a_table_restored_from_a_backup_is_read_again(app: Flask, visitor: Visitor, table: str) -> None:
    visitor.record(tricks="ns-1")
    visitor.record(tricks="ns-1")
    assert numbers(visitor.visit(table)) == [3, 2, 1]
    with app.app_context():
        for revision in db.session.scalars(db.select(Revision).where(Revision.number > 1)):
            revision.entry_key, revision.body = f"other-{revision.number}", {"tricks": {"ns": 3, "ew": 10}}
        db.session.commit()
    score = visitor.visit(table).find(".party.ew .score")
    assert score.get_text(strip=True) == "8"


def test_a_table_with_the_id_of_an_erased_one_shows_its_own_parts(app: Flask) -> None:
    boards, ids = [], []
    for dealer in ("1", "2"):
        visitor = Visitor(app).open_table("whist", 4, dealer=dealer)
        boards.append(visitor.visit(visitor.table).find(".as-they-sit .dealer-mark").find_parent("li"))
        with app.app_context():
            table = db.session.scalars(db.select(Table)).one()
            ids.append(table.id)
            lifecycle.erase_circle(table.circle_id)
    assert ids[0] == ids[1]
    assert ["Anne" in str(boards[0]), "Bruno" in str(boards[1])] == [True, True]


def test_an_erased_name_disappears_from_cached_tables(app: Flask, visitor: Visitor, table: str) -> None:
    visitor.visit(f"{table}deals/adjustment")
    visitor.send({"kind": "points", "to": "ns", "amount": "1", "reason": "Anne said so"})
    assert "Anne said so" in visitor.visit(table).text
    with app.app_context():
        erasure.erase(db.session.scalars(db.select(Player).filter_by(name="Anne")).one())
    assert "said so" in visitor.visit(table).text
    assert "Anne" not in visitor.text


def test_the_cache_has_a_maximum_size(
    app: Flask, visitor: Visitor, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(app, 9)
    monkeypatch.setattr(replayed, "MAX_REVISIONS", 10)
    visitor.visit(table)
    other = visitor.open_table("joffre").table
    visitor.record(bidder="1-5", tricks="ns-5")
    shelf = replayed._cache
    assert shelf.revisions == sum(len(replay.revisions) for _, _, replay in shelf.replays.values()) <= 10
    assert numbers(visitor.visit(table)) == list(range(10, 0, -1))
    assert visitor.visit(other).status == 200


def test_a_long_table_shows_its_newest_deals_and_leads_to_all(app: Flask, visitor: Visitor, table: str) -> None:
    add(app, 119)
    assert numbers(visitor.visit(table)) == list(range(120, 108, -1))
    assert numbers(visitor.follow("Earlier deals")) == list(range(108, 58, -1))
    assert numbers(visitor.follow("Earlier deals")) == list(range(58, 8, -1))
    assert numbers(visitor.follow("Later deals")) == list(range(108, 58, -1))
    assert numbers(visitor.follow("Later deals")) == list(range(120, 70, -1))
    visitor.follow("120")
    assert visitor.path.endswith("/deals/120")


@pytest.mark.parametrize("before", ["0", "-1", "99999999999999999999", "²", "x", "1"])
def test_an_invalid_page_of_deals_is_answered(visitor: Visitor, table: str, before: str) -> None:
    assert visitor.visit(f"{table}deals?before={before}").status == 200


def test_pages_and_writes_need_as_many_statements_at_a_long_table(app: Flask, visitor: Visitor, table: str) -> None:
    add(app, 1)
    visitor.visit(table).send({}, "/undo")  # so that both tables have one: something paid for may have been corrected
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


def test_a_summary_extended_deal_by_deal_equals_a_new_one(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    for tricks in ("ns-4", "ew-3", "ns-7", "ns-2"):
        visitor.record(tricks=tricks)
    with app.app_context():
        summary = db.session.scalars(db.select(Summary)).one()
        extended = (summary.version, summary.data, summary.fingerprint)
        summaries.rebuild()
        fresh = db.session.scalars(db.select(Summary)).one()
        assert extended == (fresh.version, fresh.data, fresh.fingerprint)
