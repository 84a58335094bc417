"""Events in a circle's file: the same bytes after an import, and every spoiled event refused with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from scorekeeper.events.hooks import read_contests
from scorekeeper.events.reading import read_state
from scorekeeper.models import Event, EventPhone, RoundTable, db
from scorekeeper.money.ledger import Scope
from scorekeeper.tables.caches import rebuild, verify

from ...files.importing import World, exported, imported, problems_of, spoil, written
from ...support.apps import open_app
from ...support.club import Club
from ...support.databases import Databases
from ...support.event_rows import AT, GUESTS, add_event

PRIZES = [{"rule": "highest", "amount": "12.50"}, {"rule": "lowest", "text": "A ham", "again": True}]


def play_event(club: Club) -> None:
    """Let everything happen in an event."""
    club.table(("Anne", "Bruno", 3)).is_dated = True
    event = add_event(club.id, club.membership_id, prizes=PRIZES, finished_at=AT, has_check_in=True)
    club.pay("Ada", None, 90_000, Scope(event=event.id), account="EUR")
    table = db.session.scalars(select(RoundTable).where(RoundTable.round == 1)).one()
    table.table_id = db.session.scalars(select(db.Model.metadata.tables["card_table"].c.id)).one()
    event.drawn[1].paused_at, event.drawn[1].paused_seconds = AT, 30
    event.entrants[4].group, event.entrants[4].first_round = "b", 2
    db.session.commit()
    rebuild()  # the club sets the days of tables without their service


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[World]:
    url = databases.make(tmp_path_factory.mktemp("circle-files-events"))
    with open_app(url) as app, app.app_context():
        club = Club()
        play_event(club)
        yield World(app, club, exported(club.circle))
    databases.drop(url)


def test_the_file_of_an_imported_circle_with_events_is_the_same(world: World) -> None:
    circle = imported(world.content)
    assert exported(circle) == world.content
    circle_id = circle.id
    assert verify().faults == []
    event = db.session.scalars(select(Event).where(Event.circle_id == circle_id)).one()
    original = db.session.scalars(select(Event).where(Event.circle_id == world.club.id)).one()
    assert event.token != original.token
    assert event.generation != original.generation
    states = [read_state(each) for each in (original, event)]
    assert [row.name for row in states[1].entrants.values()] == list(GUESTS[:5])
    for name in ("rounds", "standings", "phase", "trump"):
        assert getattr(states[0], name) == getattr(states[1], name), name
    members = [[member._replace(player_id=0) for member in state.entrants.values()] for state in states]
    assert members[0] == members[1]
    tables = [[row._replace(table_id=None) for row in state.tables.values()] for state in states]
    assert tables[0] == tables[1]
    assert states[1].tables[1, 1].table_id is not None
    assert states[1].name_of(4, 2) == "Finn"


def test_a_table_that_was_not_played_is_so_in_the_imported_circle_and_nobody_has_won_it(world: World) -> None:
    document = world.document
    result = document["events"][0]["drawn"][1]["tables"][0]["results"][-1]
    result.pop("confirmed", None)
    result |= {"body": {"scores": []}, "is_slip": True}
    circle = imported(written(document))
    circle_id = circle.id
    event = db.session.scalars(select(Event).where(Event.circle_id == circle_id)).one()
    assert read_state(event).tables[2, 1].is_unplayed
    of_day = read_contests(circle_id, [event.game], event.day)
    assert [won for _, _, won in of_day] == [[]]
    assert json.loads(exported(circle))["events"] == document["events"]
    assert verify().faults == []


def test_phones_and_links_of_events_are_not_in_the_file(world: World) -> None:
    circle = imported(world.content)
    assert db.session.scalar(select(EventPhone.event_id).where(EventPhone.circle_id == circle.id)) is None
    event = world.document["events"][0]
    token = db.session.scalars(select(Event.token).where(Event.circle_id == world.club.id)).one()
    assert token not in world.content.decode()
    assert not {"token", "generation", "version", "edition", "phones"} & event.keys()


@pytest.mark.parametrize(
    ("where", "value", "field"),
    [
        ("events.1", 7, "events.1"),
        ("events.1.title", " ", "events.1.title"),
        ("events.1.token", "abc", "events.1.token"),
        ("events.1.day", "2026-02-30", "events.1.day"),
        ("events.1.game", "poker", "events.1.game"),
        ("events.1.house_rules", {"no": 1}, "events.1.house_rules.no"),
        ("events.1.format", "carousel", "events.1.format"),
        ("events.1.scoring", "style", "events.1.scoring"),
        ("events.1.length", ..., "events.1.length"),
        ("events.1.rounds", 1, "events.1.rounds"),
        ("events.1.fee", "0.001", "events.1.fee"),
        ("events.1.fee", "1e3", "events.1.fee"),
        ("events.1.currency", "euro", "events.1.currency"),
        ("events.1.currency", ..., "events.1.currency"),
        ("events.1.prizes.1.amount", "free", "events.1.prizes.1.amount"),
        ("events.1.prizes.2.rule", "youngest", "events.1.prizes.2.rule"),
        ("events.1.cashier", 99, "events.1.cashier"),
        ("events.1.seed", 2**31, "events.1.seed"),
        ("events.1.finished_at", "late", "events.1.finished_at"),
        ("events.1.entrants", {}, "events.1.entrants"),
        ("events.1.entrants.2.player", 99, "events.1.entrants.2.player"),
        ("events.1.entrants.2.player", 5, "events"),
        ("events.1.entrants.2.group", "c", "events.1.entrants.2.group"),
        ("events.1.entrants.2.joined_at", "early", "events.1.entrants.2.joined_at"),
        ("events.1.substitutions.1.number", 9, "events.1.substitutions.1.number"),
        ("events.1.substitutions.1.player", 99, "events.1.substitutions.1.player"),
        ("events.1.substitutions.1.player", 5, "events.1.drawn.2.tables"),
        ("events.1.drawn.1.sits_out", [9], "events.1.drawn.1.tables"),
        ("events.1.drawn.1.sits_out", [1], "events.1.drawn.1.tables"),
        ("events.1.drawn.1.started_at", 0, "events.1.drawn.1.started_at"),
        ("events.1.drawn.1.tables.1.pairs", [[1, 3]], "events.1.drawn.1.tables.1.pairs"),
        ("events.1.drawn.1.tables.1.pairs", [[1, 3], [2, 8]], "events.1.drawn.1.tables"),
        ("events.1.drawn.1.tables.1.table", 9, "events.1.drawn.1.tables.1.table"),
        ("events.1.drawn.1.tables.1.results.2.entry_key", "first", "events"),
        ("events.1.drawn.1.tables.1.results.1.membership", 9, "events.1.drawn.1.tables.1.results.1.membership"),
        ("events.1.drawn.1.tables.1.results.1.body", {"scores": [1]}, "events.1.drawn.1.tables.1.results.1.body"),
        ("events.1.drawn.1.tables.1.results.1.body.scores", [1, "2"], "events.1.drawn.1.tables.1.results.1.body"),
        ("events.1.drawn.1.tables.1.results.1.body.slams", [1], "events.1.drawn.1.tables.1.results.1.body"),
        ("events.1.drawn.1.tables.1.results.1.body.boards", [[4]], "events.1.drawn.1.tables.1.results.1.body"),
        ("events.1.drawn.1.tables.1.results.1.body.boards", [[9, 4]], "events.1.drawn.1.tables.1.results.1.body"),
        ("events.1.drawn.2.tables.1.results.1.body", ..., "events.1.drawn.2.tables.1.results.1.confirmed"),
        ("events.1.drawn.2.tables.1.results.1.is_slip", True, "events.1.drawn.2.tables.1.results.1.confirmed"),
        ("events.1.drawn.2.tables.1.results.1.confirmed.2.side", 0, "events"),
        ("events.1.drawn.2.tables.1.results.1.confirmed.2.side", 2, "events.1.drawn.2.tables.1.results.1.confirmed"),
    ],
)
def test_a_spoiled_event_is_refused_with_its_place(world: World, where: str, value: object, field: str) -> None:
    document = world.document
    spoil(where, value)(document)
    problems = problems_of(document)
    assert any(problem.field.startswith(field) for problem in problems), problems


def add_an_event(document: dict[str, Any], **values: Any) -> None:
    document["events"].append(document["events"][0] | {"drawn": []} | values)


def test_two_events_or_tables_of_one_key_are_refused(world: World) -> None:
    document = world.document
    document["tables"][0]["entry_key"] = "table-page"
    document["tables"].append(document["tables"][0])
    add_an_event(document)
    assert [(problem.field, problem.key) for problem in problems_of(document)] == [("tables", "key-again")]
    del document["tables"][1]
    assert [(problem.field, problem.key) for problem in problems_of(document)] == [("events", "key-again")]


@pytest.mark.parametrize("is_in_another_event", [True, False])
def test_two_event_tables_that_name_one_card_table_are_refused(world: World, is_in_another_event: bool) -> None:
    document = world.document
    where = "events.1.drawn.2.tables.1.table"
    if is_in_another_event:
        where = "events.2.drawn.1.tables.1.table"
        first = world.document["events"][0]["drawn"][0]
        del first["tables"][0]["results"]
        add_an_event(document, entry_key="another", drawn=[first])
    else:
        document["events"][0]["drawn"][1]["tables"][0]["table"] = 1
    assert [(problem.field, problem.key) for problem in problems_of(document)] == [(where, "key-again")]


def test_a_file_with_more_corrections_than_can_be_scored_is_not_read_further(
    monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    monkeypatch.setattr("scorekeeper.files.circle_checks.MAX_RESCORED", 3)
    document = world.document
    revisions = document["tables"][0]["revisions"]
    again = [revisions[0] | {"kind": "amend", "entry_key": f"again {number}"} for number in range(4)]
    revisions += again[:3]
    imported(written(document))
    revisions += again[3:]
    problems = [(problem.field, problem.key) for problem in problems_of(document)]
    assert problems == [("tables.1.revisions.5", "too-many-corrections")]


def test_texts_are_cleaned_and_exporting_again_gives_the_same_bytes(world: World) -> None:
    document = world.document
    texts = {
        "players.1.name": ("  An\u202ene\0 ", "Anne"),
        "circle.title": ("Cafe\u0301", "Café"),
        "events.1.prizes.2.text": ("A\0 ham", "A ham"),
        "events.1.title": ("Anne’s\u2066 drive", "Anne’s drive"),
    }
    for where, (text, _) in texts.items():
        spoil(where, text)(document)
    content = exported(imported(written(document)))
    for where, (_, text) in texts.items():
        spoil(where, text)(document)
    assert json.loads(content) == document
    assert exported(imported(content)) == content
