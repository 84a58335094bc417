"""A paper sheet: the deals of an evening in rows, each with a field for every group of the game's pad."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from . import schema
from .game import AnyGame, fold
from .pad import NUMBER, PLACE, STRIP, ChoiceGroup
from .pad_state import Pad, build_pad
from .problems import Problem
from .standing import AnyStanding, Row
from .values import JsonObject

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
    return are_numbers and group.kind in (STRIP, NUMBER, PLACE)


def find_lowest(group: ChoiceGroup) -> int:
    """Return the lowest number that can be typed in a field for a number."""
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
    """Score a row on the standing, which is modified."""
    pad, groups, problems = _filled_pad(game, standing, row.typed, names)
    is_blank = not row.is_misdeal and all(row.typed.get(group.name, "") in ("", group.default) for group in groups)
    if is_blank:
        return ScoredPaperRow(row, pad, groups)
    deal: JsonObject = {"misdeal": True} if row.is_misdeal else pad.facts
    if row.is_misdeal:
        problems = []
    else:
        wrong = {problem.field for problem in problems}
        problems += [Problem(group.name, "field-missing") for group in pad.unanswered if group.name not in wrong]
    dealer = standing.dealer
    refusal = fold(game, standing, [deal]) if not problems else None
    found = tuple(problems) if refusal is None else refusal.problems
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
    """Return the choices that were typed or chosen, and the problems of texts that are none."""
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
    """Return the key of the choice with this key or, in a field for a number, with this number."""
    if group.amount is not None:
        return text if group.choice(text) else None
    if not is_number_field(group):
        return text if group.choice(text) else None
    is_number = text.isdecimal() and len(text) <= 9
    return next((choice.key for choice in group.choices if is_number and choice.label == int(text)), None)
