"""Every schema that has been on main is brought up to date with all its data kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from flask import Flask
from flask_migrate import downgrade, upgrade
from sqlalchemy import Connection, inspect, text

from scorekeeper import create_app
from scorekeeper.book import summaries
from scorekeeper.book.databases import is_sqlite
from scorekeeper.store import Base, Summary, Table, db

from .databases import Databases
from .visitor import Visitor

DEALS = [{"tricks": {"ns": 11}}, {"tricks": {"ew": 8}, "honours": {"side": "ns", "count": 3}}, {"misdeal": True}]


@pytest.fixture
def app(kept_in: Databases, tmp_path: Path) -> Iterator[Flask]:
    """On a database without any schema yet."""
    url = kept_in.make(tmp_path, migrated=False)
    app = create_app({"TESTING": True, "SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": url})
    yield app
    with app.app_context():
        db.engine.dispose()
    kept_in.drop(url)


def first_schema(app: Flask) -> None:
    """A database of schema 0001 with a circle, its links and browsers, and a table of three deals."""
    at = "2026-03-14 01:30:00.000000"
    with app.app_context():
        upgrade(revision="0001")
        with db.engine.begin() as connection:
            _fill(connection, at)


def _fill(connection: Connection, at: str) -> None:
    def add(table: str, **row: object) -> None:
        columns, values = ", ".join(f'"{name}"' for name in row), ", ".join(f":{name}" for name in row)
        connection.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), row)  # noqa: S608  # ours

    add("circle", id=1, name="abc", made_at=at)
    add("link", id=1, circle_id=1, right="host", secret_hash="0" * 64, made_at=at)
    add("browser", id=1, circle_id=1, link_id=1, number=1, secret_hash="0" * 64, first_at=at)
    for number, name in enumerate(("Anne", "Bruno", "Chloé", "David"), start=1):
        add("player", id=number, circle_id=1, name=name)
    add(
        "card_table",
        id=1,
        **{"token": "t"},
        circle_id=1,
        game="whist",
        rules_version=1,
        house_rules="{}",
        dealer="1",
        opened_at=at,
    )
    for seat in range(1, 5):
        add("seat", table_id=1, seat=str(seat), player_id=seat)
    for number, body in enumerate(DEALS, start=1):
        add(
            "revision",
            table_id=1,
            number=number,
            kind="record",
            deal=number,
            body=json.dumps(body),
            browser_id=1,
            at=at,
            entry_key=f"k{number}",
        )
    if not is_sqlite(connection):  # it counts ids apart from the rows
        for table in ("circle", "link", "browser", "player", "card_table", "revision"):
            connection.execute(text(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))"))  # noqa: S608  # ours


def test_the_first_schema_is_brought_up_to_date_with_its_facts(app: Flask) -> None:
    first_schema(app)
    with app.app_context():
        upgrade()
        assert summaries.rebuild(only_missing=True) == 1
        table = db.session.scalars(db.select(Table)).one()
        assert [revision.body for revision in table.revisions] == DEALS
        assert [seat.player.person.name for seat in table.seats] == ["Anne", "Bruno", "Chloé", "David"]
        assert table.day in (date(2026, 3, 13), date(2026, 3, 14))  # by the clocks where it is brought up to date
        assert table.played_on == date(2026, 3, 14)
        assert table.circle.title is None
        summary = db.session.scalars(db.select(Summary)).one()
        assert summary.told["deals"] == 2
        assert summary.told["scores"] == {"ns": 7, "ew": 2}


def test_a_schema_that_was_brought_up_to_date_is_the_one_the_app_is_written_for(app: Flask) -> None:
    with app.app_context():
        upgrade()
        found = inspect(db.engine)
        for name, table in Base.metadata.tables.items():
            assert {column["name"] for column in found.get_columns(name)} == {column.name for column in table.columns}
            indexed = {tuple(index["column_names"]) for index in found.get_indexes(name)}
            assert {tuple(column.name for column in index.columns) for index in table.indexes} <= indexed, name


def test_a_database_can_go_back_to_the_first_schema_and_forth_again(app: Flask) -> None:
    first_schema(app)
    with app.app_context():
        upgrade()
        downgrade(revision="0001")
        upgrade()
        assert [revision.body for revision in db.session.scalars(db.select(Table)).one().revisions] == DEALS


def test_an_app_on_an_older_schema_works_once_it_is_brought_up_to_date(app: Flask) -> None:
    first_schema(app)
    with app.app_context():
        upgrade()
        summaries.rebuild(only_missing=True)
    visitor = Visitor(app)
    assert visitor.open_table("whist").record(tricks="ns-3").status == 200
