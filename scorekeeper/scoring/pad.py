"""The pad on which a deal is entered: groups of choices, each of which stands for part of the deal's facts.

taps.py builds it with taps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from .problems import Problem, abbreviate_value
from .values import Facts, JsonObject

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


def party_choice(party: str, facts: Facts, *, offered: bool = True) -> Choice:
    """Return a choice that is labelled with the name of a player or a side."""
    return Choice(party, facts, "party", offered=offered, params={"party": party})


def find_number(facts: Facts, path: Iterable[str]) -> int | None:
    """Return the number that stands in facts under these keys; None if it is not entered."""
    value: Any = facts
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if type(value) is int else None


class Amount(NamedTuple):
    """Any whole number from `low` to `high`, which is typed."""

    path: tuple[str, ...]  # the keys under which the number stands in the deal's facts
    low: int
    high: int
    row: str = ""  # the player or side whose number it is
    is_taken_off: bool = False  # from a score, so that the facts hold its opposite
    is_once: bool = False  # there can be one in a single deal only: a box that was filled earlier has no field any more

    def choice(self, text: str) -> Choice | None:
        found = _WHOLE_NUMBER.fullmatch(_SPACES.sub("", text))
        if found is None:
            return None
        number = int(found[2]) if found[1] in ("", "+") else -int(found[2])
        return self.choice_of(number) if self.low <= number <= self.high else None

    def problem(self, field: str, text: str) -> Problem:
        return Problem(field, "whole-number", {"found": abbreviate_value(text), "low": self.low, "high": self.high})

    def choice_of(self, number: int) -> Choice:
        facts: Any = -number if self.is_taken_off else number
        for key in reversed(self.path):
            facts = {key: facts}
        return Choice(str(number), facts, number, self.row)

    def find_choice(self, facts: Facts) -> Choice | None:
        number = find_number(facts, self.path)
        if number is None:
            return None
        return self.choice_of(-number if self.is_taken_off else number)


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
        """Return the choice that is tapped, or the default if one is needed; else None."""
        choice = self.choice(taps.get(self.name, ""))
        return self.choice(self.default) if choice is None and self.required and self.default else choice


def amount_group(name: str, amount: Amount, *, required: bool = True, title: str = "") -> ChoiceGroup:
    return ChoiceGroup(name, amount.path[:1], (), kind=AMOUNT, required=required, amount=amount, title=title)


def merge_facts(fragments: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Combine fragments of facts: objects are merged, numbers added, lists concatenated."""
    facts: dict[str, Any] = {}
    for fragment in fragments:
        for key, value in fragment.items():
            present = facts.get(key)
            if isinstance(value, Mapping):
                facts[key] = merge_facts([present or {}, value])
            else:
                facts[key] = value if present is None or isinstance(value, bool | str) else present + value
    return facts


def is_part_of(fragment: Any, facts: Any) -> bool:
    """Return whether all that a fragment says stands in these facts."""
    if isinstance(fragment, Mapping):
        return isinstance(facts, Mapping) and all(
            key in facts and is_part_of(value, facts[key]) for key, value in fragment.items()
        )
    if isinstance(fragment, list):
        return isinstance(facts, list) and all(item in facts for item in fragment)
    return type(fragment) is type(facts) and bool(fragment == facts)


@dataclass(frozen=True)
class Pad:
    """Groups of choices with the taps in them.

    groups: the groups with these taps.
    taps: the tapped choice of each group, by name and key.
    facts: the facts entered by the taps, and those that follow from them.
    derived: the choices that follow from the taps, in groups without a tap.
    unanswered: the groups that still need a tap.
    set_aside: taps in groups that another tap has taken away. They are not recorded, but count again if their groups
        come back.
    mistyped: the texts in groups for a number that are none of its numbers, by name of the group.
    """

    groups: tuple[ChoiceGroup, ...]
    taps: Mapping[str, str]
    facts: JsonObject
    derived: Mapping[str, str]
    unanswered: tuple[ChoiceGroup, ...]
    set_aside: Mapping[str, str]
    mistyped: Mapping[str, str]

    @property
    def problems_of_unanswered(self) -> tuple[Problem, ...]:
        return tuple(self._find_problem(group) for group in self.unanswered)

    @property
    def problems_of_typing(self) -> tuple[Problem, ...]:
        return tuple(self._find_problem(group) for group in self.unanswered if group.name in self.mistyped)

    def _find_problem(self, group: ChoiceGroup) -> Problem:
        if group.amount is None:
            return Problem(group.name, "tap-one")
        if group.name not in self.mistyped:
            return Problem(group.name, "field-missing")
        return group.amount.problem(group.name, self.mistyped[group.name])

    @property
    def zeros(self) -> dict[str, str]:
        """The taps that enter 0 for every number that is still needed; what was mistyped stays to be corrected."""
        lacking = [group for group in self.unanswered if group.amount is not None]
        return {group.name: "0" for group in lacking if group.name not in self.mistyped}

    @cached_property
    def left_out(self) -> frozenset[tuple[str, str]]:
        """The cells (group, choice) that are not shown."""
        cells = {(group.name, choice.key) for group in self.groups for choice in group.choices if choice.left_out}
        return frozenset(cells - self.taps.items())

    @cached_property
    def ruled_out(self) -> frozenset[tuple[str, str]]:
        """The cells (group, choice) that are shown, and impossible now."""
        choices = ((group, choice) for group in self.groups for choice in group.choices)
        cells = {(group.name, choice.key) for group, choice in choices if choice.left_out or not choice.offered}
        return frozenset(cells - self.left_out)

    @property
    def has_amounts(self) -> bool:
        return any(group.amount is not None for group in self.groups)

    @property
    def by_name(self) -> dict[str, ChoiceGroup]:
        return {group.name: group for group in self.groups}

    def is_tapped(self, group: ChoiceGroup, choice: Choice) -> bool:
        return self.taps.get(group.name, group.default) == choice.key

    def problems_of(self, group: ChoiceGroup, problems: tuple[Problem, ...]) -> list[Problem]:
        return [problem for problem in problems if self.find_group(problem) is group]

    def problems_elsewhere(self, problems: tuple[Problem, ...]) -> list[Problem]:
        return [problem for problem in problems if self.find_group(problem) is None]

    def find_group(self, problem: Problem) -> ChoiceGroup | None:
        """Return the group at which a problem is shown: of several for one fact, that of the party it is about."""
        key = problem.field.split(".")[0]
        by_key = next((group for group in self.groups if key in group.keys), None)
        of_party = self.by_name.get(f"{key}-{problem.params.get('party')}", by_key)
        return self.by_name.get(problem.field, of_party)
