"""Read a circle's players. A person is a player who is not merged into another one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from sqlalchemy import Select, exists, func, select

from ..i18n import in_name_order
from ..models import (
    HOST,
    SCORE,
    Base,
    Circle,
    DrawnRound,
    Entrant,
    EveningAnswer,
    Event,
    Membership,
    Player,
    Seat,
    Table,
    db,
    may,
)


def list_active_persons(circle: Circle) -> list[Player]:
    """List those to choose from for a table, who sat down last first, without retired, merged and erased ones."""
    seats = select(func.max(Seat.table_id)).where(Seat.circle_id == circle.id, Seat.player_id == Player.id)
    last_table = seats.scalar_subquery()
    query = select(Player).where(
        Player.circle_id == circle.id,
        Player.person_id.is_(None),
        Player.retired_at.is_(None),
        Player.erased_at.is_(None),
    )
    return list(db.session.scalars(query.order_by(last_table.desc().nulls_last(), Player.id)))


def select_players(circle: Circle) -> Select[Player]:
    return select(Player).where(Player.circle_id == circle.id).order_by(Player.id)


def read_persons(circle: Circle) -> dict[int, Player]:
    """Return the person that each of the circle's players is, by the player's id."""
    return {player.id: player.person for player in db.session.scalars(select_players(circle)).all()}


def find_person(circle: Circle, token: str) -> Player | None:
    """Find the person that the player with this token is."""
    player = db.session.scalar(select_players(circle).where(Player.token == token))
    return player.person if player is not None else None


def list_persons(circle: Circle) -> list[Player]:
    """List the circle's persons by name, retired and erased ones included."""
    return in_name_order(db.session.scalars(select_players(circle).where(Player.person_id.is_(None))))


def read_owner(membership: Membership) -> Player | None:
    return db.session.get_one(Player, membership.player_id).person if membership.player_id is not None else None


def read_ids_by_token(circle: Circle) -> dict[str, int]:
    query = select(Player.token, Player.id).where(Player.circle_id == circle.id)
    return {row.token: row.id for row in db.session.execute(query)}


def read_memberships_by_person(circle: Circle) -> dict[int, list[int]]:
    query = (
        select(func.coalesce(Player.person_id, Player.id), Membership.id)
        .select_from(Membership)
        .join(Player, Player.id == Membership.player_id)
        .where(Membership.circle_id == circle.id, Membership.right.is_not(None))
    )
    memberships: dict[int, list[int]] = {}
    for person_id, membership_id in db.session.execute(query):
        memberships.setdefault(person_id, []).append(membership_id)
    return memberships


def is_own_membership(membership: Membership, person: Player) -> bool:
    """Return whether this is the person's only phone: with two, either may be an impostor's."""
    return read_memberships_by_person(membership.circle).get(person.id) == [membership.id]


def may_read_everything(membership: Membership, person: Player) -> bool:
    """Return whether this phone may read what the circle holds about a person (files/personal_data.py)."""
    return may(membership.right, HOST) or (may(membership.right, SCORE) and is_own_membership(membership, person))


def find_cashier(people: Iterable[Player]) -> Player | None:
    return next((person for person in people if person.is_cashier), None)


def list_all_players(circle: Circle) -> list[Player]:
    """List every player by name, merged and erased ones included."""
    query = select_players(circle).execution_options(populate_existing=True)
    return in_name_order(db.session.scalars(query))


def players_of_person(person: Player, players: Iterable[Player]) -> list[Player]:
    return [player for player in players if person.id in (player.id, player.person_id)]


class PersonRow(NamedTuple):
    player: Player
    merged: list[Player]  # the players merged into this one
    tables: int  # where the person played
    last: date | None  # the last evening at a table or an event
    events: int  # where the person played


def list_people(circle: Circle) -> list[PersonRow]:
    has_begun = select(DrawnRound.event_id).where(DrawnRound.circle_id == circle.id, DrawnRound.number == 1)
    tables = select(Seat.player_id, Table.day).join(Table, Table.id == Seat.table_id)
    events = select(Entrant.player_id, Event.day).join(Event, Event.id == Entrant.event_id)
    at_tables = _read_played(tables.where(Seat.circle_id == circle.id, Seat.has_sat))
    at_events = _read_played(events.where(Entrant.circle_id == circle.id, Event.id.in_(has_begun)))
    players = list_all_players(circle)
    rows = []
    for person in (player for player in players if player.person_id is None):
        table_count, last_table = at_tables.get(person.id, (0, None))
        event_count, last_event = at_events.get(person.id, (0, None))
        last = max(filter(None, (last_table, last_event)), default=None)
        merged = [player for player in players if player.person_id == person.id]
        rows.append(PersonRow(person, merged, table_count, last, event_count))
    return rows


def _read_played(query: Select[int, date]) -> dict[int, tuple[int, date | None]]:
    """Return by person how many rows of players and days there are, and the last day."""
    played = query.subquery()
    person_id = func.coalesce(Player.person_id, Player.id)
    counted = select(person_id, func.count(), func.max(played.c.day)).join(played, played.c.player_id == Player.id)
    return {id_: (count, last) for id_, count, last in db.session.execute(counted.group_by(person_id))}


# The columns that refer to players, except in answers and phones. No row refers to a newcomer by one of them.
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
