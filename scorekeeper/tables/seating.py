"""The people on the chairs of a table. Stored facts name chairs, scored ones the people on them.

The chairs of a table are "1", "2", … in order of turn. A label is a person at the table: the chairs are the labels of
those who sat there first, and everybody who takes a chair later has a further label, such as "5". So facts are stored
as `{"substitution": {"out": CHAIR, "in": LABEL}}` and `{"dealer": CHAIR, …}`, and a change of an earlier substitution
moves the deals after it to the person who sits there then. An adjustment in counters names labels: it is between
people, who may have left. Without substitutions chairs and labels are the same, and nothing is translated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..limits import MAX_LABEL
from ..scoring import schema
from ..scoring.common import Agreement
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.schema import rename
from ..scoring.standing import POINTS, SIDES, SUBSTITUTION, AnyStanding
from ..scoring.values import Facts, JsonObject

Seated = tuple[str, ...]  # labels, in the order of the chairs

_NOBODY = "?"  # after a name that means nobody where it stands, so that the deal is refused


def next_label(labels: Iterable[str]) -> str | None:
    """Return the label of one more person at a table; None if there are too many."""
    label = 1 + max(map(int, labels))
    return str(label) if label <= MAX_LABEL else None


def seated_after(chairs: Seated, seated: Seated, body: Facts | None) -> Seated:
    change = (body or {}).get(SUBSTITUTION)
    if not isinstance(change, Mapping) or type(change.get("in")) is not str:
        return seated
    out, label = change.get("out"), change["in"]
    return tuple(label if chair == out else other for chair, other in zip(chairs, seated, strict=True))


def in_labels(game: AnyGame, standing: AnyStanding, chairs: Seated, bodies: Iterable[JsonObject]) -> Iterator[Any]:
    """Yield stored items as `fold` reads them. It must read each one before it asks for the next."""
    for body in bodies:
        yield body if standing.players == chairs else to_labels(game, body, chairs, standing.players)


def to_labels(game: AnyGame, body: JsonObject, chairs: Seated, seated: Seated) -> JsonObject:
    """Return a stored item with the people who sit on its chairs; `seated` are those before it."""
    after = seated_after(chairs, seated, body)
    if chairs == seated == after:
        return body
    dealers = dict(zip(chairs, after, strict=True))
    return _translate(game, body, dict(zip(chairs, seated, strict=True)), dealers)


def to_chairs(game: AnyGame, facts: JsonObject, chairs: Seated, seated: Seated) -> JsonObject:
    """Return an item for storage, with the chairs of the people it names; `seated` are those before it."""
    names, change = dict(zip(seated, chairs, strict=True)), facts.get(SUBSTITUTION)
    dealers = names
    if isinstance(change, Mapping):
        stored = {SUBSTITUTION: {**change, "out": names.get(str(change.get("out")))}}
        dealers = dict(zip(seated_after(chairs, seated, stored), chairs, strict=True))
    elif chairs == seated:
        return facts
    return _translate(game, facts, names, dealers)


def _translate(game: AnyGame, facts: JsonObject, names: Mapping[str, str], dealers: Mapping[str, str]) -> JsonObject:
    """Rename the players of an item, and its dealer, who may be one who has just sat down."""
    names = _with_nobody(names)
    without_dealer = {key: value for key, value in facts.items() if key != "dealer"}
    renamed = _translate_item(game, without_dealer, names)
    if "dealer" not in facts:
        return renamed
    dealer = facts["dealer"]
    return {"dealer": _with_nobody(dealers).get(dealer, dealer) if type(dealer) is str else dealer} | renamed


def _with_nobody(names: Mapping[str, str]) -> dict[str, str]:
    """Return names with those added that are valid only after the translation; they become nobody's."""
    return {name: name + _NOBODY for name in names.values()} | dict(names)


def _translate_item(game: AnyGame, facts: JsonObject, names: Mapping[str, str]) -> JsonObject:
    change, adjustment = facts.get(SUBSTITUTION), facts.get("adjustment")
    if isinstance(change, Mapping):
        return facts | {SUBSTITUTION: {**change, "out": names.get(str(change.get("out")), change.get("out"))}}
    if isinstance(adjustment, Mapping) and POINTS not in adjustment:
        return facts
    problems: list[Problem] = []
    fact = schema.load(game.find_type(facts), facts, game.seats(tuple(names)), problems)
    if fact is None or problems:
        return rename_anywhere(facts, names)  # it is refused all the same, with the names that it would have
    renamed: JsonObject = schema.dump(rename(fact, names))
    return renamed


def rename_anywhere(facts: Facts, names: Mapping[str, str]) -> JsonObject:
    """Return facts of which the types are unknown with players renamed, wherever a text or a key is a player's name."""

    def rename_in(value: Any) -> Any:
        if isinstance(value, Mapping):
            return rename_anywhere(value, names)
        if isinstance(value, list):
            return [rename_in(item) for item in value]
        return names.get(value, value) if isinstance(value, str) else value

    return {names.get(key, key): value if key == "reason" else rename_in(value) for key, value in facts.items()}


def everybody_seated(chairs: Seated, bodies: Iterable[Facts]) -> list[str]:
    seated, labels = chairs, dict.fromkeys(chairs)
    for body in bodies:
        seated = seated_after(chairs, seated, body)
        labels |= dict.fromkeys(seated)
    return [*labels]


def rename_players(game: AnyGame, facts: Facts, names: Mapping[str, str]) -> JsonObject:
    """Return a deal's facts with players renamed: `names` maps labels to names, or names to labels."""
    fact = read_fact(game, facts, tuple(names))
    has_points = isinstance(fact, Agreement) and fact.adjustment.points is not None
    # Where sides score, points go to a side: "ns" is a side here, even if a player has that name.
    is_of_sides = game.in_sides and (has_points or isinstance(fact, game.deal))
    renamed: JsonObject = schema.dump(rename(fact, names, SIDES if is_of_sides else ()))
    return {"dealer": names[facts["dealer"]]} | renamed if "dealer" in facts else renamed


def read_fact(game: AnyGame, facts: Facts, players: tuple[str, ...]) -> Any:
    """Return what stored facts are, as a row has it; None if they are not valid."""
    without_dealer = {key: value for key, value in facts.items() if key != "dealer"}
    return schema.load(game.find_type(facts), without_dealer, game.seats(players), [])
