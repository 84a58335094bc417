"""Totals of a circle's tables, added up from their summaries: in a period, or of each evening."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from itertools import groupby
from typing import Any

from sqlalchemy import Select, exists, extract, select

from ...games import find_game, games
from ...models import Circle, Event, Player, RoundTable, Summary, Table, db
from ...stats.seasons import add_scores
from ...stats.summary import make_game_key, slug_of, was_played
from ...stats.totals import Counts, Totals

BATCH_SIZE = 500  # summaries held in memory


def read(circle: Circle, since: date | None = None, until: date | None = None) -> Totals:
    """Return the totals of the evenings from `since` to `until`, both included; None for no limit."""
    query = _tables(circle.id, since or date.min, until or date.max)
    with db.session.execute(query) as rows:
        return _add_up((row for row in rows if was_played(row.data)), read_person_ids(circle.id))


def list_years(circle: Circle) -> list[str]:
    """Return the years in which the circle has a table or a finished event, newest first."""
    of_tables = select(extract("year", Table.day)).where(Table.circle_id == circle.id)
    finished = Event.circle_id == circle.id, Event.finished_at.is_not(None)
    years = db.session.scalars(of_tables.union(select(extract("year", Event.day)).where(*finished)))
    return sorted((str(year) for year in years), reverse=True)


def read_evening_totals(
    circle_id: int, since: date, until: date, keys: Collection[str]
) -> Iterator[tuple[date, Totals]]:
    """Yield the totals of each evening between two days, at the games with these keys; at all games if there are none.

    Without the tables of events, which count as a whole.
    """
    person_ids = read_person_ids(circle_id)
    for day, tables in _read_evenings(circle_id, since, until, keys):
        yield day, _add_up(tables, person_ids)


def read_evening_scores(
    circle_id: int, since: date, until: date, keys: Collection[str]
) -> Iterator[tuple[date, Counts]]:
    """Yield the final scores of each evening by person, added up, of the tables of `read_evening_totals`."""
    person_ids = read_person_ids(circle_id)
    for day, tables in _read_evenings(circle_id, since, until, keys):
        scores = Counts()
        for table in tables:
            add_scores(scores, table.data, person_ids)
        yield day, scores


def _read_evenings(
    circle_id: int, since: date, until: date, keys: Collection[str]
) -> Iterator[tuple[date, Iterator[Any]]]:
    """Yield evenings with the tables that were played, as rows with the columns that `_tables` selects."""
    query = _tables(circle_id, since, until).where(~exists().where(RoundTable.table_id == Table.id))
    if keys:
        query = query.where(Table.game.in_(sorted({slug_of(key) for key in keys})))
    with db.session.execute(query) as rows:
        yield from groupby((row for row in rows if _is_of(row, keys) and was_played(row.data)), lambda row: row.day)


def count_open_tables(circle_id: int, since: date, until: date, keys: Collection[str]) -> int:
    """Count the tables between two days that are still open, at the games with these keys or, without any, at all."""
    query = select(Table.game, Table.house_rules).where(
        Table.circle_id == circle_id, Table.closed_at.is_(None), Table.day.between(since, until)
    )
    return sum(_is_of(row, keys) for row in db.session.execute(query))


def _is_of(row: Any, keys: Collection[str]) -> bool:
    """Return whether a row with a table's game and house rules is of one of these keys; of any, if there are none."""
    return not keys or make_game_key(find_game(row.game), row.house_rules) in keys


def _tables(circle_id: int, since: date, until: date) -> Select[Any]:
    return (
        select(Table.id, Table.day, Table.game, Table.house_rules, Summary.data)
        .join(Table.summary)
        .where(Table.circle_id == circle_id, Table.day.between(since, until))
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=BATCH_SIZE)
    )


def _add_up(tables: Iterable[Any], person_ids: Mapping[int, int]) -> Totals:
    """Add up tables, which are rows with the columns that `_tables` selects."""
    total = Totals()
    for table in tables:
        game = games().get(table.game)
        key = make_game_key(game, table.house_rules) if game is not None else ""
        total.add(table.id, table.day.isoformat(), game, table.data, person_ids, key)
    return total


def read_person_ids(circle_id: int) -> dict[int, int]:
    """Return the id of the person of each of the circle's players, by the player's."""
    query = select(Player.id, Player.person_id).where(Player.circle_id == circle_id)
    return {id_: person or id_ for id_, person in db.session.execute(query)}
