"""The floor: a bare Flask app that does as little as possible, with the same libraries and settings."""

from __future__ import annotations

import os
from sqlite3 import Connection
from typing import Any

from flask import Flask, Response, redirect, render_template_string, request
from flask_sqlalchemy import SQLAlchemy
from flask_wtf import CSRFProtect, FlaskForm
from sqlalchemy import Engine, ForeignKey, event, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from wtforms import IntegerField, StringField
from wtforms.validators import InputRequired, NumberRange

MEMBERS, ROWS, SHOWN = 5, 3_000, 50
CONSTANT = "<!doctype html><title>Constant</title>".ljust(10_240, "x")
FORM = """<!doctype html><title>Entry</title>
<form method="post">{{ form.csrf_token }}{{ form.payer }}{{ form.amount }}{{ form.what }}<button>Add</button></form>"""
PAGE = """<!doctype html><title>Table</title>
<table>{% for member in members %}<tr><th>{{ member.name }}</th><td>{{ member.balance }}</td></tr>{% endfor %}</table>
<ol>{% for row in rows %}<li>{{ row.payer.name }} <b>{{ row.amount }}</b> {{ row.what }}</li>{% endfor %}</ol>"""


class Base(DeclarativeBase):
    pass


db = SQLAlchemy(model_class=Base)


class Member(Base):
    __tablename__ = "member"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    balance: Mapped[int]


class Row(Base):
    __tablename__ = "row"
    id: Mapped[int] = mapped_column(primary_key=True)
    payer_id: Mapped[int] = mapped_column(ForeignKey("member.id"), index=True)
    amount: Mapped[int]
    what: Mapped[str]
    payer: Mapped[Member] = relationship()


class Group(Base):
    __tablename__ = "group"
    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(unique=True)
    seen: Mapped[int]


class EntryForm(FlaskForm):
    payer = IntegerField(validators=[InputRequired(), NumberRange(1, MEMBERS)])
    amount = IntegerField(validators=[InputRequired()])
    what = StringField()


@event.listens_for(Engine, "connect")
def _as_safe(connection: Any, _record: Any) -> None:
    if isinstance(connection, Connection):
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
            connection.execute(f"PRAGMA {pragma}")


def create_app() -> Flask:
    app = Flask("floor")
    app.config["SECRET_KEY"] = "floor"  # noqa: S105  # of a benchmark
    app.config["SQLALCHEMY_DATABASE_URI"] = os.environ["FLOOR_DATABASE"]
    db.init_app(app)
    CSRFProtect(app)
    app.add_url_rule("/constant", view_func=constant)
    app.add_url_rule("/now/<token>", view_func=now)
    app.add_url_rule("/entry", view_func=entry, methods=["GET", "POST"])
    app.add_url_rule("/page", view_func=page)
    with app.app_context():
        _fill()
    return app


def _fill() -> None:
    db.create_all()
    if db.session.scalar(select(Group)) is None:
        db.session.add(Group(token="group", seen=30))  # noqa: S106  # no secret
        db.session.add_all(Member(id=n, name=f"Member {n}", balance=n - 3) for n in range(1, MEMBERS + 1))
        db.session.add_all(Row(payer_id=n % MEMBERS + 1, amount=n, what=f"Row {n}") for n in range(ROWS))
        db.session.commit()


def constant() -> str:
    return CONSTANT


def now(token: str) -> Response:
    seen = db.session.scalar(select(Group.seen).where(Group.token == token))
    if request.if_none_match.contains(str(seen)):
        return Response(status=304)
    return Response(CONSTANT)


def entry() -> Any:
    form = EntryForm()
    if not form.validate_on_submit():
        return render_template_string(FORM, form=form)
    db.session.add(Row(payer_id=form.payer.data, amount=form.amount.data, what=form.what.data))
    db.session.commit()
    return redirect("/page", 303)


def page() -> str:
    members = db.session.scalars(select(Member).order_by(Member.id)).all()
    rows = db.session.scalars(select(Row).order_by(Row.id.desc()).limit(SHOWN)).all()
    return render_template_string(PAGE, members=members, rows=rows)
