"""Live updates, JSON answers to the page's script, and the service worker."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup

from ..support.visitor import Visitor, filled_in


def now(visitor: Visitor, version: int | None = None) -> Any:
    tags = {"If-None-Match": f'"{version}"'} if version is not None else {}
    return visitor.client.get(f"{visitor.table}update", headers=visitor.headers | tags)


def record(visitor: Visitor, **fields: str) -> Any:
    """Send the pad as the page's script does."""
    visitor.visit(f"{visitor.table}deals/new")
    data = filled_in(visitor.form()) | {"do": "record"} | fields
    return visitor.client.post(f"{visitor.table}deals/new", data=data, headers={"Accept": "application/json"})


@pytest.fixture
def at_table(visitor: Visitor) -> Visitor:
    return visitor.open_table("whist").record(tricks="ns-3")


def test_an_update_names_the_change_and_the_phone(at_table: Visitor) -> None:
    at_table.record(tricks="ew-2")
    answer = now(at_table, 1)
    assert answer.status_code == 200
    assert answer.headers["ETag"].startswith('"2.')
    text = answer.get_data(as_text=True)
    assert "Phone 1 recorded deal 2: N–" in text
    assert 'data-seen="2"' in text
    assert 'class=" fresh"' in text
    assert 'class="recorded"' not in text  # it is not the reader who has recorded it
    at_table.visit(f"{at_table.table}deals/2").send({}, "/withdraw")
    text = now(at_table, 2).get_data(as_text=True)
    assert "Phone 1 removed deal 2" in text


def test_a_script_gets_the_same_answer_when_it_sends_its_entry_again(at_table: Visitor) -> None:
    at = f"{at_table.table}?recorded=2"
    seen = filled_in(at_table.visit(f"{at_table.table}deals/new").form())["seen"]
    first, again = (record(at_table, tricks="ew-2", key="mine", seen=seen, dealer="2") for _ in range(2))
    assert first.json["seen"].startswith("2.")
    assert first.json == again.json == first.json | {"recorded": True, "after": seen, "at": at, "next": 3}
    assert len(at_table.export()["deals"]) == 2


def test_a_script_gets_the_changes_that_made_its_entry_stale(at_table: Visitor) -> None:
    answer = record(at_table, tricks="ew-2", key="mine", seen="0")
    assert answer.status_code == 409
    assert answer.json["seen"].startswith("1.")
    assert "Phone 1" in answer.json["stale"]
    assert len(at_table.export()["deals"]) == 1


def test_a_script_gets_the_reason_why_its_entry_is_refused(at_table: Visitor) -> None:
    answer = record(at_table, tricks="ns-0")
    assert answer.status_code == 422
    assert answer.json["refused"]
    unanswered = record(at_table)
    assert unanswered.status_code == 422
    assert "problem" in unanswered.json["refused"]
    for said in (unanswered.json["refused"], record(at_table, do="preview").json["working"]):
        assert "Missing: Tricks over six" in BeautifulSoup(said, "lxml").get_text()
