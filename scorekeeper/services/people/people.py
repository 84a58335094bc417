"""A circle's players: names, retirement, the banker, and merging two players of one person.

A person is a player who is not merged into another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from sqlalchemy import Select, func, select, union
from sqlalchemy.orm import aliased

from ...db.clock import now
from ...db.transactions import write_to_circle
from ...limits import MAX_NAME_LENGTH
from ...models import (
    HOST,
    SCORE,
    Browser,
    Circle,
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    Event,
    Player,
    Seat,
    Table,
    db,
)
from ...scoring.problems import Problem
from ..circles.players import NO_MEANINGS, Meanings, NamedPeople, ask, list_all_players, players_of_person, read_persons
from ..invalidation import touch, touch_tables
from ..money import unpaid


def set_banker(circle: Circle, player_id: int, by: Browser | None = None) -> None:
    """Make a player the banker; an id that is no person of the circle leaves it without one."""

    def work(locked: Circle) -> None:
        for player in db.session.scalars(select(Player).where(Player.circle_id == locked.id)):
            player.is_banker = player.id == player_id and player.person_id is None

    write_to_circle(circle.id, work, browser=by, right=SCORE)


class PersonRow(NamedTuple):
    """A person with the players merged into them, how many tables and events they played at, and the last evening."""

    player: Player
    merged: list[Player]
    tables: int
    last: date | None
    events: int = 0


Played = Mapping[int, tuple[int, date]]  # how often and when last, by the player's id


def list_people(circle: Circle) -> list[PersonRow]:
    """List the circle's persons by name."""
    tables, events, players = _tables_played(circle), _events_played(circle), list_all_players(circle)
    merged: dict[int, list[Player]] = {}
    for player in players:
        if player.person_id is not None:
            merged.setdefault(player.person_id, []).append(player)
    persons = (player for player in players if player.person_id is None)
    return [_person_row(person, merged.get(person.id, []), tables, events) for person in persons]


def _tables_played(circle: Circle) -> Played:
    query = (
        select(Seat.player_id, func.count(), func.max(Table.day))
        .join(Table, Table.id == Seat.table_id)
        .where(Table.circle_id == circle.id, Seat.has_sat)
        .group_by(Seat.player_id)
    )
    return {player: (count, last) for player, count, last in db.session.execute(query).all()}


def _events_played(circle: Circle) -> Played:
    """Return in how many events that have begun each player has a number."""
    has_begun = select(DrawnRound.event_id).where(DrawnRound.circle_id == circle.id, DrawnRound.number == 1)
    query = (
        select(Entrant.player_id, func.count(), func.max(Event.day))
        .join(Event, Event.id == Entrant.event_id)
        .where(Event.circle_id == circle.id, Event.id.in_(has_begun))
        .group_by(Entrant.player_id)
    )
    return {player: (count, last) for player, count, last in db.session.execute(query).all()}


def _person_row(player: Player, merged: list[Player], tables: Played, events: Played) -> PersonRow:
    ids = [each.id for each in (player, *merged)]
    rows, of_events = ([played[id_] for id_ in ids if id_ in played] for played in (tables, events))
    last = max((last for _, last in (*rows, *of_events)), default=None)
    return PersonRow(player, merged, sum(count for count, _ in rows), last, sum(count for count, _ in of_events))


# --- names and retirement ----------------------------------------------------------------------------------


def rename(player: Player, name: str, by: Browser | None = None, meanings: Meanings = NO_MEANINGS) -> Problem | None:
    """Rename a player, at past tables too; return what is wrong with the name, if anything.

    `meanings` are the answers to a question whom the name means.
    """

    def change(circle: Circle) -> Problem | None:
        problem = changed_meanwhile(player) or _name_problem(player, name, meanings)
        if problem is None:
            player.name = name
            announce_names(circle, [player])
        return problem

    return write_to_circle(player.circle_id, change, browser=by, right=HOST)


def changed_meanwhile(player: Player) -> Problem | None:
    """Return a problem if the player was merged or erased meanwhile."""
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


def set_retired(player: Player, is_retired: bool, by: Browser | None = None) -> Problem | None:
    """Set whether a player is left out of those to choose from when a table is opened; the name can still be typed."""

    def change(_circle: Circle) -> Problem | None:
        problem = changed_meanwhile(player)
        if problem is None:
            player.retired_at = (player.retired_at or now()) if is_retired else None
        return problem

    return write_to_circle(player.circle_id, change, browser=by, right=HOST)


# --- merging -----------------------------------------------------------------------------------------------


def merge(player: Player, into: Player, by: Browser | None = None) -> Table | Event | Problem | None:
    """Merge a player, and the players merged into them, into another one; return None on success.

    Nobody has two seats at one table: if both have ever sat at the same one, even if that was withdrawn, nothing
    changes and it is returned. Nor does anybody take part in an event twice: an event in which both do, or did for
    somebody else, is returned too.
    """
    return write_to_circle(player.circle_id, lambda circle: _merge(circle, player, into), browser=by, right=HOST)


def _merge(circle: Circle, player: Player, into: Player) -> Table | Event | Problem | None:
    players = list_all_players(circle)
    into = into.person
    if player.person.id == into.id:
        return None
    problem = changed_meanwhile(player) or changed_meanwhile(into)
    if problem is not None:
        return problem
    merged, others = players_of_person(player, players), players_of_person(into, players)
    shared = _shared_table(merged, others) or _shared_event(circle, merged, others)
    if shared is None:
        into.is_banker = into.is_banker or player.is_banker
        player.is_banker = False
        for merged_player in merged:
            merged_player.person_id = into.id
        _update_caches(merged)
        announce_names(circle, merged)
    return shared


def _shared_table(players: Iterable[Player], others: Iterable[Player]) -> Table | None:
    """Return the newest table at which a player of each group has a seat."""
    seat, opposite = aliased(Seat), aliased(Seat)
    query = (
        select(Table)
        .join(Table.seats.of_type(seat))
        .join(Table.seats.of_type(opposite))
        .where(seat.player_id.in_([p.id for p in players]), opposite.player_id.in_([other.id for other in others]))
        .order_by(Table.id.desc())
        .limit(1)
    )
    return db.session.scalar(query)


def _shared_event(circle: Circle, players: Iterable[Player], others: Iterable[Player]) -> Event | None:
    """Return the newest event in which a player of each group has a number or plays for somebody."""
    query = select(Event).where(
        Event.circle_id == circle.id,
        *(Event.id.in_(_events_with(circle, [player.id for player in group])) for group in (players, others)),
    )
    return db.session.scalar(query.order_by(Event.id.desc()).limit(1))


def _events_with(circle: Circle, player_ids: Sequence[int]) -> Select[int]:
    """Select the ids of the events in which one of these players has a number or plays for somebody."""
    found = union(
        *(
            select(model.event_id).where(model.circle_id == circle.id, model.player_id.in_(player_ids))
            for model in (Entrant, EntrantSubstitution)
        )
    ).subquery()
    return select(found.c[0])


def announce_names(circle: Circle, players: Iterable[Player]) -> None:
    """Tell who follows an event or an open table that names of these players, or of those merged into them, changed."""
    people = [player.id for player in players]
    merged = select(Player.id).where(Player.circle_id == circle.id, Player.person_id.in_(people))
    ids = [*people, *db.session.scalars(merged)]
    events = select(Event).where(Event.circle_id == circle.id, Event.id.in_(_events_with(circle, ids)))
    for event in db.session.scalars(events):
        touch(event)
    seats = select(Seat.table_id).join(Table, Table.id == Seat.table_id)
    is_open = (Seat.circle_id == circle.id, Seat.player_id.in_(ids), Table.closed_at.is_(None))
    touch_tables(circle.id, list(db.session.scalars(seats.where(*is_open).distinct())))


def unmerge(player: Player, by: Browser | None = None) -> None:
    """Undo a merge: the player is a person again, with their own seats; not possible after their name was erased."""

    def separate(circle: Circle) -> None:
        if player.person_id is not None and player.erased_at is None:
            player.person_id = None
            _update_caches([player])
            announce_names(circle, [player])

    write_to_circle(player.circle_id, separate, browser=by, right=HOST)


def _update_caches(players: Sequence[Player]) -> None:
    """Update the caches that are stored by person, after these players were merged or unmerged."""
    db.session.flush()
    for player in players:
        db.session.expire(player)  # its `person` is outdated
    unpaid.recompute_all(players[0].circle, read_persons(players[0].circle))
