"""Reading the taps on a pad: which of them count, what follows from them, and what is still to be tapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from . import schema
from .pad import Choice, ChoiceGroup, Pad, merge_facts
from .standing import AnyStanding
from .values import Facts, JsonObject

if TYPE_CHECKING:
    from .game import AnyGame


def build_pad(game: AnyGame, standing: AnyStanding, taps: Mapping[str, str], recorded: Facts | None = None) -> Pad:
    """Build the pad with these taps.

    `recorded` are the facts of the deal being amended. Those set by additive groups are used until one of these
    groups is tapped.
    """
    reader = _TapReader(game, standing, taps, recorded or {})
    accepted = _accept_taps(reader)
    choices, groups = accepted.choices, accepted.groups
    facts = game.complete(standing, accepted.facts)
    derived = _find_keys((group for group in groups if group.name not in choices), facts)
    mistyped = _find_mistyped(groups, taps, choices)
    unanswered = _find_unanswered(groups, {*choices, *derived}, has_sums=bool(reader.find_sums(groups)))
    on_pad = {group.name for group in groups}
    return Pad(
        groups=groups,
        taps={group.name: choices[group.name].key for group in groups if group.name in choices},
        facts=facts,
        derived=derived,
        unanswered=tuple(group for group in groups if group.name in unanswered or group.name in mistyped),
        set_aside={name: taps[name] for name in accepted.seen if name in taps and name not in on_pad},
        mistyped=mistyped,
    )


def taps_for(game: AnyGame, standing: AnyStanding, facts: Facts) -> dict[str, str]:
    """Return the taps that enter these facts; in additive groups there are none."""
    facts = game.complete(standing, dict(facts))
    return _find_keys(game.pad(standing, facts), facts)


def _find_keys(groups: Iterable[ChoiceGroup], facts: Facts) -> dict[str, str]:
    """Return the keys of the choices that stand in these facts, by name of their group; in additive groups none."""
    found = {group.name: group.find_choice(facts) for group in groups if not group.is_additive}
    return {name: choice.key for name, choice in found.items() if choice is not None}


def _find_mistyped(
    groups: Iterable[ChoiceGroup], taps: Mapping[str, str], choices: Mapping[str, Choice]
) -> dict[str, str]:
    """Return the texts that are none of the numbers of their groups, by name of the group."""
    typed = {group.name: taps.get(group.name, "").strip() for group in groups if group.amount is not None}
    return {name: text for name, text in typed.items() if text and name not in choices}


def _find_unanswered(groups: Sequence[ChoiceGroup], answered: set[str], *, has_sums: bool) -> set[str]:
    """Return the names of the groups that still need a tap. `has_sums`: what was recorded answers additive groups."""
    needed = (group for group in groups if group.required and not (has_sums and group.is_additive))
    return {group.name for group in needed} - answered


# --- which taps count --------------------------------------------------------------------------------------
# A choice may add groups to the pad, and take others away with their taps. So taps are accepted step by step.


class _Accepted(NamedTuple):
    """Choices by the name of their group, the facts that they stand for, and the groups of the pad with these facts.

    seen: the names of all groups that were on the pad meanwhile, in order.
    """

    choices: dict[str, Choice]
    facts: JsonObject
    groups: tuple[ChoiceGroup, ...]
    seen: dict[str, None]


@dataclass(frozen=True)
class _TapReader:
    game: AnyGame
    standing: AnyStanding
    taps: Mapping[str, str]
    recorded: Facts

    def accept(self, choices: dict[str, Choice], before: _Accepted | None = None) -> _Accepted:
        """Return the pad with these choices of groups that were on the pad before.

        Recorded sums are added if their groups are on it.
        """
        groups = before.groups if before is not None else ()
        facts = merge_facts(choices[group.name].facts for group in groups if group.name in choices)
        after = tuple(self.game.pad(self.standing, facts))
        if sums := self.find_sums(after):
            facts = merge_facts([facts, sums])
            after = tuple(self.game.pad(self.standing, facts))
        seen = before.seen if before is not None else {}
        return _Accepted(choices, facts, after, seen | dict.fromkeys(group.name for group in after))

    def find_sums(self, groups: Iterable[ChoiceGroup]) -> JsonObject:
        """Return the recorded facts that additive groups have set; none once one of these groups is tapped."""
        additive = [group for group in groups if group.is_additive]
        if any(group.name in self.taps for group in additive):
            return {}
        return {key: self.recorded[key] for group in additive for key in group.keys if key in self.recorded}

    def find_waiting(self, accepted: _Accepted, taken_away: set[str]) -> dict[str, Choice]:
        """Return the choices that are tapped, but neither accepted nor taken away, by the name of their group."""
        known = accepted.choices.keys() | taken_away
        tapped = {group.name: group.tapped(self.taps) for group in accepted.groups if group.name not in known}
        return {name: choice for name, choice in tapped.items() if choice is not None}


def _accept_taps(reader: _TapReader) -> _Accepted:
    """Accept all taps that can stand together, otherwise in the order of the groups.

    A choice that another has taken away is not accepted again, so this ends.
    """
    accepted = reader.accept({})
    taken_away: set[str] = set()
    while waiting := reader.find_waiting(accepted, taken_away):
        accepted = _accept_waiting(reader, accepted, waiting)
        while gone := _find_taken_away(accepted):
            taken_away |= gone
            kept = {name: choice for name, choice in accepted.choices.items() if name not in gone}
            accepted = reader.accept(kept, accepted)
    return accepted


def _accept_waiting(reader: _TapReader, accepted: _Accepted, waiting: dict[str, Choice]) -> _Accepted:
    """Accept these choices; only the first one if together they take some away."""
    together = reader.accept(accepted.choices | waiting, accepted)
    if not _find_taken_away(together):
        return together
    first = next(iter(waiting))
    return reader.accept(accepted.choices | {first: waiting[first]}, accepted._replace(seen=together.seen))


def _find_taken_away(accepted: _Accepted) -> set[str]:
    """Return the names of the groups whose choices the accepted facts take away."""
    groups = {group.name: group for group in accepted.groups}
    choices = accepted.choices.items()
    return {name for name, choice in choices if name not in groups or groups[name].choice(choice.key) is None}


# --- numbers typed so far ----------------------------------------------------------------------------------

_OFTEN = 3  # times
_MOST = 4  # numbers
_ONE_KEY = range(-9, 10)  # a digit is typed as quickly as any other key

TypedNumbers = Mapping[str, Sequence[int]]  # by name of the group


def list_typed(game: AnyGame, standing: AnyStanding) -> TypedNumbers:
    """Return the numbers entered so far under the current house rules, by group; earlier players of a seat count."""
    groups = tuple(game.pad(standing, {}))
    typed: dict[str, list[int]] = {group.name: [] for group in groups if group.amount is not None}
    for row in standing.rows if typed else ():
        if not game.is_played(row.fact) or row.options is not standing.options:
            continue
        facts = schema.dump(row.fact)
        seated = standing.seated_as(row)
        as_played = groups if seated is standing else tuple(game.pad(seated, {}))
        for group, played in zip(groups, as_played, strict=True):
            choice = played.amount.find_choice(facts) if played.amount is not None else None
            if choice is not None:
                typed[group.name].append(int(choice.label))
    return typed


def find_frequent(numbers: Iterable[int]) -> list[int]:
    """Return the numbers worth a key of their own: the most frequent of two digits and more, the lowest first."""
    counted = Counter(number for number in numbers if number not in _ONE_KEY)
    return sorted(number for number, times in counted.most_common(_MOST) if times >= _OFTEN)
