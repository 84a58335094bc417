"""The games that circles have named: one that house rules describe is a game of its own by its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, select

from ..games import find_game, games, make_game_key, slug_of
from ..models import SEATED, Circle, Event, Table, db

PlayedModel = type[Table] | type[Event]

MAX_NAMED = 50  # games on a page


def find_game_key(table: Table) -> str:
    return make_game_key(find_game(table.game), table.house_rules)


def list_named_games(circle: Circle) -> dict[str, Table]:
    """Return the last table of each game that the circle has named, by the game's key, the one played last first."""
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
        last.setdefault(find_game_key(table), table)
    return last


def find_last_table(circle: Circle, key: str) -> Table | None:
    query = select(Table).where(Table.circle_id == circle.id, is_of_game(circle, key))
    return db.session.scalar(query.order_by(Table.id.desc()).limit(1))


def is_of_game(circle: Circle, key: str, model: PlayedModel = Table) -> ColumnElement[bool]:
    slug = slug_of(key)
    if slug == key:
        return model.game == key
    spellings = [text for named, _, text in _list_named(circle) if named == key]
    return and_(model.game == slug, _name_column(model).in_(spellings))


def read_game_names(circle: Circle) -> dict[str, str]:
    """Return the names that the circle has given games, by key, as it wrote them last."""
    return {key: name for key, name, _ in _list_named(circle)}


def list_game_keys(circle: Circle) -> list[str]:
    """List the keys of the games with results of their own: those that need no description, and the circle's own."""
    return [*(slug for slug, game in games().items() if not game.house_rules.named_by), *read_game_names(circle)]


def _list_named(circle: Circle) -> Iterator[tuple[str, str, str]]:
    """Yield key, name and its spelling in house rules of each game that the circle has named, the newest last."""
    named = []
    for model in (Event, Table):
        name, last = _name_column(model), (func.max(model.day), func.max(model.id))
        query = select(*last, model.game, name).where(model.circle_id == circle.id, has_name(model))
        named += [(day, model is Table, *found) for day, *found in db.session.execute(query.group_by(model.game, name))]
    for *_, slug, text in sorted(named):
        game = find_game(slug)
        house_rules = {game.house_rules.named_by: text}
        yield make_game_key(game, house_rules), game.find_name(house_rules), text


def has_name(model: PlayedModel) -> ColumnElement[bool]:
    return model.game.in_([slug for slug, game in games().items() if game.house_rules.named_by])


def _name_column(model: PlayedModel) -> ColumnElement[Any]:
    """Build the column of the names that house rules give games; NULL for other games."""
    names = {
        slug: model.house_rules[game.house_rules.named_by].as_string()
        for slug, game in games().items()
        if game.house_rules.named_by
    }
    return case(names, value=model.game)
