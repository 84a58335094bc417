"""Pages and writes take the same number of SQL statements with many tables and settlements as with few."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select, update

from scorekeeper.models import Circle, Player, Table, db
from scorekeeper.services.tables.summaries import TURN_SIZE
from scorekeeper.web.events import wall

from ... import many
from ...statements import counted
from ...visitor import NAMES, Visitor, filled_in
from .test_rights import MAY, fill_circle, requests

FEW, MANY = (6, date(2024, 3, 1)), (60, date(2025, 3, 1))  # number of tables, first evening


def grow(app: Flask, tables: int, first: date) -> None:
    with app.app_context():
        many.play(db.session.scalars(select(Circle)).one(), tables, first, seed=tables)


def test_every_page_takes_the_same_number_of_statements(
    app: Flask, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wall, "RENDER_SECONDS", 10_000)  # so that none ends between two requests
    circle = fill_circle(visitor)

    def statement_counts() -> dict[str, int]:
        visitor.open_table("whist")  # *Tonight* begins with the game of the newest table
        found = {}
        for rule, method, path in requests(app, circle.values):
            if method == "GET" and rule.endpoint in MAY:
                visitor.client.get(path).close()  # the first request computes cached totals
                with counted(app) as statements, visitor.client.get(path) as answer:
                    answer.get_data()
                found[rule.endpoint] = len(statements)
        return found

    grow(app, *FEW)
    few = statement_counts()
    grow(app, *MANY)
    assert statement_counts() == few
    assert len(few) > 40


def test_every_write_takes_the_same_number_of_statements(app: Flask, visitor: Visitor) -> None:
    home = f"/circles/{fill_circle(visitor).name}/"
    grow(app, *FEW)
    written(app, visitor, home)  # so that there are settlements, some of them taken over
    few = written(app, visitor, home)
    grow(app, *MANY)
    for _ in range(3):
        settle(app, visitor, home)
    many = written(app, visitor, home)
    assert many.pop("erase") <= few.pop("erase") + 5 * (MANY[0] // TURN_SIZE + 1)  # texts are refreshed in short turns
    assert many == few
    assert len(few) > 15


def sender(app: Flask, visitor: Visitor) -> Callable[..., int]:
    def sent(page: str, action: str, **fields: str) -> int:
        """Send the page's first form with this action; return the number of statements."""
        visitor.visit(page)
        of_whist = visitor.page.select_one("form.pay:has([name=account][value=whist])")
        form = of_whist if action == "payments" and of_whist is not None else visitor.form(action)
        data = filled_in(form) | {name.replace("_", "-"): value for name, value in fields.items()}
        with counted(app) as statements:
            answer = visitor.client.post(str(form.get("action", page)), data=data)
        assert answer.status_code == 303, (page, action, answer.get_data(as_text=True))
        return len(statements)

    return sent


def settle(app: Flask, visitor: Visitor, home: str) -> dict[str, int]:
    """Play a table, and make a payment for all open amounts."""
    send = sender(app, visitor)
    visitor.open_table("whist")
    for _ in range(4):
        visitor.record(tricks="ns-5")
    return {
        "pay": send(f"{home}settlement", "payments"),
        "pay more": send(f"{home}settlement", "payments"),
        "withdraw a payment": send(f"{home}payments", "withdraw"),
    }


def written(app: Flask, visitor: Visitor, home: str) -> dict[str, int]:
    send = sender(app, visitor)
    with app.app_context():
        circle = db.session.scalars(select(Circle)).one()
        anne = db.session.scalars(select(Player.token).where(Player.name == "Anne")).one()
        another = Player(circle_id=circle.id, name=f"Anne {len(circle.players)}")
        db.session.add(another)
        db.session.execute(update(Table).values(title="At Anne’s"))
        db.session.commit()
        new = f"{home}people/{another.token}"
    person = f"{home}people/{anne}"
    found: dict[str, Any] = {"open": send("/tables/new/whist", "whist", **seats())}
    table = visitor.open_table("whist").table
    found |= {
        "record": send(f"{table}deals/new", "deals/new", tricks="ns-1", do="record"),
        "adjust": send(f"{table}deals/adjustment", "adjustment", kind="points", to="ns", amount="1", reason="for Anne"),
        "amend": send(f"{table}deals/1/amend", "amend", tricks="ns-2", do="record"),
        "insert": send(f"{table}deals/1/insert", "insert", tricks="ns-2", do="record"),
        "withdraw": send(f"{table}deals/1", "withdraw"),
        "restore": send(f"{table}deals/1", "restore"),
        "undo": send(table, "undo"),
        "close": send(f"{table}more", "close"),
        "reopen": send(f"{table}more", "reopen"),
        "banker": send(f"{home}settlement", "banker", banker=""),
        "rename": send(person, "rename", name="Annette"),
        "rename back": send(person, "rename", name="Anne"),
        "retire": send(person, "retire"),
        "bring back": send(person, "return"),
        "merge": send(new, "merge", into=str(anne)),
        "take apart": send(person, "apart"),
        "erase": send(f"{new}/erase", "erase", typed=name_of(app, new), earlier="At Anne’s"),
    }
    return found | settle(app, visitor, home)


def seats() -> dict[str, str]:
    return {f"seat_{number}": name for number, name in enumerate(NAMES[:4], start=1)}


def name_of(app: Flask, path: str) -> str:
    with app.app_context():
        return db.session.scalars(select(Player.name).where(Player.token == path.rpartition("/")[2])).one()
