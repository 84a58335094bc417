"""A pad as one finds it: what was tapped, what follows from it, what can still be tapped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .game import Game
from .pad import Choice, Group, merged, tells
from .remarks import Remark
from .standing import Standing


@dataclass(frozen=True)
class Pad:
    """Groups of choices with the taps in them.

    `at_first` are the groups as they were before any tap. `facts` is what the taps say, completed; `worked_out` the
    choices that follow without a tap; `unanswered` the groups that still need one.
    """

    groups: tuple[Group, ...]
    at_first: tuple[Group, ...]
    taps: Mapping[str, str]
    facts: dict[str, Any]
    worked_out: Mapping[str, str]
    unanswered: tuple[Group, ...]

    @cached_property
    def never(self) -> frozenset[tuple[str, str]]:
        """The cells (group, choice) that cannot be at this table."""
        return _not_offered(self.at_first)

    @cached_property
    def withheld(self) -> frozenset[tuple[str, str]]:
        """The cells that what was tapped rules out."""
        return _not_offered(self.groups) - self.never

    @property
    def by_name(self) -> dict[str, Group]:
        return {group.name: group for group in self.groups}

    def is_tapped(self, group: Group, choice: Choice) -> bool:
        return self.taps.get(group.name, group.default) == choice.key

    def remarks_on(self, group: Group, remarks: tuple[Remark, ...]) -> list[Remark]:
        """What is to be said beside this group; each remark stands in one place."""
        return [remark for remark in remarks if self._place(remark) is group]

    def remarks_elsewhere(self, remarks: tuple[Remark, ...]) -> list[Remark]:
        """Remarks on what no group speaks of."""
        return [remark for remark in remarks if self._place(remark) is None]

    def _place(self, remark: Remark) -> Group | None:
        """The group of that name, or the first that speaks of the fact."""
        key = remark.field.split(".")[0]
        of_fact = next((group for group in self.groups if key in group.keys), None)
        return self.by_name.get(remark.field, of_fact)


def lay_out(game: Game, standing: Standing, taps: Mapping[str, str], recorded: Mapping[str, Any] | None = None) -> Pad:
    """The pad with these taps. `recorded` are the facts of a deal that is being amended.

    Of those, what is told by several groups together stays as it was until one of them is tapped.
    """
    at_first = tuple(game.pad(standing, {}))
    fragments = [choice.facts for group in at_first if (choice := group.choice(taps.get(group.name, "")))]
    kept = _kept(at_first, taps, recorded or {})
    said = merged([*fragments, kept])
    facts = game.complete(standing, said)
    groups = tuple(game.pad(standing, said))
    taken = {group.name: taps[group.name] for group in groups if group.choice(taps.get(group.name, ""))}
    worked_out = _worked_out(groups, taken, facts)
    return Pad(
        groups=groups,
        at_first=at_first,
        taps=taken,
        facts=facts,
        worked_out=worked_out,
        unanswered=tuple(
            group
            for group in groups
            if group.required and group.name not in taken and group.name not in worked_out and not (group.adds and kept)
        ),
    )


def taps_of(game: Game, standing: Standing, facts: Mapping[str, Any]) -> dict[str, str]:
    """The taps that tell these facts, as far as single taps can."""
    facts = game.complete(standing, dict(facts))
    taps = {}
    for group in game.pad(standing, facts):
        told = None if group.adds else _told(group, facts)
        if told is not None:
            taps[group.name] = told.key
    return taps


def _told(group: Group, facts: Mapping[str, Any]) -> Choice | None:
    return next((choice for choice in group.choices if choice.facts and tells(choice.facts, facts)), None)


def _kept(groups: tuple[Group, ...], taps: Mapping[str, str], recorded: Mapping[str, Any]) -> dict[str, Any]:
    adding = [group for group in groups if group.adds]
    if any(group.name in taps for group in adding):
        return {}
    keys = {key for group in adding for key in group.keys}
    return {key: recorded[key] for key in keys if key in recorded}


def _worked_out(groups: tuple[Group, ...], taps: Mapping[str, str], facts: Mapping[str, Any]) -> dict[str, str]:
    untapped = [group for group in groups if group.name not in taps and not group.adds]
    found = {group.name: _told(group, facts) for group in untapped}
    return {name: choice.key for name, choice in found.items() if choice is not None}


def _not_offered(groups: tuple[Group, ...]) -> frozenset[tuple[str, str]]:
    return frozenset((group.name, choice.key) for group in groups for choice in group.choices if not choice.offered)
