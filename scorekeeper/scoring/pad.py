"""The pad on which a deal is entered: groups of choices, each of which stands for part of the deal's facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .problems import Problem, abbreviate_value
from .values import Facts

STRIP, TOGGLE, CARDS, AMOUNT, PLACE = "strip", "toggle", "cards", "amount", "place"

_WHOLE_NUMBER = re.compile(r"([+\-\u2212\u2013]?)(\d{1,12})")  # minus signs, and the dash that phones make of one
_SPACES = re.compile(r"\s")  # between the thousands


class Choice(NamedTuple):
    """A choice that can be tapped.

    `facts` is a fragment of the deal's JSON. `label` is a number, or the key of a message with `params`. `row` is the
    player or side in whose row the choice is shown, or the key of a message. `offered` is false if the choice is
    impossible at this table now: it is grey, and still accepted, so that the problem can be explained. If it is
    `left_out`, it is not even shown unless it is tapped, since a deal may have been recorded with it.
    """

    key: str
    facts: Mapping[str, Any]
    label: int | str
    row: str = ""
    offered: bool = True
    params: Mapping[str, Any] = MappingProxyType({})
    left_out: bool = False


class Amount(NamedTuple):
    """Any whole number from `low` to `high`, which is typed.

    path: the keys under which the number stands in the deal's facts.
    row: the player or side whose number it is.
    is_taken_off: whether the number is taken off a score, so that the facts hold its opposite.
    is_once: whether there can be one in a single deal only: a box that was filled earlier has no field any more.
    """

    path: tuple[str, ...]
    low: int
    high: int
    row: str = ""
    is_taken_off: bool = False
    is_once: bool = False

    def choice(self, text: str) -> Choice | None:
        found = _WHOLE_NUMBER.fullmatch(_SPACES.sub("", text))
        number = int(found[2]) * (-1 if found[1] not in ("", "+") else 1) if found is not None else None
        return self.choice_of(number) if number is not None and self.low <= number <= self.high else None

    def problem(self, field: str, text: str) -> Problem:
        return Problem(field, "whole-number", {"found": abbreviate_value(text), "low": self.low, "high": self.high})

    def choice_of(self, number: int) -> Choice:
        facts: Any = -number if self.is_taken_off else number
        for key in reversed(self.path):
            facts = {key: facts}
        return Choice(str(number), facts, number, self.row)

    def find_choice(self, facts: Facts) -> Choice | None:
        value: Any = facts
        for key in self.path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return self.choice_of(-value if self.is_taken_off else value) if type(value) is int else None


class ChoiceGroup(NamedTuple):
    """Choices of which one can be tapped, or a number that is typed.

    keys: the keys of the deal that the choices set. Problems with these are shown at this group.
    required: whether a choice must be tapped, even if it means 0.
    default: the choice that applies while none is tapped.
    is_additive: whether the choices of several groups are added up (kings, queens and jacks to card points), so that
        the choice in one group cannot be derived from the deal's facts.
    is_alternative: whether the group enters the same facts as others in another way. It is shown collapsed.
    amount: the number that is typed, in a group without choices; see `amount_group`.
    title: the group's label in the players' own words, in place of a message.
    find_key: return the key of the choice that enters these facts, if the facts of the choices do not stand in them.
    """

    name: str
    keys: tuple[str, ...]
    choices: tuple[Choice, ...]
    kind: str = STRIP
    required: bool = True
    default: str | None = None
    is_additive: bool = False
    is_alternative: bool = False
    amount: Amount | None = None
    title: str = ""
    find_key: Callable[[Facts], str | None] | None = None

    def choice(self, key: str) -> Choice | None:
        if self.amount is not None:
            return self.amount.choice(key)
        return next((choice for choice in self.choices if choice.key == key), None)

    def find_choice(self, facts: Facts) -> Choice | None:
        """Return the first choice whose facts are among these, or the number that stands in them; None without one."""
        if self.amount is not None:
            return self.amount.find_choice(facts)
        if self.find_key is not None:
            return self.choice(self.find_key(facts) or "")
        return next((choice for choice in self.choices if choice.facts and is_part_of(choice.facts, facts)), None)

    @property
    def rows(self) -> dict[str, list[Choice]]:
        rows: dict[str, list[Choice]] = {self.amount.row: []} if self.amount is not None else {}
        for choice in self.choices:
            rows.setdefault(choice.row, []).append(choice)
        return rows

    def tapped(self, taps: Mapping[str, str]) -> Choice | None:
        """Return the choice that is tapped, or the default; None without any."""
        choice = self.choice(taps.get(self.name, ""))
        return self.choice(self.default) if choice is None and self.required and self.default else choice


def amount_group(name: str, amount: Amount, *, required: bool = True, title: str = "") -> ChoiceGroup:
    return ChoiceGroup(name, amount.path[:1], (), kind=AMOUNT, required=required, amount=amount, title=title)


def merge_facts(fragments: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Combine fragments of facts: objects are merged, numbers added, lists concatenated."""
    facts: dict[str, Any] = {}
    for fragment in fragments:
        _merge(facts, fragment)
    return facts


def _merge(target: dict[str, Any], fragment: Mapping[str, Any]) -> None:
    for key, value in fragment.items():
        present = target.get(key)
        if isinstance(value, Mapping):
            _merge(target.setdefault(key, {}), value)
        elif present is None or isinstance(value, bool | str):
            target[key] = list(value) if isinstance(value, list) else value
        else:
            target[key] = present + value


def is_part_of(fragment: Any, facts: Any) -> bool:
    if isinstance(fragment, Mapping):
        return isinstance(facts, Mapping) and all(
            key in facts and is_part_of(value, facts[key]) for key, value in fragment.items()
        )
    if isinstance(fragment, list):
        return isinstance(facts, list) and all(item in facts for item in fragment)
    return type(fragment) is type(facts) and bool(fragment == facts)
