"""Upgrading the schema, with Alembic. A process that finds the newest schema does not load it: that takes a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from ..models import db
from . import copying

if TYPE_CHECKING:
    from alembic.config import Config

NEWEST = "head"


def upgrade(
    revision: str = NEWEST, *, connection: Connection | None = None, note: Callable[..., None] | None = None
) -> None:
    """Run the migrations up to a revision, in the transaction of `connection` if there is one.

    `note` is called after each, with what Alembic tells of it.
    """
    if connection is None and revision == NEWEST and _is_newest():
        return
    from alembic import command  # noqa: PLC0415  # only an upgrade needs it

    found = make_config()
    found.attributes.update(connection=connection, on_version_apply=note)
    command.upgrade(found, revision)


def make_config() -> Config:
    """Return what Alembic needs to know, for its other commands too."""
    from alembic.config import Config  # noqa: PLC0415  # only an upgrade needs it

    return Config(copying.MIGRATIONS / "alembic.ini")


def _is_newest() -> bool:
    with db.engine.connect() as connection:
        return copying.read_version(connection) == copying.newest_version()
