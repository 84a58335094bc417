"""The one way to find a person by a name that somebody has typed, pasted or imported.

Callers hold the circle's lock, so that two phones that add the same name at once add one person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ..models import Circle, Player, db
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.values import make_name_key, without_accents
from .reading import read_persons, select_players

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
        similar = alike or [person for person in unaccented if not person.erased_at]
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
    people = NamedPeople(db.session.scalars(select_players(circle)))
    players: list[Player] = []
    questions: dict[str, Problem] = {}
    for name in names:
        meant = people.find(name, meanings)
        if isinstance(meant, Player):
            players.append(meant)
        elif meant:
            questions[name] = ask(name, meant)
        else:
            players.append(Player(circle_id=circle.id, name=name))
            people.add(players[-1])
    return refuse(questions.values()) if questions else players


def find_or_build_person(
    circle: Circle, field: str, person_id: int | None, name: str, meanings: Meanings
) -> Player | Problem:
    """Return the person with this cleaned name, a new one if there is none; without a name, the one with this id."""
    person = read_persons(circle).get(person_id or 0)
    if name:
        players = find_or_build_players(circle, [name], meanings)
        if isinstance(players, Refusal):
            return players.first
        person = players[0]
    if person is None or person.erased_at is not None:
        return Problem(field, "player-changed")
    return person


def ask(name: str, people: Iterable[Player]) -> Problem:
    names = tuple(person.name for person in people)
    return Problem("meanings", QUESTION, {"found": name, "other": " / ".join(names), "people": names})
