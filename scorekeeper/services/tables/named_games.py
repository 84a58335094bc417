"""The games that a circle has described itself. They are stored nowhere but in the house rules of its tables."""

from __future__ import annotations

from sqlalchemy import case, func, select

from ...games import games
from ...models import SEATED, Circle, Table, db
from ...scoring.values import clean_name

MAX_NAMED = 50  # games on a page


def list_named_games(circle: Circle) -> list[Table]:
    """Return the last table of each game that the circle has named, the game played last first."""
    rules = {slug: game.named_by for slug, game in games().items() if game.named_by}
    if not rules:
        return []
    name = case({slug: Table.house_rules[rule].as_string() for slug, rule in rules.items()}, value=Table.game)
    place = func.row_number().over(partition_by=(Table.game, name), order_by=(Table.day.desc(), Table.id.desc()))
    numbered = (
        select(Table.id, place.label("place")).where(Table.circle_id == circle.id, Table.game.in_(rules)).subquery()
    )
    query = (
        select(Table)
        .join(numbered, (Table.id == numbered.c.id) & (numbered.c.place == 1))
        .where(Table.circle_id == circle.id)
        .order_by(Table.day.desc(), Table.id.desc())
        .limit(MAX_NAMED)
        .options(SEATED)
    )
    last: dict[tuple[str, str], Table] = {}
    for table in db.session.scalars(query):  # the database tells RUMMY and Rummy apart
        last.setdefault((table.game, clean_name(table.house_rules[rules[table.game]]).casefold()), table)
    return list(last.values())
