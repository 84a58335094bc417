"""A circle's players, as other services look them up. A person is a player who is not merged into another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from sqlalchemy import Select, func, select

from ..i18n import in_name_order
from ..models import HOST, SCORE, Circle, Membership, Player, Seat, db, may
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.values import make_name_key, without_accents


def list_players(circle: Circle) -> list[Player]:
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


def _select_players(circle: Circle) -> Select[Player]:
    return select(Player).where(Player.circle_id == circle.id).order_by(Player.id)


def read_persons(circle: Circle) -> dict[int, Player]:
    return {player.id: player.person for player in db.session.scalars(_select_players(circle)).all()}


def find_person(circle: Circle, token: str) -> Player | None:
    player = db.session.scalar(_select_players(circle).where(Player.token == token))
    return player.person if player is not None else None


def list_persons(circle: Circle) -> list[Player]:
    """List the circle's persons by name, retired and erased ones included."""
    return in_name_order({person.id: person for person in read_persons(circle).values()}.values())


def read_owner(membership: Membership) -> Player | None:
    return db.session.get_one(Player, membership.player_id).person if membership.player_id is not None else None


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
    return may(membership.right, HOST) or (may(membership.right, SCORE) and is_own_membership(membership, person))


def find_cashier(people: Iterable[Player]) -> Player | None:
    return next((person for person in people if person.is_cashier), None)


def list_all_players(circle: Circle) -> list[Player]:
    """List every player by name, merged and erased ones included."""
    query = _select_players(circle).execution_options(populate_existing=True)
    return in_name_order(db.session.scalars(query))


def players_of_person(person: Player, players: Iterable[Player]) -> list[Player]:
    return [player for player in players if person.id in (player.id, player.person_id)]


# --- the one way to find a person by a name that somebody has typed, pasted or imported

# Callers hold the circle's lock, so that two phones that add the same name at once add one person.

QUESTION = "which-person"  # the key of a problem that asks whom a name means
Meanings = Mapping[str, str]  # the answers: by a typed name, the name of the person it means; itself for a new person
NO_MEANINGS: Meanings = MappingProxyType({})


class NamedPeople:
    """People by all their names, those of merged players included."""

    def __init__(self, players: Iterable[Player]) -> None:
        self._people: dict[tuple[int, str], list[Player]] = {}
        for player in players:
            self.add(player)

    def add(self, player: Player) -> None:
        for key in _list_keys(player.name):
            people = self._people.setdefault(key, [])
            if player.person not in people:
                people.append(player.person)

    def find(self, name: str, meanings: Meanings = NO_MEANINGS) -> Player | Sequence[Player]:
        """Return the person with this name; or else those whom it may mean, nobody if it is a new name.

        A name as it is stored comes first, then the only one that is the same but for capitals and the like. Otherwise
        it may mean those with the same letters under other accents, unless an answer says whom.
        """
        exact, alike, unaccented = (self._people.get(key, []) for key in _list_keys(name))
        if exact or len(alike) == 1:
            return (exact or alike)[-1]
        similar = alike or [each for each in unaccented if not each.erased_at]
        meant = meanings.get(name)
        if meant == name:
            return ()
        return next((person for person in similar if person.name == meant), similar)


def _list_keys(name: str) -> list[tuple[int, str]]:
    """Return the keys under which a name is found: as it is, however it is typed, and with other accents."""
    key = make_name_key(name)
    return [*enumerate((name, key, without_accents(key)))]


def find_or_build_players(
    circle: Circle, names: Sequence[str], meanings: Meanings = NO_MEANINGS
) -> list[Player] | Refusal:
    """Return the person for each of these cleaned names, a new Player if the circle has none; the caller adds it.

    A refusal asks whom names mean that differ from others in accents alone.
    """
    people = NamedPeople(db.session.scalars(_select_players(circle)))
    players: list[Player] = []
    questions: dict[str, Problem] = {}
    for name in names:
        found = people.find(name, meanings)
        if isinstance(found, Player):
            players.append(found)
        elif found:
            questions[name] = ask(name, found)
        else:
            players.append(Player(circle_id=circle.id, name=name))
            people.add(players[-1])
    return refuse(None, questions.values()) if questions else players


def find_or_build_person(
    circle: Circle, field: str, person_id: int | None, name: str, meanings: Meanings, *, may_be_erased: bool = False
) -> Player | Problem:
    """Return the person with this cleaned name, as above, or without a name the one with this id."""
    person = read_persons(circle).get(person_id or 0)
    if name:
        found = find_or_build_players(circle, [name], meanings)
        if isinstance(found, Refusal):
            return found.first
        person = found[0]
    if person is None or (person.erased_at is not None and not may_be_erased):
        return Problem(field, "player-changed")
    return person


def ask(name: str, people: Iterable[Player]) -> Problem:
    names = tuple(person.name for person in people)
    return Problem("who", QUESTION, {"found": name, "other": " / ".join(names), "people": names})
