"""The base class of all models, references within a circle, and the database session.

Every row of a circle says which circle it belongs to, and refers to others by `circle_id` and their id. So no row can
tie two circles together, and the tables can be divided by circle. Such a row's identity in a session is its key and
`circle_id`, so that its UPDATE names the circle as well. Models are imported from models/__init__.py.

Databases give an id again: SQLite once a row is deleted, PostgreSQL once an older backup is restored. A restore sets
counts back as well. So whatever outlives a transaction names a random token that is never used twice:

- addresses: `Circle.name`, and the `token` of a table, event, settlement or player; forms name people by it too;
- links: their own secrets, of which the database has the hashes; of an event `Event.generation`, signed; a guest's
  phone has `EventPhone.generation`, which must be the event's;
- the cookie: the device's secret, signed; streams: tokens and the hash of that secret;
- `seen` in forms: the last revision's number with a hash of its time and key, the mark of the last payment, or a hash
  of the amounts and tokens shown; forms about a payment, phone or link: a hash of its own time, key or secret;
- `ETag`s and caches in the process: a table's token, `edition`, last revision's time and key, `marks_edition`; an
  event's token, `edition` or `plan_edition`.

Within a circle, payments, phones, deals and entrants are addressed by number: only people who can read the
circle anyway reach such an address. The forms for an event's rounds and results say what they have seen
 by a number alone.
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
