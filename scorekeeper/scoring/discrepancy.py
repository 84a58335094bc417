"""Counters that were counted, and are not what the sheet says: which payments would explain it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .ledger import FICHE, FICHES, JETONS, POT, Entry

NOT_MADE, TWICE, REVERSED = "not-made", "twice", "reversed"
_TIMES = {NOT_MADE: -1, TWICE: 1, REVERSED: -2}  # the payment, beside the one that should have been made

Journal = Iterable[tuple[int, Sequence[Entry]]]  # the number of each deal and its entries


class Explanation(NamedTuple):
    """Payments of a deal that, gone wrong in this way, would make the counters what they are.

    `is_whole`: that alone would account for all that is off; else for at least one player, and others less than
    wholly.
    """

    deal: int
    entries: tuple[Entry, ...]
    how: str
    is_whole: bool


def explanations(journal: Journal, off: Mapping[str, int], unit: str) -> list[Explanation]:
    """What would explain that players have so much too much (or too little, below 0), newest first.

    `off` is in `unit`; in jetons a fiche counts 9. Nobody would be further off than he is, and one player at least
    not off at all.
    """
    wrong = {player: amount for player, amount in off.items() if amount}
    found = [
        Explanation(deal, entries, how, _less(wrong, moved) == {})
        for deal, all_entries in journal
        for entries, ways in _candidates([entry for entry in all_entries if entry.is_payment])
        for how in ways
        if _fits(moved := _moved(entries, unit, _TIMES[how]), wrong)
    ]
    return sorted(found, key=lambda one: (-one.deal, not one.is_whole))


def _candidates(entries: list[Entry]) -> Iterator[tuple[tuple[Entry, ...], tuple[str, ...]]]:
    """Payments that may have gone wrong together, and how: each alone, those of one reason, the pot, the whole deal."""
    every_way = tuple(_TIMES)
    groups: dict[tuple[Entry, ...], tuple[str, ...]] = {(entry,): every_way for entry in entries}
    for reason in dict.fromkeys(entry.reason for entry in entries):
        groups.setdefault(tuple(entry for entry in entries if entry.reason == reason), every_way)
    groups.setdefault(tuple(entry for entry in entries if POT in (entry.giver, entry.taker)), (NOT_MADE, TWICE))
    groups.setdefault(tuple(entries), (NOT_MADE, TWICE))
    groups.pop((), None)
    yield from groups.items()


def _moved(entries: tuple[Entry, ...], unit: str, times: int) -> dict[str, int]:
    """What each player has more, where these payments were made so many times more."""
    moved: Counter[str] = Counter()
    for giver, taker, amount, counted_in, _ in entries:
        worth = times * amount * (FICHE if (unit, counted_in) == (JETONS, FICHES) else 1)
        if giver is not POT:
            moved[giver] -= worth
        if taker is not POT:
            moved[taker] += worth
    return _less(moved, {})


def _less(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """The difference, by player; those of whom there is none left out."""
    both = {player: one.get(player, 0) - other.get(player, 0) for player in one.keys() | other.keys()}
    return {player: amount for player, amount in both.items() if amount}


def _fits(moved: Mapping[str, int], wrong: Mapping[str, int]) -> bool:
    return any(wrong.get(player) == amount for player, amount in moved.items()) and all(
        0 < amount <= wrong.get(player, 0) or wrong.get(player, 0) <= amount < 0 for player, amount in moved.items()
    )
