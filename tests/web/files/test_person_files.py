"""Everything about a person: each row about them is in it, nothing of others and no secret, and who may read it."""

from __future__ import annotations

import io
import json
import re
from itertools import chain
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select, update

from scorekeeper.models import Base, Browser, BrowserLink, Entrant, EventPhone, Player, db
from scorekeeper.services.access.devices import get_device, new_secret
from scorekeeper.services.access.links import browser_for
from scorekeeper.services.files.person_export import read_everything, write_everything
from scorekeeper.services.people.personal_data import HELD, Held, find_referred

from ...visitor import NAMES, Visitor
from ..circles.test_circles import circle_of, full_circle, link

PEOPLE = {"player", "browser"}  # tables whose rows are a person or a phone of theirs
SECRET = re.compile(r"token|secret|hash|entry_key|generation|edition|circle\.name|fingerprint|^event\.seed")
REFERENCES = [(held, column) for held in HELD for column in held.by]


def read_file(person: Player) -> dict[str, Any]:
    file = io.BytesIO()
    write_everything(read_everything(person), file)
    document: dict[str, Any] = json.loads(file.getvalue())
    return document


def path_of(app: Flask, visitor: Visitor, name: str) -> str:
    with app.app_context():
        person = db.session.scalars(select(Player).where(Player.name == name)).one()
        return f"{circle_of(visitor)}players/{person.token}/everything"


def download(app: Flask, visitor: Visitor, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(visitor.client.get(f"{path_of(app, visitor, name)}.json").get_data())
    return document


def add_person(like: Player) -> tuple[Player, Browser]:
    """Add somebody with a phone to a circle."""
    person = Player(circle_id=like.circle_id, name="Zoë")
    db.session.add(person)
    phone = browser_for(like.circle, get_device(new_secret()))
    db.session.flush()
    phone.player_id = person.id
    db.session.flush()
    return person, phone


def test_each_column_that_refers_to_a_person_or_a_phone_is_declared() -> None:
    declared = {f"{column.class_.__tablename__}.{column.key}" for _, column in REFERENCES}
    references = {
        f"{table.name}.{key.parent.name}"
        for table in Base.metadata.tables.values()
        for key in chain.from_iterable(column.foreign_keys for column in table.columns)
        if key.column.table.name in PEOPLE and key.column.name == "id"
    }
    assert references | {"player.id", "event_phone.number"} == declared


def test_no_column_with_a_secret_is_told() -> None:
    told = [column for held in HELD for column in held.told if hasattr(column, "property")]
    assert len(told) > 50
    assert [str(column) for column in told if SECRET.search(str(column.property.columns[0]))] == []


@pytest.mark.parametrize(
    ("held", "column"), REFERENCES, ids=lambda part: part.section if isinstance(part, Held) else part.key
)
def test_each_row_about_a_person_is_in_their_file(app: Flask, visitor: Visitor, held: Held, column: Any) -> None:
    full_circle(app, visitor)
    with app.app_context():
        anne = db.session.scalars(select(Player).where(Player.name == "Anne")).one()
        person, phone = add_person(anne)
        before = len(read_file(person)[held.section])
        keys = [key.key for key in held.model.__mapper__.primary_key]
        first = db.session.scalars(select(held.model).order_by(column.desc())).first()
        assert first is not None, f"{held.model} has no row: add one to full_circle"
        changed = {column.key: phone.id if find_referred(column) == Browser.__tablename__ else person.id}
        model: Any = held.model
        if column is Player.id:
            assert before == 1
            return
        if column is EventPhone.number:
            model, changed = Entrant, {"player_id": person.id}
        if model is BrowserLink:
            db.session.execute(update(model).values(sealed_secret="sealed"))
        where = [getattr(model, key) == getattr(first, key) for key in keys if hasattr(first, key)]
        if model is Entrant and held.model is EventPhone:
            where = [Entrant.number == first.number]  # type: ignore[attr-defined]  # an EventPhone
        db.session.execute(update(model).where(*where).values(changed), execution_options={"synchronize_session": False})
        db.session.expire_all()
        assert len(read_file(person)[held.section]) == before + 1
