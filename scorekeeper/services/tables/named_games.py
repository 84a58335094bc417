"""The games that a circle has described itself. They are stored only in the house rules of its tables and events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, case, func, null, select

from ...games import find_game, games
from ...models import SEATED, Circle, Event, Table, db
from ...stats.game_keys import make_game_key, slug_of

Played = type[Table] | type[Event]

MAX_NAMED = 50  # games on a page


def find_key(table: Table) -> str:
    """Return the key of what is played at a table."""
    return make_game_key(find_game(table.game), table.house_rules)


def list_named_games(circle: Circle) -> dict[str, Table]:
    """Return by its key the last table of each game that the circle has named, the game played last first."""
    name = _name_column(Table)
    place = func.row_number().over(partition_by=(Table.game, name), order_by=(Table.day.desc(), Table.id.desc()))
    numbered = select(Table.id, place.label("place")).where(Table.circle_id == circle.id, has_name(Table)).subquery()
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


def is_of_game(circle: Circle, key: str, model: Played = Table) -> ColumnElement[bool]:
    """Build the condition that a table, or an event, of the circle is of the game with this key."""
    slug = slug_of(key)
    if slug == key:
        return model.game == key
    spellings = [named.text for named in _list_named(circle) if named.key == key]
    return and_(model.game == slug, _name_column(model).in_(spellings))


def read_names(circle: Circle) -> dict[str, str]:
    """Return by key the names of the games that the circle has named, as it wrote them last."""
    return {named.key: named.name for named in _list_named(circle)}


class _Named(NamedTuple):
    """A name that the circle has given a game; `text` is the name as house rules spell it."""

    key: str
    name: str
    text: str


def _list_named(circle: Circle) -> Iterator[_Named]:
    """Yield each spelling of each name that the circle has given a game, the newest last; of a day, those of tables."""
    if not any(game.named_by for game in games().values()):
        return  # a name is NULL for all, and PostgreSQL groups by no constant
    named = []
    for model in (Event, Table):
        name, last = _name_column(model), (func.max(model.day), func.max(model.id))
        query = select(*last, model.game, name).where(model.circle_id == circle.id, has_name(model))
        named += [(day, model is Table, *found) for day, *found in db.session.execute(query.group_by(model.game, name))]
    for *_, slug, text in sorted(named):
        game = find_game(slug)
        house_rules = {game.named_by: text}
        yield _Named(make_game_key(game, house_rules), game.find_name(house_rules), text)


def has_name(model: Played) -> ColumnElement[bool]:
    """Build the condition that the house rules of a table or an event give its game a name."""
    return model.game.in_([slug for slug, game in games().items() if game.named_by])


def _name_column(model: Played) -> ColumnElement[Any]:
    """Build the column of the names that house rules give games, NULL for other tables or events."""
    names = {slug: model.house_rules[game.named_by].as_string() for slug, game in games().items() if game.named_by}
    return case(names, value=model.game) if names else null()
