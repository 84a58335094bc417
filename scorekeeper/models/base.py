"""The base class of all models, references within a circle, and the database session.

Every row of a circle says which circle it belongs to, and refers to others by `circle_id` and their id. So no row can
tie two circles together, and the tables can be divided by circle. Such a row's identity in a session is its key and
`circle_id`, so that its UPDATE names the circle as well. Models are imported from models/__init__.py.
"""

from __future__ import annotations

import secrets
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import ForeignKeyConstraint, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase


class Base(DeclarativeBase):
    """The declarative base of all models."""


def new_token() -> str:
    """Return 96 random bits as text, by which links and addresses know a row: ids are given again."""
    return secrets.token_urlsafe(12)


def reference(table: str, column: str, referred: str) -> ForeignKeyConstraint:
    """Build the foreign key of a table's column to the id of a row of the same circle."""
    name = f"fk_{table}_{column.removesuffix('_id')}"
    return ForeignKeyConstraint(["circle_id", column], [f"{referred}.circle_id", f"{referred}.id"], name=name)


def referred_to(table: str) -> UniqueConstraint:
    """Build the unique constraint that references to a table need."""
    return UniqueConstraint("circle_id", "id", name=f"uq_{table}_circle_id")


def joined_by(column: str, model: str) -> str:
    """Build the condition of a relationship by a model's column, such as "Seat.player_id".

    Only this column is set with the relationship: `circle_id` has been set before.
    """
    own, id_, circle_id = column.partition(".")[0], f"{model}.id", f"{model}.circle_id"
    if own == model:  # the other row of the same table
        id_, circle_id = f"remote({id_})", f"remote({circle_id})"
    return f"and_(foreign({column}) == {id_}, {own}.circle_id == {circle_id})"


def identified_by(*key: Any) -> dict[str, Any]:
    """Build the arguments of a mapper whose rows are identified by these columns, all of them.

    So a reference that is null is known to lead nowhere, without a query.
    """
    return {"primary_key": key, "allow_partial_pks": False}


db = SQLAlchemy(model_class=Base)
