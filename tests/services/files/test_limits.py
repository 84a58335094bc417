"""A circle's file obeys the limits of the pages: what stopped the server, or broke a page for good, is refused."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from sqlalchemy import select

from scorekeeper.models import Circle, db
from scorekeeper.services.files.circle_import import Imported, import_circle

from .test_circle_files import exported, problems_of, spoil
from .test_events import World
from .test_events import world as world  # noqa: PLC0414  # a fixture


def test_what_an_import_cleans_it_says_and_exporting_again_gives_the_same_bytes(world: World) -> None:
    document = world.document
    for where, value in (
        ("players.1.name", "  An\u202ene\0 "),
        ("circle.title", "Cafe\u0301"),
        ("events.1.prizes.2.text", "A\0 ham"),
        ("events.1.title", "Anne’s\u2066 drive"),
    ):
        spoil(where, value)(document)
    result = import_circle(io.BytesIO(json.dumps(document).encode()))
    assert isinstance(result, Imported)
    assert sorted(result.cleaned) == [
        ("circle.title", "Café"),
        ("events.1.prizes.2.text", "A ham"),
        ("events.1.title", "Anne’s drive"),
        ("players.1.name", "Anne"),
    ]
    content = exported(db.session.scalars(select(Circle).where(Circle.name == result.name)).one())
    again = import_circle(io.BytesIO(content))
    assert isinstance(again, Imported)
    assert again.cleaned == ()
    assert exported(db.session.scalars(select(Circle).where(Circle.name == again.name)).one()) == content


def add_an_event(document: dict[str, Any], **values: Any) -> None:
    document["events"].append(document["events"][0] | {"number": 2, "drawn": []} | values)


def add_a_table(document: dict[str, Any], **values: Any) -> None:
    document["tables"].append(document["tables"][0] | {"number": 2} | values)


def test_a_file_with_more_corrections_than_can_be_scored_is_not_read_further(
    monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    monkeypatch.setattr("scorekeeper.services.files.circle_plays.MAX_RESCORED", 3)
    document = world.document
    revisions = document["tables"][0]["revisions"]
    again = [revisions[0] | {"number": number, "kind": "amend", "key": f"again {number}"} for number in range(2, 7)]
    revisions += again[:3]
    assert isinstance(import_circle(io.BytesIO(json.dumps(document).encode())), Imported)
    revisions += again[3:]
    problems = [(problem.field, problem.key) for problem in problems_of(document)]
    assert problems == [("tables.1.revisions.5", "too-many-corrections")]


def test_two_events_or_tables_of_one_key_are_refused(world: World) -> None:
    document = world.document
    document["tables"][0]["key"] = "table-page"
    add_a_table(document)
    add_an_event(document)
    assert [(problem.field, problem.key) for problem in problems_of(document)] == [("tables.2.key", "key-again")]
    del document["tables"][1]
    assert [(problem.field, problem.key) for problem in problems_of(document)] == [("events.2.key", "key-again")]


@pytest.mark.parametrize("is_in_another_event", [True, False])
def test_two_event_tables_that_name_one_card_table_are_refused(world: World, is_in_another_event: bool) -> None:
    document = world.document
    where = "events.1.drawn.2.tables.1.table"
    if is_in_another_event:
        where = "events.2.drawn.1.tables.1.table"
        first = world.document["events"][0]["drawn"][0]
        first["tables"][0]["results"] = []
        add_an_event(document, key="another", drawn=[first])
    else:
        document["events"][0]["drawn"][1]["tables"][0]["table"] = 1
    assert [(problem.field, problem.key) for problem in problems_of(document)] == [(where, "table-again")]
