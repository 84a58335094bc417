"""The state of a pad: which choices are tapped, which follow from them, and which are still possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .game import AnyGame
from .pad import Choice, ChoiceGroup, is_part_of, merge_facts
from .problems import Problem
from .standing import AnyStanding
from .values import Facts, JsonObject


@dataclass(frozen=True)
class Pad:
    """Groups of choices with the taps in them.

    groups, initial_groups: the groups with these taps, and without any.
    taps: the tapped choice of each group, by name and key.
    facts: the facts entered by the taps, and those that follow from them.
    derived: the choices that follow from the taps, in groups without a tap.
    unanswered: the groups that still need a tap.
    """

    groups: tuple[ChoiceGroup, ...]
    initial_groups: tuple[ChoiceGroup, ...]
    taps: Mapping[str, str]
    facts: JsonObject
    derived: Mapping[str, str]
    unanswered: tuple[ChoiceGroup, ...]

    @cached_property
    def impossible(self) -> frozenset[tuple[str, str]]:
        """The cells (group, choice) that are impossible at this table whatever is tapped."""
        return _not_offered(self.initial_groups)

    @cached_property
    def ruled_out(self) -> frozenset[tuple[str, str]]:
        """The cells (group, choice) that the taps make impossible."""
        return _not_offered(self.groups) - self.impossible

    @property
    def by_name(self) -> dict[str, ChoiceGroup]:
        """The groups by name."""
        return {group.name: group for group in self.groups}

    def is_tapped(self, group: ChoiceGroup, choice: Choice) -> bool:
        """Return whether the choice is tapped, or is the default of a group without a tap."""
        return self.taps.get(group.name, group.default) == choice.key

    def problems_of(self, group: ChoiceGroup, problems: tuple[Problem, ...]) -> list[Problem]:
        """Return the problems to show at a group. Each problem belongs to one group at most."""
        return [problem for problem in problems if self._group_of(problem) is group]

    def problems_elsewhere(self, problems: tuple[Problem, ...]) -> list[Problem]:
        """Return the problems that belong to no group."""
        return [problem for problem in problems if self._group_of(problem) is None]

    def _group_of(self, problem: Problem) -> ChoiceGroup | None:
        """Return the group named in the problem, or else the first that sets the problem's key."""
        key = problem.field.split(".")[0]
        by_key = next((group for group in self.groups if key in group.keys), None)
        return self.by_name.get(problem.field, by_key)


def build_pad(game: AnyGame, standing: AnyStanding, taps: Mapping[str, str], recorded: Facts | None = None) -> Pad:
    """Build the pad with these taps.

    `recorded` are the facts of the deal being amended. Those set by additive groups are used until one of these
    groups is tapped.
    """
    initial_groups = tuple(game.pad(standing, {}))
    fragments = [choice.facts for group in initial_groups if (choice := group.choice(taps.get(group.name, "")))]
    recorded_sums = _recorded_sums(initial_groups, taps, recorded or {})
    entered = merge_facts([*fragments, recorded_sums])
    facts = game.complete(standing, entered)
    groups = tuple(game.pad(standing, entered))
    valid_taps = {group.name: taps[group.name] for group in groups if group.choice(taps.get(group.name, ""))}
    derived = _derive(groups, valid_taps, facts)
    return Pad(
        groups=groups,
        initial_groups=initial_groups,
        taps=valid_taps,
        facts=facts,
        derived=derived,
        unanswered=tuple(
            group
            for group in groups
            if group.required
            and group.name not in valid_taps
            and group.name not in derived
            and not (group.is_additive and recorded_sums)
        ),
    )


def taps_for(game: AnyGame, standing: AnyStanding, facts: Facts) -> dict[str, str]:
    """Return the taps that enter these facts, except those in additive groups."""
    facts = game.complete(standing, dict(facts))
    taps = {}
    for group in game.pad(standing, facts):
        choice = None if group.is_additive else _find_choice(group, facts)
        if choice is not None:
            taps[group.name] = choice.key
    return taps


def _find_choice(group: ChoiceGroup, facts: Facts) -> Choice | None:
    """Return the first choice whose facts are among `facts`, or None."""
    return next((choice for choice in group.choices if choice.facts and is_part_of(choice.facts, facts)), None)


def _recorded_sums(groups: tuple[ChoiceGroup, ...], taps: Mapping[str, str], recorded: Facts) -> JsonObject:
    """Return the recorded facts that additive groups set, unless one of these groups is tapped."""
    additive = [group for group in groups if group.is_additive]
    if any(group.name in taps for group in additive):
        return {}
    keys = {key for group in additive for key in group.keys}
    return {key: recorded[key] for key in keys if key in recorded}


def _derive(groups: tuple[ChoiceGroup, ...], taps: Mapping[str, str], facts: Facts) -> dict[str, str]:
    untapped = [group for group in groups if group.name not in taps and not group.is_additive]
    found = {group.name: _find_choice(group, facts) for group in untapped}
    return {name: choice.key for name, choice in found.items() if choice is not None}


def _not_offered(groups: tuple[ChoiceGroup, ...]) -> frozenset[tuple[str, str]]:
    return frozenset((group.name, choice.key) for group in groups for choice in group.choices if not choice.offered)
