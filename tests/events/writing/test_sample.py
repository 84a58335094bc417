"""The sample event: played by the services themselves, in its third round, and erased after a day."""

from __future__ import annotations

from flask import Flask
from sqlalchemy import func, select

from scorekeeper.circles.lifecycle import erase_circle
from scorekeeper.files.verify import verify
from scorekeeper.models import Base, Event, db

from ...visitor import Visitor


def test_the_sample_is_a_circle_without_faults_that_is_erased_completely(app: Flask, visitor: Visitor) -> None:
    visitor.visit("/").send({}, "/sample/event")
    with app.app_context():
        circle = db.session.scalars(select(Event)).one().circle
        assert circle.is_sample
        assert verify().faults == []
        erase_circle(circle.id)
        assert not any(db.session.scalar(select(func.count()).select_from(t)) for t in Base.metadata.sorted_tables)
