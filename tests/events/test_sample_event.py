"""The sample event on the front page: one tap opens a drive in its third round."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import func, select

from scorekeeper.models import Circle, Event, Player, db

from ..support.visitor import Visitor


def open_sample(visitor: Visitor) -> Visitor:
    return visitor.visit("/").send({}, "/sample/event")


def count(app: Flask, model: type[Circle | Event]) -> int:
    with app.app_context():
        return db.session.scalar(select(func.count()).select_from(model)) or 0


def names(app: Flask) -> list[str]:
    with app.app_context():
        return list(db.session.scalars(select(Player.name).order_by(Player.id)))


def test_one_tap_on_the_front_page_opens_the_sample(visitor: Visitor) -> None:
    open_sample(visitor)
    assert visitor.status == 200
    assert visitor.path.startswith("/events/")
    assert "Sample drive" in visitor.text
    assert "This is a sample" in visitor.text
    assert "Alice" in visitor.text


@pytest.mark.parametrize(
    ("language", "title", "name"),
    [("fr-CA", "Tournoi d’exemple", "Ghislaine"), ("de", "Beispielturnier", "Lieselotte")],
)
def test_the_samples_names_fit_the_language(app: Flask, language: str, title: str, name: str) -> None:
    reader = open_sample(Visitor(app, language))
    assert title in reader.text
    found = names(app)
    assert name in found
    assert len(set(found)) == 24


def test_another_sample_replaces_the_event(app: Flask, visitor: Visitor) -> None:
    path = open_sample(visitor).path
    visitor.visit("/rules/whist").send({}, "/sample/whist")
    assert (count(app, Circle), count(app, Event)) == (1, 0)
    assert visitor.visit(path).status == 404
    assert "Continue the sample drive" not in visitor.visit("/").text


def test_the_sample_tapped_twice_is_there_once(app: Flask, visitor: Visitor) -> None:
    visitor.visit("/")
    form = visitor.form("/sample/event")
    for _ in range(2):
        visitor.send({}, form=form)
    assert (count(app, Circle), count(app, Event)) == (1, 1)


def test_a_phone_without_a_circle_begins_an_event_in_a_new_one(visitor: Visitor) -> None:
    visitor.visit("/").send({}, "/events/new")
    assert (visitor.status, visitor.find("h1").get_text(strip=True)) == (200, "New event")
    visitor.send({"title": "Spring drive", "rounds": "6", "length": "4"})
    assert "Spring drive" in visitor.visit(visitor.path.replace("entrants", "director")).text
