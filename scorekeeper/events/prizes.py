"""Prizes of an event: what they are for, and who has won them.

The prizes for one rule and group are a ladder: place 1, 2 and so on. Ladders are awarded in the order in which they
are listed. Winners are passed over in later ladders, unless one of their prizes says `again`.

Those who share a rank, or have as many slams, share their places: the amounts of these places are added up and
divided, and what is won in kind belongs to all of them. Two who share places 1 and 2, for 20 and 10, have 15 each.
An amount is divided in whole coins; coins left over go one each to the lowest numbers. What a pair or a fort has won is
divided among its members in the same way.

The lowest score wins only if no round is missing, so that leaving early does not pay. Nobody wins for slams without
one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

from ..limits import MAX_PRIZE_AMOUNT, MAX_PRIZES
from ..scoring.prizes import Prize
from ..scoring.problems import Problem
from ..scoring.schema import load
from ..scoring.values import NO_SEATS
from .ranking import StandingRow

RULES = HIGHEST, LOWEST, SLAMS = "highest", "lowest", "slams"
# The order in which they win, the first one first, and who may.
_RULES: dict[str, tuple[Callable[[StandingRow], int], Callable[[StandingRow], object]]] = {
    HIGHEST: (lambda row: row.rank, lambda _: True),
    LOWEST: (lambda row: -row.rank, lambda row: row.is_complete),
    SLAMS: (lambda row: -row.slams, lambda row: row.slams),
}


class Award(NamedTuple):
    """What equals have won together, or nobody, if `rows` is empty."""

    rule: str
    group: str
    places: tuple[int, ...]  # of the ladder; the last ones may have no prize
    rows: tuple[StandingRow, ...]
    texts: tuple[str, ...]  # won in kind, together
    amounts: dict[int, int]  # what each number has won, in subunits

    def amount_of(self, row: StandingRow) -> int:
        return sum(self.amounts.get(number, 0) for number in row.numbers)


def read_prizes(raw: Any, problems: list[Problem]) -> tuple[Prize, ...]:
    """Return prizes from a list of JSON objects; every problem is appended to `problems`."""
    if not isinstance(raw, list) or len(raw) > MAX_PRIZES:
        problems.append(Problem("prizes", "too-many-prizes", {"most": MAX_PRIZES}))
        return ()
    prizes = []
    for index, item in enumerate(raw):
        path = f"prizes[{index}]"
        prize = load(Prize, item, NO_SEATS, problems, path)
        if prize is None:
            continue
        if (prize.amount is None) == (not prize.text):
            problems.append(Problem(f"{path}.amount", "prize-amount-or-text"))
        elif prize.amount is not None and Decimal(prize.amount) > MAX_PRIZE_AMOUNT:
            problems.append(Problem(f"{path}.amount", "event-amount"))
        else:
            prizes.append(prize)
    return tuple(prizes)


def award(prizes: Sequence[Prize], rows: Sequence[StandingRow], coin: int = 1) -> tuple[Award, ...]:
    """Return who has won what by these standings; `coin` is the smallest, in subunits."""
    ladders: dict[tuple[str, str], list[Prize]] = {}
    for prize in prizes:
        ladders.setdefault((prize.rule, prize.group), []).append(prize)
    winners: set[tuple[int, ...]] = set()
    awards: list[Award] = []
    for (rule, group), ladder in ladders.items():
        passed_over = set() if any(prize.again for prize in ladder) else winners
        candidates = [row for row in rows if row.numbers not in passed_over and group in ("", row.group)]
        of_ladder = list(_climb(rule, group, ladder, candidates, coin))
        awards += of_ladder
        winners |= {row.numbers for award_ in of_ladder for row in award_.rows}
    return tuple(awards)


def _climb(rule: str, group: str, ladder: list[Prize], candidates: list[StandingRow], coin: int) -> Iterator[Award]:
    last = max(prize.place for prize in ladder)
    filled = 0
    key, may_win = _RULES[rule]
    ranked = sorted((row for row in candidates if row.rounds_played and may_win(row)), key=key)
    for _, equals in groupby(ranked, key=key):
        if filled >= last:
            break
        rows = tuple(sorted(equals, key=lambda row: row.numbers))
        places = tuple(range(filled + 1, filled + len(rows) + 1))
        filled += len(rows)
        if won := [prize for prize in ladder if prize.place in places]:
            yield _award(rule, group, places, rows, won, coin)
    if missed := [prize for prize in ladder if prize.place > filled]:
        yield _award(rule, group, tuple(prize.place for prize in missed), (), missed, coin)


def _award(
    rule: str, group: str, places: tuple[int, ...], equals: tuple[StandingRow, ...], won: list[Prize], coin: int
) -> Award:
    shares = _divide(sum(prize.subunits for prize in won), len(equals), coin)
    amounts: dict[int, int] = {}
    for row, share in zip(equals, shares, strict=True):
        amounts |= zip(row.numbers, _divide(share, len(row.numbers), coin), strict=True)
    texts = tuple(prize.text for prize in won if prize.text)
    paid = {number: amount for number, amount in amounts.items() if amount}
    return Award(rule, group, places=places, rows=equals, texts=texts, amounts=paid)


def _divide(amount: int, among: int, coin: int) -> list[int]:
    """Divide an amount in whole coins: 10 among 3 are 4, 3, 3. The first gets what is less than a coin, too."""
    if not among:
        return []
    coins, rest = divmod(amount, coin)
    share, more = divmod(coins, among)
    shares = [(share + (index < more)) * coin for index in range(among)]
    shares[0] += rest
    return shares
