"""The pad on which a deal is entered: groups of choices, each of which stands for part of the deal's facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

STRIP, TOGGLE, CARDS, NUMBER = "strip", "toggle", "cards", "number"

LONGEST_STRIP = 13  # numbers; more of them are tapped as tens and units


class Choice(NamedTuple):
    """A choice that can be tapped.

    `facts` is a fragment of the deal's JSON. `label` is a number, or the key of a message with `params`. `row` is the
    player or side in whose row the choice is shown. `offered` is false if the choice is impossible at this table now;
    it is still accepted, so that the problem can be explained.
    """

    key: str
    facts: Mapping[str, Any]
    label: int | str
    row: str = ""
    offered: bool = True
    params: Mapping[str, Any] = MappingProxyType({})


class ChoiceGroup(NamedTuple):
    """Choices of which one can be tapped.

    keys: the keys of the deal that the choices set. Problems with these are shown at this group.
    required: whether a choice must be tapped, even if it means 0.
    default: the choice that applies while none is tapped.
    is_additive: whether the choices of several groups are added up (kings, queens and jacks to card points), so that
        the choice in one group cannot be derived from the deal's facts.
    is_alternative: whether the group enters the same facts as others in another way. It is shown collapsed.
    """

    name: str
    keys: tuple[str, ...]
    choices: tuple[Choice, ...]
    kind: str = STRIP
    required: bool = True
    default: str | None = None
    is_additive: bool = False
    is_alternative: bool = False

    def choice(self, key: str) -> Choice | None:
        """Return the choice with this key, or None."""
        return next((choice for choice in self.choices if choice.key == key), None)

    @property
    def rows(self) -> dict[str, list[Choice]]:
        """The choices by row."""
        rows: dict[str, list[Choice]] = {}
        for choice in self.choices:
            rows.setdefault(choice.row, []).append(choice)
        return rows

    @property
    def parts(self) -> tuple[ChoiceGroup, ...]:
        """The tens and the units of a group of numbers, which are tapped apart; of other groups, nothing."""
        if self.kind != NUMBER:
            return ()
        tens = dict.fromkeys(int(choice.label) // 10 for choice in self.choices)
        units = sorted({int(choice.label) % 10 for choice in self.choices})
        return (
            ChoiceGroup(f"{self.name}.tens", self.keys, tuple(Choice(str(n), {}, 10 * n) for n in tens)),
            ChoiceGroup(f"{self.name}.units", self.keys, tuple(Choice(str(n), {}, n) for n in units)),
        )

    def taps_in_parts(self, choice: Choice) -> dict[str, str]:
        """Return the taps that enter a number, by name of the part; of other groups, none."""
        if self.kind != NUMBER:
            return {}
        tens, units = divmod(int(choice.label), 10)
        return {f"{self.name}.tens": str(tens), f"{self.name}.units": str(units)}

    def tapped(self, taps: Mapping[str, str]) -> Choice | None:
        """Return the choice that is tapped, a number also by its tens and units; None if there is none."""
        choice = self.choice(taps.get(self.name, ""))
        if choice is not None or self.kind != NUMBER:
            return choice
        return next((c for c in self.choices if self.taps_in_parts(c).items() <= taps.items()), None)


def number_group(
    name: str,
    keys: tuple[str, ...],
    numbers: range,
    facts: Callable[[int], Mapping[str, Any]],
    *,
    row: str = "",
    offered: Callable[[int], bool] = lambda _number: True,
    required: bool = True,
) -> ChoiceGroup:
    """Return a group for one of these numbers, none of them below 0: a strip, or tens and units if they are many.

    facts: return the fragment of the deal's facts that a number stands for.
    offered: return whether a number is possible at this table now.
    """
    choices = tuple(Choice(str(n), facts(n), n, row, offered(n)) for n in numbers)
    kind = STRIP if len(choices) <= LONGEST_STRIP else NUMBER
    return ChoiceGroup(name, keys, choices, kind=kind, required=required)


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
    """Return whether the facts contain everything in the fragment."""
    if isinstance(fragment, Mapping):
        return isinstance(facts, Mapping) and all(
            key in facts and is_part_of(value, facts[key]) for key, value in fragment.items()
        )
    if isinstance(fragment, list):
        return isinstance(facts, list) and all(item in facts for item in fragment)
    return type(fragment) is type(facts) and bool(fragment == facts)
