"""Payments that would explain why the counters on the table differ from the sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .entries import POT, Entry

NOT_MADE, TWICE, REVERSED = "not-made", "twice", "reversed"
_EXTRA_TIMES = {NOT_MADE: -1, TWICE: 1, REVERSED: -2}  # how often the payment was made, less the once it should be

Journal = Iterable[tuple[int, Sequence[Entry]]]  # the number of each deal and its entries


class Explanation(NamedTuple):
    """Payments of a deal and a mistake in making them that would explain a difference.

    `how` is the mistake: `NOT_MADE`, `TWICE` or `REVERSED`. `is_whole` says whether it explains the differences of
    all players. Otherwise it explains that of at least one player, and those of others in part.
    """

    deal: int
    entries: tuple[Entry, ...]
    how: str
    is_whole: bool


def find_explanations(journal: Journal, surplus: Mapping[str, int], worth: Mapping[str, int]) -> list[Explanation]:
    """Return the mistakes that explain what players have too much (below 0: too little), newest deal first.

    `surplus` is by player, in the smallest unit, and `worth` what one of a larger unit is worth in it. A mistake is
    returned if undoing it would clear the difference of at least one player and increase that of none.
    """
    surplus = {player: amount for player, amount in surplus.items() if amount}
    found = [
        Explanation(deal, entries, how, _difference(surplus, change) == {})
        for deal, all_entries in journal
        for entries, mistakes in _candidates([entry for entry in all_entries if entry.is_payment])
        for how in mistakes
        if _explains(change := _change(entries, worth, _EXTRA_TIMES[how]), surplus)
    ]
    return sorted(found, key=lambda explanation: (-explanation.deal, not explanation.is_whole))


def _candidates(entries: list[Entry]) -> Iterator[tuple[tuple[Entry, ...], tuple[str, ...]]]:
    """Yield groups of payments a mistake may have been made in, with the mistakes to consider.

    The groups are each payment, all with the same reason, all with the pot, and the whole deal.
    """
    all_mistakes = tuple(_EXTRA_TIMES)
    groups: dict[tuple[Entry, ...], tuple[str, ...]] = {(entry,): all_mistakes for entry in entries}
    for reason in dict.fromkeys(entry.reason for entry in entries):
        groups.setdefault(tuple(entry for entry in entries if entry.reason == reason), all_mistakes)
    groups.setdefault(tuple(entry for entry in entries if POT in (entry.giver, entry.taker)), (NOT_MADE, TWICE))
    groups.setdefault(tuple(entries), (NOT_MADE, TWICE))
    groups.pop((), None)
    yield from groups.items()


def _change(entries: tuple[Entry, ...], worth: Mapping[str, int], extra_times: int) -> dict[str, int]:
    """Return what each player gains if the payments are made `extra_times` more often; players with 0 are omitted."""
    change: Counter[str] = Counter()
    for giver, taker, amount, unit, _ in entries:
        converted = extra_times * amount * worth.get(unit, 1)
        if giver is not POT:
            change[giver] -= converted
        if taker is not POT:
            change[taker] += converted
    return _difference(change, {})


def _difference(amounts: Mapping[str, int], subtracted: Mapping[str, int]) -> dict[str, int]:
    """Subtract amounts by player; players left with 0 are omitted."""
    differences = {player: amount - subtracted.get(player, 0) for player, amount in amounts.items()}
    return {player: amount for player, amount in differences.items() if amount}


def _explains(change: Mapping[str, int], surplus: Mapping[str, int]) -> bool:
    return any(surplus.get(player) == amount for player, amount in change.items()) and all(
        _is_part(amount, surplus.get(player, 0)) for player, amount in change.items()
    )


def _is_part(amount: int, whole: int) -> bool:
    """Return whether `amount` has the sign of `whole` and is no larger."""
    return amount * whole > 0 and abs(amount) <= abs(whole)
