"""Change a circle's players: their names, phones and offices, who is retired, and who is one person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import ColumnElement, delete, select, update

from ..db.transactions import writing_to_circle
from ..models import (
    HOST,
    SCORE,
    Circle,
    Entrant,
    EntrantSubstitution,
    EveningAnswer,
    Event,
    Membership,
    Player,
    Seat,
    Table,
    db,
    may,
    now,
)
from ..scoring.problems import Problem
from ..site.features import features
from ..site.live import touch_tables
from .names import NO_MEANINGS, Meanings, NamedPeople, ask
from .reading import list_all_players, list_newcomers, players_of_person, read_memberships_by_person, read_owner


def set_banker(circle: Circle, player_id: int, by: Membership) -> None:
    """Make a player the banker; an id that is no person of the circle leaves it without one."""
    with writing_to_circle(circle.id, membership=by, right=HOST) as locked:
        for player in list_all_players(locked):
            player.is_banker = player.id == player_id and player.person_id is None


def set_cashier(circle: Circle, player_id: int, by: Membership) -> None:
    """Make a player the cashier; an id that is no person of the circle leaves it without one."""
    with writing_to_circle(circle.id, membership=by, right=HOST) as locked:
        for player in list_all_players(locked):
            player.is_cashier = player.id == player_id and player.person_id is None


def claim(membership: Membership, person: Player | None) -> bool:
    """Set whose phone it is, nobody's for None, and return whether it may be; the caller holds the circle's lock.

    A phone that may only watch can set this once, and not to somebody who has a phone.
    """
    owner = read_owner(membership)
    is_first = owner is None and person is not None and not read_memberships_by_person(membership.circle).get(person.id)
    if owner is not person and not is_first and not may(membership.right, SCORE):
        return False
    membership.player_id = person.id if person is not None else None
    return True


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
        problem = change_problem(player) or _name_problem(player, name, meanings)
        if problem is None:
            player.name = name
            touch_names(circle, [player])
        return problem


def change_problem(player: Player) -> Problem | None:
    """Return the problem of somebody who was merged or erased since the page was shown."""
    if player.person_id is None and player.erased_at is None:
        return None
    return Problem("player", "player-changed")


def _name_problem(player: Player, name: str, meanings: Meanings) -> Problem | None:
    players = list_all_players(player.circle)
    if any(other.person_id == player.id and other.name == name for other in players):
        return Problem("name", "name-merged", {"found": name})
    meant = NamedPeople(other for other in players if other.person.id != player.id).find(name, meanings)
    if isinstance(meant, Player):
        return Problem("name", "name-taken", {"found": name})
    return ask(name, meant) if meant else None


def set_retired(player: Player, is_retired: bool, by: Membership | None = None) -> Problem | None:
    """Set whether a player is left out of those to choose from when a table is opened; the name can still be typed."""
    with writing_to_circle(player.circle_id, membership=by, right=HOST):
        problem = change_problem(player)
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
        problem = change_problem(player) or change_problem(person)
        if problem is not None:
            return problem
        players = list_all_players(circle)
        merged = players_of_person(player, players)
        shared = _find_shared(circle, merged, players_of_person(person, players))
        if shared is None:
            person.is_banker = person.is_banker or player.is_banker
            player.is_banker = False
            person.is_cashier = person.is_cashier or player.is_cashier
            player.is_cashier = False
            _set_person(circle, merged, person.id)
        return shared


def _find_shared(circle: Circle, *groups: Sequence[Player]) -> Table | Event | None:
    """Return the last table or event where somebody of each group played, if any."""
    ids = [[player.id for player in group] for group in groups]
    tables = select(Table).where(Table.circle_id == circle.id, *map(_have_seat, ids)).order_by(Table.id.desc())
    events = select(Event).where(Event.circle_id == circle.id, *map(_take_part, ids)).order_by(Event.id.desc())
    return db.session.scalar(tables.limit(1)) or db.session.scalar(events.limit(1))


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
    """Note a change of what shows these players, or those merged into them, in the caller's transaction."""
    people = [player.id for player in players]
    merged = select(Player.id).where(Player.circle_id == circle.id, Player.person_id.in_(people))
    ids = [*people, *db.session.scalars(merged)]
    for feature in features():
        feature.touch_people(circle, ids)
    open_tables = select(Table.id).where(Table.circle_id == circle.id, Table.closed_at.is_(None), _have_seat(ids))
    touch_tables(circle.id, list(db.session.scalars(open_tables)))
