"""Searching a circle's tables by game, player, evening and whether they are settled."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Select, exists, or_, select
from sqlalchemy.orm import contains_eager

from ..models import SEATED, Circle, Player, Seat, Table, db
from ..scoring.values import without_accents
from ..tables.named_games import PlayedModel, is_of_game

PAGE_SIZE = 25
MAX_FOUND = 10_000  # tables found by words: every database takes this number of parameters


@dataclass(frozen=True)
class TableFilter:
    """The conditions of a search; None means any.

    `game` is a key, as in statistics. `since` and `until` are evenings, both included. `words` are part of the place or
    the note.
    """

    game: str | None = None
    person: int | None = None
    since: date | None = None
    until: date | None = None
    is_settled: bool | None = None
    words: str | None = None


class FoundEvent(NamedTuple):
    title: str
    url: str
    day: date
    game: str
    place: str | None


def find(circle: Circle, conditions: TableFilter, unsettled: set[int], page: int) -> tuple[list[Table], bool]:
    """Return page number `page`, from 0, of the tables found, newest first, and whether there are more.

    `unsettled` are the ids of the tables that are not settled.
    """
    query = _select_tables(circle, conditions).order_by(Table.day.desc(), Table.id.desc())
    if conditions.is_settled is not None:
        is_unsettled = Table.id.in_(unsettled)
        query = query.where(~is_unsettled if conditions.is_settled else is_unsettled)
    tables = db.session.scalars(query.offset(page * PAGE_SIZE).limit(PAGE_SIZE + 1)).all()
    return [*tables[:PAGE_SIZE]], len(tables) > PAGE_SIZE


def read_tables_on(circle: Circle, day: date) -> list[Table]:
    return list(db.session.scalars(_select_tables(circle, TableFilter(since=day, until=day)).order_by(Table.id)))


def _select_tables(circle: Circle, conditions: TableFilter) -> Select[Table]:
    # The eager loading of a player's person stops one level short here without SEATED.
    eager = (contains_eager(Table.summary), SEATED)
    query = filter_rows(select(Table).outerjoin(Table.summary).options(*eager), Table, circle, conditions)
    if conditions.person is not None:
        players = select_players(circle, conditions.person)
        query = query.where(exists().where(Seat.table_id == Table.id, Seat.has_sat, Seat.player_id.in_(players)))
    if conditions.words is not None:
        query = query.where(Table.id.in_(_list_tables_with_words(circle, conditions.words)))
    return query


def filter_rows(query: Select[Any], model: PlayedModel, circle: Circle, conditions: TableFilter) -> Select[Any]:
    query = query.where(model.circle_id == circle.id)
    if conditions.game is not None:
        query = query.where(is_of_game(circle, conditions.game, model))
    if conditions.since is not None:
        query = query.where(model.day >= conditions.since)
    if conditions.until is not None:
        query = query.where(model.day <= conditions.until)
    return query


def select_players(circle: Circle, person: int) -> Select[int]:
    return select(Player.id).where(Player.circle_id == circle.id, or_(Player.id == person, Player.person_id == person))


def _list_tables_with_words(circle: Circle, words: str) -> list[int]:
    """Return the ids of the newest tables whose place or note has these words; case and accents do not matter.

    They are compared in Python, since databases differ in which letters they take for the same.
    """
    query = select(Table.id, Table.place, Table.note).where(Table.circle_id == circle.id)
    query = query.where(or_(Table.place.is_not(None), Table.note.is_not(None)))
    wanted = without_accents(words)
    texts = db.session.execute(query.order_by(Table.day.desc(), Table.id.desc()))
    return list(islice((id_ for id_, place, note in texts if has_text(wanted, place, note)), MAX_FOUND))


def has_text(wanted: str, *texts: str | None) -> bool:
    return any(wanted in without_accents(text or "") for text in texts)
