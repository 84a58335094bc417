"""Searching a circle's tables by game, player, evening and whether they are settled."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Exists, Select, exists, or_, select, tuple_
from sqlalchemy.orm import contains_eager

from ...models import SEATED, Circle, Entrant, Event, Player, Seat, Summary, Table, db
from ...scoring.values import without_accents
from ..tables.opening import is_of_game

PAGE_SIZE = 25
MAX_FOUND = 10_000  # tables found by words: every database takes so many parameters


class TablePosition(NamedTuple):
    """A table's position among the circle's, sorted by evening and then by id: a cursor for paging."""

    day: date
    id: int


@dataclass(frozen=True)
class TableFilter:
    """The conditions of a search; None means any.

    `game` is a key (see `stats.game_keys`). `since` and `until` are evenings, both included. `words` are part of the
    place or the note.
    """

    game: str | None = None
    person: int | None = None
    since: date | None = None
    until: date | None = None
    is_settled: bool | None = None
    words: str | None = None


@dataclass(frozen=True)
class TablePage:
    """A page of tables, newest first; `newer` and `older` are the cursors of the neighbouring pages, if any."""

    tables: list[Table]
    newer: TablePosition | None
    older: TablePosition | None


def find(
    circle: Circle, conditions: TableFilter, *, before: TablePosition | None = None, after: TablePosition | None = None
) -> TablePage:
    """Return the page of the newest tables, or of the next ones `before` or `after` a position."""
    position = tuple_(Table.day, Table.id)
    query = _matching(circle, conditions).limit(PAGE_SIZE + 1)
    if after is not None:
        query = query.where(position > tuple(after)).order_by(Table.day, Table.id)
    else:
        query = query.order_by(Table.day.desc(), Table.id.desc())
        query = query if before is None else query.where(position < tuple(before))
    tables = list(db.session.scalars(query))
    has_more = len(tables) > PAGE_SIZE
    tables = tables[:PAGE_SIZE] if after is None else tables[:PAGE_SIZE][::-1]
    return TablePage(
        tables,
        newer=_position(tables[:1]) if (before is not None if after is None else has_more) else None,
        older=_position(tables[-1:]) if has_more or after is not None else None,
    )


def read_tables_on(circle: Circle, day: date) -> list[Table]:
    """List the tables of an evening, oldest first."""
    return list(db.session.scalars(_matching(circle, TableFilter(since=day, until=day)).order_by(Table.id)))


def events_with_words(circle: Circle, conditions: TableFilter) -> list[Event]:
    """List the newest events with these words in their title or place, at most a page; none without words.

    The other conditions apply, too. Events are neither settled nor open as tables are, so that none fits this one.
    """
    if conditions.words is None or conditions.is_settled is not None:
        return []
    query = select(Event).where(Event.circle_id == circle.id).order_by(Event.day.desc(), Event.id.desc())
    if conditions.game is not None:
        query = query.where(is_of_game(circle, conditions.game, Event))
    if conditions.since is not None:
        query = query.where(Event.day >= conditions.since)
    if conditions.until is not None:
        query = query.where(Event.day <= conditions.until)
    if conditions.person is not None:
        query = query.where(_takes_part(circle, conditions.person))
    wanted = without_accents(conditions.words)
    found = (event for event in db.session.scalars(query) if _has_text(wanted, event.title, event.place))
    return list(islice(found, PAGE_SIZE))


def _takes_part(circle: Circle, person_id: int) -> Exists:
    return (
        select(Entrant.number)
        .join(Player, Player.id == Entrant.player_id)
        .where(
            Entrant.circle_id == circle.id,
            Entrant.event_id == Event.id,
            (Player.id == person_id) | (Player.person_id == person_id),
        )
        .exists()
    )


def _has_text(wanted: str, *texts: str | None) -> bool:
    return any(wanted in without_accents(text or "") for text in texts)


def read_tokens(circle: Circle, table_ids: Collection[int]) -> dict[int, str]:
    """Return the tokens of some of the circle's tables by their id."""
    query = select(Table.id, Table.token).where(Table.circle_id == circle.id, Table.id.in_(table_ids))
    return {row.id: row.token for row in db.session.execute(query)}


def _position(tables: list[Table]) -> TablePosition | None:
    return TablePosition(tables[0].day, tables[0].id) if tables else None


def _matching(circle: Circle, conditions: TableFilter) -> Select[Table]:
    query = (
        select(Table)
        .outerjoin(Table.summary)
        .where(Table.circle_id == circle.id)
        .options(
            contains_eager(Table.summary),
            SEATED,  # explicit, since the eager loading of a player's person stops one level short here
        )
    )
    if conditions.game is not None:
        query = query.where(is_of_game(circle, conditions.game))
    if conditions.since is not None:
        query = query.where(Table.day >= conditions.since)
    if conditions.until is not None:
        query = query.where(Table.day <= conditions.until)
    if conditions.person is not None:
        query = query.where(_plays(circle, conditions.person))
    if conditions.words is not None:
        query = query.where(Table.id.in_(_with_words(circle, conditions.words)))
    if conditions.is_settled:
        query = query.where(Summary.is_settled)
    elif conditions.is_settled is not None:
        query = query.where(or_(Summary.is_settled.is_(False), Summary.table_id.is_(None)))
    return query


def _with_words(circle: Circle, words: str) -> list[int]:
    """Return the ids of the newest tables whose place or note has these words; case and accents do not matter.

    Compared here, since databases differ in what they take for the same letter.
    """
    query = select(Table.id, Table.place, Table.note).where(
        Table.circle_id == circle.id, or_(Table.place.is_not(None), Table.note.is_not(None))
    )
    wanted = without_accents(words)
    texts = db.session.execute(query.order_by(Table.day.desc(), Table.id.desc()))
    found = (id_ for id_, place, note in texts if _has_text(wanted, place, note))
    return list(islice(found, MAX_FOUND))


def _plays(circle: Circle, person: int) -> Exists:
    """Build the condition that the person, or a player merged into them, has sat at the table."""
    in_circle = select(Player.id).where(Player.circle_id == circle.id)
    player_ids = in_circle.where(or_(Player.id == person, Player.person_id == person))
    at_table = (Seat.circle_id == circle.id, Seat.table_id == Table.id, Seat.has_sat)
    return exists().where(*at_table, Seat.player_id.in_(player_ids))
