"""Tables whose games are not installed. They keep their facts, and their results as they were stored last."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select

from ...games import games
from ...models import Circle, Summary, Table, db
from ..money.scopes import Scope, tables_in


class MissingGameTables(NamedTuple):
    """The number of tables of a game that is not installed, and of those of which no result is known."""

    game: str
    tables: int
    without_result: int


def tables_without_games(circle: Circle | None = None, scope: Scope | None = None) -> list[MissingGameTables]:
    """Count these tables by game: those of a circle, or of a scope in it, or of the whole database."""
    conditions: list[ColumnElement[bool]] = [Table.game.not_in(games())]
    if circle is not None:
        conditions.append(tables_in(circle, scope or Scope()))
    query = (
        select(Table.game, func.count(), func.count() - func.count(Summary.table_id))
        .outerjoin(Table.summary)
        .where(*conditions)
        .group_by(Table.game)
        .order_by(Table.game)
    )
    return [MissingGameTables(*row) for row in db.session.execute(query)]


def count_tables() -> dict[str, int]:
    """Return how many tables of each game that is not installed are in the database."""
    return {missing.game: missing.tables for missing in tables_without_games()}


def has_tables_of(circle: Circle, slug: str) -> bool:
    """Return whether the circle has tables of this game, installed or not."""
    return (
        db.session.scalar(select(Table.id).where(Table.circle_id == circle.id, Table.game == slug).limit(1)) is not None
    )
