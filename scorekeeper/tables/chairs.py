"""The chairs of a table and the labels of the people on them; the people that facts name, translated between both.

The chairs of a table are "1", "2", … in order of turn. A label is a person at the table: the chairs are the labels of
those who sat there first, and everybody who takes a chair later has a further label, such as "5". So facts are stored
as `{"substitution": {"out": CHAIR, "in": LABEL}}` and `{"dealer": CHAIR, …}`, and a change of an earlier substitution
moves the deals after it to the person who sits there then. An adjustment in counters names labels: it is between
people, who may have left. Without substitutions chairs and labels are the same, and nothing is translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..scoring import schema
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.standing import ADJUSTMENT, POINTS, SUBSTITUTION, AnyStanding
from ..scoring.values import Facts, JsonObject, Seats

Seated = tuple[str, ...]  # labels, in the order of the chairs

_NOBODY = "?"  # appended to a name that is not valid here, so that the deal is refused


def relabel_after(chairs: Seated, seated: Seated, body: Facts | None) -> Seated:
    """Return who sits on each chair after a stored item."""
    change = (body or {}).get(SUBSTITUTION)
    if not isinstance(change, Mapping) or type(change.get("in")) is not str:
        return seated
    out, label = change.get("out"), change["in"]
    return tuple(label if chair == out else other for chair, other in zip(chairs, seated, strict=True))


def to_labels(game: AnyGame, body: JsonObject, chairs: Seated, seated: Seated) -> JsonObject:
    """Return a stored item with the people who sit on its chairs; `seated` are those before it."""
    if chairs == seated and SUBSTITUTION not in body:
        return body
    dealers = dict(zip(chairs, relabel_after(chairs, seated, body), strict=True))
    return _translate(game, body, dict(zip(chairs, seated, strict=True)), dealers)


def to_chairs(game: AnyGame, facts: JsonObject, chairs: Seated, seated: Seated) -> JsonObject:
    """Return an item for storage, with the chairs of the people it names; `seated` are those before it."""
    names = dict(zip(seated, chairs, strict=True))
    dealers = names
    change = facts.get(SUBSTITUTION)
    if isinstance(change, Mapping):
        stored = {SUBSTITUTION: {**change, "out": names.get(str(change.get("out")))}}
        dealers = dict(zip(relabel_after(chairs, seated, stored), chairs, strict=True))
    elif chairs == seated:
        return facts
    return _translate(game, facts, names, dealers)


def _translate(game: AnyGame, facts: JsonObject, names: Mapping[str, str], dealers: Mapping[str, str]) -> JsonObject:
    """Rename the players of an item, and its dealer, who may be one who has just sat down.

    A name that is valid only after renaming is made invalid.
    """
    names = {name: name + _NOBODY for name in names.values()} | dict(names)
    dealers = {name: name + _NOBODY for name in dealers.values()} | dict(dealers)
    renamed: JsonObject = {key: value for key, value in facts.items() if key != "dealer"}
    change = facts.get(SUBSTITUTION)
    adjustment = facts.get(ADJUSTMENT)
    if isinstance(change, Mapping):
        renamed[SUBSTITUTION] = {**change, "out": names.get(str(change.get("out")), change.get("out"))}
    elif not isinstance(adjustment, Mapping) or POINTS in adjustment:
        problems: list[Problem] = []
        fact = schema.load(game.find_type(facts), renamed, game.seats(tuple(names)).renamed(names), problems)
        # What is invalid is refused all the same, with the names that it would have.
        is_valid = fact is not None and not problems
        renamed = schema.dump(fact) if is_valid else rename_anywhere(renamed, names)
    if "dealer" not in facts:
        return renamed
    dealer = facts["dealer"]
    return {"dealer": dealers.get(dealer, dealer) if type(dealer) is str else dealer} | renamed


def list_people_by_chair(chairs: Seated, standing: AnyStanding) -> list[list[str]]:
    """Return the labels of those who have sat on each chair, in the order in which they first did."""
    seatings = [chairs, *(row.players for row in standing.rows), standing.players]
    return [list(dict.fromkeys(people)) for people in zip(*seatings, strict=True)]


def rename_anywhere(facts: Facts, names: Mapping[str, str]) -> JsonObject:
    """Return facts of which the types are unknown with players renamed, wherever a text or a key is a player's name."""

    def rename_in(value: Any) -> Any:
        if isinstance(value, Mapping):
            return rename_anywhere(value, names)
        if isinstance(value, list):
            return [rename_in(item) for item in value]
        return names.get(value, value) if isinstance(value, str) else value

    return {names.get(key, key): value if key == "reason" else rename_in(value) for key, value in facts.items()}


def rename_players(game: AnyGame, facts: Facts, names: Mapping[str, str]) -> JsonObject:
    """Return a deal's facts with players renamed: `names` maps labels to names, or names to labels."""
    seats = game.seats(tuple(names))
    if POINTS not in facts.get(ADJUSTMENT, (POINTS,)):  # counters go to players, even to one with the name of a side
        seats = Seats(seats.players, (), seats.players)
    renamed: JsonObject = schema.dump(read_fact(game, facts, seats.renamed(names)))
    return {"dealer": names[facts["dealer"]]} | renamed if "dealer" in facts else renamed


def read_fact(game: AnyGame, facts: Facts, seats: Seats) -> Any:
    """Return what stored facts are, as a row has it; None if they are not valid."""
    without_dealer = {key: value for key, value in facts.items() if key != "dealer"}
    return schema.load(game.find_type(facts), without_dealer, seats, [])
