"""Databases of all released schemas, which README.md lists, are upgraded with all their data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from sqlalchemy import Connection, inspect, text

from scorekeeper.db.upgrades import make_config, upgrade
from scorekeeper.models import Base, Circle, Link, Player, Table, db
from scorekeeper.services import verify
from scorekeeper.services.tables import summaries

from ..apps import open_app
from ..databases import Cluster, Databases
from ..visitor import Visitor
from . import schemas

# The columns of each table that are facts and existed in the first schema with the table.
FACTS = {
    "circle": ("id", "name"),
    "player": ("id", "circle_id", "name"),
    "card_table": ("id", "token", "circle_id", "game", "house_rules", "dealer", "opened_at", "closed_at"),
    "seat": ("table_id", "seat", "player_id"),
    "revision": ("table_id", "number", "kind", "deal", "before", "body", "undoes", "browser_id", "at", "entry_key"),
    "part": ("settlement_id", "table_id", "earlier_id", "player_id", "amount"),
    "payment": ("circle_id", "number", "settlement_id", "giver_id", "taker_id", "amount", "withdraws", "at"),
}
FIRST_AND_LAST = [choose(schemas.names(), key=schemas.version_of) for choose in (min, max)]
PAGES = ("", "deals", "changes", "chart", "settlement", "journal", "print", "recap", "sheet.json")
PAGES_OF_A_CIRCLE = ("", "tables", "figures", "people", "links", "settlement", "payments", "exchange")


class Upgraded:
    """An upgraded database of an earlier version. `before`: its facts before the upgrade."""

    def __init__(self, name: str, app: Flask, databases: Databases, folder: Path) -> None:
        self.name, self.app = name, app
        load(name, app.config["SQLALCHEMY_DATABASE_URI"], databases, folder)
        with app.app_context():
            self.before = self.facts()
            upgrade()
            summaries.rebuild(only_missing=True)

    def facts(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return all facts as text, in the columns of `FACTS`."""
        with db.engine.connect() as connection:
            tables = set(inspect(connection).get_table_names())
            return {table: _rows(connection, table, columns) for table, columns in FACTS.items() if table in tables}

    def differences(self) -> list[Any]:
        """Return what Alembic would still have to change to match the models."""
        with db.engine.connect() as connection:
            found: list[Any] = compare_metadata(MigrationContext.configure(connection), Base.metadata)
        return found

    def host(self) -> Visitor:
        """Join by the host link. Its secret is not stored, so it gets a new one first."""
        with self.app.app_context():
            link = db.session.scalars(db.select(Link).where(Link.right == "host")).one()
            link.secret_hash = hashlib.sha256(b"known").hexdigest()
            db.session.commit()
            path = f"/join/{link.circle.name}/known"
        return enter(self.app, path)


def load(name: str, url: str, databases: Databases, folder: Path) -> None:
    if isinstance(databases, Cluster):
        schemas.load_postgresql(name, url, folder)
    else:
        schemas.load_sqlite(name, Path(url.removeprefix("sqlite:///")))


def _rows(connection: Connection, table: str, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    texts = ", ".join(f'CAST("{column}" AS TEXT)' for column in columns)
    return sorted(map(tuple, connection.execute(text(f"SELECT {texts} FROM {table}"))), key=repr)  # noqa: S608  # ours


def enter(app: Flask, path: str) -> Visitor:
    visitor = Visitor(app).visit(path)
    form = visitor.page.select_one("form[action*=join]")
    return visitor.send({}, form=form) if form is not None else visitor


@pytest.fixture(scope="module", params=schemas.names())
def upgraded(
    request: pytest.FixtureRequest,
    databases: Databases,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Upgraded]:
    folder = tmp_path_factory.mktemp(request.param)
    url = databases.make(folder, migrated=False)
    with open_app(url) as app:
        yield Upgraded(request.param, app, databases, folder)
    databases.drop(url)


def test_no_fact_is_lost_or_changed(upgraded: Upgraded) -> None:
    assert len(upgraded.before["revision"]) > 15
    with upgraded.app.app_context():
        now = upgraded.facts()
        assert {table: now[table] for table in upgraded.before} == upgraded.before


def test_the_schema_equals_the_models(upgraded: Upgraded) -> None:
    with upgraded.app.app_context():
        assert upgraded.differences() == []


@pytest.mark.parametrize("upgraded", FIRST_AND_LAST, indirect=True)
def test_repairing_migrations_do_not_change_intact_data(upgraded: Upgraded) -> None:
    with upgraded.app.app_context():
        command.downgrade(make_config(), "0007")  # to the column names that the repairing migrations know
        command.stamp(make_config(), "0002")
        upgrade("0004")  # the last repairing migration
        command.stamp(make_config(), "0007")
        upgrade()
        assert upgraded.differences() == []
        assert {table: rows for table, rows in upgraded.facts().items() if rows} == {
            table: rows for table, rows in upgraded.before.items() if rows
        }


def test_verify_finds_no_fault(upgraded: Upgraded) -> None:
    with upgraded.app.app_context():
        done = verify.verify()
    assert (done.faults, done.circles, done.tables) == ([], 1, 5)


def test_pages_open_and_deals_can_be_recorded(upgraded: Upgraded) -> None:
    host = upgraded.host()
    with upgraded.app.app_context():
        tokens = db.session.scalars(db.select(Table.token).order_by(Table.id)).all()
        players = db.session.scalars(db.select(Player.token)).all()
        circle = f"/circles/{db.session.scalars(db.select(Circle.name)).one()}/"
    pages = [f"/tables/{tokens[0]}/{page}" for page in PAGES] + [f"/tables/{token}/" for token in tokens[1:]]
    pages += [f"{circle}{page}" for page in (*PAGES_OF_A_CIRCLE, *(f"players/{player}" for player in players))]
    assert {path: status for path in pages if (status := host.visit(path).status) != 200} == {}
    assert host.visit(f"/tables/{tokens[-1]}/").record(tricks="ns-1").status == 200
    with upgraded.app.app_context():
        assert verify.verify().faults == []


def test_an_old_circles_key_still_gives_the_right_to_host(databases: Databases, tmp_path: Path) -> None:
    url = databases.make(tmp_path, migrated=False)
    with open_app(url) as app:
        load("keys", url, databases, tmp_path)
        with app.app_context():
            hashed = hashlib.sha256(b"known").hexdigest()
            db.session.execute(text("UPDATE circle SET key_hash = :hashed"), {"hashed": hashed})
            db.session.commit()
            upgrade()
            name = db.session.scalars(db.select(Circle.name)).one()
        host = enter(app, f"/join/{name}/known")
        links = host.visit(f"/circles/{name}/links")
        assert links.status == 200
        assert len(links.page.select("form[action$='/renew']")) == 3
    databases.drop(url)
