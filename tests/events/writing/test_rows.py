"""Events in what knows all rows of a circle: merging people, erasing names and circles, counts of people."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import func, select

from scorekeeper.circles.lifecycle import erase_circle
from scorekeeper.models import Base, Circle, Event, db
from scorekeeper.money.ledger import Scope
from scorekeeper.people import erasure
from scorekeeper.tables.caches import verify

from ...files.importing import assert_found_and_rebuilt
from ...support.club import Club
from ...support.event_rows import add_event
from ...support.visitor import Visitor


@pytest.fixture
def event(club: Club) -> Event:
    return add_event(club.id, club.membership_id)


def test_an_erased_name_is_erased_in_the_texts_of_events(club: Club, event: Event) -> None:
    event.title, event.place = "ADA’s 80th", "at Ada and Adam’s"
    event.prizes = [{"rule": "highest", "text": "Ada’s cake"}, {"rule": "lowest", "amount": "5"}]
    db.session.commit()
    asked = erasure.list_unclear_texts(club.player("Ada"))
    assert asked  # Adam begins with the name
    assert erasure.erase(club.player("Ada"), answers={text.key: text.text for text in asked}) is None
    db.session.expire_all()
    assert "ada’s" not in event.title.casefold()
    assert event.title.startswith("N. N.")
    assert event.place == f"at {event.title.removesuffix('’s 80th')} and Adam’s"
    assert event.prizes[0]["text"] == f"{event.title.removesuffix('’s 80th')}’s cake"
    assert event.prizes[1] == {"rule": "lowest", "amount": "5"}


@pytest.mark.usefixtures("event")
def test_a_wrong_result_of_a_table_is_found_and_rebuilt() -> None:
    assert_found_and_rebuilt("event-cache", "UPDATE event_table SET is_confirmed = NOT is_confirmed WHERE result > 0")


def test_a_circle_is_erased_with_its_events(club: Club, event: Event) -> None:
    club.pay("Ada", None, 5, Scope(event=event.id), account="EUR")
    table = club.table(("Anne", "Bruno", 1))
    db.session.execute(db.text("UPDATE event_table SET table_id = :id"), {"id": table.id})
    db.session.commit()
    another = Club()
    add_event(another.id, another.membership_id)
    assert erase_circle(club.id)
    left = {
        name: db.session.scalars(select(table.c["circle_id"]).distinct()).all()
        for name, table in Base.metadata.tables.items()
        if "circle_id" in table.c
    }
    assert {id_ for ids in left.values() for id_ in ids} == {another.id}
    assert db.session.scalar(select(func.count()).select_from(Circle)) == 1


def test_the_sample_is_a_circle_without_faults_that_is_erased_completely(app: Flask, visitor: Visitor) -> None:
    visitor.visit("/").send({}, "/sample/event")
    with app.app_context():
        circle = db.session.scalars(select(Event)).one().circle
        assert circle.is_sample
        assert verify().faults == []
        erase_circle(circle.id)
        assert not any(db.session.scalar(select(func.count()).select_from(t)) for t in Base.metadata.sorted_tables)
