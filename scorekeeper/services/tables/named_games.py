"""The games that a circle has described itself. They are stored nowhere but in the house rules of its tables."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, null, select

from ...games import find_game, games
from ...models import SEATED, Circle, Table, db
from ...scoring.values import clean_name
from ...stats.game_keys import make_game_key, slug_of

MAX_NAMED = 50  # games on a page


def find_key(table: Table) -> str:
    """Return the key of what is played at a table."""
    return make_game_key(table.game, find_game(table.game).find_name(table.house_rules))


def list_named_games(circle: Circle) -> dict[str, Table]:
    """Return by its key the last table of each game that the circle has named, the game played last first."""
    name = _name_column()
    place = func.row_number().over(partition_by=(Table.game, name), order_by=(Table.day.desc(), Table.id.desc()))
    numbered = select(Table.id, place.label("place")).where(Table.circle_id == circle.id, _has_name()).subquery()
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
        last.setdefault(find_key(table), table)
    return last


def find_last_table(circle: Circle, key: str) -> Table | None:
    """Return the circle's newest table of the game with this key."""
    query = select(Table).where(Table.circle_id == circle.id, is_of_game(circle, key))
    return db.session.scalar(query.order_by(Table.id.desc()).limit(1))


def is_of_game(circle: Circle, key: str) -> ColumnElement[bool]:
    """Build the condition that a table of the circle is of the game with this key."""
    slug = slug_of(key)
    if slug == key:
        return Table.game == key
    spellings = [name for game, name in _read_spellings(circle) if make_game_key(game, clean_name(name)) == key]
    return and_(Table.game == slug, _name_column().in_(spellings))


def read_names(circle: Circle) -> dict[str, str]:
    """Return by key the names of the games that the circle has named, as it wrote them last."""
    named = [(slug, clean_name(name)) for slug, name in _read_spellings(circle)]
    return {make_game_key(slug, name): name for slug, name in named}


def _read_spellings(circle: Circle) -> list[tuple[str, str]]:
    """Return the slug and the name of each game that the circle has named, as house rules spell it, the newest last."""
    name = _name_column()
    query = (
        select(Table.game, name)
        .where(Table.circle_id == circle.id, _has_name())
        .group_by(Table.game, name)
        .order_by(func.max(Table.day), func.max(Table.id))
    )
    return [(slug, spelling) for slug, spelling in db.session.execute(query)]


def _has_name() -> ColumnElement[bool]:
    """Build the condition that the house rules of a table give its game a name."""
    return Table.game.in_([slug for slug, game in games().items() if game.named_by])


def _name_column() -> ColumnElement[Any]:
    """Build the column of the names that house rules give games, NULL for other tables."""
    names = {slug: Table.house_rules[game.named_by].as_string() for slug, game in games().items() if game.named_by}
    return case(names, value=Table.game) if names else null()
