"""Totals of tables, computed from their summaries: by month, or of the evenings between two days."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Any

from sqlalchemy import Select, and_, exists, extract, or_, select

from ...games import find_game
from ...models import Player, RoundTable, Summary, Table, db
from ...scoring.accounts import subunits_per_counter
from ...scoring.game import AnyGame
from ...stats.seasons import add_scores
from ...stats.summary_data import make_game_key, open_subunits, slug_of, was_played
from ...stats.totals import Counts, Totals, table_totals
from ...tables.state import read_value
from ..invalidation import YEAR, get_month

BATCH_SIZE = 500  # summaries held in memory

Span = tuple[date, date]  # the first and the last evening


def read_month_totals(circle_id: int, months: list[str]) -> Iterator[tuple[str, Totals]]:
    """Yield the totals of those of these months that have tables."""
    if not months:
        return
    person_ids = read_person_ids(circle_id)
    with db.session.execute(_tables(circle_id).where(_is_in(months))) as rows:
        for month, tables in groupby(rows, lambda row: get_month(row.day)):
            yield month, _add_up(tables, person_ids)


def read_span_totals(circle_id: int, spans: Sequence[Span]) -> Iterator[tuple[Span, Totals]]:
    """Yield the totals of each of these spans, which have no evening in common and are in order."""
    if not spans:
        return
    person_ids = read_person_ids(circle_id)
    query = _tables(circle_id).where(or_(*(Table.day.between(first, last) for first, last in spans)))
    by_span = dict.fromkeys(spans, Totals())
    with db.session.execute(query) as rows:
        for span, tables in groupby(rows, lambda row: next(s for s in spans if s[0] <= row.day <= s[1])):
            by_span[span] = _add_up(tables, person_ids)
    yield from by_span.items()


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
        scores: Counts = {}
        for table in tables:
            add_scores(scores, table.data, person_ids)
        yield day, scores


def _read_evenings(
    circle_id: int, since: date, until: date, keys: Collection[str]
) -> Iterator[tuple[date, Iterator[Any]]]:
    """Yield evenings with the tables that were played, as rows with the columns that `_tables` selects."""
    of_event = (RoundTable.circle_id == Table.circle_id, RoundTable.table_id == Table.id)
    query = _tables(circle_id).where(Table.day.between(since, until), ~exists().where(*of_event))
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


def _tables(circle_id: int) -> Select[Any]:
    return (
        select(
            *(Table.id, Table.day, Table.game, Table.house_rules),
            *(Table.value_amount, Table.value_currency, Table.value_unit),
            *(Summary.data, Summary.taken_over, Summary.is_taken_over),
        )
        .join(Table.summary)
        .where(Table.circle_id == circle_id)
        .order_by(Table.day, Table.id)
        .execution_options(yield_per=BATCH_SIZE)
    )


def _add_up(tables: Iterable[Any], person_ids: Mapping[int, int]) -> Totals:
    """Add tables up, which are rows with the columns that `_tables` selects; those without a deal count nothing."""
    total = Totals()
    for table in tables:
        game = find_game(table.game)
        key = make_game_key(game, table.house_rules)
        if was_played(table.data):
            total.add(table_totals(table.id, table.day.isoformat(), game, table.data, person_ids, key))
        if not table.is_taken_over:
            _add_unsettled(total, game, table, person_ids)
    return total


def _add_unsettled(total: Totals, game: AnyGame, table: Any, person_ids: Mapping[int, int]) -> None:
    """Add a table's open balances; `table` is a row with the columns that `_tables` selects."""
    per_counter = subunits_per_counter(game, read_value(table))
    for seat, subunits in open_subunits(table).items():
        player = str(person_ids[table.data["seats"][seat]])
        total.add_unsettled(f"{table.data['account']} {game.slug} {player}", subunits, subunits // per_counter)


def read_person_ids(circle_id: int) -> dict[int, int]:
    """Return the id of the person of each of the circle's players, by the player's."""
    query = select(Player.id, Player.person_id).where(Player.circle_id == circle_id)
    return {id_: person or id_ for id_, person in db.session.execute(query)}


def get_last_day(month: str) -> date:
    """Return the last day of a month."""
    year, number = int(month[:YEAR]), int(month[-2:])
    return date(year, number, monthrange(year, number)[1])


def _is_in(months: Sequence[str]) -> Any:
    """Build the condition that a table's day is in one of these months; the index is used for the range of days."""
    wanted = sorted((int(month[:YEAR]), int(month[-2:])) for month in months)
    return and_(
        Table.day.between(date(*wanted[0], 1), get_last_day(max(months))),
        (extract("year", Table.day) * 100 + extract("month", Table.day)).in_([y * 100 + m for y, m in wanted]),
    )
