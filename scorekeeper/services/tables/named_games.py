"""The games that a circle has described itself. They are stored nowhere but in the house rules of its tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, case, func, null, select

from ...games import find_game, games
from ...models import SEATED, Circle, Table, db
from ...scoring.values import clean_name
from ...stats.game_keys import make_game_key, slug_of

MAX_NAMED = 50  # games on a page


def list_named_games(circle: Circle) -> list[Table]:
    """Return the last table of each game that the circle has named, the game played last first."""
    name = _name_column()
    place = func.row_number().over(partition_by=(Table.game, name), order_by=(Table.day.desc(), Table.id.desc()))
    numbered = select(Table.id, place.label("place")).where(Table.circle_id == circle.id, name.is_not(None)).subquery()
    query = (
        select(Table)
        .join(numbered, (Table.id == numbered.c.id) & (numbered.c.place == 1))
        .where(Table.circle_id == circle.id)
        .order_by(Table.day.desc(), Table.id.desc())
        .limit(MAX_NAMED)
        .options(SEATED)
    )
    last: dict[str, Table] = {}
    for table in db.session.scalars(query):  # the database tells RUMMY and Rummy apart
        last.setdefault(make_game_key(table.game, find_game(table.game).find_name(table.house_rules)), table)
    return list(last.values())


def read_names(circle: Circle, keys: Collection[str]) -> dict[str, str]:
    """Return by key the names of those of these games that the circle has named, as it wrote them last."""
    if not any(slug_of(key) != key for key in keys):
        return {}
    name = _name_column()
    query = (
        select(Table.game, name.label("name"))
        .where(Table.circle_id == circle.id, name.is_not(None))
        .group_by(Table.game, name)
        .order_by(func.max(Table.day), func.max(Table.id))
    )
    named = [(row.game, clean_name(row.name)) for row in db.session.execute(query)]
    return {make_game_key(slug, text): text for slug, text in named}


def _name_column() -> ColumnElement[Any]:
    """Build the column of the names that house rules give games, NULL for other tables."""
    names = {slug: Table.house_rules[game.named_by].as_string() for slug, game in games().items() if game.named_by}
    return case(names, value=Table.game) if names else null()
