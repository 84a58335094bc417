"""The base class of all models, and the database session. Models are imported from models/__init__.py.

Databases give an id again: SQLite once a row is deleted, PostgreSQL once an older backup is restored. A restore sets
counts back as well. So addresses, forms, links, cookies, `ETag`s and what forms say that they have `seen` name random
tokens, hashes or times, never an id alone. Within a circle, payments, phones, deals and entrants are addressed by
number: only people who can read the circle anyway reach such an address.
"""

from __future__ import annotations

import secrets

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import ForeignKey, MetaData
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMES = {"uq": "uq_%(table_name)s_%(column_0_N_name)s", "fk": "fk_%(table_name)s_%(column_0_N_name)s"}


class Base(DeclarativeBase):
    """The declarative base of all models."""

    metadata = MetaData(naming_convention=NAMES | {"ix": "ix_%(column_0_label)s"})  # so that migrations can alter them


class OfCircle(Base):
    """A row that belongs to a circle, and refers to rows of the same circle only. Rights and erasing go by it."""

    __abstract__ = True

    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))


def new_token() -> str:
    """Return 96 random bits as text, by which links and addresses know a row: ids are given again."""
    return secrets.token_urlsafe(12)


db = SQLAlchemy(model_class=Base)
