"""A circle's players: names, retirement, the banker and the cashier, and merging two players of one person.

A person is a player who is not merged into another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, delete, exists, func, select, update

from ..db.transactions import writing_to_circle
from ..limits import MAX_NAME_LENGTH
from ..models import (
    HOST,
    Base,
    Circle,
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    EveningAnswer,
    Event,
    Membership,
    Player,
    Seat,
    Table,
    db,
)
from ..scoring.problems import Problem
from ..site.live import touch_event, touch_tables
from ..site.time_zones import now
from .players import NO_MEANINGS, Meanings, NamedPeople, ask, list_all_players, players_of_person


def set_office(circle: Circle, office: Literal["is_banker", "is_cashier"], player_id: int, by: Membership) -> None:
    """Make a player the banker or the cashier; an id that is no person of the circle leaves it without one."""
    with writing_to_circle(circle.id, membership=by, right=HOST) as locked:
        for player in db.session.scalars(select(Player).where(Player.circle_id == locked.id)):
            setattr(player, office, player.id == player_id and player.person_id is None)


class PersonRow(NamedTuple):
    """A person with the players merged into them, how many tables and events they played at, and the last evening."""

    player: Player
    merged: list[Player]
    tables: int
    last: date | None
    events: int


def list_people(circle: Circle) -> list[PersonRow]:
    players, person_id = list_all_players(circle), func.coalesce(Player.person_id, Player.id)
    tables = (
        select(person_id, func.count(), func.max(Table.day))
        .select_from(Seat)
        .join(Player, Player.id == Seat.player_id)
        .join(Table, Table.id == Seat.table_id)
        .where(Seat.circle_id == circle.id, Seat.has_sat)
    )
    has_begun = select(DrawnRound.event_id).where(DrawnRound.circle_id == circle.id, DrawnRound.number == 1)
    events = (
        select(person_id, func.count(), func.max(Event.day))
        .select_from(Entrant)
        .join(Player, Player.id == Entrant.player_id)
        .join(Event, Event.id == Entrant.event_id)
        .where(Entrant.circle_id == circle.id, Event.id.in_(has_begun))
    )
    played = [
        {id_: (count, last) for id_, count, last in db.session.execute(query.group_by(person_id))}
        for query in (tables, events)
    ]
    rows = []
    for person in (player for player in players if player.person_id is None):
        (at_tables, last_table), (at_events, last_event) = (counted.get(person.id, (0, None)) for counted in played)
        last = max(filter(None, (last_table, last_event)), default=None)
        merged = [player for player in players if player.person_id == person.id]
        rows.append(PersonRow(person, merged, at_tables, last, at_events))
    return rows


# --- people who have only answered -------------------------------------------------------------------------

# Whatever refers to a player, but for answers and phones: a newcomer has nothing of it.
_DEEDS = [
    column
    for table in Base.metadata.tables.values()
    for column in table.columns
    if table.name not in (EveningAnswer.__tablename__, Membership.__tablename__)
    and any(key.column is Player.__table__.c.id for key in column.foreign_keys)
]


def list_newcomers(circle: Circle) -> list[Player]:
    """List those who have answered for an evening, and done nothing else in the circle."""
    query = select(Player).where(Player.circle_id == circle.id, Player.person_id.is_(None), Player.erased_at.is_(None))
    query = query.where(exists().where(EveningAnswer.player_id == Player.id))
    for column in _DEEDS:
        deed = column.table.alias()
        query = query.where(~exists().where(deed.c[column.name] == Player.id))
    return list(db.session.scalars(query.order_by(Player.id)))


def remove_newcomers(circle: Circle, tokens: Collection[str], by: Membership) -> None:
    """Delete newcomers with their answers; people who have done more since stay."""
    with writing_to_circle(circle.id, membership=by, right=HOST) as locked:
        ids = [player.id for player in list_newcomers(locked) if player.token in tokens]
        db.session.execute(update(Membership).where(Membership.player_id.in_(ids)).values(player_id=None))
        db.session.execute(delete(EveningAnswer).where(EveningAnswer.player_id.in_(ids)))
        db.session.execute(delete(Player).where(Player.id.in_(ids)))


# --- names and retirement ----------------------------------------------------------------------------------


def rename(player: Player, name: str, by: Membership | None = None, meanings: Meanings = NO_MEANINGS) -> Problem | None:
    """Rename a player, at past tables too, or return what is wrong; `meanings` are the answers whom the name means."""
    with writing_to_circle(player.circle_id, membership=by, right=HOST) as circle:
        problem = changed_meanwhile(player) or _name_problem(player, name, meanings)
        if problem is None:
            player.name = name
            touch_names(circle, [player])
        return problem


def changed_meanwhile(player: Player) -> Problem | None:
    if player.person_id is None and player.erased_at is None:
        return None
    return Problem("player", "player-changed")


def _name_problem(player: Player, name: str, meanings: Meanings) -> Problem | None:
    if not name:
        return Problem("name", "name-blank")
    if len(name) > MAX_NAME_LENGTH:
        return Problem("name", "long-name", {"most": MAX_NAME_LENGTH})
    players = list_all_players(player.circle)
    if any(other.person_id == player.id and other.name == name for other in players):
        return Problem("name", "name-merged", {"found": name})
    found = NamedPeople(other for other in players if other.person.id != player.id).find(name, meanings)
    if isinstance(found, Player):
        return Problem("name", "name-taken", {"found": name})
    return ask(name, found) if found else None


def set_retired(player: Player, is_retired: bool, by: Membership | None = None) -> Problem | None:
    """Set whether a player is left out of those to choose from when a table is opened; the name can still be typed."""
    with writing_to_circle(player.circle_id, membership=by, right=HOST):
        problem = changed_meanwhile(player)
        if problem is None:
            player.retired_at = (player.retired_at or now()) if is_retired else None
        return problem


# --- merging -----------------------------------------------------------------------------------------------


def merge(player: Player, into: Player, by: Membership | None = None) -> Table | Event | Problem | None:
    """Merge a player, and the players merged into them, into another one; return None on success.

    Nobody has two seats at one table: if both have ever sat at the same one, even if that was withdrawn, nothing
    changes and it is returned. Nor does anybody take part in an event twice: an event in which both do, or did for
    somebody else, is returned too.
    """
    with writing_to_circle(player.circle_id, membership=by, right=HOST) as circle:
        person = into.person
        if player.person.id == person.id:
            return None
        problem = changed_meanwhile(player) or changed_meanwhile(person)
        if problem is not None:
            return problem
        players = list_all_players(circle)
        merged = players_of_person(player, players)
        groups = [[each.id for each in group] for group in (merged, players_of_person(person, players))]
        tables = select(Table).where(Table.circle_id == circle.id, *map(_have_seat, groups)).order_by(Table.id.desc())
        events = select(Event).where(Event.circle_id == circle.id, *map(_take_part, groups)).order_by(Event.id.desc())
        shared = db.session.scalar(tables.limit(1)) or db.session.scalar(events.limit(1))
        if shared is None:
            person.is_banker, player.is_banker = person.is_banker or player.is_banker, False
            person.is_cashier, player.is_cashier = person.is_cashier or player.is_cashier, False
            _set_person(circle, merged, person.id)
        return shared


def unmerge(player: Player, by: Membership | None = None) -> None:
    """Undo a merge: the player is a person again, with their own seats; not possible after their name was erased."""
    with writing_to_circle(player.circle_id, membership=by, right=HOST) as circle:
        if player.person_id is not None and player.erased_at is None:
            _set_person(circle, [player], None)


def _set_person(circle: Circle, players: Sequence[Player], person_id: int | None) -> None:
    for player in players:
        player.person_id = person_id
    db.session.flush()
    for player in players:
        db.session.expire(player)  # its `person` is outdated
    touch_names(circle, players)


def _have_seat(player_ids: Sequence[int]) -> ColumnElement[bool]:
    return Table.id.in_(select(Seat.table_id).where(Seat.player_id.in_(player_ids)))


def _take_part(player_ids: Sequence[int]) -> ColumnElement[bool]:
    entered, substituted = (
        Event.id.in_(select(model.event_id).where(model.player_id.in_(player_ids)))
        for model in (Entrant, EntrantSubstitution)
    )
    return entered | substituted


def touch_names(circle: Circle, players: Iterable[Player]) -> None:
    """Note a change of events and open tables with these players, or those merged into them, as `touch_event` does."""
    people = [player.id for player in players]
    merged = select(Player.id).where(Player.circle_id == circle.id, Player.person_id.in_(people))
    ids = [*people, *db.session.scalars(merged)]
    for event in db.session.scalars(select(Event).where(Event.circle_id == circle.id, _take_part(ids))):
        touch_event(event)
    open_tables = select(Table.id).where(Table.circle_id == circle.id, Table.closed_at.is_(None), _have_seat(ids))
    touch_tables(circle.id, list(db.session.scalars(open_tables)))
