"""Finding the tables of a circle: by game, player, evening and whether they are settled; and those of one evening."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from sqlalchemy import Exists, Select, exists, or_, select, tuple_
from sqlalchemy.orm import contains_eager

from ..store import SEATED, Circle, Player, Seat, Summary, Table, db

PAGE = 25  # tables that are shown at once


class Place(NamedTuple):
    """Where a table stands among the circle's, which lie in order of evening and then of opening."""

    day: date
    id: int


@dataclass(frozen=True)
class Wanted:
    """What is asked for, None where anything will do; `since` and `until` are evenings, both of them included."""

    game: str | None = None
    person: int | None = None
    since: date | None = None
    until: date | None = None
    is_settled: bool | None = None


@dataclass(frozen=True)
class Found:
    """Newest first; `newer` and `older` are where to look on from, None where there is nothing more."""

    tables: list[Table]
    newer: Place | None
    older: Place | None


def find(circle: Circle, wanted: Wanted, *, before: Place | None = None, after: Place | None = None) -> Found:
    """The newest tables there are, or the next ones `before` a place, or `after` it. Reads no more than it answers."""
    place = tuple_(Table.day, Table.id)
    query = _wanted(circle, wanted).limit(PAGE + 1)
    if after is not None:
        query = query.where(place > tuple(after)).order_by(Table.day, Table.id)
    else:
        query = query.order_by(Table.day.desc(), Table.id.desc())
        query = query if before is None else query.where(place < tuple(before))
    tables = list(db.session.scalars(query))
    has_more = len(tables) > PAGE
    tables = tables[:PAGE] if after is None else tables[:PAGE][::-1]
    return Found(
        tables,
        newer=_place(tables[:1]) if (before is not None if after is None else has_more) else None,
        older=_place(tables[-1:]) if has_more or after is not None else None,
    )


def tables_on(circle: Circle, day: date) -> list[Table]:
    """The tables of an evening, the first first."""
    return list(db.session.scalars(_wanted(circle, Wanted(since=day, until=day)).order_by(Table.id)))


def _place(tables: list[Table]) -> Place | None:
    return Place(tables[0].day, tables[0].id) if tables else None


def _wanted(circle: Circle, wanted: Wanted) -> Select[Table]:
    query = (
        select(Table)
        .outerjoin(Table.summary)
        .where(Table.circle_id == circle.id)
        .options(
            contains_eager(Table.summary),
            # Who a player turned out to be has to be asked for: what loads it by itself ends one step before.
            SEATED,
        )
    )
    if wanted.game is not None:
        query = query.where(Table.game == wanted.game)
    if wanted.since is not None:
        query = query.where(Table.day >= wanted.since)
    if wanted.until is not None:
        query = query.where(Table.day <= wanted.until)
    if wanted.person is not None:
        query = query.where(_plays(wanted.person))
    if wanted.is_settled:
        query = query.where(Summary.is_settled)
    elif wanted.is_settled is not None:
        query = query.where(or_(Summary.is_settled.is_(False), Summary.table_id.is_(None)))
    return query


def _plays(person: int) -> Exists:
    """Whether that person has a seat, by whichever of his names."""
    theirs = select(Player.id).where(or_(Player.id == person, Player.person_id == person))
    return exists().where(Seat.table_id == Table.id, Seat.player_id.in_(theirs))
