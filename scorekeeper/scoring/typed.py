"""The numbers that were typed in the deals so far: what each field of a pad has come to, and which come often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from . import schema
from .game import AnyGame
from .standing import AnyStanding

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
