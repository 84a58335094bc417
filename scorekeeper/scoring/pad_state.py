"""The state of a pad: which choices are tapped, which follow from them, and which are still possible.

And a paper sheet: the deals of an evening in rows, each with a field for every group of the game's pad.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from . import schema
from .game import AnyGame, fold
from .pad import PLACE, STRIP, Choice, ChoiceGroup, merge_facts
from .problems import Problem
from .standing import AnyStanding, Row
from .values import Facts, JsonObject


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
        missing = {group.name: "tap-one" if group.amount is None else "field-missing" for group in self.unanswered}
        typed = {problem.field: problem for problem in self.problems_of_typing}
        return tuple(typed.get(name) or Problem(name, key) for name, key in missing.items())

    @property
    def problems_of_typing(self) -> tuple[Problem, ...]:
        groups = [(group.name, group.amount) for group in self.groups if group.amount is not None]
        return tuple(amount.problem(name, self.mistyped[name]) for name, amount in groups if name in self.mistyped)

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
        """Return the problems to show at a group. Each problem belongs to one group at most."""
        return [problem for problem in problems if self._group_of(problem) is group]

    def problems_elsewhere(self, problems: tuple[Problem, ...]) -> list[Problem]:
        return [problem for problem in problems if self._group_of(problem) is None]

    def _group_of(self, problem: Problem) -> ChoiceGroup | None:
        key = problem.field.split(".")[0]
        by_key = next((group for group in self.groups if key in group.keys), None)
        return self.by_name.get(problem.field, by_key)


def build_pad(game: AnyGame, standing: AnyStanding, taps: Mapping[str, str], recorded: Facts | None = None) -> Pad:
    """Build the pad with these taps.

    `recorded` are the facts of the deal being amended. Those set by additive groups are used until one of these
    groups is tapped.
    """
    resolved = _Resolution(game, standing, taps, recorded or {})
    groups, choices = resolved.groups, resolved.choices
    facts = game.complete(standing, resolved.entered)
    derived = _derive(groups, choices, facts)
    recorded_sums = _recorded_sums(groups, taps, recorded or {})
    typed = {group.name: taps.get(group.name, "").strip() for group in groups if group.amount is not None}
    mistyped = {name: text for name, text in typed.items() if text and name not in choices}
    needed = {group.name for group in groups if group.required and not (group.is_additive and recorded_sums)}
    lacking = needed - choices.keys() - derived.keys()
    return Pad(
        groups=groups,
        taps=_collect_taps(groups, choices),
        facts=facts,
        derived=_collect_taps(groups, derived),
        unanswered=tuple(group for group in groups if group.name in mistyped or group.name in lacking),
        set_aside=resolved.set_aside,
        mistyped=mistyped,
    )


class _Resolution:
    """The groups of a pad with these taps, and the choices tapped in them.

    A choice may add groups to the pad, and take others away with their taps. If not all taps can stand together, they
    are accepted in the order of the groups. A choice that was taken away is not accepted again, so this ends.

    entered: the facts that the choices stand for.
    """

    def __init__(self, game: AnyGame, standing: AnyStanding, taps: Mapping[str, str], recorded: Facts) -> None:
        self._game, self._standing = game, standing
        self._taps, self._recorded = taps, recorded
        self._taken_away: set[str] = set()
        self.entered: JsonObject = {}
        self.groups = self._groups_for(self.entered)
        self._seen = {group.name: group for group in self.groups}
        self._set({})
        while waiting := self._waiting():
            self._accept(waiting)

    def _groups_for(self, facts: Facts) -> tuple[ChoiceGroup, ...]:
        return tuple(self._game.pad(self._standing, facts))

    @property
    def set_aside(self) -> dict[str, str]:
        shown = {group.name for group in self.groups}
        hidden = [group for name, group in self._seen.items() if name not in shown]
        return {group.name: self._taps[group.name] for group in hidden if group.name in self._taps}

    def _waiting(self) -> dict[str, Choice]:
        known = self.choices.keys() | self._taken_away
        tapped = {group.name: group.tapped(self._taps) for group in self.groups if group.name not in known}
        return {name: choice for name, choice in tapped.items() if choice is not None}

    def _accept(self, waiting: dict[str, Choice]) -> None:
        """Accept these choices if they can stand together, else the first of them."""
        choices, groups, entered = self.choices, self.groups, self.entered
        self._set(choices | waiting)
        if not self._without_place():
            return
        self.groups, self.entered = groups, entered
        name, choice = next(iter(waiting.items()))
        self._set(choices | {name: choice})
        while gone := self._without_place():
            self._taken_away |= gone
            self._set({name: choice for name, choice in self.choices.items() if name not in gone})

    def _without_place(self) -> set[str]:
        groups = {group.name: group for group in self.groups}
        return {
            name
            for name, choice in self.choices.items()
            if name not in groups or groups[name].choice(choice.key) is None
        }

    def _set(self, choices: dict[str, Choice]) -> None:
        """Set the choices and what follows from them. Twice, since the groups decide which recorded facts count."""
        self.choices = choices
        fragments = [choices[group.name].facts for group in self.groups if group.name in choices]
        for _ in range(2):
            sums = _recorded_sums(self.groups, self._taps, self._recorded)
            entered = merge_facts([*fragments, sums])
            if entered != self.entered:
                self.entered, self.groups = entered, self._groups_for(entered)
                self._seen |= {group.name: group for group in self.groups if group.name not in self._seen}


def _collect_taps(groups: tuple[ChoiceGroup, ...], choices: Mapping[str, Choice]) -> dict[str, str]:
    return {group.name: choices[group.name].key for group in groups if group.name in choices}


def taps_for(game: AnyGame, standing: AnyStanding, facts: Facts) -> dict[str, str]:
    facts = game.complete(standing, dict(facts))
    taps = {}
    for group in game.pad(standing, facts):
        choice = None if group.is_additive else group.find_choice(facts)
        if choice is not None:
            taps[group.name] = choice.key
    return taps


def _recorded_sums(groups: tuple[ChoiceGroup, ...], taps: Mapping[str, str], recorded: Facts) -> JsonObject:
    additive = [group for group in groups if group.is_additive]
    if any(group.name in taps for group in additive):
        return {}
    keys = {key for group in additive for key in group.keys}
    return {key: recorded[key] for key in keys if key in recorded}


def _derive(groups: tuple[ChoiceGroup, ...], tapped: Mapping[str, Choice], facts: Facts) -> dict[str, Choice]:
    untapped = [group for group in groups if group.name not in tapped and not group.is_additive]
    found = {group.name: group.find_choice(facts) for group in untapped}
    return {name: choice for name, choice in found.items() if choice is not None}


_OFTEN = 3  # times
_MOST = 4  # numbers
_ONE_KEY = range(-9, 10)  # a digit is typed as quickly as any other key

TypedNumbers = Mapping[str, Sequence[int]]  # by name of the group


def list_typed(game: AnyGame, standing: AnyStanding) -> TypedNumbers:
    """Return the numbers of the deals so far, by group of the pad; those of a seat are its player's now."""
    groups = tuple(game.pad(standing, {}))
    typed: dict[str, list[int]] = {group.name: [] for group in groups if group.amount is not None}
    for row in standing.rows if typed else ():
        if not game.is_played(row.fact):
            continue
        facts, seated = schema.dump(row.fact), standing.seated_as(row)
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


MAX_ROWS = 200
MAX_STEPS = 20  # choices that depend on each other


@dataclass(frozen=True)
class PaperRow:
    """A row as it was filled in: what was typed or chosen, by name of the group."""

    number: int
    typed: Mapping[str, str]
    is_misdeal: bool = False


@dataclass(frozen=True)
class ScoredPaperRow:
    """A row with the pad of its deal.

    problems: what is wrong; a field of them is the name of a group or a key of the deal.
    deal: the deal's facts; None for a blank row or one with problems.
    row: the deal with its score; None too if an earlier row has problems, since the score depends on it.
    """

    paper: PaperRow
    pad: Pad
    groups: tuple[ChoiceGroup, ...]
    problems: tuple[Problem, ...] = ()
    deal: JsonObject | None = None
    row: Row | None = None

    @property
    def kept(self) -> dict[str, str]:
        """What was typed in fields that the row does not have now, such as those for another number of players."""
        shown = {group.name for group in self.groups}
        return {name: text for name, text in self.paper.typed.items() if text and name not in shown}


def is_number_field(group: ChoiceGroup) -> bool:
    """Return whether a number can be typed: any, or those of the group's choices if these are different numbers."""
    if group.amount is not None:
        return True
    labels = {choice.label for choice in group.choices}
    are_numbers = len(labels) == len(group.choices) and all(type(label) is int for label in labels)
    return are_numbers and group.kind in (STRIP, PLACE)


def find_lowest(group: ChoiceGroup) -> int:
    return group.amount.low if group.amount is not None else min(int(choice.label) for choice in group.choices)


def score_rows(game: AnyGame, opening: AnyStanding, rows: Iterable[PaperRow]) -> list[ScoredPaperRow]:
    """Score the rows in order; blank ones are no deals. After a row with problems, the others are only checked."""
    names = _order_of_seats(game, opening, {})
    standing, is_certain, scored_rows = opening.copy(), True, []
    for row in rows:
        scored = _score(game, standing, row, names, is_certain=is_certain)
        is_certain = is_certain and not scored.problems
        scored_rows.append(scored)
    return scored_rows


def _order_of_seats(game: AnyGame, standing: AnyStanding, taps: Mapping[str, str]) -> Sequence[str]:
    """Return the names of the pad's groups in the order that they have when the last player deals: that of the seats.

    So a column of the paper keeps its place in every deal. Groups that enter the same in another way are left out.
    """
    pad = build_pad(game, replace(standing, dealer=standing.players[-1]), taps)
    return [group.name for group in pad.groups if not group.is_alternative]


def _score(
    game: AnyGame, standing: AnyStanding, row: PaperRow, names: Sequence[str], *, is_certain: bool
) -> ScoredPaperRow:
    pad, groups, problems = _filled_pad(game, standing, row.typed, names)
    if not row.is_misdeal and all(row.typed.get(group.name, "") in ("", group.default) for group in groups):
        return ScoredPaperRow(row, pad, groups)  # it is blank
    deal: JsonObject = {"misdeal": True} if row.is_misdeal else pad.facts
    wrong = {problem.field for problem in problems}
    problems += [Problem(group.name, "field-missing") for group in pad.unanswered if group.name not in wrong]
    dealer, found = standing.dealer, () if row.is_misdeal else tuple(problems)
    if not found and (refusal := fold(game, standing, [deal])) is not None:
        found = refusal.problems
    if found:
        standing.dealer = standing.next_player(dealer)
        return ScoredPaperRow(row, pad, groups, found)
    return ScoredPaperRow(row, pad, groups, deal=deal, row=standing.rows[-1] if is_certain else None)


def _filled_pad(
    game: AnyGame, standing: AnyStanding, typed: Mapping[str, str], names: Sequence[str]
) -> tuple[Pad, tuple[ChoiceGroup, ...], list[Problem]]:
    """Return the pad of what was typed, its groups in the order of the paper, and the problems of what was typed.

    A choice may add groups, and what is typed in these may add others. `names` is the order of most groups.
    """
    groups = tuple(game.pad(standing, {}))
    for _ in range(MAX_STEPS):
        by_name = {group.name: group for group in groups}
        of_this_deal = (group.name for group in groups if not group.is_alternative)  # such as one for the dealer
        ordered = tuple(by_name[name] for name in dict.fromkeys([*names, *of_this_deal]) if name in by_name)
        taps, problems = _taps(ordered, typed)
        pad = build_pad(game, standing, taps)
        if pad.by_name.keys() == by_name.keys():
            break
        names, groups = _order_of_seats(game, standing, taps), pad.groups
    return pad, ordered, problems


def _taps(groups: Iterable[ChoiceGroup], typed: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    taps, problems = {}, []
    for group in groups:
        text = typed.get(group.name, "").strip()
        if not text:
            continue
        key = _find_key(group, text)
        if key is not None:
            taps[group.name] = key
        elif group.amount is not None:
            problems.append(group.amount.problem(group.name, text))
        elif is_number_field(group):
            numbers = [int(choice.label) for choice in group.choices]
            params = {"found": text[:40], "low": find_lowest(group), "high": max(numbers)}
            problems.append(Problem(group.name, "whole-number", params))
        else:
            problems.append(Problem(group.name, "one-of-these"))
    return taps, problems


def _find_key(group: ChoiceGroup, text: str) -> str | None:
    if group.amount is not None or not is_number_field(group):
        return text if group.choice(text) else None
    is_number = text.isdecimal() and len(text) <= 9
    return next((choice.key for choice in group.choices if is_number and choice.label == int(text)), None)
