"""The schema can be divided by circle: the app runs on a PostgreSQL database with all tables hash-partitioned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations
from flask import Flask
from sqlalchemy import text

from scorekeeper.models import Base, Table, db
from scorekeeper.services import verify

from .. import partitioned
from ..apps import open_app
from ..databases import ON_POSTGRESQL, Databases
from ..migrations.record import play
from ..reach import Reach, observed
from ..visitor import Visitor

pytestmark = pytest.mark.skipif(not ON_POSTGRESQL, reason="SQLite has no partitions")


@pytest.fixture
def url(databases: Databases, tmp_path: Path) -> Iterator[str]:
    """The address of a migrated database that has been partitioned."""
    url = databases.make(tmp_path)
    if not partitioned.IS_PARTITIONED:
        partitioned.convert(url)
    yield url
    databases.drop(url)


@pytest.fixture
def app(url: str) -> Iterator[Flask]:
    with open_app(url) as app:
        yield app


def partitions_of(app: Flask) -> dict[str, int]:
    query = "SELECT inhparent::regclass::text, count(*) FROM pg_inherits JOIN pg_class ON oid = inhrelid"
    with app.app_context(), db.engine.connect() as connection:
        rows = connection.execute(text(f"{query} WHERE relkind = 'r' GROUP BY 1")).all()
        return {row[0]: row[1] for row in rows}


def test_every_table_is_partitioned_but_those_of_all_circles(app: Flask) -> None:
    assert set(Base.metadata.tables) - set(partitions_of(app)) == partitioned.OF_ALL_CIRCLES - {"alembic_version"}
    assert set(partitions_of(app).values()) == {partitioned.PARTITIONS}


def test_a_table_without_a_circle_is_refused_by_its_name(databases: Databases, tmp_path: Path) -> None:
    url = databases.make(tmp_path, migrated=False)
    with open_app(url) as app, app.app_context(), db.engine.begin() as connection:
        connection.execute(text("CREATE TABLE scribble (id integer PRIMARY KEY)"))
    with pytest.raises(LookupError, match=r"^scribble has no circle_id"):
        partitioned.convert(url)
    databases.drop(url)


def test_a_later_migration_runs_on_partitioned_tables(app: Flask) -> None:
    visitor = Visitor(app)
    visitor.open_table("whist").record(tricks="ns-5")
    with app.app_context(), db.engine.begin() as connection:
        op = Operations(MigrationContext.configure(connection))
        op.add_column("revision", sa.Column("remark", sa.Text(), nullable=True))
        op.add_column("seat", sa.Column("is_guest", sa.Boolean(), nullable=False, server_default=sa.false()))
        op.create_index("ix_revision_at", "revision", ["circle_id", "at"])
        op.execute("UPDATE revision SET remark = 'none'")
        with op.batch_alter_table("seat") as seat:
            seat.create_unique_constraint("uq_seat_player", ["circle_id", "table_id", "player_id"])
        with op.batch_alter_table("revision") as revision:
            revision.alter_column("remark", existing_type=sa.Text(), nullable=False, server_default="")
        op.create_table(
            "hint",
            sa.Column("circle_id", sa.Integer(), nullable=False),
            sa.Column("table_id", sa.Integer(), primary_key=True),
            sa.ForeignKeyConstraint(["circle_id", "table_id"], ["card_table.circle_id", "card_table.id"]),
        )
    assert visitor.record(tricks="ns-5").status == 200
    with app.app_context(), db.engine.connect() as connection:
        assert connection.execute(text("SELECT remark FROM revision ORDER BY number")).scalars().all() == ["none", ""]


# Where the circle is not known yet, once a request: on several machines, these need a directory.
WITHOUT_A_CIRCLE = {
    "the token of a table": r"WHERE card_table.token = ",
    "the name of a circle": r"WHERE circle.name = |AND circle.name = ",
    "the secret of a device": r"device.secret_hash = ",
}


def looked_up(reach: Reach) -> tuple[set[str], list[str]]:
    """Return why statements reached several partitions, and those without a reason."""
    why = {name: re.compile(pattern) for name, pattern in WITHOUT_A_CIRCLE.items()}
    found = {line: [name for name, pattern in why.items() if pattern.search(line)] for line in reach.of_all()}
    return {names[0] for names in found.values() if names}, [line for line, names in found.items() if not names]


def test_statements_reach_one_partition_once_the_circle_is_known(app: Flask) -> None:
    with observed(app) as reach:
        play(app)
    reasons, others = looked_up(reach)
    assert others == []
    assert reasons == set(WITHOUT_A_CIRCLE)
    assert len(reach.partitions) > 100
    with app.app_context():
        assert verify.verify().faults == []
        assert len(db.session.scalars(sa.select(Table)).all()) == 5
