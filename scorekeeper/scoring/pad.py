"""What can be tapped to tell a deal: groups of choices, each choice a piece of the deal's facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

STRIP, TOGGLE, CARDS = "strip", "toggle", "cards"


class Choice(NamedTuple):
    """One thing to tap. `facts` is what it says, as a fragment of the deal's JSON.

    `row` is the player or side in whose row it stands, `says` what is written on it (a number, or the key of a
    word with `params`), and `offered` whether it could be so at this table now. What is not offered is still
    understood, so that whoever sends it is told why it cannot be.
    """

    key: str
    facts: Mapping[str, Any]
    says: int | str
    row: str = ""
    offered: bool = True
    params: Mapping[str, Any] = MappingProxyType({})


class Group(NamedTuple):
    """Choices of which one is taken. `keys` are the keys of the deal they speak of: remarks on those stand here.

    `default` is the choice that holds where none is tapped. `adds` is set where the taps of several groups are
    summed (kings, queens and jacks to card points), so that a single one cannot be told from the deal's facts.
    `required` groups must be answered, if only by a nought. `aside` groups are another way to say what the rest
    says, kept folded.
    """

    name: str
    keys: tuple[str, ...]
    choices: tuple[Choice, ...]
    kind: str = STRIP
    required: bool = True
    default: str | None = None
    adds: bool = False
    aside: bool = False

    def choice(self, key: str) -> Choice | None:
        return next((choice for choice in self.choices if choice.key == key), None)

    @property
    def rows(self) -> dict[str, list[Choice]]:
        rows: dict[str, list[Choice]] = {}
        for choice in self.choices:
            rows.setdefault(choice.row, []).append(choice)
        return rows


def merged(fragments: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The facts that the fragments tell together: objects merge, numbers add up, lists are joined."""
    facts: dict[str, Any] = {}
    for fragment in fragments:
        _merge(facts, fragment)
    return facts


def _merge(into: dict[str, Any], fragment: Mapping[str, Any]) -> None:
    for key, value in fragment.items():
        here = into.get(key)
        if isinstance(value, Mapping):
            _merge(into.setdefault(key, {}), value)
        elif here is None or isinstance(value, bool | str):
            into[key] = list(value) if isinstance(value, list) else value
        else:
            into[key] = here + value


def tells(fragment: Any, facts: Any) -> bool:
    """Whether the facts say what the fragment says, and perhaps more."""
    if isinstance(fragment, Mapping):
        return isinstance(facts, Mapping) and all(
            key in facts and tells(value, facts[key]) for key, value in fragment.items()
        )
    if isinstance(fragment, list):
        return isinstance(facts, list) and all(item in facts for item in fragment)
    return type(fragment) is type(facts) and bool(fragment == facts)
