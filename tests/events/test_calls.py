"""Calling the director: a button at the table, a list on the director's page, a line on the wall."""

from __future__ import annotations

import pytest
from flask import Flask

from ..support.following import Follower
from ..support.visitor import Visitor
from .hall import Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    hall = Hall(app)
    hall.draw(1)
    return hall


def calls_on(page: Visitor) -> list[str]:
    return [" ".join(line.get_text(" ").split()) for line in page.page.select(".calls li")]


def test_a_table_calls_and_it_is_done(hall: Hall) -> None:
    phone = hall.phone(2).visit(hall.table(2))
    assert not phone.page.select(".call [role=status]")
    phone.send({}, "/call")
    assert "The director was called at" in phone.text
    (line,) = calls_on(hall.visit())
    assert line.startswith("Table 2 Round 1 · since")
    seats = hall.state().tables[1, 2].seats.values()
    assert all(hall.state().name_of(number) in line for number in seats)
    hall.director.send({}, "/done")
    assert not hall.director.page.select(".calls")
    assert not phone.visit(hall.table(2)).page.select(".call [role=status]")


def test_directors_are_told_of_a_call_and_its_end_at_once_and_so_is_the_table(hall: Hall) -> None:
    phone = hall.phone(1).visit(hall.table(1))
    told = Follower(hall.director, f"{hall.path}/stream?kind=event"), Follower(phone, f"{hall.path}/stream?table=1")
    players = Follower(phone, f"{hall.path}/stream?kind=plan")
    phone.send({}, "/call")
    assert all(each.is_notified() for each in told)
    hall.visit().send({}, "/done")
    assert all(each.is_notified() for each in told)
    assert not players.is_notified(0.1)
